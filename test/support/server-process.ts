/** A program that serves, as a child of the test: it ends with the test, however that ends, and what it said is shown where the test has failed. */
import { spawn } from 'node:child_process';
import type { Test } from 'tap';
import { eventually } from './eventually.ts';
import { processGuard } from './process-guard.ts';

export interface ServerProcess {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** All that it has of this process's own is the PATH. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly isReady: () => Promise<boolean>;
}

/** Resolves when it is ready; rejects with what it said when it ends instead. */
export async function startServerProcess(
  t: Pick<Test, 'teardown' | 'passing' | 'comment'>,
  { name, program, args, environment, isReady }: ServerProcess,
): Promise<void> {
  let said = '';
  let hasEnded = false;
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-20_000)));
  }
  const ended = new Promise<void>(resolve => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  }).then(() => (hasEnded = true));
  const endGuard = processGuard(child.pid ?? 0, 'KILL');
  child.once('exit', endGuard);
  t.teardown(async () => {
    if (!t.passing()) t.comment(`${name} said: ${said}`);
    child.kill('SIGTERM');
    await ended;
  });
  await eventually(`answer of ${name}`, async () => {
    if (hasEnded) throw new Error(`${name} ended: ${said}`);
    return isReady();
  });
}
