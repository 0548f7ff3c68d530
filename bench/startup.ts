/**
 * How long `npm start` takes until /readyz answers 200, npm itself included: the first time, which makes the keys and the embedded
 * PostgreSQL and brings its schema up to date, and the second time on the same folder.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../storage/embedded/process.ts';
import { freePort } from './demo/server.ts';
import { processTree } from './support/process-usage.ts';
import { count, median, table, times } from './support/table.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const rounds = 3;
/** Milliseconds of a start on data that are there. */
const target = 3_000;
const withinMs = 60_000;
const pollMs = 10;

/** Starts a node with npm, waits until it is ready and stops it; gives the milliseconds until it was ready. */
async function start(folder: string): Promise<number> {
  const port = await freePort();
  const env = {
    ...process.env,
    DATA_DIR: folder,
    PORT: String(port),
    GRPC_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const from = performance.now();
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    while (!(await isReady(port))) {
      if (npm.exitCode !== null) throw new Error(`npm start ended with ${npm.exitCode}`);
      if (performance.now() - from > withinMs) throw new Error('the node did not get ready');
      await pause(pollMs);
    }
    return performance.now() - from;
  } finally {
    await stop(npm);
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** SIGTERM to the node below npm: the node drains, and npm ends with it. */
async function stop(npm: ChildProcess): Promise<void> {
  if (npm.pid === undefined || npm.exitCode !== null) return;
  const ended = once(npm, 'exit');
  let node = npm.pid;
  for (const pid of processTree(npm.pid)) {
    if ((await readCommandLine(pid)).includes('gateway/main.ts')) node = pid;
  }
  process.kill(node, 'SIGTERM');
  await ended;
}

/** Runs the rounds, each on a folder of its own, and prints a table. */
export async function benchStartup(): Promise<void> {
  const first: number[] = [];
  const second: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const folder = await temporaryFolder('skein-startup-');
    try {
      first.push(await start(folder));
      second.push(await start(folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  console.log(`\nnpm start until /readyz answers 200, in milliseconds (medians of ${rounds})\n`);
  const row = (name: string, values: readonly number[]): string[] => [
    name,
    count(median(values)),
    count(Math.min(...values)),
    count(Math.max(...values)),
  ];
  console.log(
    table(
      ['', 'median', 'fastest', 'slowest', `of ${count(target)} (target: at most 1)`],
      [
        [...row('first: makes keys and database', first), ''],
        [...row('second: on the same folder', second), times(median(second) / target)],
      ],
    ),
  );
}
