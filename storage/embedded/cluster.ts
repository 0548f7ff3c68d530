/** A database cluster on disk: how it is created, its settings, and how to connect to it. */
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { runAs } from './binaries.ts';
import type { Binaries } from './binaries.ts';
import { hasCluster, writePrivate } from './data-directory.ts';
import { adopt, stop } from './postmaster.ts';

/** Made by initdb. Nothing but node-role.ts connects as this role. */
const superuser = 'skein';
/** The role of the node. */
export const nodeRole = `${superuser}_node`;
export const databaseName = 'skein';
const host = '127.0.0.1';

/** Port and passwords of a cluster, kept beside its data with mode 0600. */
export interface ClusterAccess {
  readonly port: number;
  /** Of the superuser. */
  readonly password: string;
  readonly nodePassword: string;
}

/** The URL that the node connects with. It has the password in clear text: not for logs. */
export function toConnectionUrl({ port, nodePassword }: ClusterAccess): string {
  return `postgres://${nodeRole}:${nodePassword}@${host}:${port}/${databaseName}`;
}

/** The same for the superuser. */
export function toSuperuserUrl({ port, password }: ClusterAccess, database: string = databaseName): string {
  return `postgres://${superuser}:${password}@${host}:${port}/${database}`;
}

/**
 * An eighth of the memory that this process may use, from 128 MB to 4 GB, allocated as it is needed. Pages that do not fit are written out
 * by the statement that needs the room: on a machine of 24 GB, after half a million messages, the next message cost the server 96
 * microseconds with 1 GB and 70 with 3.
 */
const sharedMegabytes = Math.round(
  Math.min(4_096, Math.max(128, Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2 ** 23)),
);

/**
 * For a small machine that must not lose a commit: synchronous, with full page writes, and with checkpoints far apart, since each makes the
 * next write of every page a full one. A new segment of the log is not filled with zeros first: 16 MB written and synced by the commit
 * that needs them, while all others wait, meant a p99 of 70 ms instead of 35.
 */
export const settings: Readonly<Record<string, string>> = {
  listen_addresses: host,
  unix_socket_directories: '',
  // 60 for nodes, and the three that PostgreSQL reserves for superusers.
  max_connections: '63',
  shared_buffers: `${sharedMegabytes}MB`,
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'off',
  max_wal_size: '4GB',
  min_wal_size: '512MB',
  wal_buffers: '16MB',
  wal_init_zero: 'off',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  autovacuum_naptime: '15s',
  // Queries go by keys, so rough statistics suffice; a fast-growing table is analysed every quarter of a minute.
  default_statistics_target: '25',
  // The sender of a statement handles its errors; the log is for problems of the server itself.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  timezone: 'UTC',
};

/** A free port of the loopback interface: the preferred one if possible, and none of the `reserved`, on which nobody listens yet. */
export async function freePort(preferred = 0, reserved: readonly number[] = []): Promise<number> {
  if (preferred !== 0 && reserved.includes(preferred)) return await freePort(0, reserved);
  return await new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (preferred !== 0 && error.code === 'EADDRINUSE') resolve(freePort(0, reserved));
      else reject(error);
    });
    probe.listen({ host, port: preferred, exclusive: true }, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(reserved.includes(port) ? freePort(0, reserved) : port));
    });
  });
}

/** The first characters of the folder in which a cluster is created. */
export const partialPrefix = 'data.new.';
export const accessFile = (folder: string): string => join(folder, 'access.json');

/** Rejects when the file is missing or damaged; the error quotes nothing of it. Versions before 0.2 wrote no password of the node. */
export async function readAccess(folder: string): Promise<ClusterAccess> {
  const text = await readFile(accessFile(folder), 'utf8');
  let kept: Omit<ClusterAccess, 'nodePassword'> & Partial<ClusterAccess>;
  try {
    kept = JSON.parse(text) as typeof kept;
  } catch {
    // The parser's own error would quote the passwords.
    throw new Error(`${accessFile(folder)} is damaged: restore it from a backup`);
  }
  const access = { ...kept, nodePassword: kept.nodePassword ?? createPassword() };
  if (kept.nodePassword === undefined) await writeAccess(folder, access);
  return access;
}

function createPassword(): string {
  return randomBytes(24).toString('base64url');
}

/** Writes the file, for example with another port. */
export async function writeAccess(folder: string, access: ClusterAccess): Promise<void> {
  await writePrivate(accessFile(folder), `${JSON.stringify(access)}\n`);
}

/** Removes clusters that were never completed, and ends a server that a killed restore has left on one. */
export async function removePartial(dataDirectory: string): Promise<void> {
  for (const name of await readdir(dataDirectory)) {
    if (!name.startsWith(partialPrefix)) continue;
    const path = join(dataDirectory, name);
    const running = await adopt(path);
    if (running !== undefined) await stop(running);
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Creates the cluster if there is none: in a folder of another name, which is renamed when it is complete, so that an interrupted first
 * start leaves nothing that looks like data. Rejects when the data belong to another major version.
 */
export async function ensureCluster(
  folder: string,
  dataDirectory: string,
  binaries: Binaries,
  account: Account | undefined,
): Promise<void> {
  const data = join(dataDirectory, 'data');
  if (await hasCluster(dataDirectory)) {
    const major = Number(await readFile(join(data, 'PG_VERSION'), 'utf8'));
    if (major === binaries.major) return;
    throw new Error(
      `the data in ${data} are of PostgreSQL ${major}, the installed server is ${binaries.major}: ` +
        `dump them with the old version and load them into the new one`,
    );
  }
  const access = { port: await freePort(), password: createPassword(), nodePassword: createPassword() };
  // An initdb whose node was killed runs on: a folder of another name is out of its reach.
  const partial = join(dataDirectory, `${partialPrefix}${randomBytes(4).toString('hex')}`);
  const passwordFile = `${partial}.password`;
  await removePartial(dataDirectory);
  await mkdir(partial, { mode: 0o700 });
  try {
    await writeFile(passwordFile, `${access.password}\n`, { mode: 0o600 });
    if (account !== undefined) {
      await chown(partial, account.uid, account.gid);
      await chown(passwordFile, account.uid, account.gid);
    }
    const args = [
      `--pgdata=${partial}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
    ];
    await runAs(account, binaries.initdb, args, dataDirectory);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await writeAccess(folder, access);
  await rename(partial, data);
}
