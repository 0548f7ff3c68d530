/** A process that starts another, ties it to itself, stops it, says its pid, and waits: for leash.test.ts. */
import { spawn } from 'node:child_process';
import { processGuard } from './process-guard.ts';

const { pid = 0 } = spawn('sleep', ['1000'], { stdio: 'ignore' });
processGuard(pid, 'KILL');
process.kill(pid, 'SIGSTOP');
process.stdout.write(`${pid}\n`);
setInterval(() => undefined, 1_000);
