/**
 * The hub of a node: brings committed events to the sockets of their project, each exactly once and in the order of `seq`.
 *
 * A feed (feed.ts) exists for every project with at least one socket here, and is
 *   loading   epoch and head are being read; news is held
 *   level     head = target: news with the next number is published as it comes
 *   behind    something between head and target is missing: later news is held, and after a short grace (news of two nodes
 *             may cross) the missing events are read from the log. One read at a time, retried with backoff
 *             while the database is away.
 * News may come in any order, twice, or never. What never came is noticed by the next number, or within `tailCheckMs` by a
 * look at the heads of all feeds, one query for the node.
 *
 * A frame is built once per event and handed to uWebSockets.js by topic: the project's id, and the environment's for API keys,
 * which see only one. Followers that are no sockets listen to the feed itself.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { CommittedEvent } from '../../storage/news.ts';
import type { LoggedEvent, Span, StreamHead } from '../../storage/reads/events.ts';
import { Feed, type Follower, type StreamEvent } from './feed.ts';
import { ephemeralFrame, eventFrame, type ResetReason } from './frames.ts';

/** What streams read: storage/reads/events.ts bound to a database. */
export interface EventLog {
  heads(projectIds: readonly string[]): Promise<readonly StreamHead[]>;
  page(span: Span): Promise<readonly LoggedEvent[]>;
}

export interface HubOptions {
  readonly events: EventLog;
  /** Sends one text to all sockets subscribed to the topic. */
  readonly publish: (topic: string, frame: string) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Asks for other nodes' news of a project, until the returned function is called: `News.follow`. Default: there are none. */
  readonly follow?: (projectId: string) => () => void;
  /** Told of every event that is shown, after it was published. */
  readonly shown?: (projectId: string, eventName: string) => void;
  /** How long a gap may fill itself before the log is read. Default 20 ms. */
  readonly graceMs?: number;
  /** How often the heads of all feeds are compared with the log. Default 3,000 ms. */
  readonly tailCheckMs?: number;
}

/** Bytes that may be published to a feed before its followers' buffers are looked at. */
const checkEvery = 65_536;
const firstBackoffMs = 100;
const longestBackoffMs = 5_000;
/** Reads that bring nothing before the missing events are taken for gone. */
const maxFruitless = 3;

export class Hub {
  readonly #options: HubOptions;
  readonly #feeds = new Map<string, Feed>();
  readonly #graceMs: number;
  readonly #tailCheckMs: number;
  #closed = false;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#graceMs = options.graceMs ?? 20;
    this.#tailCheckMs = options.tailCheckMs ?? 3_000;
    this.#checkTailsLater();
  }

  get feeds(): Iterable<Feed> {
    return this.#feeds.values();
  }

  /** Follows a project; the first follower of a project starts its feed. `loaded` is called if the feed is not yet. */
  join(projectId: string, follower: Follower): Feed {
    let feed = this.#feeds.get(projectId);
    if (feed === undefined) {
      feed = new Feed(projectId);
      this.#feeds.set(projectId, feed);
      feed.add(follower);
      // Before the heads are read: what is committed after that is told.
      feed.unfollow = this.#options.follow?.(projectId);
      void this.#compareUntil(feed, () => feed?.loaded === true);
    } else {
      feed.add(follower);
    }
    return feed;
  }

  /** The last follower ends the feed. */
  leave(feed: Feed, follower: Follower): void {
    feed.remove(follower);
    if (!feed.abandoned) return;
    this.#feeds.delete(feed.projectId);
    feed.unfollow?.();
  }

  /** News of a committed event: in any order, repeated, or with gaps. */
  accept(event: CommittedEvent): void {
    const feed = this.#feeds.get(event.projectId);
    if (feed !== undefined) this.#take(feed, event);
  }

  /** News that some projects have events whose numbers are not known. */
  behind(projectIds: readonly string[]): void {
    const feeds = projectIds.map(id => this.#feeds.get(id)).filter(feed => feed !== undefined);
    if (feeds.length > 0) void this.#compare(feeds);
  }

  /** Shows something that is not in the log: whoever is not live misses it. */
  ephemeral(projectId: string, environmentId: string, body: string): void {
    const feed = this.#feeds.get(projectId);
    if (feed !== undefined) this.#publish(feed, ephemeralFrame(body), environmentId);
  }

  /**
   * Resolves once the feed shows everything that was committed before the call, or has jumped or ended. For a follower that has seen more, on another node, than this one has heard of.
   */
  async catchUp(feed: Feed): Promise<void> {
    await this.#compareUntil(feed, () => true);
    await this.#heal(feed);
  }

  /** Reads no more; what is published already goes out. */
  close(): void {
    this.#closed = true;
  }

  #take(feed: Feed, event: StreamEvent): void {
    if (event.seq > feed.target) feed.target = event.seq;
    if (event.seq <= feed.head) return;
    if (!feed.loaded) return feed.hold(event);
    if (event.seq === feed.head + 1) {
      this.#show(feed, event);
      this.#showHeld(feed);
    } else {
      feed.hold(event);
      this.#healSoon(feed);
    }
  }

  #showHeld(feed: Feed): void {
    for (let event = feed.next(); event !== undefined; event = feed.next()) this.#show(feed, event);
  }

  #show(feed: Feed, event: StreamEvent): void {
    feed.head = event.seq;
    const frame = eventFrame(event.seq, event.body);
    const environmentId = feed.limited.size === 0 ? '' : (event.environmentId ?? environmentOf(event));
    this.#publish(feed, frame, environmentId);
    for (const listener of feed.listeners) listener.take(event, environmentId);
    this.#options.shown?.(feed.projectId, event.eventName);
  }

  #publish(feed: Feed, frame: string, environmentId: string): void {
    const bytes = Buffer.byteLength(frame);
    feed.unchecked += bytes;
    if (feed.unchecked > checkEvery) {
      // Before the frame and not after it: a buffer never holds more than the limit, this step, and one frame.
      feed.unchecked = bytes;
      for (let i = feed.followers.length - 1; i >= 0; i--) feed.followers[i]?.checkBuffer();
    }
    this.#options.publish(feed.projectId, frame);
    if (feed.limited.has(environmentId)) this.#options.publish(environmentId, frame);
  }

  async #compareUntil(feed: Feed, done: () => boolean): Promise<void> {
    let backoffMs = firstBackoffMs;
    while (!this.#over(feed)) {
      if ((await this.#compare([feed])) && done()) return;
      await this.#pause(backoffMs);
      backoffMs = Math.min(backoffMs * 2, longestBackoffMs);
    }
  }

  /** Compares feeds with the log: one query. False when the database could not tell. */
  async #compare(feeds: readonly Feed[]): Promise<boolean> {
    // News that comes while the query is under way may make its answer older than what was shown.
    const before = new Map(feeds.map(feed => [feed.projectId, { feed, head: feed.head }]));
    try {
      for (const found of await this.#options.events.heads([...before.keys()])) {
        const asked = before.get(found.projectId);
        if (asked !== undefined && !this.#over(asked.feed)) this.#learn(asked.feed, asked.head, found);
      }
      return true;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'console stream: heads could not be read');
      return false;
    }
  }

  #learn(feed: Feed, headWhenAsked: number, found: StreamHead): void {
    if (!feed.loaded) {
      feed.moveTo(found.epoch, found.seq);
      this.#showHeld(feed);
      for (let i = feed.followers.length - 1; i >= 0; i--) feed.followers[i]?.loaded();
    } else if (found.epoch !== feed.epoch || found.seq < headWhenAsked) {
      this.#rebase(feed, found, 'epoch');
    } else if (found.seq > feed.target) {
      feed.target = found.seq;
    }
    if (feed.target > feed.head) this.#healSoon(feed);
  }

  #rebase(feed: Feed, to: StreamHead, reason: ResetReason): void {
    this.#options.log.warn(
      { projectId: feed.projectId, from: feed.head, to: to.seq, reason },
      'console stream: jumped',
    );
    feed.startOver();
    feed.moveTo(to.epoch, to.seq);
    for (let i = feed.followers.length - 1; i >= 0; i--) feed.followers[i]?.rebased(reason);
  }

  #healSoon(feed: Feed): void {
    if (feed.healSoon || feed.healing !== undefined || this.#over(feed)) return;
    feed.healSoon = true;
    this.#options.clock.after(this.#graceMs, () => {
      feed.healSoon = false;
      void this.#heal(feed);
    });
  }

  #heal(feed: Feed): Promise<void> {
    feed.healing ??= this.#readMissing(feed).finally(() => {
      feed.healing = undefined;
      // What was announced between the last look and this turn found a healing under way that had already ended.
      if (feed.target > feed.head) this.#healSoon(feed);
    });
    return feed.healing;
  }

  async #readMissing(feed: Feed): Promise<void> {
    let backoffMs = firstBackoffMs;
    let fruitless = 0;
    while (feed.loaded && feed.target > feed.head && !this.#over(feed)) {
      const head = feed.head;
      try {
        const span = { projectId: feed.projectId, after: head, through: feed.target };
        for (const event of await this.#options.events.page(span)) {
          if (event.seq !== feed.head + 1) continue;
          this.#show(feed, event);
          this.#showHeld(feed);
        }
        if (feed.head > head) {
          backoffMs = firstBackoffMs;
          fruitless = 0;
          continue;
        }
        if (++fruitless >= maxFruitless) await this.#giveUp(feed);
      } catch (error) {
        this.#options.log.warn(
          { projectId: feed.projectId, err: error },
          'console stream: gap could not be read',
        );
      }
      await this.#pause(backoffMs);
      backoffMs = Math.min(backoffMs * 2, longestBackoffMs);
    }
  }

  /** What is announced and cannot be read has been dropped from the log, or was never committed. */
  async #giveUp(feed: Feed): Promise<void> {
    const [found] = await this.#options.events.heads([feed.projectId]);
    if (found !== undefined && !this.#over(feed)) this.#rebase(feed, found, 'expired');
  }

  #checkTailsLater(): void {
    this.#options.clock.after(this.#tailCheckMs, () => {
      if (this.#closed) return;
      const loaded = [...this.#feeds.values()].filter(feed => feed.loaded);
      const compared = loaded.length === 0 ? Promise.resolve(true) : this.#compare(loaded);
      void compared.then(() => this.#checkTailsLater());
    });
  }

  #over(feed: Feed): boolean {
    return this.#closed || this.#feeds.get(feed.projectId) !== feed;
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => this.#options.clock.after(ms, resolve));
  }
}

/** `data.environmentId` of an envelope, which every event has; read only while some socket is limited to one environment. */
function environmentOf(event: StreamEvent): string {
  const { data } = JSON.parse(event.body) as { data: { environmentId?: string } };
  return data.environmentId ?? '';
}
