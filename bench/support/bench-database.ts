/** One real, durable PostgreSQL for all benchmarks of a run, with a database for each system. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { temporaryFolder } from '../demo/server.ts';
import { silentLog } from '../../runtime/observability/log.ts';
import { nodeRole, readAccess, toSuperuserUrl } from '../../storage/embedded/cluster.ts';
import { startEmbedded } from '../../storage/embedded/start.ts';
import { Endings } from './endings.ts';
import { treeCpuSeconds } from './process-usage.ts';
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
   * Brings the server to the state after some minutes of work: once a run, some 15 s. A new server writes its log and its pages into memory that
   * the host of a virtual machine has to find first. That costs some 25 of the 95 microseconds of a message, until log files are used again.
   */
  warm(): Promise<void>;
  /** CPU seconds of the server and all its processes, those that ended included. */
  cpuSeconds(): number;
  /** Bytes of the write-ahead log so far. */
  walBytes(): Promise<number>;
  /** Ended after each benchmark: the nodes, receivers and other servers that it has started. */
  readonly endings: Endings;
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

  const endings = new Endings();
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
    endings,
    async stop() {
      await endings.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
