/**
 * Folders for files that come in from a chat provider, in the machine's temporary folder (`TMPDIR`). The name of each says which process
 * has made it: what one has left that was killed is reached by no erasure, and the next node that starts on the machine removes it.
 */
import { hash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../runtime/observability/index.ts';
import { readProcessStart } from '../../storage/embedded/index.ts';

const prefix = 'skein-file-';
const nameForm = /^skein-file-(\d+)-([0-9a-f]+)-/;

/** Those of this process that are in use. */
const inUse = new Set<string>();

/** Does the work with an empty folder, and removes that with all that is in it. */
export async function useFileFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const random = randomBytes(6).toString('hex');
  const name = `${prefix}${process.pid}-${(await nameProcessStart(process.pid)) ?? '0'}-${random}`;
  const folder = join(tmpdir(), name);
  // Before it is there: another node of this process may start at any time.
  inUse.add(name);
  try {
    await mkdir(folder, { mode: 0o700 });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    inUse.delete(name);
  }
}

/** Removes the folders whose processes are gone. Never rejects: what cannot be removed is in the log. */
export async function removeLeftFolders(log: Log): Promise<void> {
  try {
    for (const name of await readdir(tmpdir())) {
      if (!name.startsWith(prefix) || (await isInUse(name))) continue;
      await rm(join(tmpdir(), name), { recursive: true, force: true });
      log.info({ name }, 'removed a file that a process had left which is gone');
    }
  } catch (err) {
    log.warn({ err }, 'files that a process has left which is gone could not be removed');
  }
}

/** One whose name is of another form is of an earlier version, and in use by nobody who could not fetch its file again. */
async function isInUse(name: string): Promise<boolean> {
  const [, pid = '', start = ''] = nameForm.exec(name) ?? [];
  if (pid === '') return false;
  return Number(pid) === process.pid ? inUse.has(name) : isRunning(Number(pid), start);
}

/** Whether the process runs that had this number: a container begins to count anew when it is started again. */
async function isRunning(pid: number, start: string): Promise<boolean> {
  const found = await nameProcessStart(pid);
  if (found !== undefined) return found === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When the process was started, as a part of a file's name; undefined: it is gone, or the system does not tell. */
export async function nameProcessStart(pid: number): Promise<string | undefined> {
  const start = await readProcessStart(pid);
  return start === undefined ? undefined : hash('sha256', start).slice(0, 16);
}
