/**
 * A real PostgreSQL for one test file: its own server, its own folder, gone with the file. The cluster is copied from a
 * template that is made once per version of the schema and the server, so that a file pays a copy and a start, some
 * 200 ms, and no initdb.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { silentLog } from '../../runtime/observability/log.ts';
import { openDatabase } from '../../storage/database/database.ts';
import type { Database } from '../../storage/database/database.ts';
import {
  freePort,
  nodeRole,
  readAccess,
  toSuperuserUrl,
  writeAccess,
} from '../../storage/embedded/cluster.ts';
import { hasCluster } from '../../storage/embedded/data-directory.ts';
import { startEmbedded } from '../../storage/embedded/start.ts';
import { removeLeftovers } from './leftovers.ts';
import { dataRoot } from './memory-folder.ts';
import { processGuard } from './process-guard.ts';

const run = promisify(execFile);

export interface TestDatabase {
  /** Of the role that a node has: it owns the database, and is no superuser. */
  readonly url: string;
  /** For tests of the server itself. */
  readonly superuserUrl: string;
  /** Migrated. */
  readonly database: Database;
  /** The server's process by now. */
  readonly pid: number;
  /** Another database on the same server, without a table, and its address. */
  createDatabase(name: string): Promise<string>;
  /** Kills the server as a power failure would, and resolves when it has been started again. */
  kill9(): Promise<void>;
  /** Shuts the server down, as an operator would; only `startServer` brings it back. */
  stopServer(): Promise<void>;
  /** At the same address, with what it has stored. */
  startServer(): Promise<void>;
  /** Closes, stops and removes everything; idempotent. Called by itself at the end of the test. */
  stop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** With fsync, and on a disk, for tests of durability. Default false. */
  readonly durable?: boolean;
  readonly poolSize?: number;
  /** Of the server, beside those of tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const small = { shared_buffers: '64MB', max_wal_size: '256MB', min_wal_size: '32MB' };
const prefix = 'skein-test-';
/** Templates of other versions are thrown away a day after they were made. */
const templateKeptMs = 86_400_000;

/** Starts a server for the test and has it removed when the test ends, however it ends. */
export async function startTestDatabase(
  t?: { teardown(handler: () => Promise<void>): unknown },
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  await removeLeftovers();
  const root = await passable(
    join(options.durable === true ? tmpdir() : dataRoot, `${prefix}${process.pid}-`),
  );
  // For a process that ends without its teardown; the server is told to stop by itself (storage/embedded).
  const atExit = () => rmSync(root, { recursive: true, force: true });
  process.on('exit', atExit);

  const folder = join(root, 'postgres');
  await run('cp', ['-a', await template(), folder]);
  await writeAccess(folder, { ...(await readAccess(folder)), port: await freePort() });
  let restarted: (() => void) | undefined;
  const start = () =>
    startEmbedded({
      folder,
      log: silentLog,
      settings: { ...small, ...(options.durable === true ? undefined : careless), ...options.settings },
      onRestart: pid => {
        endGuard = processGuard(pid, 'QUIT');
        restarted?.();
      },
    });
  let server = await start();
  const { url } = server;
  let endGuard = processGuard(server.pid, 'QUIT');
  const database = await openDatabase({
    url,
    log: silentLog,
    ...(options.poolSize === undefined ? {} : { poolSize: options.poolSize }),
  });

  async function end(): Promise<void> {
    await database.close();
    await server.stop();
    endGuard();
    await rm(root, { recursive: true, force: true });
    process.off('exit', atExit);
  }
  let ending: Promise<void> | undefined;
  const stop = () => (ending ??= end());
  t?.teardown(stop);
  const superuserUrl = toSuperuserUrl(await readAccess(folder));
  return {
    url,
    superuserUrl,
    database,
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: superuserUrl });
      await client.connect();
      await client.query(`create database ${name} owner ${nodeRole}`);
      await client.end();
      const other = new URL(url);
      other.pathname = `/${name}`;
      return other.href;
    },
    get pid() {
      return server.pid;
    },
    async kill9() {
      const ready = new Promise<void>(resolve => (restarted = resolve));
      endGuard();
      process.kill(server.pid, 'SIGKILL');
      await ready;
    },
    async stopServer() {
      await server.stop();
      endGuard();
    },
    async startServer() {
      server = await start();
      endGuard = processGuard(server.pid, 'QUIT');
      if (server.url !== url) throw new Error('somebody else has taken the port of the database');
    },
    stop,
  };
}

const migrations = fileURLToPath(new URL('../../storage/migrations', import.meta.url));
const lock = fileURLToPath(new URL('../../package-lock.json', import.meta.url));

/** The folder of the template for the schema and server of now, made by whoever needs it first. */
async function template(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(lock));
  const files = await readdir(migrations, { recursive: true });
  for (const file of files.filter(name => name.endsWith('.ts')).sort()) {
    hash.update(file).update(await readFile(join(migrations, file)));
  }
  const home = join(tmpdir(), `skein-templates-${process.getuid?.() ?? 'user'}`);
  await mkdir(home, { recursive: true, mode: 0o711 });
  const finished = join(home, hash.digest('hex').slice(0, 20));
  if (await exists(finished)) return finished;
  for (const name of await readdir(home)) {
    const { mtimeMs } = await stat(join(home, name));
    if (Date.now() - mtimeMs > templateKeptMs) await rm(join(home, name), { recursive: true, force: true });
  }

  const draft = await passable(join(home, 'draft-'));
  const folder = join(draft, 'postgres');
  const server = await startEmbedded({ folder, log: silentLog, settings: { ...small, ...careless } });
  const database = await openDatabase({ url: server.url, log: silentLog });
  try {
    await database.migrate();
  } finally {
    await database.close();
    await server.stop();
  }
  if (!(await hasCluster(folder)))
    throw new Error(`${tmpdir()} is closed to the account that runs PostgreSQL`);
  await rename(folder, finished).catch(async (error: unknown) => {
    // Another process was faster: its template is as good.
    if (!(await exists(finished))) throw error;
  });
  await rm(draft, { recursive: true, force: true });
  return finished;
}

/** A new folder that the server's account may pass through. */
async function passable(start: string): Promise<string> {
  const folder = await mkdtemp(start);
  await chmod(folder, 0o711);
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return await readFile(join(path, 'access.json')).then(
    () => true,
    () => false,
  );
}
