/** CPU seconds and resident memory of a process, from /proc (Linux), and metrics of a node. */
import { readFileSync, readdirSync } from 'node:fs';

const ticksPerSecond = 100;

/** CPU seconds (user and system) that the process has used, and those of its children that have ended; 0 when it is gone. */
export function cpuSeconds(pid: number): number {
  const fields = readStat(pid) ?? [];
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field] ?? 0), 0) / ticksPerSecond;
}

/** CPU seconds of the process and all below it, those that have ended included. */
export function treeCpuSeconds(pid: number): number {
  return processTree(pid).reduce((sum, member) => sum + cpuSeconds(member), 0);
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

/** The process and all below it. */
export function processTree(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = readStat(Number(name))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const tree = [pid];
  for (let i = 0; i < tree.length; i++) {
    for (const [child, parent] of parents) if (parent === tree[i]) tree.push(child);
  }
  return tree;
}

/** The fields of `/proc/<pid>/stat` after the name: state, parent ... ; undefined when the process has ended. */
function readStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Reads a metric without labels of the node at that address. */
export async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`the node has no metric ${name}`);
  return Number(found);
}
