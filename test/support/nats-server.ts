/** A real nats-server on a free port, with a folder of its own: it can be stopped, killed, frozen and started again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from 'nats';
import { findDebianProgram } from './debian-program.ts';
import { eventually } from './eventually.ts';
import { pickPort } from './free-port.ts';
import { processGuard } from './process-guard.ts';
import { withTimeLimit, timeLimitMs } from './time-limit.ts';

const startTries = 5;

const advice =
  'nats-server was not found: set NATS_SERVER to its path, or install it (Debian and Ubuntu: apt-get install nats-server; ' +
  'macOS: brew install nats-server; others: https://github.com/nats-io/nats-server/releases)';

export interface NatsServerOptions {
  /** Default: true, with file storage in a folder that goes with the server. */
  readonly jetStream?: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** In bytes; default: the server's, 1 MiB. */
  readonly maxPayload?: number;
  /** It is one of several: the port for the others, and theirs. */
  readonly cluster?: { readonly port: number; readonly others: readonly number[] };
}

/** What ends with a test. */
interface Ending {
  teardown(handler: () => Promise<void>): unknown;
}

/** Until all three keep a stream. */
async function awaitGathered(servers: readonly NatsServer[]): Promise<void> {
  const client = await connect({ servers: servers.map(({ url }) => url) });
  try {
    await eventually('stream on three servers', async () => {
      try {
        const manager = await client.jetstreamManager();
        await manager.streams.add({ name: 'gathered', subjects: ['gathered'], num_replicas: 3 });
        return await manager.streams.delete('gathered');
      } catch {
        return false;
      }
    });
  } finally {
    await client.close();
  }
}

export class NatsServer {
  readonly port: number;
  /** Without credentials. */
  readonly url: string;
  readonly #program: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #said = '';
  readonly #atExit = (): void => {
    this.#child?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  };

  private constructor(program: string, folder: string, port: number) {
    this.#program = program;
    this.#folder = folder;
    this.port = port;
    this.url = `nats://127.0.0.1:${port}`;
    process.on('exit', this.#atExit);
  }

  /** Resolves when it takes connections. It ends with `stop`, or with the process. Rejects with advice when there is no nats-server. */
  static async start(options: NatsServerOptions = {}): Promise<NatsServer> {
    const program = await natsServerProgram();
    for (let left = startTries; ; left--) {
      const server = await NatsServer.#make(program, options);
      try {
        await server.#start();
        return server;
      } catch (error) {
        await server.stop();
        // Somebody else may have taken the port that was free a moment ago.
        if (options.port !== undefined || left === 1) throw error;
      }
    }
  }

  /** One that ends with the test. */
  static async of(t: Ending, options: NatsServerOptions = {}): Promise<NatsServer> {
    const server = await NatsServer.start(options);
    t.teardown(() => server.stop());
    return server;
  }

  /** Three that are a cluster, have found each other, and end with the test. */
  static async startCluster(t: Ending): Promise<readonly [NatsServer, NatsServer, NatsServer]> {
    const [a, b, c] = [await pickPort(), await pickPort(), await pickPort()];
    const servers = await Promise.all([
      NatsServer.of(t, { cluster: { port: a, others: [b, c] } }),
      NatsServer.of(t, { cluster: { port: b, others: [a, c] } }),
      NatsServer.of(t, { cluster: { port: c, others: [a, b] } }),
    ]);
    await awaitGathered(servers);
    return servers;
  }

  static async #make(program: string, options: NatsServerOptions): Promise<NatsServer> {
    const folder = await mkdtemp(join(tmpdir(), `skein-nats-${process.pid}-`));
    const server = new NatsServer(program, folder, options.port ?? (await pickPort()));
    await writeFile(join(folder, 'server.conf'), configuration(server.port, folder, options), {
      mode: 0o600,
    });
    return server;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Ends it and removes what it stored. Idempotent. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    process.off('exit', this.#atExit);
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** SIGKILL: no word to anyone. What it stored stays, for `restart`. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Starts it again, on the same port and with what it stored; ends it first if it runs. */
  async restart(): Promise<void> {
    await this.#end('SIGTERM');
    await this.#start();
  }

  /** Removes what JetStream has stored. Only while it does not run. */
  forget(): Promise<void> {
    return rm(join(this.#folder, 'store'), { recursive: true, force: true });
  }

  /** It hangs: connections stay open and nothing is answered. Returns once every thread of it stands still. */
  freeze(): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    process.kill(pid, 'SIGSTOP');
    while (readdirSync(`/proc/${pid}/task`).some(thread => !isStopped(pid, thread)));
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async #start(): Promise<void> {
    this.#said = '';
    const child = spawn(this.#program, ['-c', join(this.#folder, 'server.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    const endGuard = processGuard(child.pid ?? 0, 'KILL');
    this.#exited = new Promise(resolve => {
      child.once('exit', endGuard);
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    createInterface({ input: child.stderr }).on('line', line => {
      if (this.#said.length < 100_000) this.#said += `${line}\n`;
      if (line.includes('Server is ready')) resolve();
    });
    void this.#exited.then(() => reject(new Error(`nats-server ended:\n${this.#said}`)));
    await withTimeLimit(ready, 'line "Server is ready" of nats-server');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.kill('SIGCONT');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), timeLimitMs);
    await this.#exited;
    clearTimeout(timer);
    this.#child = undefined;
  }
}

function configuration(port: number, folder: string, options: NatsServerOptions): string {
  const { jetStream = true, user, password, token, maxPayload, cluster } = options;
  const lines = [`host: "127.0.0.1"`, `port: ${port}`];
  if (jetStream) lines.push(`jetstream { store_dir: ${JSON.stringify(join(folder, 'store'))} }`);
  if (user !== undefined)
    lines.push(`authorization { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)} }`);
  if (token !== undefined) lines.push(`authorization { token: ${JSON.stringify(token)} }`);
  if (maxPayload !== undefined) lines.push(`max_payload: ${maxPayload}`);
  if (cluster !== undefined) {
    const routes = cluster.others.map(each => `"nats://127.0.0.1:${each}"`).join(', ');
    lines.push(`server_name: "nats-${port}"`);
    lines.push(`cluster { name: "test", host: "127.0.0.1", port: ${cluster.port}, routes: [${routes}] }`);
  }
  return `${lines.join('\n')}\n`;
}

/** The path of a nats-server: of NATS_SERVER, of the PATH, or of Debian's package unpacked into this user's cache. */
export function natsServerProgram(): Promise<string> {
  return findDebianProgram({ name: 'nats-server', variable: 'NATS_SERVER', advice });
}

/** Whether the kernel has stopped the thread (proc(5), `stat`). */
function isStopped(pid: number, thread: string): boolean {
  const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
  return stat[stat.lastIndexOf(')') + 2] === 'T';
}
