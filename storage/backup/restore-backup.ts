/**
 * The way back: a backup becomes the data of a node. Every file is checked on its way, and the database recovered, before anything has the
 * name under which a node would look for it: what fails or is interrupted leaves nothing that looks like data, and is begun anew.
 */
import { link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../runtime/observability/index.ts';
import { openDatabase } from '../database/index.ts';
import { placeCluster } from '../embedded/index.ts';
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

/** The database is started once, so that it takes up its log and is known to work. Rejects with `BackupDamaged`. */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  const { backup, manifest, postgres, keys, media, log, onProgress, signal } = request;
  const files = parseHashes(await readFile(join(backup, hashesFile), 'utf8'));
  if (files.length !== manifest.fileCount) throw new BackupDamaged('the list of the files is incomplete');
  const copier = new FileCopier(onProgress, signal);

  const copyFile = async (path: string, to: string): Promise<void> => {
    const found: BackupFile | undefined = files.find(file => file.path === path);
    if (found !== undefined) await copier.copyChecked(backup, found, to);
  };
  const copyFolder = (folder: string, to: string): Promise<void> =>
    forEachFile(
      files.filter(({ path }) => path.startsWith(`${folder}/`)),
      file => copier.copyChecked(backup, file, join(to, file.path.slice(folder.length + 1))),
    );

  const others = [keys, media].filter(path => path !== undefined);
  const removeDrafts = async (): Promise<void> => {
    for (const path of others) await rm(toDraft(path), { recursive: true, force: true });
  };
  const placed: string[] = [];
  await removeDrafts();
  try {
    return await placeCluster({
      folder: postgres,
      major: manifest.postgresMajor,
      log,
      writeData: async data => {
        if (keys !== undefined) await copyFile(keysFile, toDraft(keys));
        if (media !== undefined) {
          await mkdir(toDraft(media), { recursive: true });
          await copyFolder(mediaFolder, toDraft(media));
        }
        for (const folder of manifest.folders)
          await mkdir(join(data, folder), { recursive: true, mode: 0o700 });
        await copyFolder(dataFolder, data);
      },
      writeAccess: path => copyFile(accessFile, path),
      recover: url => recover(url, log),
      placeRest: async () => {
        signal?.throwIfAborted();
        // Both fail where there is something: it is somebody's.
        if (keys !== undefined) {
          await link(toDraft(keys), keys);
          placed.push(keys);
        }
        if (media !== undefined) {
          await rename(toDraft(media), media);
          placed.push(media);
        }
      },
    });
  } catch (error) {
    for (const path of placed) await rm(path, { recursive: true, force: true });
    throw error;
  } finally {
    await removeDrafts();
  }
}

/** What keys and attachments are called until everything is there. */
function toDraft(path: string): string {
  return `${path}.restoring`;
}

/**
 * Streams get another epoch: other events will have the numbers that clients know (docs/operate/backup-and-restore.md, "After a restore").
 */
async function recover(url: string, log: Log): Promise<Restored> {
  const database = await openDatabase({ url, log, poolSize: 2, statementTimeoutMs: 600_000 });
  try {
    await database.query('update project_streams set epoch = gen_random_uuid()');
    const [found] = await database.query<{ threads: number; lastEventAt: Date | null }>(
      `select (select count(*)::int from threads) as threads, (select max(occurred_at) from events) as "lastEventAt"`,
    );
    return { threads: found?.threads ?? 0, lastEventAt: found?.lastEventAt?.toISOString() ?? null };
  } finally {
    await database.close();
  }
}
