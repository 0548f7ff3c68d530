/** One run of the server: found running, or started; how it becomes ready, and how it ends. */
import { spawn } from 'node:child_process';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { completesWithin, keepAliveClock, pause, systemClock } from '../../runtime/time/index.ts';
import type { Account } from './account.ts';
import { serverEnvironment } from './binaries.ts';
import type { Binaries } from './binaries.ts';
import { readCommandLine, readProcessStart } from './process.ts';

/** Milliseconds between two checks of a process that is not our child, and of the status file of a starting server. */
const pollMs = 20;
/** Crash recovery of a full 4 GB of log takes tens of seconds; a server that takes longer has a problem. */
const readyWithinMs = 120_000;
const stopWithinMs = 30_000;
const logLimit = 16 * 1024 * 1024;

/** A postmaster process. A normal end of our process tells it to shut down, which it then does by itself. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Resolves when the process is gone, for whatever reason. */
  readonly gone: Promise<void>;
}

/** Lines of `postmaster.pid`: https://www.postgresql.org/docs/current/storage-file-layout.html and pg_ctl's source. */
async function readStatus(data: string): Promise<{ pid: number; port: number; status: string } | undefined> {
  try {
    const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: (lines[7] ?? '').trim() };
  } catch {
    return undefined;
  }
}

/** Resolves once the process with that pid and start time is gone. */
async function untilGone(pid: number, started: string): Promise<void> {
  while ((await readProcessStart(pid)) === started) await pause(systemClock, pollMs * 5);
}

/**
 * The server that a killed owner left running on these data, once it is ready; undefined when there is none. A status file whose pid now
 * belongs to another program is removed: the server would take that program for itself and refuse to start.
 */
export async function adopt(data: string): Promise<Postmaster | undefined> {
  const found = await readStatus(data);
  if (found === undefined) return undefined;
  const started = await readProcessStart(found.pid);
  if (started === undefined) return undefined;
  const command = await readCommandLine(found.pid);
  if (command !== '' && !command.includes(data)) {
    await rm(join(data, 'postmaster.pid'), { force: true });
    return undefined;
  }
  const gone = untilGone(found.pid, started);
  shutDownAtExit(found.pid, gone);
  return (await untilReady(data, found.pid, gone)) ? { pid: found.pid, port: found.port, gone } : undefined;
}

/** Resolves to whether the server accepts connections (true) or has ended (false). */
async function untilReady(data: string, pid: number, gone: Promise<void>): Promise<boolean> {
  let ended = false;
  void gone.then(() => (ended = true));
  const deadline = performance.now() + readyWithinMs;
  while (!ended) {
    const now = await readStatus(data);
    if (now?.pid === pid && now.status === 'ready') return true;
    if (performance.now() > deadline) {
      throw new Error(`PostgreSQL (process ${pid}) was not ready within ${readyWithinMs / 1000} s`);
    }
    await pause(keepAliveClock, pollMs);
  }
  return false;
}

export interface StartOptions {
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly data: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** Starts a server and resolves when it is ready; rejects with the end of its log when it fails to start. */
export async function start(options: StartOptions): Promise<Postmaster> {
  const { binaries, account, data, port, settings, logFile } = options;
  const size = await stat(logFile).then(
    ({ size }) => size,
    () => 0,
  );
  if (size > logLimit) await rename(logFile, `${logFile}.1`);
  const log = await open(logFile, 'a', 0o600);
  const from = size > logLimit ? 0 : size;
  try {
    const args = ['-D', data, '-p', String(port)];
    for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
    const child = spawn(binaries.postgres, args, {
      ...account,
      cwd: data,
      env: serverEnvironment(),
      // A process group of its own: Ctrl-C in the terminal is for the node, which stops its server after it has drained.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      windowsHide: true,
    });
    const gone = new Promise<void>(resolve => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    child.unref();
    if (child.pid !== undefined) {
      shutDownAtExit(child.pid, gone);
      if (await untilReady(data, child.pid, gone)) return { pid: child.pid, port, gone };
    }
    throw new Error(`PostgreSQL did not start: ${await readLogEnd(logFile, from)}`);
  } finally {
    await log.close();
  }
}

function shutDownAtExit(pid: number, gone: Promise<void>): void {
  const tell = () => signal(pid, 'SIGINT');
  process.on('exit', tell);
  void gone.then(() => process.off('exit', tell));
}

/** The log since `from`, at most its last 2,000 characters. */
async function readLogEnd(logFile: string, from: number): Promise<string> {
  const text = await readFile(logFile);
  return text.subarray(from).toString('utf8').trim().slice(-2_000);
}

/** Fast shutdown: disconnects all clients, writes a checkpoint, ends. Immediate shutdown when that takes too long. */
export async function stop(postmaster: Postmaster): Promise<void> {
  signal(postmaster.pid, 'SIGINT');
  // Unlike a running server, one that is being stopped keeps this process alive.
  const stopped = await completesWithin(keepAliveClock, stopWithinMs, postmaster.gone);
  if (!stopped) signal(postmaster.pid, 'SIGQUIT');
  await postmaster.gone;
}

/** No error when the process is gone already. */
function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
