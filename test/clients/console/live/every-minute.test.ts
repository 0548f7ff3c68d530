/** What changes with the time alone is asked for while somebody can see it. */
import t from 'tap';
import { everyMinute } from '../../../../clients/console/live/every-minute.ts';

t.test('each minute, not while the page is hidden, and at once when it is shown again', async t => {
  let now = 0;
  let isHidden = false;
  let due: { readonly at: number; readonly work: () => void } | undefined;
  let onVisibility: (() => void) | undefined;
  const worked: number[] = [];
  const stop = everyMinute(() => worked.push(now), {
    isHidden: () => isHidden,
    onVisibility: listener => {
      onVisibility = listener;
      return () => (onVisibility = undefined);
    },
    now: () => now,
    schedule: (work, ms) => {
      const mine = (due = { at: now + ms, work });
      return () => {
        if (due === mine) due = undefined;
      };
    },
  });
  const pass = (seconds: number): void => {
    for (const end = now + seconds * 1_000; now < end;) {
      now += 1_000;
      if (due === undefined || due.at > now) continue;
      const { work } = due;
      due = undefined;
      work();
    }
  };
  const show = (isShown: boolean): void => {
    isHidden = !isShown;
    onVisibility?.();
  };
  pass(130);
  t.strictSame(worked, [60_000, 120_000]);
  show(false);
  pass(600);
  t.equal(worked.length, 2);
  show(true);
  t.strictSame(worked.slice(2), [730_000]);
  show(false);
  show(true);
  t.equal(worked.length, 3, 'whoever looks again and again asks no more often');
  pass(60);
  t.strictSame(worked.slice(3), [790_000]);
  stop();
  pass(600);
  t.equal(worked.length, 4);
  t.equal(onVisibility, undefined);
});
