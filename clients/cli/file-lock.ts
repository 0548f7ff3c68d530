/**
 * A lock file: one process at a time does a thing. free -> held -> free. One whose process is gone is free.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from './failures.ts';

/** Those that this process holds. */
const held = new Set<string>();
const retryMs = 20;
/** Whoever holds it longer hangs: a refresh has its timeout. */
const longestWaitMs = 60_000;

/** @throws {CliError} another process holds it for so long */
export async function withFileLock<T>(
  path: string,
  act: () => Promise<T>,
  maxWaitMs = longestWaitMs,
): Promise<T> {
  await takeLock(path, maxWaitMs);
  held.add(path);
  try {
    return await act();
  } finally {
    await rm(path, { force: true });
    held.delete(path);
  }
}

async function takeLock(path: string, maxWaitMs: number): Promise<void> {
  const end = performance.now() + maxWaitMs;
  while (!(await tryToTake(path))) {
    const isHeld = !(await freeIfAbandoned(path));
    if (isHeld && performance.now() > end) {
      throw new CliError(
        `Another skein command holds ${path}.`,
        undefined,
        'Delete the file if there is none.',
      );
    }
    await pause(retryMs);
  }
}

/** The file appears with its content, or not at all. */
async function tryToTake(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, String(process.pid), { mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new CliError(`${path} cannot be written: ${(error as Error).message}`);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** Whether it was. */
async function freeIfAbandoned(path: string): Promise<boolean> {
  const holder = Number(await readFile(path, 'utf8').catch(() => ''));
  // In a container each start has the same id: that of a process that was killed is then one's own.
  const isOwn = holder === process.pid && !held.has(path);
  if (holder === 0 || (isAlive(holder) && !isOwn)) return false;
  // Of two who see it abandoned, only one can rename it; the other may have renamed the first one's own lock, and gives it back.
  const abandoned = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, abandoned);
    if (Number(await readFile(abandoned, 'utf8')) !== holder) await link(abandoned, path);
    return true;
  } catch {
    return false;
  } finally {
    await rm(abandoned, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
