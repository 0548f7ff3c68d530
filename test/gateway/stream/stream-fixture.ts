/** What the tests of the Console stream share: time by hand, a log in memory, a real server, and a client that takes notes. */
import { WebSocket } from 'ws';
import type { Admission } from '../../../gateway/stream/admission.ts';
import { ConsoleStream } from '../../../gateway/stream/endpoint.ts';
import type { EventLog } from '../../../gateway/stream/hub.ts';
import type { FoundViewer, ViewersOptions } from '../../../gateway/stream/viewers.ts';
import { type LocalBus, LocalTransport } from '../../../runtime/transport/local.ts';
import { HttpServer } from '../../../gateway/http/server.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { EventView } from '../../../gateway/pipeline/event-view.ts';
import { type EventName, eventTypes } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import { type Clock, systemClock } from '../../../runtime/time/clock.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import type { CommittedEvent } from '../../../storage/events/commit-notifier.ts';
import type { LoggedEvent, EventRange, StreamHead } from '../../../storage/events/event-log.ts';
import type { RevokedCredentials, CheckedCredentials } from '../../../storage/tenancy/credential-check.ts';

/** Time that passes when it is told to. */
export class ManualClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  now = (): number => this.#now;
  monotonic = (): number => this.#now;

  after(ms: number, callback: () => void): { cancel: () => void } {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Fires what falls due, in order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const due = [...this.#timers].filter(timer => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = end;
    await settle();
  }
}

/** One turn of the event loop: every promise that can settle has. */
export function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

export const projectId = newId('project');
export const sandbox: string = newId('environment');
export const production: string = newId('environment');

/** A log of one project, with faults to order. */
export class MemoryEvents implements EventLog {
  epoch = 'first';
  /** Reads that are to fail, and how many have. */
  failing = 0;
  failed = 0;
  pages = 0;
  /** Instant of events that are appended from now on. */
  occurredAt = new Date();
  readonly rows: (LoggedEvent & CommittedEvent)[] = [];

  append(
    environmentId: string = sandbox,
    text = '',
    eventName: EventName = 'thread.message.received',
  ): CommittedEvent {
    const seq = this.rows.length + 1;
    const body = JSON.stringify({
      eventId: newId('event'),
      eventName,
      projectId,
      data: { environmentId, text, n: seq },
    });
    const row = { projectId, seq, eventName, environmentId, occurredAt: this.occurredAt, body };
    this.rows.push(row);
    return row;
  }

  appendMany(count: number): CommittedEvent[] {
    return Array.from({ length: count }, () => this.append());
  }

  heads(projectIds: readonly string[]): Promise<StreamHead[]> {
    if (this.#fails()) return Promise.reject(new Error('the database is away'));
    return Promise.resolve(
      projectIds.map(id => ({ projectId: id, epoch: this.epoch, seq: this.rows.length })),
    );
  }

  page({ after, through, environmentId, limit = 200 }: EventRange): Promise<LoggedEvent[]> {
    this.pages++;
    if (this.#fails()) return Promise.reject(new Error('the database is away'));
    const seen = this.rows
      .slice(after, through)
      .filter(row => environmentId === undefined || row.environmentId === environmentId);
    return Promise.resolve(seen.slice(0, limit));
  }

  #fails(): boolean {
    if (this.failing === 0) return false;
    this.failing--;
    this.failed++;
    return true;
  }
}

/** All there is to see. */
export const everything: EventView = { id: 0, names: new Set(Object.keys(eventTypes)) };

export function admission(overrides: Partial<Admission> = {}): Admission {
  return {
    projectId,
    environmentId: undefined,
    view: everything,
    roles: 'owner//project_owner',
    userId: newId('user'),
    apiKeyId: undefined,
    sessionId: newId('session'),
    expiresAt: Infinity,
    ...overrides,
  };
}

/** Other nodes on the bus, the environments above, and no thread to look at. */
export function createSurroundings(bus?: LocalBus) {
  return {
    transport: new LocalTransport({
      clock: systemClock,
      log: silentLog,
      ...(bus === undefined ? {} : { bus }),
    }),
    findViewer: (): Promise<FoundViewer | undefined> => Promise.resolve(undefined),
    hasEnvironment: (_: string, environmentId: string): Promise<boolean> =>
      Promise.resolve([sandbox, production].includes(environmentId)),
  };
}

export interface StreamNode {
  readonly stream: ConsoleStream;
  readonly url: string;
  close(): Promise<void>;
}

export interface NodeParts {
  readonly events: EventLog;
  readonly clock?: Clock;
  /** Whom the next socket belongs to; a ServiceError refuses it. Default: a new user each time. */
  readonly admit?: () => Admission;
  readonly findRevokedCredentials?: (asked: CheckedCredentials, now: number) => Promise<RevokedCredentials>;
  readonly maxPerHolder?: number;
  readonly findViewer?: ViewersOptions['findViewer'];
  /** What nodes share that hear each other. */
  readonly bus?: LocalBus;
}

/** A node with nothing but the stream: the real server, endpoint and hub. */
export async function startNode(parts: NodeParts): Promise<StreamNode> {
  const server = new HttpServer({ log: silentLog, docsUrl: 'http://docs.test' });
  const stream = new ConsoleStream({
    admit: async () => (parts.admit ?? admission)(),
    events: parts.events,
    publish: (topic, frame) => server.publish(topic, frame),
    findRevokedCredentials: parts.findRevokedCredentials ?? (() => Promise.resolve(new Set<string>())),
    ...createSurroundings(parts.bus),
    ...(parts.findViewer === undefined ? {} : { findViewer: parts.findViewer }),
    clock: parts.clock ?? systemClock,
    log: silentLog,
    docsUrl: 'http://docs.test',
    ...(parts.maxPerHolder === undefined ? {} : { maxPerHolder: parts.maxPerHolder }),
  });
  server.websocket('/v1/console/projects/{projectId}/events/stream', stream);
  const port = await server.listen('127.0.0.1', 0);
  return {
    stream,
    url: `ws://127.0.0.1:${port}/v1/console/projects/${projectId}/events/stream`,
    close: async () => {
      stream.shutDown();
      await server.close(0);
    },
  };
}

export interface Frame {
  readonly type: string;
  readonly seq?: number;
  readonly epoch?: string;
  readonly reason?: string;
  readonly event?: { readonly eventName: string; readonly data: Record<string, unknown> };
}

/** A client on the real `ws` package: notes every frame and lets a test wait for what it wants to see. */
export class Client {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** The HTTP status of a refused upgrade. */
  refused: number | undefined;
  #wake: () => void = () => undefined;

  constructor(url: string, options: { readonly headers?: Record<string, string> } = {}) {
    this.socket = new WebSocket(url, options);
    this.socket.on('message', data => {
      this.frames.push(JSON.parse((data as Buffer).toString()) as Frame);
      this.#wake();
    });
    this.socket.on('open', () => this.#wake());
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.#wake();
    });
    this.socket.on('unexpected-response', (_request, response) => {
      this.refused = response.statusCode;
      response.resume();
      this.socket.terminate();
      this.#wake();
    });
    this.socket.on('error', () => this.#wake());
  }

  /** Resolves once `seen` is true of what has arrived; the test's own time-out is the limit. */
  async until(seen: (client: Client) => boolean): Promise<this> {
    while (!seen(this)) await new Promise<void>(resolve => (this.#wake = resolve));
    return this;
  }

  opened(): Promise<this> {
    return this.until(
      ({ socket, closed, refused }) => socket.readyState === 1 || !!closed || refused !== undefined,
    );
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Opens the stream, at a cursor or from now, and waits for the answer. */
  async resume(cursor: { epoch?: string; seq?: number; environmentId?: string } = {}): Promise<Frame> {
    await this.opened();
    this.send({ type: 'resume', ...cursor });
    await this.until(({ frames, closed }) => frames.length > 0 || closed !== undefined);
    const [first] = this.frames;
    if (first === undefined) throw new Error(`closed with ${this.closed?.code} instead of an answer`);
    return first;
  }

  /** The numbers of the events so far. */
  get seqs(): number[] {
    return this.frames
      .filter(({ type, seq }) => type === 'event' && seq !== undefined)
      .map(({ seq }) => seq ?? 0);
  }

  /** Waits for the event with that number, and gives all numbers so far. */
  async through(seq: number): Promise<number[]> {
    await this.until(({ seqs, closed }) => seqs.includes(seq) || closed !== undefined);
    return this.seqs;
  }

  /** Waits for the close and gives its code. */
  async end(): Promise<number> {
    await this.until(({ closed }) => closed !== undefined);
    return this.closed?.code ?? 0;
  }
}

/** Opens the Console stream of a project with the caller's bearer token. It closes with the test. */
export function openStream(
  t: { teardown(handler: () => void): unknown },
  node: { readonly url: string },
  projectId: string,
  by: { readonly bearer: string | undefined },
): Client {
  const url = `${node.url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream`;
  const client = new Client(url, { headers: { authorization: `Bearer ${by.bearer ?? ''}` } });
  t.teardown(() => client.socket.terminate());
  return client;
}

/** 1 to n, or from to n. */
export function numbers(through: number, from = 1): number[] {
  return Array.from({ length: through - from + 1 }, (_, index) => from + index);
}

/** Refuses an upgrade. */
export function refusal(): Admission {
  throw new ServiceError('svc/console/forbidden');
}
