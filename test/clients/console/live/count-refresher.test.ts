/** The counts of the queues are told soon, and not asked for without end. */
import t from 'tap';
import { CountRefresher } from '../../../../clients/console/live/count-refresher.ts';

function start() {
  let now = 0;
  let due: { readonly at: number; readonly work: () => void } | undefined;
  const asked: number[] = [];
  const refresher = new CountRefresher({
    ask: () => asked.push(now),
    now: () => now,
    schedule: (work, ms) => {
      const mine = (due = { at: now + ms, work });
      return () => {
        if (due === mine) due = undefined;
      };
    },
  });
  const pass = (ms: number): void => {
    const end = now + ms;
    while (due !== undefined && due.at <= end) {
      now = due.at;
      const { work } = due;
      due = undefined;
      work();
    }
    now = end;
  };
  return { refresher, asked, pass };
}

t.test('what the operator does is told at once, also where much has happened before', async t => {
  const { refresher, asked, pass } = start();
  for (let each = 0; each < 100; each++) {
    refresher.change(false);
    pass(100);
  }
  refresher.change(false);
  pass(100);
  const before = asked.length;
  refresher.change(true);
  refresher.change(true);
  pass(600);
  t.equal(asked.length, before + 1, 'once for one action');
  pass(60_000);
  t.equal(asked.length, before + 1, 'and that answers what happened before it');
});

t.test('a change of many conversations at once asks twice a second at most', async t => {
  const { refresher, asked, pass } = start();
  for (let each = 0; each < 100; each++) {
    refresher.change(true);
    pass(50);
  }
  pass(1_000);
  t.ok(asked.length >= 8 && asked.length <= 12, `${asked.length} questions`);
  t.ok((asked.at(-1) ?? 0) >= 4_950, 'the last follows the last change');
});

t.test('the first events after a pause are told soon, each', async t => {
  const { refresher, asked, pass } = start();
  for (let each = 0; each < 3; each++) {
    refresher.change(false);
    pass(1_000);
  }
  t.strictSame(asked, [300, 1_300, 2_300]);
});

t.test('however much happens, it asks every five seconds in the long run', async t => {
  const { refresher, asked, pass } = start();
  for (let each = 0; each < 6_000; each++) {
    refresher.change(false);
    pass(10);
  }
  t.ok(asked.length <= 4 + 60 / 5, `${asked.length} questions in a minute`);
  t.ok(asked.length >= 60 / 5, 'and goes on to ask');
  const before = asked.length;
  pass(60_000);
  t.equal(asked.length, before + 1, 'what came last is told');
  refresher.change(false);
  refresher.stop();
  pass(60_000);
  t.equal(asked.length, before + 1, 'nothing after it has ended');
});
