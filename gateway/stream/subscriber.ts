/**
 * Whoever follows a project's events from a cursor: each once, in order, without gaps. What the events are sent by is the
 * subclass's affair: a websocket (session.ts), a gRPC stream (gateway/grpc/subscription.ts).
 *
 *   awaiting     open; nothing is sent until it is known where to begin
 *   catching-up  the cursor is behind the feed: pages of the log are sent, the next one when the buffer has room
 *   live         the cursor met the feed's head and, in the same turn, the subscriber went live: the hub's events follow
 *   closing      closed, by either side; nothing is sent any more
 *
 *   awaiting -> catching-up     resume
 *   catching-up -> live         cursor = head, or a reset: the client refetches, and goes on from the head
 *   live -> catching-up         never: a client that cannot keep up is ended, and resumes
 *   any -> closing              closed
 *
 * A subscriber owns no timer, closure or collection, because there may be ten thousand of them: one sweep (sweep.ts) ticks them
 * all, one queue (catch-up.ts) reads for them all.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { Admission } from './admission.ts';
import type { CatchUp, PagedFrame, Reader } from './catch-up.ts';
import type { Feed, Follower } from './feed.ts';
import type { ResetReason } from './frames.ts';
import type { Hub } from './hub.ts';

/** What all subscribers of a node share. */
export interface StreamContext {
  readonly hub: Hub;
  readonly catchUp: CatchUp;
  readonly clock: Clock;
}

export type SubscriberState = 'awaiting' | 'catching-up' | 'live' | 'closing';

/** Bytes that wait to be sent beyond which the client is ended as too slow. */
export const maxBuffered = 1_048_576;
/** Bytes that wait beyond which no further page is sent. */
export const highWater = 262_144;
/** What is kept for resuming. */
const keptEvents = 50_000;
const keptMs = 86_400_000;
/** A cursor that has not been given. */
const fromNow = -1;

export abstract class Subscriber implements Follower, Reader {
  readonly admission: Admission;
  index = -1;
  /** Everything up to this number was delivered; kept while catching up. */
  cursor = fromNow;
  protected readonly context: StreamContext;
  #state: SubscriberState = 'awaiting';
  #feed: Feed | undefined;
  #epoch: string | undefined;
  /** The client was told where it goes on from. */
  #resumed = false;
  /** The next page waits until the buffer has room. */
  #draining = false;

  constructor(admission: Admission, context: StreamContext) {
    this.admission = admission;
    this.context = context;
  }

  get state(): SubscriberState {
    return this.#state;
  }

  get feed(): Feed {
    if (this.#feed === undefined) throw new Error('the subscriber follows nothing yet');
    return this.#feed;
  }

  get reading(): boolean {
    return this.#state === 'catching-up';
  }

  abstract checkBuffer(): void;
  abstract tick(now: number, monotonic: number): void;
  abstract end(code: number, reason: string): void;
  /** Bytes that wait to be sent. */
  protected abstract buffered(): number;
  protected abstract tellResumed(epoch: string, seq: number): void;
  protected abstract tellReset(epoch: string, seq: number, reason: ResetReason): void;
  protected abstract sendPage(page: readonly PagedFrame[]): void;
  /** From this call on, in its very turn, every event that the feed shows is the client's. */
  protected abstract goLive(feed: Feed): void;

  loaded(): void {
    if (this.#state === 'catching-up') this.#begin();
  }

  rebased(reason: ResetReason): void {
    if (this.#state === 'catching-up' || this.#state === 'live') this.#reset(reason);
  }

  deliver(page: readonly PagedFrame[], through: number): void {
    const first = page[0];
    if (this.#hasHole(first, through)) return this.#reset('expired');
    if (!this.#resumed) {
      const oldest = this.context.clock.now() - keptMs;
      if (first !== undefined && first.occurredAt < oldest) return this.#reset('expired');
      this.#tellResumed();
    }
    this.sendPage(page);
    this.cursor = page.at(-1)?.seq ?? through;
    this.#advance();
  }

  /** The buffer has shrunk. */
  drained(): void {
    if (this.#draining && this.buffered() <= highWater) this.#advance();
  }

  /** Follows the feed, before it is known from where. */
  protected join(): void {
    this.#feed = this.context.hub.join(this.admission.projectId, this);
  }

  /** Begins. Both undefined: from now on. */
  protected resumeFrom(epoch: string | undefined, seq: number | undefined): void {
    this.#epoch = epoch;
    this.cursor = seq ?? fromNow;
    this.#state = 'catching-up';
    if (this.feed.loaded) this.#begin();
  }

  /** The client is gone, whoever closed it. */
  protected leave(): void {
    this.#state = 'closing';
    if (this.#feed !== undefined && this.index >= 0) this.context.hub.leave(this.#feed, this);
    this.index = -1;
  }

  /** The feed is known: where is the client in it? */
  #begin(): void {
    const { epoch, head } = this.feed;
    if (this.cursor === fromNow) this.cursor = head;
    else if (this.#epoch !== epoch) return this.#reset('epoch');
    else if (this.cursor < head - keptEvents) return this.#reset('expired');
    if (this.cursor > head) void this.#catchUpWithClient();
    else if (this.cursor === head) this.#goLive();
    else this.context.catchUp.request(this);
  }

  /** The client has seen more, on another node, than this one has heard of; or its cursor is wrong. */
  async #catchUpWithClient(): Promise<void> {
    const feed = this.feed;
    await this.context.hub.catchUp(feed);
    // A jump of the feed meanwhile has reset this subscriber, and a close has ended it.
    if (this.#state !== 'catching-up' || this.#resumed) return;
    if (this.cursor > feed.head) this.#reset('ahead');
    else this.#begin();
  }

  /** Goes on from the cursor: live, or one more page, or waiting until the buffer has room (`drained`). */
  #advance(): void {
    if (this.#state !== 'catching-up') return;
    this.#draining = this.buffered() > highWater;
    if (this.#draining) return;
    if (this.cursor === this.feed.head) this.#goLive();
    else this.context.catchUp.request(this);
  }

  /** Nothing runs between the comparison of cursor and head and going live: no event is missed or sent twice. */
  #goLive(): void {
    this.#tellResumed();
    // A send that failed has closed the client.
    if (this.#state !== 'catching-up') return;
    this.#state = 'live';
    this.#draining = false;
    this.#epoch = undefined;
    this.goLive(this.feed);
  }

  /** Tells the client to refetch, and goes on from the head. */
  #reset(reason: ResetReason): void {
    const { epoch, head } = this.feed;
    this.#resumed = true;
    this.cursor = head;
    this.tellReset(epoch, head, reason);
    if (this.#state === 'catching-up') this.#goLive();
  }

  #tellResumed(): void {
    if (this.#resumed) return;
    this.#resumed = true;
    this.tellResumed(this.feed.epoch, this.cursor);
  }

  /** Who sees every environment sees every number: a page that does not begin with the next one has lost its beginning to retention. */
  #hasHole(first: PagedFrame | undefined, through: number): boolean {
    if (this.admission.environmentId !== undefined) return false;
    return first === undefined ? through > this.cursor : first.seq !== this.cursor + 1;
  }
}
