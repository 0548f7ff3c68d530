/**
 * A subscriber gets a project's events from a cursor: each once, in order, without gaps. Subclasses send them: over a websocket
 * (session.ts) or a gRPC stream (gateway/grpc/subscription.ts).
 *
 *   awaiting     open; nothing is sent until the client says where to begin
 *   catching-up  the cursor is behind the stream: pages of the log are sent, each when the buffer has room
 *   live         the cursor met the stream's head and, in the same turn, the subscriber went live: the hub's events follow
 *   closing      closed by either side; nothing more is sent
 *
 *   awaiting -> catching-up     resume
 *   catching-up -> live         cursor = head, or a reset: the client refetches, and continues from the head
 *   live -> catching-up         never: a client that cannot keep up is disconnected, and resumes
 *   any -> closing              closed
 *
 * A subscriber owns no timer, closure or collection, because there may be ten thousand of them: one timer (connection-reaper.ts)
 * ticks all of them, and one queue (catch-up.ts) reads for all of them.
 */
import type { Clock } from '../../runtime/time/index.ts';
import type { Admission } from './admission.ts';
import type { CatchUp, PagedFrame, Reader } from './catch-up.ts';
import type { ProjectStream, Follower } from './project-stream.ts';
import type { ResetReason } from './frames.ts';
import type { Hub } from './hub.ts';
import type { Viewers } from './viewers.ts';

/** What all subscribers of a node share. */
export interface StreamContext {
  readonly hub: Hub;
  readonly catchUp: CatchUp;
  readonly clock: Clock;
  readonly viewers: Pick<Viewers, 'list' | 'open'>;
  /** Whether there is such an environment in the project. */
  readonly hasEnvironment: (projectId: string, environmentId: string) => Promise<boolean>;
}

export type SubscriberState = 'awaiting' | 'catching-up' | 'live' | 'closing';

/** A client with more unsent bytes than this is disconnected as too slow. */
export const maxBufferedBytes = 1_048_576;
/** No further page is sent while more bytes than this are unsent. */
export const highWaterBytes = 262_144;
/** How long events can be resumed from. */
const keptMs = 86_400_000;
/** The cursor of a client that gave none. */
const fromNow = -1;

export abstract class Subscriber implements Follower, Reader {
  index = -1;
  /** Everything up to this number was delivered; kept while catching up. */
  cursor = fromNow;
  protected readonly context: StreamContext;
  #admission: Admission;
  #state: SubscriberState = 'awaiting';
  #stream: ProjectStream | undefined;
  #epoch: string | undefined;
  /** It has a cursor, and the stream is not loaded yet. */
  #isWaiting = false;
  /** The client was told where it continues. */
  #resumed = false;
  /** The next page waits until the buffer has room. */
  #draining = false;

  constructor(admission: Admission, context: StreamContext) {
    this.#admission = admission;
    this.context = context;
  }

  get admission(): Admission {
    return this.#admission;
  }

  get state(): SubscriberState {
    return this.#state;
  }

  get stream(): ProjectStream {
    if (this.#stream === undefined) throw new Error('the subscriber has not joined a stream yet');
    return this.#stream;
  }

  get reading(): boolean {
    return this.#state === 'catching-up';
  }

  abstract checkBuffer(): void;
  abstract tick(now: number, monotonic: number): void;
  abstract end(code: number, reason: string): void;
  /** Unsent bytes. */
  protected abstract buffered(): number;
  protected abstract tellResumed(epoch: string, seq: number): void;
  protected abstract tellReset(epoch: string, seq: number, reason: ResetReason): void;
  protected abstract sendPage(page: readonly PagedFrame[]): void;
  /** From this call on, in the same turn of the event loop, the client gets every event that the stream publishes. */
  protected abstract goLive(stream: ProjectStream): void;

  loaded(): void {
    if (this.#isWaiting) this.#begin();
  }

  onJump(reason: ResetReason): void {
    // One that waited for the stream to load begins where its own cursor says.
    if (this.#isWaiting) this.#begin();
    else if (this.#state === 'catching-up' || this.#state === 'live') this.#reset(reason);
  }

  deliver(page: readonly PagedFrame[], through: number, isWhole: boolean): void {
    const first = page[0];
    if (!isWhole) return this.#reset('expired');
    if (!this.#resumed) {
      const oldest = this.context.clock.now() - keptMs;
      if (first !== undefined && first.occurredAt < oldest) return this.#reset('expired');
      this.#tellResumed();
    }
    const { names } = this.admission.view;
    this.sendPage(page.filter(({ eventName }) => names.has(eventName)));
    this.cursor = page.at(-1)?.seq ?? through;
    this.#advance();
  }

  /** The buffer has shrunk. */
  drained(): void {
    if (this.#draining && this.buffered() <= highWaterBytes) this.#advance();
  }

  /** Follows the stream before it is known from where. */
  protected join(): void {
    this.#stream = this.context.hub.join(this.admission.projectId, this);
  }

  /** Shows one environment alone, before anything is shown. */
  protected limitTo(environmentId: string): void {
    this.stream.remove(this);
    this.#admission = { ...this.#admission, environmentId };
    this.stream.add(this);
  }

  /** Starts after the cursor. Both undefined: from now on. */
  protected resumeFrom(epoch: string | undefined, seq: number | undefined): void {
    this.#epoch = epoch;
    this.cursor = seq ?? fromNow;
    this.#state = 'catching-up';
    this.#isWaiting = !this.stream.loaded;
    if (!this.#isWaiting) this.#begin();
  }

  /** The client is disconnected, by whichever side. */
  protected leave(): void {
    this.#state = 'closing';
    this.#isWaiting = false;
    if (this.#stream !== undefined && this.index >= 0) this.context.hub.leave(this.#stream, this);
    this.index = -1;
  }

  /** The stream is loaded: compares the client's cursor with it. */
  #begin(): void {
    const { epoch, head } = this.stream;
    this.#isWaiting = false;
    if (this.cursor === fromNow) this.cursor = head;
    else if (this.#epoch !== epoch) return this.#reset('epoch');
    if (this.cursor > head) void this.#catchUpWithClient();
    else if (this.cursor === head) this.#goLive();
    else this.context.catchUp.request(this);
  }

  /** The client has seen events on another node that this node has not heard of; or its cursor is wrong. */
  async #catchUpWithClient(): Promise<void> {
    const stream = this.stream;
    await this.context.hub.catchUp(stream);
    // Meanwhile a jump of the stream may have reset this subscriber, or a close ended it.
    if (this.#state !== 'catching-up' || this.#resumed) return;
    if (this.cursor > stream.head) this.#reset('ahead');
    else this.#begin();
  }

  /** Continues from the cursor: goes live, requests one more page, or waits until the buffer has room (`drained`). */
  #advance(): void {
    if (this.#state !== 'catching-up') return;
    this.#draining = this.buffered() > highWaterBytes;
    if (this.#draining) return;
    if (this.cursor === this.stream.head) this.#goLive();
    else this.context.catchUp.request(this);
  }

  /** Nothing runs between the comparison of cursor and head and going live: no event is missed or sent twice. */
  #goLive(): void {
    this.#tellResumed();
    // A failed send closes the client.
    if (this.#state !== 'catching-up') return;
    this.#state = 'live';
    this.#draining = false;
    this.#epoch = undefined;
    this.goLive(this.stream);
  }

  /** Tells the client to refetch, and continues from the head. */
  #reset(reason: ResetReason): void {
    const { epoch, head } = this.stream;
    this.#resumed = true;
    this.cursor = head;
    this.tellReset(epoch, head, reason);
    if (this.#state === 'catching-up') this.#goLive();
  }

  #tellResumed(): void {
    if (this.#resumed) return;
    this.#resumed = true;
    this.tellResumed(this.stream.epoch, this.cursor);
  }
}
