/** Simulates seeds until one breaks an invariant, and writes which as JSON; ends with 3 when none does. Run by find-mutants.ts in a copy. */
import { runBatch } from './batch.ts';

const { failed, seeds } = await runBatch({ from: 1, seeds: Number(process.argv[2]), stopAtFailure: true });
const [first] = failed;
if (first !== undefined) {
  process.stdout.write(
    JSON.stringify({ seed: first.seed, tried: seeds, invariant: first.violations[0]?.invariant }),
  );
}
process.exitCode = first === undefined ? 3 : 0;
