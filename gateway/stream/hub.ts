/**
 * The hub of a node: publishes committed events to the sockets of their project, each exactly once and in the order of `seq`.
 *
 * Every project with at least one socket on this node has a {@link ProjectStream}, which is
 *   loading   epoch and head are being read, at first and after a reset; events that arrive are held
 *   current   head = target: an event with the next number is published as it arrives
 *   behind    events between head and target are missing: later events are held. After a short grace (the notifications of two
 *             nodes may overtake each other) the missing events are read from the log, one read at a time, retried with back-off
 *             while the database is away.
 * Events may arrive in any order, twice, or never. An event that never arrives is noticed by the next number, or within
 * `tailCheckMs` by comparing the heads of all streams with the log, in one query for the node.
 *
 * A frame is built once per event and handed to uWebSockets.js by topic: one for all sockets that see the same events, by environment and
 * by name. Followers without a socket listen to the stream itself.
 */
import { Backoff, type Clock, pause, type Random } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type {
  CommitListener,
  CommittedEvent,
  EventRange,
  LoggedEvent,
  StreamHead,
} from '../../storage/events/index.ts';
import { ProjectStream, type Follower, type StreamEvent } from './project-stream.ts';
import type { EphemeralEvent } from './ephemeral-events.ts';
import { ephemeralFrame, eventFrame, type ResetReason } from './frames.ts';

/** The queries of storage/events/event-log.ts, bound to a database. */
export interface EventLog {
  heads(projectIds: readonly string[]): Promise<readonly StreamHead[]>;
  page(span: EventRange): Promise<readonly LoggedEvent[]>;
}

export interface HubOptions {
  readonly events: EventLog;
  /** Sends one text to all sockets subscribed to the topic. */
  readonly publish: (topic: string, frame: string) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Asks for the events of a project, until the returned function is called. Default: events come whether asked for or not. */
  readonly follow?: (projectId: string) => () => void;
  /** Called for every event after it was published. */
  readonly shown?: (projectId: string, eventName: string) => void;
  /** How long a gap may fill itself before the log is read. Default 20 ms. */
  readonly graceMs?: number;
  /** How often the heads of all streams are compared with the log. Default 3,000 ms. */
  readonly tailCheckMs?: number;
}

/** Bytes that may be published to a stream before its followers' buffers are checked. */
const checkIntervalBytes = 65_536;
const firstBackoffMs = 100;
const maxBackoffMs = 5_000;
/** Consecutive reads without a result after which the missing events are considered lost. */
const maxEmptyReads = 3;

export class Hub implements CommitListener {
  readonly #options: HubOptions;
  readonly #streams = new Map<string, ProjectStream>();
  readonly #graceMs: number;
  readonly #tailCheckMs: number;
  #closed = false;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#graceMs = options.graceMs ?? 20;
    this.#tailCheckMs = options.tailCheckMs ?? 3_000;
    this.#checkTailsLater();
  }

  get streams(): Iterable<ProjectStream> {
    return this.#streams.values();
  }

  /** Follows a project. The first follower starts its stream. `loaded` is called later if the stream is not loaded yet. */
  join(projectId: string, follower: Follower): ProjectStream {
    let stream = this.#streams.get(projectId);
    if (stream === undefined) {
      stream = new ProjectStream(projectId);
      this.#streams.set(projectId, stream);
      stream.add(follower);
      // Before the heads are read, so that every later commit is notified.
      stream.unfollow = this.#options.follow?.(projectId);
      void this.#compareUntil(stream, () => stream?.loaded === true);
    } else {
      stream.add(follower);
    }
    return stream;
  }

  /** The last follower ends the stream. */
  leave(stream: ProjectStream, follower: Follower): void {
    stream.remove(follower);
    if (!stream.isAbandoned) return;
    this.#streams.delete(stream.projectId);
    stream.unfollow?.();
  }

  /** Committed events, from this node or another: in any order, repeated, or with gaps. */
  onEvents(events: readonly CommittedEvent[]): void {
    for (const event of events) this.accept(event);
  }

  accept(event: CommittedEvent): void {
    const stream = this.#streams.get(event.projectId);
    if (stream !== undefined) this.#take(stream, event);
  }

  /** Notifications were lost: some projects may have events that this node does not know of. */
  onGap(projectIds: readonly string[]): void {
    const streams = projectIds.map(id => this.#streams.get(id)).filter(stream => stream !== undefined);
    if (streams.length > 0) void this.#compare(streams);
  }

  /**
   * The log may have gone back: every stream reads its epoch and head again. Followers of a stream whose epoch has changed are told of a
   * jump before they get another event.
   */
  reset(): void {
    for (const stream of this.#streams.values()) stream.startOver();
    void this.#loadAll();
  }

  /** Publishes an event that is not in the log. Followers that are not live miss it. */
  ephemeral({ projectId, environmentId, body }: EphemeralEvent): void {
    const stream = this.#streams.get(projectId);
    if (stream === undefined) return;
    const { eventName } = JSON.parse(body) as { readonly eventName: string };
    this.#publish(stream, ephemeralFrame(body), eventName, environmentId);
  }

  /**
   * Resolves once the stream has published everything that was committed before the call, or has jumped or ended. For a follower that
   * has seen events on another node that this node has not heard of yet.
   */
  async catchUp(stream: ProjectStream): Promise<void> {
    await this.#compareUntil(stream, () => true);
    await this.#fillGap(stream);
  }

  /** Stops reading. What is already published is still sent. */
  close(): void {
    this.#closed = true;
  }

  #take(stream: ProjectStream, event: StreamEvent): void {
    if (event.seq > stream.target) stream.target = event.seq;
    if (event.seq <= stream.head) return;
    if (!stream.loaded) return stream.hold(event);
    if (event.seq === stream.head + 1) {
      this.#show(stream, event);
      this.#showHeld(stream);
    } else {
      stream.hold(event);
      this.#fillGapSoon(stream);
    }
  }

  #showHeld(stream: ProjectStream): void {
    for (let event = stream.next(); event !== undefined; event = stream.next()) this.#show(stream, event);
  }

  #show(stream: ProjectStream, event: StreamEvent): void {
    stream.head = event.seq;
    const frame = eventFrame(event.seq, event.body);
    const environmentId = stream.limited === 0 ? '' : (event.environmentId ?? readEnvironmentId(event));
    this.#publish(stream, frame, event.eventName, environmentId);
    for (const listener of stream.listeners) listener.take(event, environmentId);
    this.#options.shown?.(stream.projectId, event.eventName);
  }

  #publish(stream: ProjectStream, frame: string, eventName: string, environmentId: string): void {
    const bytes = Buffer.byteLength(frame);
    stream.unchecked += bytes;
    if (stream.unchecked > checkIntervalBytes) {
      // Before the frame is published, so that a buffer never holds more than the limit, one interval and one frame.
      stream.unchecked = bytes;
      for (let i = stream.followers.length - 1; i >= 0; i--) stream.followers[i]?.checkBuffer();
    }
    for (const { topic, admission } of stream.audiences.values()) {
      const { environmentId: only = environmentId, view } = admission;
      if (only === environmentId && view.names.has(eventName)) this.#options.publish(topic, frame);
    }
  }

  /** Until every stream is loaded. Never rejects. */
  async #loadAll(): Promise<void> {
    const backoff = new Backoff(firstBackoffMs, maxBackoffMs, this.#options.random);
    for (;;) {
      const unloaded = [...this.#streams.values()].filter(stream => !stream.loaded);
      if (unloaded.length === 0 || this.#closed) return;
      await this.#compare(unloaded);
      if (unloaded.some(stream => !stream.loaded)) await pause(this.#options.clock, backoff.next());
    }
  }

  async #compareUntil(stream: ProjectStream, done: () => boolean): Promise<void> {
    const backoff = new Backoff(firstBackoffMs, maxBackoffMs, this.#options.random);
    while (!this.#hasEnded(stream)) {
      if ((await this.#compare([stream])) && done()) return;
      await pause(this.#options.clock, backoff.next());
    }
  }

  /** Compares streams with the log, in one query. False when the database did not answer. */
  async #compare(streams: readonly ProjectStream[]): Promise<boolean> {
    // Events that arrive during the query may make its answer older than what was published.
    const before = new Map(
      streams.map(stream => [stream.projectId, { stream, head: stream.head, starts: stream.starts }]),
    );
    try {
      for (const found of await this.#options.events.heads([...before.keys()])) {
        const asked = before.get(found.projectId);
        if (asked === undefined || this.#hasEnded(asked.stream)) continue;
        if (asked.starts === asked.stream.starts) this.#onHead(asked.stream, asked.head, found);
      }
      return true;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'console stream: could not read the heads; will retry');
      return false;
    }
  }

  #onHead(stream: ProjectStream, headWhenAsked: number, found: StreamHead): void {
    if (!stream.loaded) {
      const isJump = stream.epoch !== '' && stream.epoch !== found.epoch;
      if (isJump) this.#jump(stream, found, 'epoch');
      else stream.moveTo(found.epoch, found.seq);
      this.#showHeld(stream);
      for (let i = stream.followers.length - 1; i >= 0; i--) stream.followers[i]?.loaded();
    } else if (found.epoch !== stream.epoch || found.seq < headWhenAsked) {
      stream.startOver();
      this.#jump(stream, found, 'epoch');
    } else if (found.seq > stream.target) {
      stream.target = found.seq;
    }
    if (stream.target > stream.head) this.#fillGapSoon(stream);
  }

  #jump(stream: ProjectStream, to: StreamHead, reason: ResetReason): void {
    this.#options.log.warn(
      { projectId: stream.projectId, from: stream.head, to: to.seq, reason },
      'console stream: reset to the head of the log',
    );
    stream.moveTo(to.epoch, to.seq);
    for (let i = stream.followers.length - 1; i >= 0; i--) stream.followers[i]?.onJump(reason);
  }

  #fillGapSoon(stream: ProjectStream): void {
    if (stream.isFillDue || stream.filling !== undefined || this.#hasEnded(stream)) return;
    stream.isFillDue = true;
    this.#options.clock.after(this.#graceMs, () => {
      stream.isFillDue = false;
      void this.#fillGap(stream);
    });
  }

  #fillGap(stream: ProjectStream): Promise<void> {
    stream.filling ??= this.#readMissing(stream).finally(() => {
      stream.filling = undefined;
      // An event that arrived after the last check found this read still registered, although it had ended.
      if (stream.target > stream.head) this.#fillGapSoon(stream);
    });
    return stream.filling;
  }

  async #readMissing(stream: ProjectStream): Promise<void> {
    const backoff = new Backoff(firstBackoffMs, maxBackoffMs, this.#options.random);
    let emptyReads = 0;
    while (stream.loaded && stream.target > stream.head && !this.#hasEnded(stream)) {
      const { head, starts } = stream;
      try {
        const span = { projectId: stream.projectId, after: head, through: stream.target };
        for (const event of await this.#options.events.page(span)) {
          if (starts !== stream.starts) break;
          if (event.seq !== stream.head + 1) continue;
          this.#show(stream, event);
          this.#showHeld(stream);
        }
        if (stream.head > head) {
          backoff.reset();
          emptyReads = 0;
          continue;
        }
        if (++emptyReads >= maxEmptyReads) await this.#giveUp(stream);
      } catch (error) {
        this.#options.log.warn(
          { projectId: stream.projectId, err: error },
          'console stream: could not read the missing events; will retry',
        );
      }
      await pause(this.#options.clock, backoff.next());
    }
  }

  /** Events that were announced and cannot be read were dropped from the log, or never committed. */
  async #giveUp(stream: ProjectStream): Promise<void> {
    const { starts } = stream;
    const [found] = await this.#options.events.heads([stream.projectId]);
    if (found === undefined || this.#hasEnded(stream) || starts !== stream.starts) return;
    stream.startOver();
    this.#jump(stream, found, 'expired');
  }

  #checkTailsLater(): void {
    this.#options.clock.after(this.#tailCheckMs, () => {
      if (this.#closed) return;
      const loaded = [...this.#streams.values()].filter(stream => stream.loaded);
      const compared = loaded.length === 0 ? Promise.resolve(true) : this.#compare(loaded);
      void compared.then(() => this.#checkTailsLater());
    });
  }

  #hasEnded(stream: ProjectStream): boolean {
    return this.#closed || this.#streams.get(stream.projectId) !== stream;
  }
}

/** `data.environmentId` of the envelope. Parsed only while some follower is limited to one environment. */
function readEnvironmentId(event: StreamEvent): string {
  const { data } = JSON.parse(event.body) as { data: { environmentId?: string } };
  return data.environmentId ?? '';
}
