/** Starts the benchmark's processes and talks to them. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { residentBytes } from '../support/process-usage.ts';
import type { ClientMessage, ClientTask, ServerMessage, ServerTask } from './protocol.ts';

export type ServerName = 'skein' | 'bare-uws' | 'ws';

/** Longest that any answer may take. */
const timeoutMs = 60_000;

async function answer<Message>(child: ChildProcess, task?: ServerTask | ClientTask): Promise<Message> {
  const heard = once(child, 'message', { signal: AbortSignal.timeout(timeoutMs) });
  if (task !== undefined) child.send(task);
  const [message] = (await heard) as [Message];
  return message;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

export class Server {
  readonly url: string;
  readonly pid: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, path: string) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.url = `ws://127.0.0.1:${port}${path}`;
  }

  static async start(name: ServerName): Promise<Server> {
    const module = new URL(`./servers/${name}.ts`, import.meta.url);
    const child = fork(module, { execPath: process.execPath, execArgv: ['--expose-gc'] });
    const { port, path } = await answer<Extract<ServerMessage, { is: 'listening' }>>(child);
    return new Server(child, port, path);
  }

  async publish(perSecond: number, forMs: number): Promise<number> {
    const task: ServerTask = { do: 'publish', perSecond, forMs };
    return (await answer<Extract<ServerMessage, { is: 'published' }>>(this.#child, task)).events;
  }

  /** Resident memory once garbage has been collected. */
  async settledBytes(): Promise<number> {
    await answer(this.#child, { do: 'settle' });
    return residentBytes(this.pid);
  }

  stop(): Promise<void> {
    return stop(this.#child);
  }
}

export class Clients {
  readonly #child = fork(new URL('./clients.ts', import.meta.url), { execPath: process.execPath });

  async connect(url: string, sockets: number, resume: boolean): Promise<void> {
    await answer<ClientMessage>(this.#child, { do: 'connect', url, sockets, resume });
  }

  async count(expected: number): Promise<{ readonly events: number; readonly lost: number }> {
    const task: ClientTask = { do: 'count', expected };
    return answer<Extract<ClientMessage, { is: 'counted' }>>(this.#child, task);
  }

  stop(): Promise<void> {
    return stop(this.#child);
  }
}
