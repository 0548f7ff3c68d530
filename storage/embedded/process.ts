/** Identifies processes. A pid alone does not, since the system uses it again; a pid and its start time do. */
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
 * A text that distinguishes this run of the pid from every other; undefined when no such process is alive (a zombie is not). Windows offers
 * none that is cheap to read: there, a pid counts as the same process for as long as it is alive.
 */
export async function readProcessStart(pid: number): Promise<string | undefined> {
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
export async function readCommandLine(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux')
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    if (process.platform === 'win32') return '';
    return (await run('ps', ['-p', String(pid), '-o', 'command='])).stdout.trim();
  } catch {
    return '';
  }
}
