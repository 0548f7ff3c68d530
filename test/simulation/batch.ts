/** Many simulations, on all cores: each worker takes the seeds in turn. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { LoadName } from './load.ts';
import { noFaults, type FaultCounts, type FaultKind } from './faults.ts';
import type { Outcome } from './simulate.ts';

/** A range of seeds for one worker: `from`, `from + step`, ... below `end`. */
export interface Share {
  readonly from: number;
  readonly end: number;
  readonly step: number;
  /** That of each seed when absent. */
  readonly load?: LoadName | undefined;
}

/** What a worker tells of one seed. */
export type Told = Omit<Outcome, 'story'>;

export interface Batch {
  readonly seeds: number;
  readonly faults: FaultCounts;
  readonly acknowledged: number;
  /** Virtual seconds. */
  readonly virtualSeconds: number;
  readonly seconds: number;
  /** Of the seeds that broke an invariant, by seed. */
  readonly failed: readonly Told[];
}

export interface BatchOptions {
  readonly from: number;
  readonly seeds: number;
  /** Default: one for each core. */
  readonly workers?: number;
  /** Ends with the first seed that breaks an invariant. */
  readonly stopAtFailure?: boolean;
  /** Default: that of each seed. */
  readonly load?: LoadName | undefined;
  readonly progress?: (told: Told, done: number) => void;
}

export async function runBatch({
  from,
  seeds,
  stopAtFailure = false,
  load,
  ...rest
}: BatchOptions): Promise<Batch> {
  const { workers: step = Math.min(seeds, availableParallelism()), progress } = rest;
  const began = performance.now();
  const faults = noFaults();
  const failed: Told[] = [];
  let [done, acknowledged, virtualMs] = [0, 0, 0];
  const workers: Worker[] = [];
  const hear = (told: Told): void => {
    done++;
    acknowledged += told.acknowledged;
    virtualMs += told.virtualMs;
    for (const [kind, count] of Object.entries(told.faults) as [FaultKind, number][]) faults[kind] += count;
    if (told.violations.length > 0) failed.push(told);
    progress?.(told, done);
    if (stopAtFailure && failed.length > 0) for (const worker of workers) void worker.terminate();
  };
  await Promise.all(
    Array.from({ length: step }, (_, i) => {
      const share: Share = { from: from + i, end: from + seeds, step, load };
      const worker = new Worker(new URL('./seeds.worker.ts', import.meta.url), { workerData: share });
      workers.push(worker);
      return finished(worker, hear);
    }),
  );
  failed.sort((a, b) => a.seed - b.seed);
  const seconds = (performance.now() - began) / 1_000;
  return { seeds: done, faults, acknowledged, virtualSeconds: virtualMs / 1_000, seconds, failed };
}

function finished(worker: Worker, hear: (told: Told) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', hear);
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}

/** Kinds that nobody met: the batch was too small, or they are not injected any more. */
export function unmet(faults: FaultCounts): FaultKind[] {
  return (Object.entries(faults) as [FaultKind, number][]).flatMap(([kind, count]) =>
    count === 0 ? [kind] : [],
  );
}
