/** The circuit breaker of tenants whose commits run into the time limit. */
import t from 'tap';
import { findTenant } from '../../../storage/commit/group-commit.ts';
import { TenantBreaker } from '../../../storage/commit/tenant-breaker.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { newId } from '../../../protocol/ids.ts';
import { Counter, event } from './counters.ts';

t.test('a tenant goes apart after one timeout, is refused after three, and is tried again later', async t => {
  const clock = new VirtualClock();
  const breaker = new TenantBreaker(clock);
  const [slow, other] = [newId('project'), newId('project')];
  t.equal(breaker.getState(slow), 'closed');
  breaker.recordTimeout(slow);
  t.equal(breaker.getState(slow), 'suspect');
  t.equal(breaker.getState(other), 'closed');
  breaker.recordTimeout(slow);
  for (const openMs of [5_000, 10_000, 20_000, 20_000]) {
    breaker.recordTimeout(slow);
    await clock.advance(openMs - 1);
    t.equal(breaker.getState(slow), 'open', `${openMs} ms`);
    await clock.advance(1);
    t.equal(breaker.getState(slow), 'suspect', `${openMs} ms`);
    t.ok(clock.monotonic() < breaker.cautiousUntil);
  }

  await clock.advance(60_000);
  t.equal(clock.monotonic(), breaker.cautiousUntil, 'the lanes need not ask any more');
  breaker.beCautious();
  t.equal(breaker.getState(slow), 'closed', 'an interruption of another does not bring it back');
});

t.test('the tenant of a commit is its project, or without events its actor', async t => {
  const counter = new Counter();
  const project = newId('project');
  t.equal(findTenant(counter.next([event(counter.id, project)])), project);
  t.equal(findTenant(counter.next()), `thread/${counter.id}`);
});
