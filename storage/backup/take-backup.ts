/**
 * A backup of an embedded database while it serves, by PostgreSQL's low-level functions
 * (https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP). The data are copied while they change; what
 * the write-ahead log says of the time between start and stop makes them one state: that of the stop.
 *
 * The log that is needed is kept by a temporary replication slot, and the backup itself belongs to its session: whatever ends this program,
 * the server forgets both.
 */
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { locateCluster } from '../embedded/index.ts';
import {
  type BackupFile,
  type BackupProgress,
  FileCopier,
  forEachFile,
  formatHashes,
  listTree,
} from './copy-files.ts';
import {
  accessFile,
  type BackupManifest,
  dataFolder,
  hashesFile,
  keysFile,
  manifestFile,
  mediaFolder,
} from './manifest.ts';

export interface BackupRequest {
  /** `<DATA_DIR>/postgres` of a running server. */
  readonly postgres: string;
  /** The file of the keys; undefined where the backup shall have none. */
  readonly keys: string | undefined;
  /** The folder of attachments; undefined where they are elsewhere. */
  readonly media: string | undefined;
  /** The folder to make. It must not exist. */
  readonly target: string;
  /** The version of this program. */
  readonly version: string;
  readonly onProgress: (progress: BackupProgress) => void;
  readonly signal?: AbortSignal;
}

const slot = 'base_backup';
/** What the server makes anew: the documentation's list, and files of the running process. */
const contentsLeftOut = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
const filesLeftOut = [
  'postmaster.pid',
  'postmaster.opts',
  'backup_label',
  'tablespace_map',
  'pg_internal.init',
];

/** The backup is complete and safe on disk when this resolves; where it rejects there is no folder of that name. */
export async function takeBackup(request: BackupRequest): Promise<BackupManifest> {
  const partial = `${request.target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  try {
    const manifest = await fill(partial, request);
    await rename(partial, request.target);
    await syncFolder(dirname(request.target));
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function fill(partial: string, request: BackupRequest): Promise<BackupManifest> {
  const { postgres, keys, media, version, onProgress, signal } = request;
  const copier = new FileCopier(onProgress, signal);
  const files: BackupFile[] = [];
  /** Rejects where the file is missing and has to be there. */
  const take = async (from: string, path: string, mayVanish = false): Promise<void> => {
    if (/[\n\\]/.test(path)) throw new Error(`a file's name cannot be kept: ${JSON.stringify(path)}`);
    const sha256 = await copier.copy(from, join(partial, path));
    if (sha256 !== undefined) files.push({ path, sha256 });
    else if (!mayVanish) throw new Error(`${from} is missing`);
  };

  const cluster = await locateCluster(postgres);
  const taken = await copyServing(cluster.superuserUrl, cluster.data, take, async (path, text) => {
    const draft = join(partial, `${path}.draft`);
    await writeFile(draft, text, { mode: 0o600 });
    await take(draft, path);
    await rm(draft);
  });
  await take(cluster.accessFile, accessFile);
  if (keys !== undefined) await take(keys, keysFile);
  // After the database, so that every file that it names is here, but for what is erased meanwhile.
  if (media !== undefined) {
    const { files: attachments } = await listTree(media);
    await forEachFile(attachments, path => take(join(media, path), `${mediaFolder}/${path}`, true));
  }

  await writeFile(join(partial, hashesFile), formatHashes(files), { mode: 0o600, flush: true });
  const { bytes } = copier.progress;
  const manifest: BackupManifest = {
    format: 1,
    skein: version,
    ...taken,
    hasKeys: keys !== undefined,
    hasMedia: media !== undefined,
    fileCount: files.length,
    byteCount: bytes,
  };
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  await writeFile(join(partial, manifestFile), text, { mode: 0o600, flush: true });
  await syncFolder(partial);
  return manifest;
}

type Taken = Pick<
  BackupManifest,
  'postgresMajor' | 'startedAt' | 'endedAt' | 'startLsn' | 'endLsn' | 'folders'
>;

async function copyServing(
  connectionString: string,
  data: string,
  take: (from: string, path: string, mayVanish?: boolean) => Promise<void>,
  write: (path: string, text: string) => Promise<void>,
): Promise<Taken> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  // What ends the connection rejects the query that comes next.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const ask = async <Row extends pg.QueryResultRow>(text: string): Promise<Row> => {
      const { rows } = await client.query<Row>(text);
      if (rows[0] === undefined) throw new Error('PostgreSQL answered without a row');
      return rows[0];
    };
    const { major } = await ask<{ major: number }>(
      `select current_setting('server_version_num')::int / 10000 as major`,
    );
    const { spaces } = await ask<{ spaces: number }>(
      `select count(*)::int as spaces from pg_tablespace where spcname not in ('pg_default', 'pg_global')`,
    );
    if (spaces > 0)
      throw new Error('the database has tablespaces outside of its folder: back it up by its own tools');
    await ask(`select pg_create_physical_replication_slot('${slot}', true, true)`);
    // Fast: the checkpoint at the start is written at once, and not in the minutes that it may otherwise take.
    const begun = await ask<{ lsn: string; file: string; at: Date }>(
      `select lsn::text, pg_walfile_name(lsn) as file, clock_timestamp() as at from pg_backup_start('skein', true) as lsn`,
    );
    const { files, folders } = await listTree(data, isLeftOut);
    await forEachFile(files, path =>
      take(join(data, path), `${dataFolder}/${path}`, path !== 'global/pg_control'),
    );
    const ended = await ask<{ lsn: string; labelfile: string; at: Date; file: string }>(
      // The name of the file in which the last byte before the position is.
      `select lsn::text, labelfile, clock_timestamp() as at, pg_walfile_name(lsn - 1) as file from pg_backup_stop(false)`,
    );
    await write(`${dataFolder}/backup_label`, ended.labelfile);
    const segments = (await listTree(join(data, 'pg_wal'))).files.filter(
      name => /^[0-9A-F]{24}$/.test(name) && name >= begun.file && name <= ended.file,
    );
    if (!segments.includes(begun.file) || !segments.includes(ended.file)) {
      throw new Error('the write-ahead log of the backup is incomplete');
    }
    await forEachFile(segments, name => take(join(data, 'pg_wal', name), `${dataFolder}/pg_wal/${name}`));
    return {
      postgresMajor: major,
      startedAt: begun.at.toISOString(),
      endedAt: ended.at.toISOString(),
      startLsn: begun.lsn,
      endLsn: ended.lsn,
      folders: [...folders, 'pg_wal/archive_status', 'pg_wal/summaries'],
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

function isLeftOut(path: string): boolean {
  const [top = ''] = path.split('/');
  const name = path.slice(path.lastIndexOf('/') + 1);
  // The folders themselves have to be there.
  if (contentsLeftOut.includes(top)) return path !== top;
  return filesLeftOut.includes(name) || name.startsWith('pgsql_tmp');
}

/** So that the names in it are safe, too. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
