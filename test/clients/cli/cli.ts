/** Runs the bundled `skein` as a process, with a home folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { build } from '../../../clients/cli/build.ts';
import { endAfterLastFile, isSharing } from '../../support/shared-by-files.ts';
import { withTimeLimit } from '../../support/time-limit.ts';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** All of stdin. Default: none. */
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A running command. */
export class RunningCli {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<CliResult>;
  #onOutput: () => void = () => undefined;

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
      this.#onOutput();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.#onOutput();
    });
    child.stdin?.on('error', () => undefined);
    this.ended = once(child, 'close').then(([code]) => {
      this.#onOutput();
      return { code: code as number | null, stdout: this.stdout, stderr: this.stderr };
    });
  }

  /** Resolves when the command has printed it on stdout or stderr. */
  async printed(what: string | RegExp): Promise<void> {
    const has = (): boolean => (this.stdout + this.stderr).search(what) >= 0;
    await withTimeLimit(
      new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (has()) resolve();
          else if (this.child.exitCode !== null)
            reject(new Error(`it has ended\n${this.stdout}${this.stderr}`));
        };
        this.#onOutput = look;
        look();
      }),
      `line ${what} of ${this.child.spawnargs.join(' ')}; it has printed\n${this.stdout}${this.stderr}`,
    );
  }

  async end(signal: NodeJS.Signals = 'SIGINT'): Promise<CliResult> {
    this.child.kill(signal);
    return withTimeLimit(this.ended, 'end of the command');
  }
}

interface Ending {
  teardown(handler: () => Promise<void>): unknown;
}

async function makeFolder(t: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `skein-cli-${process.pid}-`));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Builds the bundle and returns the path of its entry. */
async function buildProgram(t: Ending): Promise<string> {
  const folder = await makeFolder(t);
  await build(folder);
  return join(folder, 'dist', 'main.js');
}

let built: Promise<string> | undefined;

export class Cli {
  /** Its XDG_CONFIG_HOME. */
  readonly home: string;
  /** The bundle's entry. */
  readonly program: string;
  /** Results of all commands. */
  readonly results: CliResult[] = [];
  readonly #env: Readonly<Record<string, string>>;

  private constructor(home: string, program: string, env: Readonly<Record<string, string>>) {
    this.home = home;
    this.program = program;
    this.#env = env;
  }

  /** Returns the program with a home of its own, which is removed after the test. Files that share a process share the program. */
  static async make(t: Test, env: Readonly<Record<string, string>> = {}): Promise<Cli> {
    const program = isSharing()
      ? await (built ??= buildProgram({ teardown: endAfterLastFile }))
      : await buildProgram(t);
    return new Cli(join(await makeFolder(t), 'home'), program, env);
  }

  get profilesFile(): string {
    return join(this.home, 'skein', 'profiles.json');
  }

  /** Returns the same program with another home folder. */
  withHome(home: string, env: Readonly<Record<string, string>> = {}): Cli {
    return new Cli(home, this.program, { ...this.#env, ...env });
  }

  getEnvironment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: this.home,
      XDG_CONFIG_HOME: this.home,
      TERM: 'xterm-256color',
      ...this.#env,
      ...env,
    };
  }

  start(args: readonly string[], { input, cwd = tmpdir(), env }: CliOptions = {}): RunningCli {
    const child = spawn(process.execPath, [this.program, ...args], { cwd, env: this.getEnvironment(env) });
    if (input !== undefined) child.stdin.end(input);
    return new RunningCli(child);
  }

  async run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const running = this.start(args, { input: '', ...options });
    const result = await withTimeLimit(running.ended, `end of skein ${args.join(' ')}`);
    this.results.push(result);
    return result;
  }

  /** Asserts exit code 0, and returns stdout. */
  async ok(t: Test, args: readonly string[], options: CliOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    t.equal(code, 0, `skein ${args.join(' ')}\n${stderr}`);
    return stdout;
  }

  /** Returns the objects that the command prints with --json. */
  async json<T = Record<string, string>>(
    t: Test,
    args: readonly string[],
    options: CliOptions = {},
  ): Promise<T[]> {
    const printed = await this.ok(t, [...args, '--json'], options);
    return printed
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as T);
  }

  /** Runs the command in a terminal of `script` (util-linux). Write keys to the stdin of the child. */
  terminal(args: readonly string[], columns = 120, cwd = tmpdir()): RunningCli {
    const command = [process.execPath, this.program, ...args].map(word => `'${word}'`).join(' ');
    return this.shell(`stty cols ${columns} rows 40; exec ${command}`, cwd);
  }

  shell(script: string, cwd = tmpdir()): RunningCli {
    const child = spawn('script', ['-qec', script, '/dev/null'], {
      cwd,
      env: { ...this.getEnvironment(), SHELL: '/bin/bash' },
    });
    return new RunningCli(child);
  }
}

/** Removes the control sequences of a terminal. */
export function stripTerminal(text: string): string {
  return text
    .replaceAll(/\u001b(?:\[[0-9;?]*[a-zA-Z]|\][^\u0007]*\u0007|[()][A-Z0-9]|[=>])/g, '')
    .replaceAll('\r', '');
}
