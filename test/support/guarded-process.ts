/** Starts a child, guards it, stops it (SIGSTOP), prints its pid and waits: for process-guard.test.ts. */
import { spawn } from 'node:child_process';
import { processGuard } from './process-guard.ts';

const { pid = 0 } = spawn('sleep', ['1000'], { stdio: 'ignore' });
processGuard(pid, 'KILL');
process.kill(pid, 'SIGSTOP');
process.stdout.write(`${pid}\n`);
setInterval(() => undefined, 1_000);
