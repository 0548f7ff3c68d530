import t from 'tap';
import { runBatch } from './batch.ts';

/** Fixed, so that a run that fails here fails everywhere. `npm run test:all` simulates 100 seeds. */
const seeds = 20;

t.test(
  `${seeds} simulated clusters keep every invariant, whatever happens to them`,
  { timeout: 600_000 },
  async t => {
    // One worker: beside it other files run.
    const { failed, acknowledged } = await runBatch({ from: 1, seeds, workers: 1 });
    t.same(
      failed.map(({ seed, violations }) => ({ replay: `npm run sim -- --seed ${seed}`, violations })),
      [],
    );
    t.ok(acknowledged > 20 * seeds, `${acknowledged} operations were acknowledged`);
  },
);
