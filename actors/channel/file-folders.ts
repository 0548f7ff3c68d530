/**
 * Folders for files that come in from a chat provider, in the machine's temporary folder (`TMPDIR`). The name of each says which process
 * has made it: what one has left that was killed is reached by no erasure, and the next node that starts on the machine removes it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../runtime/observability/index.ts';

const prefix = 'skein-file-';
const nameForm = /^skein-file-(\d+)-(\d+)-/;

/** Those of this process that are in use. */
const inUse = new Set<string>();

/** Does the work with an empty folder, and removes that with all that is in it. */
export async function useFileFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const random = randomBytes(6).toString('hex');
  const name = `${prefix}${process.pid}-${getProcessStart(process.pid) ?? '0'}-${random}`;
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
      if (!name.startsWith(prefix) || isInUse(name)) continue;
      await rm(join(tmpdir(), name), { recursive: true, force: true });
      log.info({ name }, 'removed a file that a process had left which is gone');
    }
  } catch (err) {
    log.warn({ err }, 'files that a process has left which is gone could not be removed');
  }
}

/** One whose name is of another form is of an earlier version, and in use by nobody who could not fetch its file again. */
function isInUse(name: string): boolean {
  const [, pid = '', start = ''] = nameForm.exec(name) ?? [];
  if (pid === '') return false;
  return Number(pid) === process.pid ? inUse.has(name) : isRunning(Number(pid), start);
}

/** Whether the process runs that had this number: a container begins to count anew when it is started again. */
function isRunning(pid: number, start: string): boolean {
  const found = getProcessStart(pid);
  if (found !== undefined) return found === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When the process was started, in ticks of the machine's clock; undefined: it is gone, or the system does not tell (no Linux). */
export function getProcessStart(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The 22nd field. The second is the program's name in parentheses, which may have spaces in it.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
