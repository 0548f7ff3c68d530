/** Measures the processor time of a process and everything that it has started. */
import { readdirSync, readFileSync } from 'node:fs';

/** The unit of /proc on every Linux (USER_HZ, proc(5)). */
const msPerTick = 10;

interface Process {
  readonly parent: number;
  readonly ms: number;
}

/**
 * Returns the processor time of this process in milliseconds, with that of its children, whether they run or have ended. Other systems than
 * Linux report this process alone.
 */
export function readProcessorTime(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  const processes = readProcesses();
  let total = 0;
  for (const [pid, { ms }] of processes) if (isWithin(processes, pid, process.pid)) total += ms;
  return total;
}

/** Returns the processes that a process has started, and theirs. Only on Linux. */
export function listDescendants(of: number): number[] {
  const processes = readProcesses();
  return [...processes.keys()].filter(pid => pid !== of && isWithin(processes, pid, of));
}

function readProcesses(): ReadonlyMap<number, Process> {
  const processes = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readProcess(name) : undefined;
    if (found !== undefined) processes.set(Number(name), found);
  }
  return processes;
}

function readProcess(pid: string): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold any character. After it: state, parent, and from the 12th on utime, stime, cutime, cstime.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
    return { parent: fields[1] ?? 0, ms: ticks * msPerTick };
  } catch {
    // The process has ended.
    return undefined;
  }
}

function isWithin(processes: ReadonlyMap<number, Process>, pid: number, ancestor: number): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = processes.get(at)?.parent) {
    if (at === ancestor) return true;
  }
  return false;
}
