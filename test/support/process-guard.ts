/**
 * Guards a child process: when this process ends, in whatever way, the child is ended too. Handlers of `exit` cannot do that, since a
 * test that runs out of time is killed. A shell can: its standard input is a pipe that closes when this process is gone.
 */
import { spawn } from 'node:child_process';

/** A signal that ends the child, whatever its state. */
export type EndingSignal = 'KILL' | 'QUIT' | 'TERM';

const waitAndKill = 'read -r _; kill "-$1" "$2"; kill -CONT "$2"';

/** Returns what ends the guard, to be called as soon as the child has ended: its pid may be given to another process. */
export function processGuard(pid: number, signal: EndingSignal): () => void {
  const shell = spawn('/bin/sh', ['-c', waitAndKill, 'process-guard', signal, String(pid)], {
    // In a process group of its own: a signal to the group of the tests must not end the guard before it has done its work.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as unknown as { unref: () => void }).unref();
  return () => void shell.kill('SIGKILL');
}
