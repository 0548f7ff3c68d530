/** `.env` of a folder: what is missing is added, what is there stays. And git is told to leave it alone. */
import { execFile } from 'node:child_process';
import { appendFile, chmod, lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CliError } from './failures.ts';

/** The names that the file gives a value to. */
export type EnvFile = Readonly<Record<string, string>>;

export async function readEnvFile(folder: string): Promise<EnvFile> {
  const text = await readIfThere(join(folder, '.env'));
  return Object.fromEntries(
    [...text.matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*(.*?)\s*$/gm)].map(
      ([, name = '', value = '']) => [name, value.replace(/^(['"])(.*)\1$/, '$2')],
    ),
  );
}

/** @throws {CliError} git tracks it, or it is a link: a key in it would come where nobody expects one */
export async function checkEnvFile(folder: string): Promise<void> {
  const path = join(folder, '.env');
  if ((await lstat(path).catch(() => undefined))?.isSymbolicLink() === true)
    throw new CliError(`${path} is a link, and a key would be written where it leads.`);
  if (await isTracked(folder)) {
    throw new CliError(
      `git tracks ${path}: a key in it would be committed.`,
      undefined,
      'Run: git rm --cached .env',
    );
  }
}

/** Without git, or outside of a repository, nothing is tracked. */
async function isTracked(folder: string): Promise<boolean> {
  try {
    await promisify(execFile)('git', ['ls-files', '--error-unmatch', '.env'], { cwd: folder });
    return true;
  } catch {
    return false;
  }
}

/** Takes away what others may do with it. Whether they could. */
export async function closeEnvFile(folder: string): Promise<boolean> {
  const path = join(folder, '.env');
  const { mode } = await stat(path);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return false;
  await chmod(path, mode & 0o700);
  return true;
}

/** Gives the names that were added. */
export async function addToEnvFile<Name extends string>(
  folder: string,
  values: Readonly<Record<Name, string>>,
): Promise<string[]> {
  const path = join(folder, '.env');
  const known = await readEnvFile(folder);
  const missing = Object.entries<string>(values).filter(([name]) => !Object.hasOwn(known, name));
  const lines = missing.map(([name, value]) => `${name}=${value}`);
  await append(path, lines, 0o600);
  return missing.map(([name]) => name);
}

/** A line for `.env`, where none covers it. */
export async function ignoreEnvFile(folder: string): Promise<boolean> {
  const path = join(folder, '.gitignore');
  const lines = (await readIfThere(path)).split('\n').map(line => line.trim());
  if (lines.some(line => ['.env', '/.env', '.env*', '*.env'].includes(line))) return false;
  await append(path, ['.env'], 0o644);
  return true;
}

async function append(path: string, lines: readonly string[], mode: number): Promise<void> {
  if (lines.length === 0) return;
  const before = await readIfThere(path);
  const lineEnd = before === '' || before.endsWith('\n') ? '' : '\n';
  try {
    await appendFile(path, `${lineEnd}${lines.join('\n')}\n`, { mode });
  } catch (error) {
    throw new CliError(`${path} cannot be written: ${(error as Error).message}`);
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** @throws {CliError} it is no folder */
export async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new CliError(`There is no folder ${folder}.`);
}
