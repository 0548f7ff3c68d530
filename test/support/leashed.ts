/** A process that starts another, ties it to itself, stops it, says its pid, and waits: for leash.test.ts. */
import { spawn } from 'node:child_process';
import { leash } from './leash.ts';

const { pid = 0 } = spawn('sleep', ['1000'], { stdio: 'ignore' });
leash(pid, 'KILL');
process.kill(pid, 'SIGSTOP');
process.stdout.write(`${pid}\n`);
setInterval(() => undefined, 1_000);
