/** Runs the load in a process of its own, so that it does not share the server's event loop. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { LoadResult, LoadTask } from './load.ts';

export async function runLoad(task: LoadTask): Promise<LoadResult> {
  const child = fork(new URL('./load.ts', import.meta.url), { execPath: process.execPath });
  child.send(task);
  const [result] = (await once(child, 'message')) as [LoadResult];
  if (child.exitCode === null) await once(child, 'exit');
  return result;
}
