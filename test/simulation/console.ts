/**
 * Operators that watch a project: production's hub, catch-up and sessions on every node, and clients that resume on another
 * node when their connection is lost or silent.
 */
import { CatchUp } from '../../gateway/stream/catch-up.ts';
import { Hub } from '../../gateway/stream/hub.ts';
import { StreamSession } from '../../gateway/stream/session.ts';
import type { SendOutcome, Socket } from '../../gateway/http/websocket.ts';
import type { EventView } from '../../gateway/pipeline/event-view.ts';
import type { Random } from '../../runtime/time/clock.ts';
import type { Log } from '../../runtime/observability/log.ts';
import type { CommitNotifier } from '../../storage/events/commit-notifier.ts';
import type { SimulatedDatabase } from './database.ts';
import type { Faults } from './faults.ts';
import type { Verdict } from './invariants.ts';
import type { Machine } from './machine.ts';
import type { Schedule } from './schedule.ts';

/** How long a client waits for the next frame before it looks for another node. */
const maxSilenceMs = 5_000;

/** The simulation's events: those of conversations are in no catalogue. */
const everything: EventView = {
  id: 0,
  names: new Set([
    'conversation.posted',
    'conversation.woken',
    'conversation.nudged',
    'stitch.status.changed',
    'stitch.delivery.exhausted',
    'stitch.test.ping',
  ]),
};

/** Where a client is in the log. */
export interface Cursor {
  readonly epoch: string;
  readonly seq: number;
}

/** A node's side of the streams. */
export class StreamEndpoint {
  readonly #machine: Machine;
  readonly #schedule: Schedule;
  readonly #database: SimulatedDatabase;
  readonly #hub: Hub;
  readonly #catchUp: CatchUp;
  readonly #topics = new Map<string, Set<StreamSocket>>();

  constructor(
    machine: Machine,
    schedule: Schedule,
    database: SimulatedDatabase,
    notifier: CommitNotifier,
    random: Random,
    log: Log,
  ) {
    const events = database.logFor(machine);
    this.#machine = machine;
    this.#schedule = schedule;
    this.#database = database;
    this.#hub = new Hub({
      events,
      clock: machine,
      random,
      log,
      publish: (topic, frame) => {
        for (const socket of this.#topics.get(topic) ?? []) socket.send(frame);
      },
      follow: projectId => notifier.follow(projectId),
    });
    this.#catchUp = new CatchUp(events, machine, random, log);
    notifier.addListener(this.#hub);
  }

  /** The log has gone back. */
  reset(): void {
    this.#hub.reset();
  }

  /**
   * A client opens its stream and resumes after the cursor. Until the returned function is called, `frame` is called with every frame and with
   * the last failover that the node had noticed when it sent the frame.
   */
  open(projectId: string, cursor: Cursor, frame: (text: string, knownTimeline: number) => void): () => void {
    const admission = {
      projectId,
      environmentId: undefined,
      view: everything,
      roles: undefined,
      userId: 'user',
      apiKeyId: undefined,
      sessionId: 'session',
      expiresAt: Infinity,
    };
    const context = {
      hub: this.#hub,
      catchUp: this.#catchUp,
      clock: this.#machine,
      viewers: { list: () => [], open: () => undefined },
      hasEnvironment: () => Promise.resolve(true),
    };
    const session = new StreamSession(admission, context);
    const socket = new StreamSocket(session, this.#topics, text => {
      const timeline = this.#database.getKnownTimeline(this.#machine);
      this.#schedule.after(0.5, () => frame(text, timeline));
    });
    session.open(socket);
    session.receive(JSON.stringify({ type: 'resume', ...cursor }));
    return () => this.#machine.run(() => socket.end());
  }

  close(): void {
    this.#hub.close();
  }
}

class StreamSocket implements Socket<StreamSession> {
  readonly session: StreamSession;
  readonly #topics: Map<string, Set<StreamSocket>>;
  readonly #write: (text: string) => void;

  constructor(session: StreamSession, topics: Map<string, Set<StreamSocket>>, write: (text: string) => void) {
    this.session = session;
    this.#topics = topics;
    this.#write = write;
  }

  send(text: string): SendOutcome {
    this.#write(text);
    return 'sent';
  }

  cork(work: () => void): void {
    work();
  }

  subscribe(topic: string): void {
    this.#topics.set(topic, (this.#topics.get(topic) ?? new Set()).add(this));
  }

  unsubscribe(topic: string): void {
    this.#topics.get(topic)?.delete(this);
  }

  end(): void {
    this.#write('{"type":"closed"}');
    for (const sockets of this.#topics.values()) sockets.delete(this);
    this.session.closed();
  }

  buffered(): number {
    return 0;
  }
}

/** A node that takes connections. */
export interface Endpoint {
  readonly machine: Machine;
  readonly streams: StreamEndpoint;
}

export interface WatcherOptions {
  readonly projectId: string;
  readonly schedule: Schedule;
  readonly random: Random;
  readonly database: SimulatedDatabase;
  readonly verdict: Verdict;
  readonly faults: Faults;
  /** The endpoint of a node that takes connections; undefined when there is none now. */
  readonly endpoint: () => Endpoint | undefined;
}

/** A client: has seen every event of its project up to `seq` of the epoch, each once. */
export class Watcher {
  readonly projectId: string;
  seq = 0;
  epoch: string;
  resumes = 0;
  readonly #options: WatcherOptions;
  #machine: Machine | undefined;
  #close: (() => void) | undefined;
  #connection = 0;
  #heardAt = 0;
  #stopped = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.projectId = options.projectId;
    this.epoch = options.database.epoch;
    this.#look();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Sees to it, every now and then, that there is a connection that tells something. */
  #look(): void {
    const { schedule, random, faults } = this.#options;
    if (this.#stopped) return;
    const isLost = this.#machine === undefined || this.#machine.state === 'dead';
    const isSilent = schedule.now - this.#heardAt > maxSilenceMs;
    const isRestless = random.next() < 0.02;
    // A new connection would hide what the old one was not shown: where nothing is broken, it is not for the client to heal.
    if (isLost || (!faults.healed && (isSilent || isRestless))) this.#connect();
    schedule.after(100 + random.next() * 200, () => this.#look());
  }

  #connect(): void {
    const { schedule, endpoint, projectId } = this.#options;
    const to = endpoint();
    if (to === undefined) return;
    this.#close?.();
    this.#close = undefined;
    this.#machine = to.machine;
    this.#heardAt = schedule.now;
    const connection = ++this.#connection;
    this.resumes++;
    to.machine.run(() => {
      if (connection !== this.#connection) return;
      this.#close = to.streams.open(projectId, { epoch: this.epoch, seq: this.seq }, (text, timeline) => {
        if (connection === this.#connection) this.#hear(text, timeline);
      });
    });
  }

  #hear(text: string, knownTimeline: number): void {
    const { schedule, database, verdict, projectId } = this.#options;
    this.#heardAt = schedule.now;
    const frame = JSON.parse(text) as { type: string; seq?: number; epoch?: string; event?: unknown };
    const invariant = 'every event is shown once, in order';
    if (frame.type === 'closed') this.#machine = undefined;
    if (frame.type === 'reset' && frame.epoch === this.epoch)
      verdict.broken(invariant, `${projectId}: a stream at ${this.seq} was reset: ${text}`);
    if (frame.type === 'reset') ({ seq: this.seq, epoch: this.epoch } = { seq: 0, epoch: '', ...frame });
    if (frame.type !== 'event') return;
    const seq = frame.seq ?? 0;
    // Sent before the node noticed a failover: the client is reset later.
    if (knownTimeline !== database.timeline) {
      this.seq = seq;
      return;
    }
    if (this.epoch !== database.epoch)
      verdict.broken(invariant, `${projectId}: ${seq} was shown before the reset: ${text}`);
    if (seq !== this.seq + 1) verdict.broken(invariant, `${projectId}: ${seq} was shown after ${this.seq}`);
    if (database.events.get(projectId)?.[seq - 1]?.body !== JSON.stringify(frame.event)) {
      verdict.broken(invariant, `${projectId}: ${seq} was shown as ${text}`);
    }
    this.seq = seq;
  }
}
