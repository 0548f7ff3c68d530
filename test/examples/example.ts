/** A program of examples/ as a process of its own, with nothing but the environment that its README tells of. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Ending } from '../support/node-process.ts';
import { withTimeLimit } from '../support/time-limit.ts';
import { processGuard } from '../support/process-guard.ts';

export type ExampleName =
  | 'agent-tool'
  | 'channel-bridge'
  | 'local-models'
  | 'stream-follower'
  | 'token-aware-client'
  | 'webhook-receiver';

export class Example {
  /** What it has written to standard output, and to standard error. */
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  /** The exit code; null after a signal. */
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #waiting = new Set<() => void>();

  constructor(t: Ending, name: ExampleName, environment: Readonly<Record<string, string>>) {
    const program = fileURLToPath(new URL(`../../examples/${name}/main.mjs`, import.meta.url));
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env['PATH'] ?? '', ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#input = child.stdin;
    child.once('exit', processGuard(child.pid ?? 0, 'KILL'));
    const streams = [
      [child.stdout, this.lines],
      [child.stderr, this.errors],
    ] as const;
    for (const [stream, lines] of streams) {
      createInterface({ input: stream }).on('line', line => {
        lines.push(line);
        for (const wake of this.#waiting) wake();
      });
    }
    this.exited = once(child, 'close').then(([code]) => code as number | null);
    const atExit = (): void => void child.kill('SIGKILL');
    process.on('exit', atExit);
    t.teardown(async () => {
      await this.kill();
      process.off('exit', atExit);
    });
  }

  /** A program that listens: resolves with it and its address. */
  static async listening(
    t: Ending,
    name: ExampleName,
    environment: Readonly<Record<string, string>>,
  ): Promise<{ readonly example: Example; readonly url: string }> {
    const example = new Example(t, name, { PORT: '0', ...environment });
    const line = await example.said(/^listening on /);
    return { example, url: line.slice('listening on '.length) };
  }

  /** Resolves with the first line, on either stream, that matches and was not among the first `after`. */
  said(pattern: RegExp, after: readonly string[] = []): Promise<string> {
    const look = async (): Promise<string> => {
      for (;;) {
        const found = [...this.lines, ...this.errors].find(
          line => pattern.test(line) && !after.includes(line),
        );
        if (found !== undefined) return found;
        await new Promise<void>(resolve => {
          const wake = (): void => {
            this.#waiting.delete(wake);
            resolve();
          };
          this.#waiting.add(wake);
        });
      }
    };
    const ended = this.exited.then(code => {
      throw new Error(`no ${String(pattern)}: it ended with ${code}\n${this.errors.join('\n')}`);
    });
    ended.catch(() => undefined);
    return withTimeLimit(Promise.race([look(), ended]), `line ${String(pattern)} of the example`);
  }

  /** Writes a line to its standard input. */
  write(line: string): void {
    this.#input.write(`${line}\n`);
  }

  /** Ends its standard input, and resolves to its exit code. */
  finish(): Promise<number | null> {
    this.#input.end();
    return this.exited;
  }

  /** SIGTERM. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.exited;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }
}
