/**
 * The node's own PostgreSQL, when no DATABASE_URL is given.
 *
 *     claim -> prepare -> adopt or start -> running -> stop
 *                                  ^           |
 *                                  +-- died ---+   (backoff 50 ms, doubled up to 5 s)
 *
 * The folder has one owner (ownership.ts). A server that a killed owner left behind is adopted: it has lost nothing and
 * is ready at once. A server that dies under us is started again on the same port, so that the address stays true. In
 * every normal end of the process, also one that forgot to call `stop`, the server is told to shut down.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../runtime/log.ts';
import { accountFor } from './account.ts';
import { findBinaries, installedBinaries } from './binaries.ts';
import * as cluster from './cluster.ts';
import type { Access } from './cluster.ts';
import { own } from './ownership.ts';
import { placeOf, reach } from './place.ts';
import { adopt, start, stop } from './postmaster.ts';
import type { Postmaster, StartOptions } from './postmaster.ts';

export { FolderInUse } from './ownership.ts';

export interface EmbeddedOptions {
  /** `<DATA_DIR>/postgres`; created. */
  readonly folder: string;
  readonly log: Log;
  /** Called each time after the server died and is ready again. */
  readonly onRestart?: (pid: number) => void;
  /** Settings over the durable ones of cluster.ts. Tests that do not test durability turn fsync off here. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Embedded {
  readonly url: string;
  /** The server's process by now. */
  readonly pid: number;
  /** Whether a server was found running and taken over. */
  readonly adopted: boolean;
  /** Fast shutdown; the folder is free afterwards. Idempotent. */
  stop(): Promise<void>;
}

const firstBackoffMs = 50;
const lastBackoffMs = 5_000;
/** A first start is tried again where a killed server's last children still hold its memory, or a port was snatched. */
const firstAttempts = 5;
/** Alive for this long, a server counts as sound and its next death is answered at once. */
const soundMs = 60_000;

/** Starts or adopts the server of the folder. Rejects with `FolderInUse` when another live process owns it. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  await mkdir(options.folder, { recursive: true });
  const folder = await realpath(options.folder);
  const ownership = await own(folder);
  try {
    const { postmaster, restart, access, adopted } = await prepare(folder, options);
    return supervise(postmaster, { restart, access, adopted, options, release: () => ownership.release() });
  } catch (error) {
    await ownership.release();
    throw error;
  }
}

interface Prepared {
  readonly postmaster: Postmaster;
  readonly adopted: boolean;
  readonly access: Access;
  restart(): Promise<Postmaster>;
}

async function prepare(folder: string, { log, settings }: EmbeddedOptions): Promise<Prepared> {
  const known = await placeOf(folder);
  const account = await accountFor(join(known, 'data'));
  const place = await reach(folder, known, account, log);
  const binaries = await findBinaries(await installedBinaries(), account, place, log);
  await cluster.ensureCluster(folder, place, binaries, account);

  const data = join(place, 'data');
  let access = await cluster.readAccess(folder);
  const startOptions: Omit<StartOptions, 'port'> = {
    binaries,
    account,
    data,
    settings: { ...cluster.settings, ...settings },
    logFile: join(folder, 'server.log'),
  };
  const found = await adopt(data);
  let postmaster = found;
  for (let attempt = 1; postmaster === undefined; attempt++) {
    const port = await cluster.freePort(access.port);
    if (port !== access.port) {
      access = { ...access, port };
      await cluster.keepAccess(folder, access);
    }
    try {
      postmaster = await start({ ...startOptions, port });
    } catch (error) {
      if (attempt === firstAttempts) throw error;
      await pause(firstBackoffMs * 2 ** attempt);
    }
  }
  try {
    await ensureDatabase(access);
  } catch (error) {
    await stop(postmaster);
    throw error;
  }
  log.info(
    { folder: place, port: access.port, pid: postmaster.pid, adopted: found !== undefined },
    'PostgreSQL is ready',
  );
  const { port } = access;
  return {
    postmaster,
    adopted: found !== undefined,
    access,
    restart: () => start({ ...startOptions, port }),
  };
}

const noSuchDatabase = '3D000';

/** The first connection proves that the server takes our password; the first of all makes our database. */
async function ensureDatabase(access: Access): Promise<void> {
  try {
    await inDatabase(cluster.urlOf(access), 'select 1');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== noSuchDatabase) throw error;
    await inDatabase(cluster.urlOf(access, 'postgres'), `create database ${cluster.databaseName}`);
  }
}

async function inDatabase(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

interface Supervision extends Omit<Prepared, 'postmaster'> {
  readonly options: EmbeddedOptions;
  release(): Promise<void>;
}

function supervise(first: Postmaster, supervision: Supervision): Embedded {
  const { access, adopted, options, restart, release } = supervision;
  const { log } = options;
  const stopping = new AbortController();
  let current: Postmaster | undefined = first;
  let { pid } = first;

  /** Starts the server again, and again; undefined when told to stop meanwhile. */
  async function revive(backoffMs: number): Promise<Postmaster | undefined> {
    for (let waitMs = backoffMs; ; waitMs = Math.min(waitMs * 2, lastBackoffMs)) {
      await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return undefined;
      try {
        return await restart();
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL could not be started');
      }
    }
  }

  async function watch(): Promise<void> {
    let backoffMs = firstBackoffMs;
    while (current !== undefined) {
      const since = performance.now();
      await current.gone;
      if (stopping.signal.aborted) return;
      log.error({ pid: current.pid }, 'PostgreSQL died: starting it again');
      const wasSound = performance.now() - since > soundMs;
      current = await revive(wasSound ? firstBackoffMs : backoffMs);
      backoffMs = wasSound ? firstBackoffMs : Math.min(backoffMs * 2, lastBackoffMs);
      if (current === undefined || stopping.signal.aborted) return;
      ({ pid } = current);
      log.info({ pid }, 'PostgreSQL is ready again');
      options.onRestart?.(pid);
    }
  }
  const watching = watch();

  async function end(): Promise<void> {
    stopping.abort();
    try {
      if (current !== undefined) await stop(current);
      await watching;
      // A start that was under way when we were told to stop has its server here.
      if (current !== undefined) await stop(current);
    } finally {
      await release();
    }
  }
  let ending: Promise<void> | undefined;
  return {
    url: cluster.urlOf(access),
    adopted,
    get pid() {
      return pid;
    },
    stop: () => (ending ??= end()),
  };
}
