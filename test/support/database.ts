/**
 * Real PostgreSQL databases for tests. The files of a worker process share one server; each test file gets a database of its own, copied from
 * a migrated one. A test that kills, stops or configures the server starts one for itself ({@link startTestServer}).
 *
 * The cluster is copied from a template that is made once for each version of the schema and the server, so that a server starts in 200 ms.
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
import { endAfterLastFile, isSharing } from './shared-by-files.ts';
import { dataRoot } from './memory-folder.ts';
import { processGuard } from './process-guard.ts';

const run = promisify(execFile);

export interface TestDatabase {
  /** Connects as the role of a node, which owns the database and is no superuser. */
  readonly url: string;
  /** Migrated. */
  readonly database: Database;
  /** Creates another database without tables on the same server, and returns its URL. `name` is a prefix. */
  createDatabase(name: string): Promise<string>;
  /** Closes the connections and drops the database. Idempotent. The test calls it when it ends. */
  stop(): Promise<void>;
}

/** A PostgreSQL server of the test's own. */
export interface TestServer extends TestDatabase {
  readonly superuserUrl: string;
  /** The process of the server, which changes with each restart. */
  readonly pid: number;
  /** Kills the server as a power failure would, and resolves when it has been started again. */
  kill9(): Promise<void>;
  /** Shuts the server down as an operator would. */
  stopServer(): Promise<void>;
  /** Starts it again after `stopServer`, at the same address and with its data. */
  startServer(): Promise<void>;
}

export interface TestDatabaseOptions {
  readonly poolSize?: number;
}

export interface TestServerOptions extends TestDatabaseOptions {
  /** On a disk and with fsync. Default: false. */
  readonly durable?: boolean;
  /** Settings of PostgreSQL. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface Ending {
  teardown(handler: () => Promise<void>): unknown;
}

const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const small = { shared_buffers: '64MB', max_wal_size: '256MB', min_wal_size: '32MB' };
const prefix = 'skein-test-';
/** A migrated database without connections, from which others are copied. */
const templateDatabase = 'skein_template';
/** Files of one worker have some nodes and pools open at once. */
const maxConnections = '300';
/** Templates of other versions are removed after a day. */
const templateKeptMs = 86_400_000;

let shared: Promise<TestServer> | undefined;
let created = 0;

/** Returns the server that the files of this process share. */
async function shareServer(): Promise<TestServer> {
  return (shared ??= startTestServer(undefined, { settings: { max_connections: maxConnections } }).then(
    async server => {
      endAfterLastFile(() => server.stop());
      await server.database.close();
      const migrated = new URL(server.url).pathname.slice(1);
      await administer(server.superuserUrl, `alter database ${migrated} rename to ${templateDatabase}`);
      return server;
    },
  ));
}

/** Creates a migrated, empty database on the shared server, or on a server of its own when the file does not share its process. */
export async function startTestDatabase(t: Ending, options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  if (!isSharing()) return startTestServer(t, options);
  const server = await shareServer();
  const url = await createDatabaseOn(server.superuserUrl, 'test', server.url, templateDatabase);
  const database = await openPool(url, options);
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await database.close();
    await administer(server.superuserUrl, `drop database ${new URL(url).pathname.slice(1)} with (force)`);
  };
  const stop = (): Promise<void> => (ending ??= end());
  t.teardown(stop);
  return { url, database, stop, createDatabase: name => createDatabaseOn(server.superuserUrl, name, url) };
}

function openPool(url: string, { poolSize }: TestDatabaseOptions): Promise<Database> {
  return openDatabase({ url, log: silentLog, ...(poolSize === undefined ? {} : { poolSize }) });
}

/** Creates a database whose name starts with `name`, owned by the node's role, and returns its URL. */
async function createDatabaseOn(
  superuserUrl: string,
  name: string,
  nodeUrl: string,
  template?: string,
): Promise<string> {
  const full = `${name}_${process.pid}_${++created}`;
  const from = template === undefined ? '' : ` template ${template} strategy file_copy`;
  await administer(superuserUrl, `create database ${full} owner ${nodeRole}${from}`);
  return toDatabaseUrl(nodeUrl, full);
}

async function administer(superuserUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: toDatabaseUrl(superuserUrl, 'postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function toDatabaseUrl(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** Starts a server that ends with the test, or with the process when no test is given. */
export async function startTestServer(t?: Ending, options: TestServerOptions = {}): Promise<TestServer> {
  await removeLeftovers();
  const root = await passable(
    join(options.durable === true ? tmpdir() : dataRoot, `${prefix}${process.pid}-`),
  );
  // For a process that ends without its teardown. The server then stops by itself (storage/embedded).
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
  const database = await openPool(url, options);

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
    createDatabase: name => createDatabaseOn(superuserUrl, name, url),
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
      if (server.url !== url) throw new Error('another process has taken the port of the database');
    },
    stop,
  };
}

const migrations = fileURLToPath(new URL('../../storage/migrations', import.meta.url));
const lock = fileURLToPath(new URL('../../package-lock.json', import.meta.url));

/** Returns the folder of the template for the current schema and server. The first process that needs it makes it. */
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
    // Another process was faster; its template is equal.
    if (!(await exists(finished))) throw error;
  });
  await rm(draft, { recursive: true, force: true });
  return finished;
}

/** Creates a folder that the account of the server may traverse. */
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
