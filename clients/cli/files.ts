/** Small files of the user's own: written beside and renamed, so that a full disk leaves the old one; for their owner alone. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from './failures.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder of this program's files. It may not be there yet.
 *
 * @throws {CliError} the user has no home
 */
export function getConfigFolder(environment: Environment = process.env): string {
  const { XDG_CONFIG_HOME: configHome, APPDATA: appData } = environment;
  if (configHome !== undefined && configHome !== '') return join(configHome, 'skein');
  if (process.platform === 'win32' && appData !== undefined) return join(appData, 'skein');
  const home = findHome();
  if (home === '') {
    throw new CliError(
      'There is no home folder to keep a profile in.',
      undefined,
      'Set HOME or XDG_CONFIG_HOME, or use SKEIN_API_KEY, which needs no profile.',
    );
  }
  return join(home, '.config', 'skein');
}

function findHome(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Its text; undefined where there is no such file. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    const file = await stat(path);
    if (!file.isFile()) throw new CliError(`${path} is no file.`);
    const { mode } = file;
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new CliError(
        `Others may read ${path}, which has secrets.`,
        undefined,
        `Run: chmod 600 '${path}'`,
      );
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Where the file is: itself, or what it is a link to. */
export async function followLinks(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/**
 * Replaces the file as a whole.
 *
 * @param isDurable whether it outlives a power failure as soon as this resolves; else a moment later
 */
export async function writePrivateFile(path: string, text: string, isDurable = true): Promise<void> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await makePrivateFolder(dirname(path));
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      if (isDurable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw new CliError(`${path} cannot be written: ${(error as Error).message}`);
  }
}

async function makePrivateFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  // The umask may have taken rights away; it has given none.
  if (made !== undefined) await chmod(folder, 0o700);
}
