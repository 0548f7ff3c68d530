/** `.env` of a folder: what is missing is added, what is there stays. And git is told to leave it alone. */
import { appendFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from './failures.ts';

/** The names that the file gives a value to. */
export async function readEnvFile(folder: string): Promise<Readonly<Record<string, string>>> {
  const text = await readIfThere(join(folder, '.env'));
  return Object.fromEntries(
    [...text.matchAll(/^\s*(?:export\s+)?(\w+)\s*=\s*(.*?)\s*$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace(/^(['"])(.*)\1$/, '$2'),
    ]),
  );
}

/** Gives the names that were added. */
export async function addToEnvFile(
  folder: string,
  values: Readonly<Record<string, string>>,
): Promise<string[]> {
  const path = join(folder, '.env');
  const known = await readEnvFile(folder);
  const missing = Object.entries(values).filter(([name]) => !Object.hasOwn(known, name));
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
