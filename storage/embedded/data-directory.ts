/**
 * The directory of the data: the configured folder, unless the account that runs the server cannot reach it (a checkout under a home
 * directory of mode 0700). Then it is a directory under /var/lib/skein, which a file in the configured folder names.
 */
import { randomBytes } from 'node:crypto';
import { access, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../runtime/observability/index.ts';
import type { Account } from './account.ts';
import { runAs } from './binaries.ts';

const fallbackParent = '/var/lib/skein';

/** Whether the account may enter the folder. It is tried, since modes alone do not tell (access lists, mounts). */
async function canEnter(account: Account, folder: string): Promise<boolean> {
  return await runAs(account, '/bin/sh', ['-c', 'cd "$0"', folder]).then(
    () => true,
    () => false,
  );
}

/** Writes a small file completely or not at all, readable only by the process's own account. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/** Whether the directory contains a cluster. */
export async function hasCluster(dataDirectory: string): Promise<boolean> {
  return await access(join(dataDirectory, 'data', 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/** The file in the configured folder that names another directory. */
function toPointerPath(folder: string): string {
  return join(folder, 'moved-to');
}

/** The current data directory of `folder`: itself, or the one that its pointer names. */
export async function resolveDataDirectory(folder: string): Promise<string> {
  return await readFile(toPointerPath(folder), 'utf8').then(
    text => text.trim(),
    () => folder,
  );
}

/** Makes sure that the account can reach the data directory; an empty one may move to another path. Resolves to its path. */
export async function ensureReachable(
  folder: string,
  dataDirectory: string,
  account: Account | undefined,
  log: Log,
): Promise<string> {
  // Other accounts may pass through, as the server's must; only the owner may list the files.
  await chmod(folder, account === undefined ? 0o700 : 0o711);
  if (account === undefined || (await canEnter(account, dataDirectory))) return dataDirectory;
  if (dataDirectory !== folder || (await hasCluster(folder))) {
    throw new Error(
      `the account that runs PostgreSQL (uid ${account.uid}) cannot enter ${dataDirectory}, where the data are`,
    );
  }
  const other = join(fallbackParent, randomBytes(8).toString('hex'));
  await mkdir(other, { recursive: true, mode: 0o711 });
  await writePrivate(toPointerPath(folder), `${other}\n`);
  log.warn(
    { folder, dataDirectory: other, ...account },
    `the account that runs PostgreSQL cannot enter ${folder}: the database is in ${other} (named in ${toPointerPath(folder)})`,
  );
  return other;
}
