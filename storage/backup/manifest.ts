/**
 * What a backup is: a folder with
 *
 *   manifest.json     when it was taken, of what, and the folders in it; written last, so that a folder without it is no backup
 *   files.sha256      every file with its hash, as `sha256sum --check` reads it
 *   postgres/data     the data of the database, with the part of the write-ahead log that makes them one state
 *   postgres/access.json, keys.json, media
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';

export const manifestFile = 'manifest.json';
export const hashesFile = 'files.sha256';
/** The data of the database, in the backup. */
export const dataFolder = 'postgres/data';
export const accessFile = 'postgres/access.json';
export const keysFile = 'keys.json';
export const mediaFolder = 'media';

const ManifestSchema = Type.Object({
  format: Type.Literal(1),
  /** The version of the program that took it. */
  skein: Type.String(),
  postgresMajor: Type.Integer(),
  startedAt: Type.String(),
  /** By the clock of the database. All that was acknowledged before is in the backup. */
  endedAt: Type.String(),
  /** Positions in the write-ahead log. */
  startLsn: Type.String(),
  endLsn: Type.String(),
  hasKeys: Type.Boolean(),
  hasMedia: Type.Boolean(),
  /** Folders of the data, of which PostgreSQL needs the empty ones, too. */
  folders: Type.Array(Type.String()),
  fileCount: Type.Integer(),
  byteCount: Type.Integer(),
});

export type BackupManifest = Static<typeof ManifestSchema>;

/** The folder is no backup, an unfinished one, or one of a later format. */
export class UnknownBackup extends Error {
  override readonly name = 'UnknownBackup';
}

export async function readManifest(backup: string): Promise<BackupManifest> {
  const text = await readFile(join(backup, manifestFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new UnknownBackup(`${backup} has no ${manifestFile}: it is no backup, or one that was interrupted`);
  });
  try {
    return Value.Parse(ManifestSchema, JSON.parse(text));
  } catch (cause) {
    throw new UnknownBackup(
      `${join(backup, manifestFile)} is damaged, or was written by a later version than this one`,
      { cause },
    );
  }
}
