import t from 'tap';
import { runBatch } from './batch.ts';
import { simulate } from './simulate.ts';

/** Fixed, so that a run that fails here fails everywhere. `npm run test:all` simulates 100 seeds. */
const seeds = 20;

t.test(`${seeds} simulated clusters keep every invariant, whatever happens to them`, async t => {
  // One worker: beside it other files run.
  const { failed, acknowledged } = await runBatch({ from: 1, seeds, workers: 1 });
  t.same(
    failed.map(({ seed, violations }) => ({ replay: `npm run sim -- --seed ${seed}`, violations })),
    [],
  );
  t.ok(acknowledged > 20 * seeds, `${acknowledged} operations were acknowledged`);
});

t.test('a seed gives the same run every time', async t => {
  const [first, second] = [await simulate(7, { isTold: true }), await simulate(7, { isTold: true })];
  t.ok(first.story.length > 100);
  t.same(second.story, first.story);
  t.equal(second.fingerprint, first.fingerprint);
  t.not((await simulate(8)).fingerprint, first.fingerprint);
});
