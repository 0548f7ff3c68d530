/**
 * A quiet project beside a saturated one, on one node: the quiet one commits every ten milliseconds, alone and while the other has 256
 * commits under way at any time. The two take turns of 400 ms.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchDatabase } from '../support/bench-database.ts';
import { count, fixed, median, quantile, table, timesByRounds } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { type BenchStore, openBenchStore } from './bench-store.ts';

const rounds = quick(5, 3);
const slices = quick(20, 6);
const sliceMs = 400;
const everyMs = 10;
const connections = 256;

interface Sample {
  readonly p50: number;
  readonly p99: number;
  /** Commits of both projects in a second. */
  readonly perSecond: number;
}

class Slices {
  readonly #store: BenchStore;
  readonly #latencies: number[] = [];
  #committed = 0;
  #ms = 0;

  constructor(store: BenchStore) {
    this.#store = store;
  }

  get sample(): Sample {
    return {
      p50: median(this.#latencies),
      p99: quantile(this.#latencies, 0.99),
      perSecond: (this.#committed * 1_000) / this.#ms,
    };
  }

  async add(quiet: string, saturated?: string): Promise<void> {
    const from = performance.now();
    const end = from + sliceMs;
    const saturate = async (projectId: string): Promise<void> => {
      while (performance.now() < end) {
        await this.#store.commit(projectId);
        this.#committed++;
      }
    };
    const others =
      saturated === undefined ? [] : Array.from({ length: connections }, () => saturate(saturated));
    const own: Promise<unknown>[] = [];
    while (performance.now() < end) {
      const began = performance.now();
      own.push(this.#store.commit(quiet).then(() => this.#latencies.push(performance.now() - began)));
      await pause(everyMs);
    }
    this.#committed += own.length;
    await Promise.all([...own, ...others]);
    this.#ms += performance.now() - from;
  }
}

/** Prints the latency of the quiet project's commits in both cases. */
export async function run(bench: BenchDatabase): Promise<void> {
  await bench.warm();
  const store = await openBenchStore(bench, 'neighbours');
  const [quiet, saturated] = [await store.addProject(), await store.addProject()];
  await new Slices(store).add(quiet, saturated);
  const undisturbed: Sample[] = [];
  const beside: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    const [without, neighboured] = [new Slices(store), new Slices(store)];
    for (let slice = 0; slice < slices; slice++) {
      await without.add(quiet);
      await neighboured.add(quiet, saturated);
    }
    undisturbed.push(without.sample);
    beside.push(neighboured.sample);
  }
  const show = (samples: readonly Sample[], field: keyof Sample, digits = 1): string =>
    fixed(median(samples.map(each => each[field])), digits);
  console.log(`\nA quiet project (medians of ${rounds} rounds; 2 x the p99 is allowed)\n`);
  console.log(
    table(
      ['', 'p50 ms', 'p99 ms', 'commits/s'],
      [
        ['alone', show(undisturbed, 'p50'), show(undisturbed, 'p99'), ''],
        [
          'beside a saturated project',
          show(beside, 'p50'),
          show(beside, 'p99'),
          count(median(beside.map(each => each.perSecond))),
        ],
        [
          'ratio',
          timesByRounds(
            beside.map(each => each.p50),
            undisturbed.map(each => each.p50),
          ),
          timesByRounds(
            beside.map(each => each.p99),
            undisturbed.map(each => each.p99),
          ),
          '',
        ],
      ],
    ),
  );
}
