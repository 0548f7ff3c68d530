/**
 * Memory of idle actors: what 100,000 resident threads add to a node's process.
 *
 * The process collects its garbage before both measurements, so that what is counted is what the actors keep; its resident
 * memory is counted too, which is what a machine has to have. Each round is a process and a database of its own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { MemoryResult, MemoryTask } from './support/resident-threads.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { count, median, mebibytes, table, times } from './support/table.ts';

const threads = 100_000;
const rounds = 3;
const target = 300 * 1e6;

async function measure(task: MemoryTask): Promise<MemoryResult> {
  const child = fork(new URL('./support/resident-threads.ts', import.meta.url), {
    execPath: process.execPath,
    execArgv: ['--expose-gc'],
  });
  child.send(task);
  const [result] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`the node under measurement ended with ${String(code)}`)),
    ),
  ])) as [MemoryResult];
  if (child.exitCode === null) await once(child, 'exit');
  return result;
}

/** Runs the rounds and prints their medians. */
export async function benchMemory(database: BenchDatabase): Promise<void> {
  const results: MemoryResult[] = [];
  for (let round = 0; round < rounds; round++) {
    const result = await measure({ databaseUrl: await database.create(`memory_${round}`), threads });
    if (result.activations !== threads)
      throw new Error(`${result.activations} actors are resident, not ${threads}`);
    results.push(result);
  }
  const rows = (['heapBytes', 'residentBytes'] as const).map(field => {
    const before = median(results.map(result => result.before[field]));
    const after = median(results.map(result => result.after[field]));
    const growth = median(results.map(result => result.after[field] - result.before[field]));
    return [
      field === 'heapBytes' ? 'V8 heap in use' : 'resident memory',
      mebibytes(before),
      mebibytes(after),
      mebibytes(growth),
      count(growth / threads),
      times(growth / target),
    ];
  });
  console.log(
    `\n${count(threads)} idle resident threads (medians of ${rounds} processes, after forced collections)\n`,
  );
  console.log(
    table(['', 'before', 'with actors', 'growth', 'bytes per actor', 'of 300 MB (target: at most 1)'], rows),
  );
  console.log(`\nActivated at ${count(median(results.map(result => result.perSecond)))} actors per second.`);
}
