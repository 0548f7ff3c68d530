/** One real, durable PostgreSQL for all that is measured in a run, with a database for each system. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { silentLog } from '../../runtime/observability/log.ts';
import { nodeRole, readAccess, toSuperuserUrl } from '../../storage/embedded/cluster.ts';
import { startEmbedded } from '../../storage/embedded/start.ts';
import { treeCpuSeconds } from './process-usage.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { quick } from './turns.ts';

export interface BenchDatabase {
  /** A folder for whatever the systems keep; removed at the end. */
  readonly folder: string;
  /** The folder of the server. */
  readonly home: string;
  /** The server's first process. */
  readonly pid: number;
  /** Creates a database and gives its address. */
  create(name: string, schema?: string): Promise<string>;
  /** Runs one statement on a database. */
  query<T extends pg.QueryResultRow>(url: string, text: string, values?: unknown[]): Promise<T[]>;
  /**
   * Brings the server to where it is after some minutes of work; once a run, some 15 s. A server that was just made writes its log
   * and its pages into memory that nobody has touched yet, which on a virtual machine the host has to find first: of a message of
   * 95 microseconds some 25 (`pg_stat_io`: 12 more to extend tables and 11 more to write the log), until the log goes round in
   * files that are there.
   */
  warm(): Promise<void>;
  /** CPU seconds of the server and all its processes, those that ended included. */
  cpuSeconds(): number;
  /** Bytes of the write-ahead log so far. */
  walBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Two gigabytes of the log: after as much the embedded server makes a checkpoint by itself. */
const filler = `
  create table filler as select repeat(md5(i::text), 30) as text from generate_series(1, 2000000) i`;

/** @param settings of the server, beside its own */
export async function startBenchDatabase(
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchDatabase> {
  const folder = await temporaryFolder('skein-bench-');
  const home = join(folder, 'postgres');
  const server = await startEmbedded({ folder: home, log: silentLog, settings });

  async function query<T extends pg.QueryResultRow>(
    url: string,
    text: string,
    values: unknown[] = [],
  ): Promise<T[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<T>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  // Beyond what a node may do.
  await query(
    toSuperuserUrl(await readAccess(home)),
    `alter role ${nodeRole} createdb; grant pg_checkpoint to ${nodeRole}`,
  );

  async function warm(): Promise<void> {
    await query(server.url, filler);
    // The files of the log so far are used again, and the memory of the table is free again.
    await query(server.url, 'checkpoint');
    await query(server.url, 'drop table filler');
  }

  let warmed: Promise<void> | undefined;
  return {
    folder,
    home,
    pid: server.pid,
    query,
    warm: () => (warmed ??= quick(warm, () => Promise.resolve())()),
    async walBytes() {
      const [row] = await query<{ bytes: number }>(
        server.url,
        `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`,
      );
      return row?.bytes ?? 0;
    },
    async create(name, schema) {
      await query(server.url, `create database ${name}`);
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      if (schema !== undefined) await query(url.toString(), schema);
      return url.toString();
    },
    cpuSeconds: () => treeCpuSeconds(server.pid),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
