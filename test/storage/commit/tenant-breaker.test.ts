/** The circuit breaker of tenants whose commits run into the time limit. */
import t from 'tap';
import { TenantBreaker } from '../../../storage/commit/tenant-breaker.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { newId } from '../../../protocol/ids.ts';
import { Counter, event } from './counters.ts';

t.test('a tenant goes apart after one timeout, is refused after three, and is tried again later', async t => {
  const clock = new VirtualClock();
  const breaker = new TenantBreaker(clock);
  const [slow, other] = [newId('project'), newId('project')];
  const createCommit = (project: ReturnType<typeof newId<'project'>>) =>
    new Counter().next([event(newId('thread'), project)]);

  t.equal(breaker.getState(createCommit(slow)), 'closed');
  breaker.recordTimeout(createCommit(slow));
  t.equal(breaker.getState(createCommit(slow)), 'suspect');
  t.equal(breaker.getState(createCommit(other)), 'closed');
  breaker.recordTimeout(createCommit(slow));
  for (const openMs of [5_000, 10_000, 20_000, 20_000]) {
    breaker.recordTimeout(createCommit(slow));
    await clock.advance(openMs - 1);
    t.equal(breaker.getState(createCommit(slow)), 'open', `${openMs} ms`);
    await clock.advance(1);
    t.equal(breaker.getState(createCommit(slow)), 'suspect', `${openMs} ms`);
    t.ok(clock.monotonic() < breaker.cautiousUntil);
  }

  await clock.advance(60_000);
  t.equal(clock.monotonic(), breaker.cautiousUntil, 'nobody has to ask any more');
  breaker.beCautious();
  t.equal(
    breaker.getState(createCommit(slow)),
    'closed',
    'an interruption of another does not bring it back',
  );
});

t.test('a commit without events counts for its actor alone', async t => {
  const breaker = new TenantBreaker(new VirtualClock());
  const counter = new Counter();
  breaker.recordTimeout(counter.next());
  t.equal(breaker.getState(counter.next()), 'suspect');
  t.equal(breaker.getState(new Counter().next()), 'closed');
});
