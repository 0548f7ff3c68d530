/**
 * The load: a process of its own, raw HTTP/1.1 over kept-alive sockets, each connection with one request in flight (closed loop).
 * A client library would use more processor time than the server under test. Runs for a bounded time against 127.0.0.1 only.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { BenchDatabase } from './bench-database.ts';
import { Child, serveParent } from './child.ts';
import { cpuSeconds } from './process-usage.ts';

/** A system that takes messages. */
export interface LoadTarget {
  /** The connections are spread over these processes. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly projectId: string;
}

export interface LoadSetting {
  readonly connections: number;
  /** Default: 0. */
  readonly warmupMs?: number;
  readonly measuredMs: number;
  readonly threads: number;
  /** For each port, the numbers of the threads that its connections write to. Default: all. */
  readonly threadsOf?: readonly (readonly number[])[];
  /** Paths that are read in turn, in place of messages to `path`. */
  readonly reads?: readonly string[];
  /** Present: the messages are webhooks of the chat provider, of one text each. */
  readonly webhook?: WebhookSource | undefined;
  /** Requests in a second over all connections; absent: as many as are answered. */
  readonly pace?: number;
  /** Once the warm-up is over, each message's text begins with the time at which it was to leave (`sinceStamp`). */
  readonly stamped?: boolean;
}

type LoadTask = LoadTarget & LoadSetting;

/** Whose webhooks they are, and what signs them. */
export interface WebhookSource {
  readonly wabaId: string;
  readonly phoneNumberId: string;
  readonly appSecret: string;
}

export interface LoadResult {
  /** All successes, and the time from the start to the last of them, in epoch milliseconds. */
  readonly succeeded: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly errors: number;
  /** The first answer that was neither 200 nor 201, to see what went wrong. */
  readonly firstError: string | null;
}

/** The figures of a round: with the processor time of a message, warm-up included, and the bytes of the database's log. */
export interface Sample extends LoadResult {
  readonly nodeMicros: number;
  readonly databaseMicros: number;
  readonly walBytes: number;
}

/** Runs the load, whatever the answers are. */
export async function tryLoad(task: LoadTask): Promise<LoadResult> {
  const child = new Child(new URL(import.meta.url), { arguments: ['load'] });
  try {
    await child.hear();
    return await child.ask<LoadResult>(task, endsWithinMs + (task.warmupMs ?? 0) + task.measuredMs);
  } finally {
    await child.stop();
  }
}

/** Runs the load. Throws where a request failed. */
export async function runLoad(task: LoadTask): Promise<LoadResult> {
  const result = await tryLoad(task);
  if (result.errors > 0) throw new Error(`${result.errors} errors, first: ${result.firstError ?? ''}`);
  return result;
}

/** Runs the load and measures what it costs. `pids`: the processes of the system. */
export async function measureLoad(
  task: LoadTask,
  pids: readonly number[],
  database: BenchDatabase,
): Promise<Sample> {
  const read = (): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const [node, postgres, log] = [read(), database.cpuSeconds(), await database.walBytes()];
  const result = await runLoad(task);
  const { succeeded } = result;
  return {
    ...result,
    nodeMicros: ((read() - node) * 1e6) / succeeded,
    databaseMicros: ((database.cpuSeconds() - postgres) * 1e6) / succeeded,
    walBytes: ((await database.walBytes()) - log) / succeeded,
  };
}

const endsWithinMs = 60_000;
const text = 'The quick brown fox jumps over the lazy dog, and says so at some length. '
  .repeat(5)
  .slice(0, 300);
const run = randomBytes(6).toString('hex');

// A stamp is the time at which a message was due, in its text. All processes of a machine share the kernel's monotonic clock.
const mark = /@(\d+)@/;

/** Microseconds of the shared clock. */
const sharedMicros = (): number => Number(process.hrtime.bigint() / 1_000n);

/** @param at of this process's `performance.now()` */
function createStamp(at: number): string {
  return `@${Math.round(sharedMicros() + (at - performance.now()) * 1_000)}@`;
}

/** Milliseconds since the instant that the text names; undefined when it names none. */
export function sinceStamp(text: string): number | undefined {
  const found = mark.exec(text)?.[1];
  return found === undefined ? undefined : (sharedMicros() - Number(found)) / 1_000;
}

class Connection {
  readonly #task: LoadTask;
  readonly #socket: Socket;
  readonly #head: string;
  readonly #own: readonly number[] | undefined;
  readonly #done: (latencyMs: number, status: number, answer: string) => void;
  #serial: number;
  /** When the request under way left, or should have left where there is a pace. */
  #sentAt = 0;
  /** Where there is a pace: when the next request leaves. */
  #dueAt = performance.now();
  #buffer = '';
  stopped = false;
  /** The messages say when they were to leave. */
  stamping = false;

  constructor(
    task: LoadTask,
    index: number,
    done: (latencyMs: number, status: number, answer: string) => void,
  ) {
    this.#task = task;
    this.#done = done;
    this.#serial = index;
    const headers = Object.entries(task.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#head = ` HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers.join('')}`;
    const place = index % task.ports.length;
    this.#own = task.threadsOf?.[place];
    if (this.#own?.length === 0)
      throw new RangeError(`no thread for the connections to port ${task.ports[place]}`);
    const port = task.ports[place] ?? 0;
    // Where there is a pace, the connections take turns.
    if (task.pace !== undefined) this.#dueAt += (index * 1_000) / task.pace;
    this.#socket = connect(port, '127.0.0.1', () => this.#sendNext());
    this.#socket.setNoDelay(true);
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', chunk => this.#receive(String(chunk)));
    this.#socket.on('error', error => this.#done(0, 0, String(error)));
  }

  end(): void {
    this.#socket.destroy();
  }

  #send(): void {
    if (this.stopped) return;
    const { ports, connections, threads, projectId, path, reads, webhook, pace } = this.#task;
    const serial = (this.#serial += connections);
    if (reads !== undefined) {
      this.#sentAt = performance.now();
      this.#socket.write(`GET ${reads[(serial * 7_919) % reads.length]}${this.#head}\r\n`);
      return;
    }
    // A large odd step walks through the threads without the connections marching in line. One port's are every other one, or fewer.
    const step = Math.floor(serial / ports.length) * 7_919;
    const thread = this.#own === undefined ? step % threads : (this.#own[step % this.#own.length] ?? 0);
    this.#sentAt = pace === undefined ? performance.now() : this.#dueAt;
    const said = this.stamping ? createStamp(this.#sentAt) + text : text;
    const [body, header] =
      webhook === undefined
        ? [
            `{"projectId":"${projectId}","externalParticipantRef":"p${thread}","body":"${said}"}`,
            `Idempotency-Key: ${run}-${serial}`,
          ]
        : createWebhook(webhook, serial, thread);
    if (pace !== undefined) this.#dueAt += (connections * 1_000) / pace;
    this.#socket.write(
      `POST ${path}${this.#head}Content-Type: application/json\r\n${header}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  }

  /** Where there is a pace, once the request is due. */
  #sendNext(): void {
    const waitMs = this.#task.pace === undefined ? 0 : this.#dueAt - performance.now();
    if (waitMs > 0) setTimeout(() => this.#send(), waitMs);
    else this.#send();
  }

  #receive(chunk: string): void {
    this.#buffer += chunk;
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = /content-length: (\d+)/i.exec(this.#buffer);
    const total = end + 4 + Number(length?.[1] ?? 0);
    if (this.#buffer.length < total) return;
    const answer = this.#buffer;
    this.#buffer = this.#buffer.slice(total);
    this.#done(performance.now() - this.#sentAt, Number(answer.slice(9, 12)), answer);
    this.#sendNext();
  }
}

/** What the provider posts of one text, and the header that signs it. */
function createWebhook(
  { wabaId, phoneNumberId, appSecret }: WebhookSource,
  serial: number,
  thread: number,
): readonly [body: string, header: string] {
  const from = String(15_550_000_000 + thread);
  const message = `{"from":"${from}","id":"wamid.${run}-${serial}","timestamp":"${Math.floor(Date.now() / 1_000)}","type":"text","text":{"body":"${text}"}}`;
  const contact = `{"profile":{"name":"Participant ${thread}"},"wa_id":"${from}"}`;
  const metadata = `{"display_phone_number":"15559999999","phone_number_id":"${phoneNumberId}"}`;
  const value = `{"messaging_product":"whatsapp","metadata":${metadata},"contacts":[${contact}],"messages":[${message}]}`;
  const entry = `{"id":"${wabaId}","changes":[{"value":${value},"field":"messages"}]}`;
  const body = `{"object":"whatsapp_business_account","entry":[${entry}]}`;
  const signature = createHmac('sha256', appSecret).update(body).digest('hex');
  return [body, `X-Hub-Signature-256: sha256=${signature}`];
}

async function load(task: LoadTask): Promise<LoadResult> {
  const latencies: number[] = [];
  const startedAt = Date.now();
  let succeeded = 0;
  let endedAt = startedAt;
  let errors = 0;
  let firstError: string | null = null;
  let measuring = false;
  const connections = Array.from(
    { length: task.connections },
    (_, index) =>
      new Connection(task, index, (latencyMs, status, answer) => {
        if (status !== 200 && status !== 201) {
          errors++;
          firstError ??= answer.slice(0, 600);
          return;
        }
        succeeded++;
        endedAt = Date.now();
        if (measuring) latencies.push(latencyMs);
      }),
  );
  await new Promise(resolve => setTimeout(resolve, task.warmupMs ?? 0));
  measuring = true;
  if (task.stamped === true) for (const connection of connections) connection.stamping = true;
  const from = performance.now();
  await new Promise(resolve => setTimeout(resolve, task.measuredMs));
  const seconds = (performance.now() - from) / 1_000;
  measuring = false;
  for (const connection of connections) connection.stopped = true;
  await new Promise(resolve => setTimeout(resolve, 300));
  for (const connection of connections) connection.end();
  latencies.sort((a, b) => a - b);
  const at = (quantile: number): number => latencies[Math.floor(latencies.length * quantile)] ?? Number.NaN;
  const perSecond = latencies.length / seconds;
  return {
    succeeded,
    startedAt,
    endedAt,
    perSecond,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: latencies.at(-1) ?? Number.NaN,
    errors,
    firstError,
  };
}

if (process.argv[2] === 'load' && process.send !== undefined) {
  serveParent(load);
  process.send('ready');
}
