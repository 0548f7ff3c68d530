/**
 * fast-check with a seed that is the same in every run, so that what fails here fails everywhere. `npm run fuzz` (test/fuzz.ts) gives
 * each run a seed of its own.
 */
import fc from 'fast-check';

export type { Arbitrary } from 'fast-check';

const pinnedSeed = 1;
const given = process.env['FUZZ_SEED'];

/** Whether the run looks for what no run has found yet, and may take its time. */
export const isFresh = given !== undefined;

fc.configureGlobal({ seed: given === undefined ? pinnedSeed : Number(given) });

export default fc;
