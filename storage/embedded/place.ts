/**
 * Where the data lie: in the folder that was asked for, unless the account that runs the server cannot reach it (a
 * checkout under a home directory of mode 0700). Then they lie in a folder of their own under /var/lib/skein, and a
 * file in the asked folder says where.
 */
import { randomBytes } from 'node:crypto';
import { access, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../runtime/log.ts';
import type { Account } from './account.ts';
import { runAs } from './binaries.ts';

const elsewhere = '/var/lib/skein';

/** Whether the account may enter the folder: tried, since modes alone do not tell (access lists, mounts). */
async function canEnter(account: Account, folder: string): Promise<boolean> {
  return await runAs(account, '/bin/sh', ['-c', 'cd "$0"', folder]).then(
    () => true,
    () => false,
  );
}

/** Writes a small file whole or not at all, readable by the process's own account only. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/** Whether a cluster was made there before. */
export async function hasCluster(place: string): Promise<boolean> {
  return await access(join(place, 'data', 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/** The file in the asked folder that names another one. */
function pointerOf(folder: string): string {
  return join(folder, 'moved-to');
}

/** The folder that holds the data of `folder` by now: itself, or the one that its pointer names. */
export async function placeOf(folder: string): Promise<string> {
  return await readFile(pointerOf(folder), 'utf8').then(
    text => text.trim(),
    () => folder,
  );
}

/** Makes sure that the account can reach the place, moving it away from `folder` when nothing lies there yet. */
export async function reach(
  folder: string,
  place: string,
  account: Account | undefined,
  log: Log,
): Promise<string> {
  // Others may pass through (the server's account has to), only the owner may look around.
  await chmod(folder, account === undefined ? 0o700 : 0o711);
  if (account === undefined || (await canEnter(account, place))) return place;
  if (place !== folder || (await hasCluster(folder))) {
    throw new Error(
      `the account that runs PostgreSQL (uid ${account.uid}) cannot enter ${place}, where the data lie`,
    );
  }
  const other = join(elsewhere, randomBytes(8).toString('hex'));
  await mkdir(other, { recursive: true, mode: 0o711 });
  await writePrivate(pointerOf(folder), `${other}\n`);
  log.warn(
    { folder, place: other, ...account },
    `the account that runs PostgreSQL cannot enter ${folder}: the database lies in ${other} (named in ${pointerOf(folder)})`,
  );
  return other;
}
