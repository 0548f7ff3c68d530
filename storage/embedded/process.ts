/** Which process is that? A pid alone does not say: the system gives it again. A pid and its start do. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

async function linuxStart(pid: number): Promise<string | undefined> {
  const [stat, boot] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
  ]);
  // After the name in parentheses (which may hold anything): state is field 3, the start in ticks since boot field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  return `${boot.trim()}/${fields[19] ?? ''}`;
}

/**
 * A text that tells this run of the pid from every other, undefined when no such process lives (a zombie does not).
 * Windows gives none that is cheap to read: there a pid is believed for as long as it lives.
 */
export async function startOf(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') return await linuxStart(pid);
    if (process.platform === 'win32') return process.kill(pid, 0) ? 'alive' : undefined;
    const { stdout } = await run('ps', ['-p', String(pid), '-o', 'lstart=']);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The command line of a process, empty when it is gone or may not be read. */
export async function commandOf(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux')
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    if (process.platform === 'win32') return '';
    return (await run('ps', ['-p', String(pid), '-o', 'command='])).stdout.trim();
  } catch {
    return '';
  }
}
