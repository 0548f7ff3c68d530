/**
 * The node's own PostgreSQL (docs/decisions/0008-embedded-postgresql.md), used when no DATABASE_URL is given.
 *
 *     claim -> prepare -> adopt or start -> running -> stop
 *                                  ^           |
 *                                  +-- died ---+   (back-off from 50 ms to 5 s)
 *
 * The folder has one owner (ownership.ts). A server that a killed owner left behind is adopted: it has lost nothing and is ready at once. A
 * server that dies is started again on the same port, so that the address stays valid. Every normal end of the process, also one that
 * does not call `stop`, tells the server to shut down.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../runtime/observability/index.ts';
import { Backoff, keepAliveClock, pause, systemRandom } from '../../runtime/time/index.ts';
import { findAccount } from './account.ts';
import { findBinaries, installedBinaries } from './binaries.ts';
import * as cluster from './cluster.ts';
import type { ClusterAccess } from './cluster.ts';
import { ensureNodeRole } from './node-role.ts';
import { claimFolder } from './ownership.ts';
import { resolveDataDirectory, ensureReachable } from './data-directory.ts';
import { adopt, start, stop } from './postmaster.ts';
import type { Postmaster, StartOptions } from './postmaster.ts';

export { FolderInUse } from './ownership.ts';

export interface EmbeddedOptions {
  /** `<DATA_DIR>/postgres`; created. */
  readonly folder: string;
  readonly log: Log;
  /** Ports that the server must leave free: the node listens on them later. */
  readonly reservedPorts?: readonly number[];
  /** Called each time after the server died and is ready again. */
  readonly onRestart?: (pid: number) => void;
  /** Overrides the durable settings of cluster.ts. Tests that do not test durability turn fsync off here. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Embedded {
  readonly url: string;
  /** The current process of the server. */
  readonly pid: number;
  /** Whether a server was found running and taken over. */
  readonly adopted: boolean;
  /** Fast shutdown; the folder is free afterwards. Idempotent. */
  stop(): Promise<void>;
}

const firstBackoffMs = 50;
const maxBackoffMs = 5_000;
/** Attempts of a first start, which fails while a killed server's last children hold its memory, or when the port was taken. */
const firstAttempts = 6;
/** Milliseconds after which a running server counts as healthy: after its next death the back-off begins again. */
const healthyMs = 60_000;

/** The address of a folder's server, for a program that works beside the node that owns the folder. */
export async function readEmbeddedUrl(folder: string): Promise<string> {
  return cluster.toConnectionUrl(await cluster.readAccess(folder));
}

/** Starts or adopts the server of the folder. Rejects with `FolderInUse` when another live process owns it. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  await mkdir(options.folder, { recursive: true });
  const folder = await realpath(options.folder);
  const ownership = await claimFolder(folder);
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
  readonly access: ClusterAccess;
  restart(): Promise<Postmaster>;
}

async function prepare(folder: string, options: EmbeddedOptions): Promise<Prepared> {
  const known = await resolveDataDirectory(folder);
  const account = await findAccount(join(known, 'data'));
  const dataDirectory = await ensureReachable(folder, known, account, options.log);
  const binaries = await findBinaries(await installedBinaries(), account, dataDirectory, options.log);
  await cluster.ensureCluster(folder, dataDirectory, binaries, account);
  return serve({ ...options, folder, data: join(dataDirectory, 'data'), binaries, account });
}

/** A complete cluster. `folder`: has its access file, and gets its log. */
export interface ServedCluster extends EmbeddedOptions, Pick<StartOptions, 'binaries' | 'account' | 'data'> {}

/** Adopts the server of the data or starts one; resolves when it takes connections of the node. */
export async function serve(served: ServedCluster): Promise<Prepared> {
  const { folder, data, binaries, account, log, settings, reservedPorts } = served;
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
  const backoff = new Backoff(firstBackoffMs, maxBackoffMs, systemRandom);
  for (let attempt = 1; postmaster === undefined; attempt++) {
    const port = await cluster.freePort(access.port, reservedPorts);
    if (port !== access.port) {
      access = { ...access, port };
      await cluster.writeAccess(folder, access);
    }
    try {
      postmaster = await start({ ...startOptions, port });
    } catch (error) {
      if (attempt === firstAttempts) throw error;
      await pause(keepAliveClock, backoff.next());
    }
  }
  try {
    await ensureNodeRole(access);
  } catch (error) {
    await stop(postmaster);
    throw error;
  }
  log.info(
    { folder: dirname(data), port: access.port, serverPid: postmaster.pid, adopted: found !== undefined },
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

interface Supervision extends Omit<Prepared, 'postmaster'> {
  readonly options: EmbeddedOptions;
  release(): Promise<void>;
}

function supervise(first: Postmaster, supervision: Supervision): Embedded {
  const { access, adopted, options, restart, release } = supervision;
  const { log } = options;
  const stopping = new AbortController();
  const backoff = new Backoff(firstBackoffMs, maxBackoffMs, systemRandom);
  let current: Postmaster | undefined = first;
  let { pid } = first;

  /** Starts the server again, until it succeeds; undefined when told to stop meanwhile. */
  async function revive(): Promise<Postmaster | undefined> {
    for (;;) {
      await pause(keepAliveClock, backoff.next(), stopping.signal).catch(() => undefined);
      if (stopping.signal.aborted) return undefined;
      try {
        return await restart();
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL could not be started');
      }
    }
  }

  async function watch(): Promise<void> {
    while (current !== undefined) {
      const since = performance.now();
      await current.gone;
      if (stopping.signal.aborted) return;
      log.error({ serverPid: current.pid }, 'PostgreSQL died: starting it again');
      const wasHealthy = performance.now() - since > healthyMs;
      if (wasHealthy) backoff.reset();
      current = await revive();
      if (current === undefined || stopping.signal.aborted) return;
      ({ pid } = current);
      log.info({ serverPid: pid }, 'PostgreSQL is ready again');
      options.onRestart?.(pid);
    }
  }
  const watching = watch();

  async function end(): Promise<void> {
    stopping.abort();
    try {
      if (current !== undefined) await stop(current);
      await watching;
      // A start that was in progress when we were told to stop has its server here.
      if (current !== undefined) await stop(current);
    } finally {
      await release();
    }
  }
  let ending: Promise<void> | undefined;
  return {
    url: cluster.toConnectionUrl(access),
    adopted,
    get pid() {
      return pid;
    },
    stop: () => (ending ??= end()),
  };
}
