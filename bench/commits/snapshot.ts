/**
 * Commits beside a long snapshot, as a dump or a backup has one: the server keeps every version of the rows that all commits update, and a
 * commit must not read them all.
 *
 * Two databases take as many batches, one of them beside a transaction that reads and stays open. Then they take turns. No commit waits for
 * the disk, which would hide the rest. An hour at 200 batches a second is 720,000 batches: `SNAPSHOT_BATCHES=720000` runs as many, which
 * takes some ten minutes.
 */
import pg from 'pg';
import type { BenchDatabase } from '../support/bench-database.ts';
import { count, median, table, timesByRounds } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { type BenchStore, openBenchStore } from './bench-store.ts';

const batches = Number(process.env['SNAPSHOT_BATCHES'] ?? quick(60_000, 12_000));
const steps = 3;
const rounds = 25;
const sampled = quick(200, 50);

interface System {
  readonly store: BenchStore;
  readonly projectId: string;
}

async function start(bench: BenchDatabase, name: string): Promise<System> {
  const store = await openBenchStore(bench, name);
  await bench.query(store.url, `alter database ${name} set synchronous_commit = off`);
  const projectId = await store.addProject();
  return { store, projectId };
}

/** Commits one after the other: each is a batch. Returns the microseconds of a commit. */
async function commit({ store, projectId }: System, times: number): Promise<number> {
  const from = performance.now();
  for (let i = 0; i < times; i++) await store.commit(projectId);
  return ((performance.now() - from) * 1_000) / times;
}

/** Prints the cost of a commit beside the snapshot, and against one without, as the snapshot grows older. */
export async function run(bench: BenchDatabase): Promise<void> {
  const [beside, without] = [await start(bench, 'beside_snapshot'), await start(bench, 'without_snapshot')];
  const snapshot = new pg.Client({ connectionString: beside.store.url });
  await snapshot.connect();
  bench.endings.teardown(() => snapshot.end());
  await snapshot.query('begin isolation level repeatable read');
  await snapshot.query('select from project_streams');
  const rows: string[][] = [];
  for (let step = 1; step <= steps; step++) {
    const more = Math.round(batches / steps) - rounds * sampled;
    for (const system of [beside, without]) await commit(system, Math.max(0, more));
    const samples: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const turns = [() => commit(beside, sampled), () => commit(without, sampled)] as const;
      for (const i of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
        samples[i].push(await turns[i]());
    }
    const [long, none] = samples;
    rows.push([
      count((batches * step) / steps),
      count(median(long)),
      count(median(none)),
      timesByRounds(long, none),
    ]);
  }
  console.log(
    `\nCommits one by one, without waiting for the disk (medians of ${rounds} rounds; 1.1 x is allowed)\n`,
  );
  console.log(table(['batches since the snapshot', 'µs beside it', 'µs without', 'ratio'], rows));
}
