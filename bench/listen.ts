/**
 * `skein` on the command line. How long its start takes, beside a bare Node's; how long an event takes from its message to the POST that `listen`
 * makes on this machine, at 100 messages a second; and what is lost or out of order over a SIGKILL of `listen` and one of the node. The time runs
 * from the instant that the event says it occurred, before its commit, so that what is printed is a little too much.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BenchDatabase } from './support/bench-database.ts';
import { startSkein, type Skein } from './support/skein.ts';
import { count, fixed, table, times } from './support/table.ts';

const run = promisify(execFile);
const perSecond = 100;
const timedMessages = 2_000;
/** Threads are made, connections opened and code compiled before the time counts. */
const warmUpMessages = 500;
const killMessages = 5_000;
const threads = 50;
const starts = 25;
const startTarget = 1.6;
const targetMs = 50;
const withinMs = 60_000;

/** What the POSTs have brought. */
class Deliveries {
  /** Milliseconds from the event to its POST. */
  readonly latencies: number[] = [];
  /** How often each message came. */
  readonly bodies = new Map<string, number>();
  readonly #lastByThread = new Map<string, number>();
  readonly #seen = new Set<string>();
  outOfOrder = 0;
  #server: Server | undefined;

  async start(): Promise<string> {
    const server = createServer((request, response) => {
      const at = Date.now();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(204).end();
        this.#take(Buffer.concat(chunks).toString(), at);
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  #take(text: string, at: number): void {
    const event = JSON.parse(text) as {
      readonly eventId: string;
      readonly occurredAt: string;
      readonly data: {
        readonly threadId: string;
        readonly sequence: number;
        readonly message: { readonly body: string };
      };
    };
    const { threadId, sequence, message } = event.data;
    this.bodies.set(message.body, (this.bodies.get(message.body) ?? 0) + 1);
    // What comes again after a kill is late by definition, and no news.
    if (this.#seen.has(event.eventId)) return;
    this.#seen.add(event.eventId);
    this.latencies.push(at - Date.parse(event.occurredAt));
    if (sequence < (this.#lastByThread.get(threadId) ?? 0)) this.outOfOrder += 1;
    this.#lastByThread.set(threadId, sequence);
  }

  async waitFor(messages: number): Promise<void> {
    const end = performance.now() + withinMs;
    while (this.bodies.size < messages && performance.now() < end) await pause(50);
  }
}

class Listen {
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #url: string;
  #child: ChildProcess | undefined;

  constructor(program: string, env: Readonly<Record<string, string>>, url: string) {
    this.#program = program;
    this.#env = env;
    this.#url = url;
  }

  /** Resolves once it follows the stream. */
  async start(): Promise<void> {
    const args = [this.#program, 'listen', '--forward-to', this.#url, '--events', 'thread.message.received'];
    const child = spawn(process.execPath, args, { env: this.#env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => chunk.includes('Connected') && resolve());
      child.once('exit', code => reject(new Error(`listen has ended with ${code}`)));
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }
}

/** The message of that number, again until it is accepted, under one key. */
async function say(skein: Skein, number: number): Promise<void> {
  const url = `http://127.0.0.1:${skein.port}/v1/channels/${skein.channelId}/inbound-messages`;
  const headers = {
    authorization: `Bearer ${skein.apiKey}`,
    'content-type': 'application/json',
    'idempotency-key': `listen-${number}`,
  };
  const body = JSON.stringify({
    externalParticipantRef: `customer-${number % threads}`,
    body: `message ${number}`,
  });
  for (;;) {
    const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    await pause(100);
  }
}

/** So many a second, whether or not the answers of those before have come. */
async function sayEvenly(skein: Skein, from: number, messages: number, rate: number): Promise<void> {
  const start = performance.now();
  const under: Promise<void>[] = [];
  for (let index = 0; index < messages; index++) {
    await pause(Math.max(0, start + (index * 1_000) / rate - performance.now()));
    under.push(say(skein, from + index));
  }
  await Promise.all(under);
}

async function measureStart(args: readonly string[]): Promise<number> {
  let least = Infinity;
  for (let index = 0; index < starts; index++) {
    const started = performance.now();
    await run(process.execPath, [...args]);
    least = Math.min(least, performance.now() - started);
  }
  return least;
}

async function buildProgram(folder: string): Promise<string> {
  const builder = fileURLToPath(new URL('../clients/cli/build.ts', import.meta.url));
  await run(process.execPath, [builder, folder]);
  return join(folder, 'dist', 'main.js');
}

/** Runs them and prints tables. */
export async function benchListen(database: BenchDatabase): Promise<void> {
  const program = await buildProgram(join(database.folder, 'cli'));
  const bare = await measureStart(['-e', '0']);
  const version = await measureStart([program, '--version']);
  console.log(`\nStart: the least of ${starts}\n`);
  const ratio = times(version / bare);
  console.log(
    table(
      ['', 'ms', `of bare Node (target: ${times(startTarget)})`],
      [
        ['node -e 0', fixed(bare), ''],
        ['skein --version', fixed(version), ratio],
      ],
    ),
  );
  const skein = await startSkein(database, 'listen');
  const deliveries = new Deliveries();
  const home = join(database.folder, 'cli-home');
  const env = {
    SKEIN_API_KEY: skein.apiKey,
    SKEIN_BASE_URL: `http://127.0.0.1:${skein.port}`,
    XDG_CONFIG_HOME: home,
  };
  const listen = new Listen(program, env, await deliveries.start());
  try {
    await listen.start();
    await sayEvenly(skein, 0, warmUpMessages, perSecond);
    await deliveries.waitFor(warmUpMessages);
    deliveries.latencies.length = 0;
    await sayEvenly(skein, warmUpMessages, timedMessages, perSecond);
    await deliveries.waitFor(warmUpMessages + timedMessages);
    printLatencies(deliveries.latencies);
    await killBoth(skein, listen, deliveries);
  } finally {
    await listen.end('SIGKILL');
    deliveries.stop();
    await skein.stop();
  }
}

function printLatencies(latencies: readonly number[]): void {
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share: number): string => fixed(sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN, 0);
  console.log(
    `\n${count(latencies.length)} events at ${perSecond} a second, in ${threads} threads, to the POST\n`,
  );
  console.log(
    table(['p50 ms', 'p99 ms', 'target p99 ms', 'most ms'], [[at(0.5), at(0.99), String(targetMs), at(1)]]),
  );
}

async function killBoth(skein: Skein, listen: Listen, deliveries: Deliveries): Promise<void> {
  const third = Math.floor(killMessages / 3);
  const rate = 4 * perSecond;
  const before = warmUpMessages + timedMessages;
  const from = (part: number): number => before + part * third;
  await sayEvenly(skein, from(0), third, rate);
  const whileKilled = sayEvenly(skein, from(1), third, rate);
  await pause(500);
  await listen.end('SIGKILL');
  await listen.start();
  await whileKilled;
  const rest = killMessages - 2 * third;
  const whileRestarted = sayEvenly(skein, from(2), rest, rate);
  await pause(500);
  await skein.server.kill();
  await skein.server.start();
  await whileRestarted;
  const all = before + killMessages;
  await deliveries.waitFor(all);
  const again = [...deliveries.bodies.values()].filter(times => times > 1).length;
  console.log(`\n${count(killMessages)} events over a SIGKILL of listen and one of the node\n`);
  const row = [all - deliveries.bodies.size, deliveries.outOfOrder, again].map(String);
  console.log(table(['lost (target: 0)', 'out of order (target: 0)', 'came again'], [row]));
}
