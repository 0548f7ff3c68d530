import t from 'tap';
import { VirtualClock } from '../../support/virtual-clock.ts';

t.test('timers run in the order of their instants, and of their making within one', async t => {
  const clock = new VirtualClock(0);
  const seen: string[] = [];
  for (const [name, ms] of Object.entries({ b: 20, a: 10, c: 20, d: 30 })) {
    clock.after(ms, () => seen.push(`${name}@${clock.now()}`));
  }
  clock.after(15, () => seen.push('never')).cancel();
  await clock.advance(25);
  t.strictSame(seen, ['a@10', 'b@20', 'c@20']);
  t.equal(clock.now(), 25);
  t.equal(clock.pending, 1);
});

t.test('what follows from a timer happens before the next one', async t => {
  const clock = new VirtualClock(1_000);
  const seen: number[] = [];
  const chain = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await new Promise<void>(resolve => clock.after(5, resolve));
      await Promise.resolve();
      seen.push(clock.monotonic());
    }
  };
  clock.after(12, () => seen.push(-12));
  await clock.until(chain());
  t.strictSame(seen, [5, 10, -12, 15]);
});

t.test('until resolves to the outcome, and fails when it never arrives', async t => {
  const clock = new VirtualClock(0);
  const failed = new Promise((_, reject) => clock.after(5, () => reject(new Error('no'))));
  await t.rejects(clock.until(failed), /^Error: no$|no/);
  clock.after(100, () => undefined);
  await t.rejects(clock.until(new Promise(() => undefined), 50), /not settled within 50 ms/);
});
