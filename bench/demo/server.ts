/** The node under demonstration: a process of its own, so that it can be killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverOptions } from '../../.config/node-options.js';

const main = fileURLToPath(new URL('../../gateway/main.ts', import.meta.url));
const readyWithinMs = 60_000;

/** A temporary folder that the account of PostgreSQL may pass through, so that its data are in it. */
export async function temporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  // As root, PostgreSQL runs under another account. Behind 0700 it would put its data elsewhere.
  await chmod(folder, 0o711);
  return folder;
}

/** A free port of the loopback address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return (address as AddressInfo).port;
}

export class Server {
  readonly url: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;
  #output = '';

  /**
   * @param environment added to the process's own: see docs/operate/configuration.md
   * @param options further ones of Node's
   */
  constructor(port: number, environment: Readonly<Record<string, string>>, options: readonly string[] = []) {
    this.#options = options;
    this.url = `http://127.0.0.1:${port}`;
    const fixed = { PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
    this.#env = { ...process.env, GRPC_PORT: 'off', ...environment, ...fixed };
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts the node and waits until it is ready; gives the milliseconds that took. */
  async start(): Promise<number> {
    const from = performance.now();
    const child = spawn(process.execPath, [...serverOptions, ...this.#options, main], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-4_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    while (!(await this.#ready())) {
      if (child.exitCode !== null) throw new Error(`the node ended with ${child.exitCode}:\n${this.#output}`);
      if (performance.now() - from > readyWithinMs)
        throw new Error(`the node did not get ready:\n${this.#output}`);
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    return performance.now() - from;
  }

  /** SIGKILL: no chance to finish anything. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM: the node drains. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  async #ready(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/readyz`)).ok;
    } catch {
      return false;
    }
  }
}
