import t from 'tap';
import { RetryPolicy } from '../../../actors/base/retry-policy.ts';
import { conflict } from '../../../protocol/errors.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const random = { next: () => 0.5, bytes: (size: number) => new Uint8Array(size) };
const self = { kind: 'stitch', id: 'stitch_1' };

function createPolicy(): { readonly clock: VirtualClock; readonly policy: RetryPolicy } {
  const clock = new VirtualClock();
  return { clock, policy: new RetryPolicy({ clock, random, log: silentLog }) };
}

t.test('work is repeated until it succeeds, or fails for good', async t => {
  const { clock, policy } = createPolicy();
  let tries = 0;
  const work = (): Promise<number> =>
    ++tries < 5 ? Promise.reject(new Error('away')) : Promise.resolve(tries);
  t.equal(await clock.until(policy.retry('it failed', work)), 5);
  const fatal = new Error('a defect');
  await t.rejects(
    policy.retry(
      'it failed',
      () => Promise.reject(fatal),
      error => error === fatal,
    ),
    fatal,
  );
});

t.test('a conflict is no fault: the log says so at debug only', async t => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const note = (level: string) => () => void lines.push(level);
  const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const failures = [conflict('It has changed.'), new Error('away')];
  const work = (): Promise<null> => {
    const failure = failures.shift();
    return failure === undefined ? Promise.resolve(null) : Promise.reject(failure);
  };
  await clock.until(new RetryPolicy({ clock, random, log }).retry('it failed', work));
  t.strictSame(lines, ['debug', 'warn']);
});

t.test('a node that stops ends the retries, and a task that is left unfinished is no failure', async t => {
  const { clock, policy } = createPolicy();
  const context = { self, ask: () => Promise.resolve(null), now: clock.now.bind(clock) };
  let tries = 0;
  const task = policy.guard<null>(() =>
    policy.retry('it fails', () => {
      tries++;
      return Promise.reject(new Error('away'));
    }),
  );
  const done = task(null, context);
  await clock.advance(1_000);
  t.ok(tries > 1);
  policy.stop();
  await clock.until(done);
  const running = createPolicy().policy.guard<null>(() => Promise.reject(new Error('a defect')));
  await t.rejects(running(null, context), { message: 'a defect' });
});
