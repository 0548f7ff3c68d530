/**
 * A database of the first schema, full of messages, is brought to the newest one while others write to it: how long each migration takes,
 * and the longest that a write waits. `MIGRATE_MESSAGES`: how many messages there are, by default 5,000,000.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../runtime/observability/index.ts';
import { silentLog } from '../runtime/observability/log.ts';
import { openDatabase } from '../storage/database/database.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { createFirstSchema, Writer, type WritesDone } from './support/first-schema.ts';
import { count, fixed, table } from './support/table.ts';

const writers = 4;
/** Before the migrations, for comparison. */
const quietMs = 10_000;
/** The longest that a write may wait. */
const targetMs = 1_000;

const seconds = (ms: number): string => fixed(ms / 1_000, 2);

/** Prints a row for each migration, and whether the target was met. */
export async function benchMigrate(database: BenchDatabase): Promise<void> {
  const messages = Number(process.env['MIGRATE_MESSAGES'] ?? 5_000_000);
  const url = await database.create('skein_migrate');
  const from = performance.now();
  await createFirstSchema(url, messages);
  console.log(`${count(messages)} messages made in ${seconds(performance.now() - from)} s`);

  const running = await Promise.all(Array.from({ length: writers }, () => Writer.start(url)));
  const take = (): WritesDone => {
    const done = running.map(writer => writer.take());
    return {
      count: done.reduce((sum, each) => sum + each.count, 0),
      longestMs: Math.max(...done.map(each => each.longestMs)),
    };
  };
  const rows: string[][] = [];
  let longestMs = 0;
  let blocked = 0;
  const note = (name: string, elapsedMs: number): void => {
    const done = take();
    longestMs = Math.max(longestMs, done.longestMs);
    rows.push([name, seconds(elapsedMs), count(done.count), fixed(done.longestMs, 0), String(blocked)]);
    blocked = 0;
  };
  await pause(quietMs);
  note('(none)', quietMs);
  const log: Log = {
    ...silentLog,
    info: (fields, message) => {
      const { migration, elapsedMs = 0 } = fields as { migration?: string; elapsedMs?: number };
      if (message === 'migrated') note(migration ?? '', elapsedMs);
      else if (message.endsWith('will retry')) blocked++;
    },
  };
  const migrated = await openDatabase({ url, log });
  const begunAt = performance.now();
  await migrated.migrate();
  const elapsedMs = performance.now() - begunAt;
  await migrated.close();
  await Promise.all(running.map(writer => writer.stop()));
  console.log(table(['migration', 'seconds', 'writes', 'longest write (ms)', 'found locked'], rows));
  console.log(`\nAll in ${seconds(elapsedMs)} s; the longest write took ${fixed(longestMs, 0)} ms.`);
  console.log(longestMs <= targetMs ? 'The target of 1 s is met.' : 'The target of 1 s is missed.');
}
