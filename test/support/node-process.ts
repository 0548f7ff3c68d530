/** A node as a process of its own, with a folder and a port of its own: it can be killed, told to stop, and listened to. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { serverOptions } from '../../.config/node-options.js';
import { pickPort } from './free-port.ts';
import { adopt, stop as stopServer } from '../../storage/embedded/postmaster.ts';
import { dataRoot } from './memory-folder.ts';
import { processGuard } from './process-guard.ts';
import { moduleCacheEnvironment, moduleCacheOptions } from './module-cache-options.ts';
import type { LogLine, LogSource } from './test-log.ts';
import { withTimeLimit, timeLimitMs } from './time-limit.ts';

const main = fileURLToPath(new URL('../../gateway/main.ts', import.meta.url));

const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What ends with a test. */
export interface Ending {
  teardown(handler: () => Promise<void>): unknown;
}

interface Listener {
  readonly fits: (line: LogLine) => boolean;
  readonly take: (line: LogLine) => void;
}

/** A folder for a node's data, which the account of the database may pass through; removed at the end, with its database. */
export async function dataFolder(t: Ending): Promise<string> {
  const folder = await mkdtemp(join(dataRoot, `skein-test-${process.pid}-`));
  await chmod(folder, 0o711);
  const atExit = (): void => {
    endDatabase(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', atExit);
  t.teardown(async () => {
    const left = await adopt(join(folder, 'postgres', 'data'));
    if (left !== undefined) await stopServer(left);
    await rm(folder, { recursive: true, force: true });
    process.off('exit', atExit);
  });
  return folder;
}

/** For a test that ends without its teardown: an immediate shutdown of the server that a killed node has left behind. */
function endDatabase(folder: string): void {
  try {
    const pid = Number(
      readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)) process.kill(pid, 'SIGQUIT');
  } catch {
    // There is none.
  }
}

/** What is compiled is kept by the file's path: only nodes of the same copy of another version find it, and it goes with that. */
function toOwnCache(program: string): Readonly<Record<string, string>> {
  return { NODE_COMPILE_CACHE: join(dirname(program), '../.compiled') };
}

/** Nobody listens there. */
const nowhere = 'http://127.0.0.1:1/v1';

export class NodeProcess implements LogSource {
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  /** All that it has ever written to its log and to standard error, over all its lives. */
  output = '';
  readonly lines: LogLine[] = [];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #listeners = new Set<Listener>();
  #child: ChildProcess | undefined;
  #exit: Promise<Exit> | undefined;

  private constructor(folder: string, port: number, environment: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    // Nothing of this process's own environment: neither a configuration nor the test runner's hooks.
    this.#environment = {
      PATH: process.env['PATH'] ?? '',
      // Of a mutation test, for module-cache.js.
      ...(process.env['MUTATION'] === undefined ? {} : { MUTATION: process.env['MUTATION'] }),
      DATA_DIR: folder,
      HOST: '127.0.0.1',
      PORT: String(port),
      GRPC_PORT: 'off',
      // Tests come from one address, and hammer: whoever wants the limits says so.
      // No model is asked that costs anybody anything, and no chat provider.
      LLM_PROVIDER_1_URL: nowhere,
      LLM_PROVIDER_2_URL: nowhere,
      LLM_PROVIDER_3_URL: nowhere,
      CHATAPP_GRAPH_URL: nowhere,
      LOG_LEVEL: 'trace',
      RATE_LIMITS: 'off',
      ...environment,
    };
  }

  /** Does not start it. It is gone with the test, and so are its database and its folder. */
  static async make(t: Ending, environment: Readonly<Record<string, string>> = {}): Promise<NodeProcess> {
    const folder = environment['DATA_DIR'] ?? (await dataFolder(t));
    const port = environment['PORT'] === undefined ? await pickPort() : Number(environment['PORT']);
    const node = new NodeProcess(folder, port, environment);
    const atExit = (): void => void node.#child?.kill('SIGKILL');
    process.on('exit', atExit);
    t.teardown(async () => {
      await node.#end();
      process.off('exit', atExit);
    });
    return node;
  }

  /** Its NODE_ID. */
  get id(): string {
    return this.#environment['NODE_ID'] ?? '';
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Whether its process is there, be it stopped. */
  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** SIGSTOP: it stands still, with everything it holds, until `resume`. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** SIGCONT. */
  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Starts the process, and does not wait for more than that. `program`: of another version, or composed otherwise. */
  spawn(program = main): void {
    const child = spawn(process.execPath, [...serverOptions, ...moduleCacheOptions, program], {
      cwd: this.folder,
      env: { ...(program === main ? moduleCacheEnvironment : toOwnCache(program)), ...this.#environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', line => this.#hear(line));
    child.stderr.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    // One with a database of its own is told to take that with it.
    child.once('exit', processGuard(child.pid ?? 0, this.#isEmbedded ? 'TERM' : 'KILL'));
    this.#exit = new Promise(resolve => {
      // `close` and not `exit`: everything that it has said has been heard by then.
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  /** Starts the process and resolves when it serves; rejects with what it said when it ends instead. */
  async start(program = main): Promise<void> {
    this.spawn(program);
    await this.said('ready');
  }

  /** The next line with that message, or the next that passes the test; rejects when the process ends before. */
  async said(what: string | ((line: LogLine) => boolean)): Promise<LogLine> {
    const fits = typeof what === 'string' ? (line: LogLine) => line.msg === what : what;
    const name = typeof what === 'string' ? `line "${what}" of the node` : 'such line of the node';
    let listener: Listener | undefined;
    const said = new Promise<LogLine>(resolve => {
      listener = { fits, take: resolve };
      this.#listeners.add(listener);
    });
    const ended = this.exited().then(({ code, signal }) => {
      if (listener !== undefined) this.#listeners.delete(listener);
      throw new Error(`no ${name}: it ended with ${code ?? signal}\n${this.output}`);
    });
    ended.catch(() => undefined);
    return withTimeLimit(Promise.race([said, ended]), name);
  }

  /** Resolves when the process has ended. */
  exited(): Promise<Exit> {
    if (this.#exit === undefined) return Promise.reject(new Error('the node was never started'));
    return this.#exit;
  }

  /** SIGKILL: no chance to finish anything. Its database lives on. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.exited();
  }

  /** SIGTERM, sent at once: the node drains. Resolves with how it ended. */
  async stop(): Promise<Exit> {
    this.#child?.kill('SIGTERM');
    return withTimeLimit(this.exited(), 'end of the drain');
  }

  /** The process of its embedded database by now. */
  async postmaster(): Promise<number> {
    const status = await readFile(join(this.folder, 'postgres', 'data', 'postmaster.pid'), 'utf8');
    return Number(status.split('\n')[0]);
  }

  get #isEmbedded(): boolean {
    return this.#environment['DATABASE_URL'] === undefined;
  }

  #hear(line: string): void {
    this.output += `${line}\n`;
    let parsed: LogLine;
    try {
      const { level, ...fields } = JSON.parse(line) as Omit<LogLine, 'level'> & {
        level: keyof typeof levels;
      };
      parsed = { ...(fields as LogLine), level: levels[level] };
    } catch {
      return;
    }
    this.lines.push(parsed);
    for (const listener of [...this.#listeners]) {
      if (!listener.fits(parsed)) continue;
      this.#listeners.delete(listener);
      listener.take(parsed);
    }
  }

  async #end(): Promise<void> {
    if (this.#exit === undefined) return;
    const child = this.#child;
    // Kindly first, when it takes a database of its own with it.
    child?.kill(this.#isEmbedded ? 'SIGTERM' : 'SIGKILL');
    const timer = setTimeout(() => child?.kill('SIGKILL'), timeLimitMs);
    await this.exited();
    clearTimeout(timer);
  }
}
