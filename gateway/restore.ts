/**
 * `npm run restore -- --from BACKUP`: makes a backup of `npm run backup` the data of a node, under DATA_DIR, which must not have a database
 * (docs/operate/backup-and-restore.md). Checks every file, starts the database once, and gives the streams another epoch.
 *
 * Exit codes: 0 done, the node can start; 1 failed or interrupted; 2 the backup is damaged; 64 and 78 as gateway/main.ts.
 */
import { access, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLog } from '../runtime/observability/index.ts';
import { BackupDamaged, readManifest, restoreBackup, UnknownBackup } from '../storage/backup/index.ts';
import { ClusterExists } from '../storage/embedded/index.ts';
import { abortOnSignals, Refused, runCommand, say } from './operator-command.ts';
import { readEnvironment } from './operator-environment.ts';

const usage = `Usage: npm run restore -- --from BACKUP

Makes a backup of 'npm run backup' the data of a node: database, keys.json and attachments under DATA_DIR, which must not have a database.

  --from BACKUP    the folder of the backup, which stays as it is
`;

function parse(given: readonly string[]): string {
  try {
    const { values } = parseArgs({ args: [...given], options: { from: { type: 'string' } } });
    if (values.from === undefined || values.from === '') throw new TypeError('--from BACKUP is missing');
    return resolve(values.from);
  } catch (error) {
    throw new Refused(`${(error as Error).message}\n\n${usage}`, 64);
  }
}

async function requireNone(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere)
    throw new Refused(`${path} is there already: restore to another DATA_DIR, or move it away`, 78);
}

/** Errors that tell the operator what to do. */
function toRefusal(error: unknown): unknown {
  if (error instanceof BackupDamaged) return new Refused(`The backup is damaged: ${error.message}.`, 2);
  if (error instanceof UnknownBackup) return new Refused(error.message, 64);
  if (error instanceof ClusterExists) return new Refused(`${error.message}: restore to another DATA_DIR`, 78);
  return error;
}

async function restore(backup: string, signal: AbortSignal): Promise<void> {
  const { dataDir, databaseUrl, media } = readEnvironment('DATABASE_URL', 'DATA_DIR', 'MEDIA_URL');
  if (databaseUrl !== undefined) {
    throw new Refused('DATABASE_URL is set: this restores the embedded database of a DATA_DIR', 78);
  }
  const manifest = await readManifest(backup);
  const { hasKeys, hasMedia, fileCount, byteCount, endedAt } = manifest;
  const keys = join(dataDir, 'keys.json');
  await mkdir(dataDir, { recursive: true });
  if (hasKeys) await requireNone(keys);
  const mediaFolder = media?.kind === 'folder' ? media.folder : join(dataDir, 'media');
  if (hasMedia) await requireNone(mediaFolder);
  if (hasMedia && media?.kind === 's3') {
    throw new Refused('The backup has attachments, and MEDIA_URL names S3: restore without MEDIA_URL', 78);
  }
  say(`Restoring ${fileCount} files, ${(byteCount / 1e6).toFixed(0)} MB, as of ${endedAt}, to ${dataDir}`);
  const { threads, lastEventAt } = await restoreBackup({
    backup,
    manifest,
    postgres: join(dataDir, 'postgres'),
    keys: hasKeys ? keys : undefined,
    media: hasMedia ? mediaFolder : undefined,
    log: silentLog,
    signal,
    onProgress: ({ files, bytes }) => say(`${files} files, ${(bytes / 1e6).toFixed(0)} MB`),
  });
  say(
    `Restored: ${threads} threads, the last event of ${lastEventAt ?? 'never'}. The database was started, and works.`,
  );
  if (!hasKeys)
    say(`The backup has no keys: put keys.json into ${dataDir}, or set SECRET_KEYS and TOKEN_KEYS.`);
  say(
    `Start the node with DATA_DIR=${dataDir}, and read "After a restore" in docs/operate/backup-and-restore.md.`,
  );
}

async function run(given: readonly string[]): Promise<number> {
  if (given.includes('--help')) {
    say(usage);
    return 0;
  }
  const backup = parse(given);
  const signal = abortOnSignals();
  try {
    await restore(backup, signal);
    return 0;
  } catch (error) {
    if (signal.aborted && (error as Error).name === 'AbortError') {
      say('Interrupted: there is no database. Restore again.');
      return 1;
    }
    throw toRefusal(error);
  }
}

await runCommand('restore', run);
