import t from 'tap';
import { runBatch, unmet } from './batch.ts';
import { simulate } from './simulate.ts';

const seeds = 100;

t.test(
  `${seeds} simulated clusters keep every invariant, whatever happens to them`,
  { timeout: 600_000 },
  async t => {
    const { failed, faults, acknowledged, seconds } = await runBatch({ from: 1, seeds });
    t.same(
      failed.map(({ seed, violations }) => ({ replay: `npm run sim -- --seed ${seed}`, violations })),
      [],
    );
    t.same(unmet(faults), [], 'every kind of fault had its effect');
    t.ok(acknowledged > 20 * seeds, `${acknowledged} operations were acknowledged`);
    t.comment(`${(seeds / seconds).toFixed(1)} seeds per second`);
  },
);

t.test('a seed gives the same run every time', async t => {
  const [first, second] = [await simulate(7, { isTold: true }), await simulate(7, { isTold: true })];
  t.ok(first.story.length > 100);
  t.same(second.story, first.story);
  t.equal(second.fingerprint, first.fingerprint);
  t.not((await simulate(8)).fingerprint, first.fingerprint);
});
