/** The way back: a backup becomes the data of a node. Every file is checked on its way, before anything looks like data. */
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../runtime/observability/index.ts';
import { openDatabase } from '../database/index.ts';
import { placeCluster, startEmbedded } from '../embedded/index.ts';
import {
  BackupDamaged,
  type BackupFile,
  type BackupProgress,
  FileCopier,
  forEachFile,
  parseHashes,
} from './copy-files.ts';
import {
  accessFile,
  type BackupManifest,
  dataFolder,
  hashesFile,
  keysFile,
  mediaFolder,
} from './manifest.ts';

export interface RestoreRequest {
  /** The folder of the backup. */
  readonly backup: string;
  readonly manifest: BackupManifest;
  /** `<DATA_DIR>/postgres`. It must not have a database. */
  readonly postgres: string;
  /** Where the keys and the attachments go; undefined where the backup has none. The file must not exist. */
  readonly keys: string | undefined;
  readonly media: string | undefined;
  readonly log: Log;
  readonly onProgress: (progress: BackupProgress) => void;
  readonly signal?: AbortSignal;
}

/** What the restored database says of itself. */
export interface Restored {
  readonly threads: number;
  /** ISO 8601; null where nothing has ever happened. */
  readonly lastEventAt: string | null;
}

/**
 * Files, then the database, which is started once, so that it takes up its log and is known to work. Streams get another epoch: other
 * events will have the numbers that clients know (docs/operate/backup-and-restore.md, "After a restore"). Rejects with `BackupDamaged`.
 */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  const { backup, manifest, postgres, keys, media, log, onProgress, signal } = request;
  const files = parseHashes(await readFile(join(backup, hashesFile), 'utf8'));
  if (files.length !== manifest.fileCount) throw new BackupDamaged('the list of the files is incomplete');
  const copier = new FileCopier(onProgress, signal);
  const find = (path: string): BackupFile[] => files.filter(file => file.path === path);

  const copyFolder = (folder: string, to: string): Promise<void> =>
    forEachFile(
      files.filter(({ path }) => path.startsWith(`${folder}/`)),
      file => copier.copyChecked(backup, file, join(to, file.path.slice(folder.length + 1))),
    );

  let hasPlacedMedia = false;
  const placing = placeCluster({
    folder: postgres,
    major: manifest.postgresMajor,
    log,
    writeData: async data => {
      if (media !== undefined) {
        await placeMedia(media, to => copyFolder(mediaFolder, to));
        hasPlacedMedia = true;
      }
      for (const folder of manifest.folders)
        await mkdir(join(data, folder), { recursive: true, mode: 0o700 });
      await copyFolder(dataFolder, data);
    },
    writeAccess: async path => {
      for (const file of find(accessFile)) await copier.copyChecked(backup, file, path);
    },
  });
  await placing.catch(async (error: unknown) => {
    if (hasPlacedMedia && media !== undefined) await rm(media, { recursive: true });
    throw error;
  });
  if (keys !== undefined) {
    await mkdir(dirname(keys), { recursive: true });
    for (const file of find(keysFile)) await copier.copyChecked(backup, file, keys);
  }
  return await recover(postgres, log);
}

/** All attachments, or none. */
async function placeMedia(folder: string, copy: (to: string) => Promise<void>): Promise<void> {
  const partial = `${folder}.restoring`;
  await rm(partial, { recursive: true, force: true });
  try {
    await copy(partial);
    // Fails where the folder has files: they are somebody's.
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function recover(folder: string, log: Log): Promise<Restored> {
  const embedded = await startEmbedded({ folder, log });
  try {
    const database = await openDatabase({ url: embedded.url, log, poolSize: 2, statementTimeoutMs: 600_000 });
    try {
      await database.query('update project_streams set epoch = gen_random_uuid()');
      const [found] = await database.query<{ threads: number; lastEventAt: Date | null }>(
        `select (select count(*)::int from threads) as threads, (select max(occurred_at) from events) as "lastEventAt"`,
      );
      return { threads: found?.threads ?? 0, lastEventAt: found?.lastEventAt?.toISOString() ?? null };
    } finally {
      await database.close();
    }
  } finally {
    await embedded.stop();
  }
}
