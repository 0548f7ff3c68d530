/** A worker of a batch: simulates its share of the seeds, and tells of each. */
import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Share, Told } from './batch.ts';
import { simulate } from './simulate.ts';

const { from, end, step, load } = workerData as Share;
for (let seed = from; seed < end; seed += step) {
  const { story: _, ...told } = await simulate(seed, { load });
  parentPort?.postMessage(told satisfies Told);
  // Messages go out between turns of the event loop, of which a simulation has none.
  await turn();
}
