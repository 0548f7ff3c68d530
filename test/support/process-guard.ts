/**
 * Ties a process to this one: when this one ends, in whatever way, so does that. Handlers of `exit` cannot do it, since a test that
 * runs out of time is killed. A shell holds the leash: its standard input ends with us.
 */
import { spawn } from 'node:child_process';

/** A signal that ends it, whatever its state. */
export type EndingSignal = 'KILL' | 'QUIT' | 'TERM';

const holder = 'read -r _; kill "-$1" "$2"; kill -CONT "$2"';

/** Returns what takes the leash off, to be called as soon as that process has ended: its pid may be given to another. */
export function processGuard(pid: number, ender: EndingSignal): () => void {
  const shell = spawn('/bin/sh', ['-c', holder, 'leash', ender, String(pid)], {
    // A session of its own: what ends a group of processes is not for the one that ends the others.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as unknown as { unref: () => void }).unref();
  return () => void shell.kill('SIGKILL');
}
