/** The runner's side of a worker (worker.ts): starts the process, sends it files, and splits its output by file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { nodeOptions } from '../../.config/node-options.js';
import { moduleCacheEnvironment, moduleCacheOptions } from '../support/module-cache-options.ts';
import type { FileReport } from './worker.ts';

const program = fileURLToPath(new URL('./worker.ts', import.meta.url));
/** A file without output for this long ends its worker. 15 minutes and 10 s: more than the limit of a file in the worker. */
const silenceMs = 910_000;
/** A worker that uses more memory is replaced after its file. */
const maxResidentBytes = 2 * 2 ** 30;
const indentation = '    ';

const workers = new Set<WorkerProcess>();

/** Ends all workers, with the handlers of `exit` that remove what they started. */
export async function endWorkers(): Promise<void> {
  await Promise.all([...workers].map(worker => worker.interrupt()));
}

export interface FileResult {
  /** Why the worker ended instead of finishing the file. */
  readonly failure: string | undefined;
  readonly cost: { readonly wallMs: number; readonly processorMs: number };
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<string>;
  #output: PassThrough | undefined;
  #report: FileReport | undefined;
  #finish: (() => void) | undefined;
  /** Runs while a file does: a worker may wait for its next file for longer. */
  #silence: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #hasFailures = false;

  constructor() {
    // The argument becomes part of the names of tap's test folders, so that two runs do not use the same.
    const args = [...nodeOptions, ...moduleCacheOptions, program, String(process.pid)];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, ...moduleCacheEnvironment },
    });
    this.#child = child;
    const kill = (): unknown => child.kill('SIGKILL');
    process.once('exit', kill);
    createInterface(child.stdout as Readable).on('line', line => {
      this.#silence?.refresh();
      this.#read(line);
    });
    child.on('message', (message: FileReport | object) => {
      // tap sends messages of its own, about its time limits.
      if (!('processorMs' in message)) return;
      this.#report = message;
      this.#tryFinish();
    });
    this.#exited = (once(child, 'close') as Promise<unknown[]>).then(([code, signal]) => {
      this.#hasEnded = true;
      workers.delete(this);
      clearTimeout(this.#silence);
      process.off('exit', kill);
      this.#output?.end();
      // A worker whose tests have failed ends with 1.
      const isExpected = code === 0 || (code === 1 && this.#hasFailures);
      return isExpected ? '' : `a worker ended with ${String(signal ?? code)}`;
    });
    workers.add(this);
  }

  /** False: the next file needs a new worker. */
  get isFit(): boolean {
    return !this.#hasEnded && (this.#report?.residentBytes ?? Infinity) < maxResidentBytes;
  }

  /** Runs a file and writes its TAP to `output`. Resolves when the file is done or the process has ended. */
  async run(file: string, output: PassThrough): Promise<FileResult> {
    const started = performance.now();
    this.#output = output;
    this.#report = undefined;
    this.#silence = setTimeout(() => this.#child.kill('SIGKILL'), silenceMs);
    const finished = new Promise<void>(resolve => (this.#finish = resolve));
    this.#child.send({ file }, () => undefined);
    const failure = await Promise.race([finished.then(() => undefined), this.#exited]);
    clearTimeout(this.#silence);
    this.#silence = undefined;
    output.end();
    const { processorMs = 0 } = this.#report ?? {};
    const ended = failure === undefined ? undefined : `${file}: ${failure || 'its worker ended'}`;
    return { failure: ended, cost: { wallMs: performance.now() - started, processorMs } };
  }

  /** Lets the worker end what its files share. Returns what went wrong. */
  async end(): Promise<string | undefined> {
    if (!this.#hasEnded) this.#child.send({ end: true }, () => undefined);
    return (await this.#exited) || undefined;
  }

  async interrupt(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#exited;
  }

  /** The worker's TAP has one subtest for each file: its lines are indented, and the line after them has its result. */
  #read(line: string): void {
    if (line.startsWith(indentation)) {
      this.#output?.write(`${line.slice(indentation.length)}\n`);
    } else if (/^(?:not )?ok \d+ - test\//.test(line)) {
      if (line.startsWith('not')) this.#hasFailures = true;
      this.#output?.end();
      this.#output = undefined;
      this.#tryFinish();
    } else if (!/^(?:TAP version|1\.\.\d|#|$| {2})/.test(line)) {
      process.stderr.write(`${line}\n`);
    }
  }

  #tryFinish(): void {
    if (this.#output === undefined && this.#report !== undefined) this.#finish?.();
  }
}
