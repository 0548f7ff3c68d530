/** A cluster that comes from elsewhere, and where one that is there can be found: for backups. */
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../runtime/observability/index.ts';
import { type Account, findAccount } from './account.ts';
import { findBinaries, installedBinaries } from './binaries.ts';
import {
  accessFile,
  partialPrefix,
  readAccess,
  removePartial,
  toConnectionUrl,
  toSuperuserUrl,
} from './cluster.ts';
import { ensureReachable, hasCluster, resolveDataDirectory } from './data-directory.ts';
import { claimFolder } from './ownership.ts';
import { stop } from './postmaster.ts';
import { serve } from './start.ts';

/** Of a folder that has a cluster; its server need not run. */
export interface LocatedCluster {
  readonly data: string;
  /** The file with the passwords of its roles. */
  readonly accessFile: string;
  /** With the superuser's password: not for logs. */
  readonly superuserUrl: string;
}

export async function locateCluster(folder: string): Promise<LocatedCluster> {
  const data = join(await resolveDataDirectory(folder), 'data');
  return { data, accessFile: accessFile(folder), superuserUrl: toSuperuserUrl(await readAccess(folder)) };
}

/** The folder has a database. */
export class ClusterExists extends Error {
  override readonly name = 'ClusterExists';
}

export interface Placement<T> {
  /** `<DATA_DIR>/postgres`; created. */
  readonly folder: string;
  /** Of the PostgreSQL that wrote the data. */
  readonly major: number;
  readonly log: Log;
  /** Fills an empty folder with the data. */
  readonly writeData: (data: string) => Promise<void>;
  readonly writeAccess: (path: string) => Promise<void>;
  /** Works on the database, which nobody else can reach yet. */
  readonly recover: (url: string) => Promise<T>;
  /** Called when all else has succeeded: whatever else belongs to the data gets its name. */
  readonly placeRest: () => Promise<void>;
}

/**
 * Nothing that a node would take for a database is there before all of it is, and has been recovered: the last act is a rename. Resolves to
 * what `recover` gives. Rejects with {@link ClusterExists} and `FolderInUse`.
 */
export async function placeCluster<T>(placement: Placement<T>): Promise<T> {
  const { major, log, writeData, writeAccess, recover, placeRest } = placement;
  await mkdir(placement.folder, { recursive: true });
  const folder = await realpath(placement.folder);
  const ownership = await claimFolder(folder);
  try {
    const known = await resolveDataDirectory(folder);
    if (await hasCluster(known)) throw new ClusterExists(`there is a database in ${known} already`);
    const account = await findAccount(join(known, 'data'));
    const dataDirectory = await ensureReachable(folder, known, account, log);
    const binaries = await findBinaries(await installedBinaries(), account, dataDirectory, log);
    if (binaries.major !== major) {
      throw new Error(`the data are of PostgreSQL ${major}, and the installed server is ${binaries.major}`);
    }
    await removePartial(dataDirectory);
    await rm(accessFile(folder), { force: true });
    const partial = join(dataDirectory, `${partialPrefix}${randomBytes(4).toString('hex')}`);
    await mkdir(partial, { mode: 0o700 });
    try {
      await writeData(partial);
      if (account !== undefined) await give(partial, account);
      await writeAccess(accessFile(folder));
      const { postmaster, access } = await serve({ folder, data: partial, binaries, account, log });
      let recovered: T;
      try {
        recovered = await recover(toConnectionUrl(access));
      } finally {
        await stop(postmaster);
      }
      await placeRest();
      await rename(partial, join(dataDirectory, 'data'));
      return recovered;
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      await rm(accessFile(folder), { force: true });
      throw error;
    }
  } finally {
    await ownership.release();
  }
}

async function give(folder: string, { uid, gid }: Account): Promise<void> {
  await chown(folder, uid, gid);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await chown(join(entry.parentPath, entry.name), uid, gid);
  }
}
