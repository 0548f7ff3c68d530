/** Simulates seeds until one breaks a law, and writes which as JSON; ends with 3 when none does. Run by planted.ts in a copy. */
import { runBatch } from './batch.ts';

const { failed, seeds } = await runBatch({ from: 1, seeds: Number(process.argv[2]), stopAtFailure: true });
const [first] = failed;
if (first !== undefined) {
  process.stdout.write(JSON.stringify({ seed: first.seed, tried: seeds, law: first.violations[0]?.law }));
}
process.exitCode = first === undefined ? 3 : 0;
