/** A process of a benchmark: it answers each message that it gets with one message, and ends when its parent disconnects. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const answersWithinMs = 120_000;

export interface ChildOptions {
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of Node. */
  readonly options?: readonly string[];
}

export class Child {
  readonly #process: ChildProcess;
  /** Rejects when the process ends. */
  readonly #ended: Promise<never>;

  constructor(module: URL, { arguments: given = [], environment = {}, options = [] }: ChildOptions = {}) {
    const env = { ...process.env, ...environment };
    this.#process = fork(module, [...given], { env, execPath: process.execPath, execArgv: [...options] });
    this.#ended = once(this.#process, 'exit').then(([code]) =>
      Promise.reject(new Error(`a process of the benchmark ended with ${String(code)}`)),
    );
    this.#ended.catch(() => undefined);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Resolves with the next message. */
  async hear<T>(withinMs = answersWithinMs): Promise<T> {
    const signal = AbortSignal.timeout(withinMs);
    const heard = once(this.#process, 'message', { signal }) as Promise<[T]>;
    return (await Promise.race([heard, this.#ended]))[0];
  }

  async ask<T>(message: object, withinMs?: number): Promise<T> {
    const answer = this.hear<T>(withinMs);
    this.#process.send(message);
    return answer;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    if (this.#process.connected) this.#process.disconnect();
    await ended;
  }
}

/** Runs in a child: answers each message, and ends with the parent. */
export function serveParent(answer: (message: never) => unknown): void {
  process.on(
    'message',
    message => void Promise.resolve(answer(message as never)).then(result => process.send?.(result ?? {})),
  );
  endWithParent();
}

export function endWithParent(end: () => Promise<unknown> = () => Promise.resolve()): void {
  process.once('disconnect', () => void end().finally(() => process.exit()));
}
