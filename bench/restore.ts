/**
 * How long a backup of the embedded database takes, and the way back until the database has started, has taken up its log and answers: at
 * sizes that grow by a gigabyte, with a line through them. `RESTORE_GB`: the largest, by default 4. Beside the data there have to be two
 * more of that size on the disk.
 *
 * What fills the database is a table of texts. It stands for messages, since both ways copy files, and look into none.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '../runtime/observability/log.ts';
import { restoreBackup, takeBackup } from '../storage/backup/index.ts';
import { openDatabase } from '../storage/database/database.ts';
import { startEmbedded } from '../storage/embedded/start.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { fixed, table } from './support/table.ts';

/** Seven rows of a kilobyte each have a page of 8 KiB. */
const rowsOfGigabyte = 850_000;
const onProgress = (): void => undefined;

interface Measured {
  readonly gigabytes: number;
  readonly backupMs: number;
  readonly restoreMs: number;
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [result: T, ms: number]> {
  const from = performance.now();
  const result = await work();
  return [result, performance.now() - from];
}

/** Milliseconds for each gigabyte, and beside them, by least squares. */
function fit(points: readonly (readonly [gigabytes: number, ms: number])[]): readonly [number, number] {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, each) => sum + each, 0) / values.length;
  const [x, y] = [mean(points.map(([each]) => each)), mean(points.map(([, each]) => each))];
  const slope =
    mean(points.map(([each, ms]) => (each - x) * (ms - y))) / mean(points.map(([each]) => (each - x) ** 2));
  return [slope, y - slope * x];
}

/** Prints a row for each size, and the lines. */
export async function benchRestore({ folder }: BenchDatabase): Promise<void> {
  const most = Number(process.env['RESTORE_GB'] ?? 4);
  const postgres = join(folder, 'restore-original');
  const server = await startEmbedded({ folder: postgres, log: silentLog });
  const database = await openDatabase({ url: server.url, log: silentLog, statementTimeoutMs: 600_000 });
  const measured: Measured[] = [];
  try {
    await database.migrate();
    await database.query('create table filler (text text)');
    for (let size = 1; size <= most; size++) {
      await database.query(
        `insert into filler select repeat(md5(i::text), 32) from generate_series(1, ${rowsOfGigabyte}) i`,
      );
      const backup = join(folder, 'restore-backup');
      const request = { postgres, keys: undefined, media: undefined, onProgress };
      const [manifest, backupMs] = await timed(() =>
        takeBackup({ ...request, target: backup, version: 'bench' }),
      );
      const restored = join(folder, 'restore-restored');
      const [, restoreMs] = await timed(() =>
        restoreBackup({ ...request, backup, manifest, postgres: restored, log: silentLog }),
      );
      measured.push({ gigabytes: manifest.byteCount / 1e9, backupMs, restoreMs });
      for (const each of [backup, restored]) await rm(each, { recursive: true });
    }
  } finally {
    await database.close();
    await server.stop();
  }
  const rows = measured.map(each => [each.gigabytes, each.backupMs / 1_000, each.restoreMs / 1_000]);
  console.log(
    table(
      ['GB', 'backup s', 'restore s, to a database that answers'],
      rows.map(row => row.map(value => fixed(value))),
    ),
  );
  for (const [name, field] of [
    ['backup', 'backupMs'],
    ['restore', 'restoreMs'],
  ] as const) {
    const [slope, rest] = fit(measured.map(each => [each.gigabytes, each[field]] as const));
    // In seconds: a share of the small ones would say nothing.
    const offMs = Math.max(...measured.map(each => Math.abs(each[field] - (slope * each.gigabytes + rest))));
    console.log(
      `${name}: ${fixed(slope / 1_000)} s a GB and ${fixed(rest / 1_000)} s; the sizes are off by ${fixed(offMs / 1_000)} s at most`,
    );
  }
}
