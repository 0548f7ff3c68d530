/**
 * `npm run backup -- --to FOLDER`: a backup of the embedded database, the keys and the attachments, while the node serves or while it is
 * stopped (docs/operate/backup-and-restore.md). Runs beside the node, as the same user, with its DATA_DIR.
 *
 * Exit codes: 0 the backup is complete; 1 failed or interrupted, and nothing is left; 64 and 78 as gateway/main.ts.
 */
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BackupProgress, takeBackup } from '../storage/backup/index.ts';
import type { Config } from './config/index.ts';
import { abortOnSignals, readVersion, Refused, runCommand, say } from './operator-command.ts';
import { openEmbedded, readEnvironment } from './operator-environment.ts';

const usage = `Usage: npm run backup -- --to FOLDER [--without-keys]

Copies the embedded database, keys.json and the attachments of DATA_DIR to the folder, which must not exist. The node may serve meanwhile.

  --to FOLDER       where the backup goes, for example /backup/skein-$(date +%F)
  --without-keys    leaves keys.json out: keep it elsewhere, no backup can be used without it
`;

function parse(given: readonly string[]): { readonly target: string; readonly hasKeys: boolean } {
  try {
    const { values } = parseArgs({
      args: [...given],
      options: { to: { type: 'string' }, 'without-keys': { type: 'boolean', default: false } },
    });
    if (values.to === undefined || values.to === '') throw new TypeError('--to FOLDER is missing');
    return { target: resolve(values.to), hasKeys: !values['without-keys'] };
  } catch (error) {
    throw new Refused(`${(error as Error).message}\n\n${usage}`, 64);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** What a number of bytes is to a reader. */
function describeBytes(bytes: number): string {
  return bytes < 10_000_000_000 ? `${(bytes / 1e6).toFixed(0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** The folder of the attachments; undefined where there is none, or they are not in a folder. */
async function findMedia({ dataDir, media }: Config): Promise<string | undefined> {
  if (media?.kind === 's3') {
    say('Attachments are in S3 (MEDIA_URL): back the bucket up by its own means, after this backup.');
    return undefined;
  }
  const folder = media?.folder ?? join(dataDir, 'media');
  return (await exists(folder)) ? folder : undefined;
}

async function findKeys({ dataDir, secretKeys, tokenKeys }: Config): Promise<string | undefined> {
  const file = join(dataDir, 'keys.json');
  if (await exists(file)) return file;
  if (secretKeys === undefined || tokenKeys === undefined) {
    throw new Refused(`SECRET_KEYS and TOKEN_KEYS are not set, and there is no ${file}`, 78);
  }
  say('The keys are those of SECRET_KEYS and TOKEN_KEYS: keep them, no backup can be used without them.');
  return undefined;
}

async function run(given: readonly string[]): Promise<number> {
  if (given.includes('--help')) {
    say(usage);
    return 0;
  }
  const { target, hasKeys } = parse(given);
  const config = readEnvironment('DATABASE_URL', 'DATA_DIR', 'MEDIA_URL', 'SECRET_KEYS', 'TOKEN_KEYS');
  if (config.databaseUrl !== undefined) {
    const where = 'docs/operate/backup-and-restore.md';
    throw new Refused(`DATABASE_URL is set: back this PostgreSQL up by its own tools (${where})`, 78);
  }
  if (await exists(target)) throw new Refused(`${target} exists: a backup goes to a new folder`, 64);
  const signal = abortOnSignals();
  const media = await findMedia(config);
  const keys = hasKeys ? await findKeys(config) : undefined;
  const embedded = await openEmbedded(config.dataDir);
  try {
    const manifest = await takeBackup({
      postgres: join(config.dataDir, 'postgres'),
      keys,
      media,
      target,
      version: readVersion(),
      signal,
      onProgress: ({ files, bytes }: BackupProgress) => say(`${files} files, ${describeBytes(bytes)}`),
    });
    const { fileCount, byteCount, endedAt } = manifest;
    say(`The backup is complete: ${fileCount} files, ${describeBytes(byteCount)} in ${target}`);
    say(`It has everything that was acknowledged before ${endedAt}.`);
    if (keys !== undefined) say('It has the keys, so who can read it can read every secret in it.');
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    say('Interrupted: there is no backup.');
    return 1;
  } finally {
    await embedded.stop();
  }
}

await runCommand('backup', run);
