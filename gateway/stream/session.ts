/**
 * One Console socket.
 *
 *   awaiting     open; nothing is sent until the client's first frame, `resume`, which has to come within 10 s
 *   catching-up  the cursor is behind the feed: pages of the log are sent, the next one when the buffer has room
 *   live         the cursor met the feed's head and, in the same turn, the socket was subscribed: the hub's frames follow
 *   closing      closed, by either side; nothing is sent any more
 *
 *   awaiting -> catching-up     resume
 *   catching-up -> live         cursor = head, or a reset: the client refetches, and goes on from the head
 *   live -> catching-up         never: a socket that cannot keep up is closed, and resumes
 *   any -> closing              see closeCodes (frames.ts)
 *
 * A session owns no timer, closure or collection, because there may be ten thousand of them: one sweep (sweep.ts) ticks them
 * all, one queue (catch-up.ts) reads for them all.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { Socket } from '../http/socket.ts';
import type { Admission } from './admission.ts';
import type { CatchUp, PagedFrame, Reader } from './catch-up.ts';
import type { Feed, Follower } from './feed.ts';
import {
  barePing,
  closeCodes,
  parseClientFrame,
  pingFrame,
  pong,
  resetFrame,
  resumedFrame,
  type ResetReason,
} from './frames.ts';
import type { Hub } from './hub.ts';

/** What all sessions of a node share. */
export interface SessionContext {
  readonly hub: Hub;
  readonly catchUp: CatchUp;
  readonly clock: Clock;
}

export type SessionState = 'awaiting' | 'catching-up' | 'live' | 'closing';

const resumeDeadlineMs = 10_000;
export const heartbeatMs = 25_000;
/** Bytes in the socket's buffer beyond which it is closed as too slow. */
export const maxBuffered = 1_048_576;
/** Bytes in the buffer beyond which no further page is sent. */
const highWater = 262_144;
/** Frames from the client between two heartbeats. */
const maxFrames = 100;
/** What is kept for resuming. */
const keptEvents = 50_000;
const keptMs = 86_400_000;
/** A cursor that has not been given. */
const fromNow = -1;

export class Session implements Follower, Reader {
  readonly admission: Admission;
  index = -1;
  /** Everything up to this number was delivered; kept while catching up. */
  cursor = fromNow;
  readonly #context: SessionContext;
  #state: SessionState = 'awaiting';
  #socket: Socket<Session> | undefined;
  #feed: Feed | undefined;
  #epoch: string | undefined;
  /** The client was told where it goes on from. */
  #resumed = false;
  /** The next page waits until the buffer has room. */
  #draining = false;
  /** Monotonic milliseconds: the deadline of the first frame, then the next heartbeat. */
  #dueAt = 0;
  #unanswered = 0;
  #frames = 0;

  constructor(admission: Admission, context: SessionContext) {
    this.admission = admission;
    this.#context = context;
  }

  get state(): SessionState {
    return this.#state;
  }

  get feed(): Feed {
    if (this.#feed === undefined) throw new Error('the session has no socket yet');
    return this.#feed;
  }

  get reading(): boolean {
    return this.#state === 'catching-up';
  }

  /** From here on the client has its time to send `resume`. */
  open(socket: Socket<Session>): void {
    this.#socket = socket;
    this.#dueAt = this.#context.clock.monotonic() + resumeDeadlineMs;
    this.#feed = this.#context.hub.join(this.admission.projectId, this);
  }

  /** A text frame from the client. */
  receive(text: string): void {
    if (this.#state === 'closing') return;
    this.#unanswered = 0;
    if (++this.#frames > maxFrames) return this.end(closeCodes.policy, 'too many frames');
    const frame = parseClientFrame(text);
    switch (frame?.type) {
      case 'pong':
        return;
      case 'ping':
        return this.#send(pong);
      case 'resume':
        if (this.#state !== 'awaiting') return this.end(closeCodes.rubbish, 'resume comes once, first');
        return this.#resume(frame.epoch, frame.seq);
      case undefined:
        return this.end(closeCodes.rubbish, 'expected {"type":"resume"}, {"type":"ping"} or {"type":"pong"}');
    }
  }

  /** The buffer has shrunk. */
  drained(): void {
    if (this.#draining && this.#buffered() <= highWater) this.#advance();
  }

  /**
   * Looks at the credential, the deadline of the first frame and the heartbeat.
   *
   * @param now epoch milliseconds
   * @param monotonic milliseconds of `Clock.monotonic`
   */
  tick(now: number, monotonic: number): void {
    if (this.admission.expiresAt <= now)
      return this.end(closeCodes.notAuthenticated, 'the credential has expired');
    if (monotonic < this.#dueAt) return;
    if (this.#state === 'awaiting') return this.end(closeCodes.policy, 'no resume frame in time');
    if (this.#unanswered >= 2) return this.end(closeCodes.silent, 'two heartbeats unanswered');
    this.#dueAt = monotonic + heartbeatMs;
    this.#unanswered++;
    this.#frames = 0;
    this.checkBuffer();
    this.#send(this.#state === 'live' ? pingFrame(this.feed.head) : barePing);
  }

  /** Closes the socket; `closed` follows. Nothing the second time. */
  end(code: number, reason: string): void {
    if (this.#state !== 'closing') this.#socket?.end(code, reason);
  }

  /** The socket is closed, whoever closed it. */
  closed(): void {
    this.#state = 'closing';
    if (this.#feed !== undefined && this.index >= 0) this.#context.hub.leave(this.#feed, this);
    this.index = -1;
    this.#socket = undefined;
  }

  loaded(): void {
    if (this.#state === 'catching-up') this.#begin();
  }

  rebased(reason: ResetReason): void {
    if (this.#state === 'catching-up' || this.#state === 'live') this.#reset(reason);
  }

  /** Ends a live session that reads too slowly: what waits for it would grow without bound. */
  checkBuffer(): void {
    if (this.#state === 'live' && this.#buffered() > maxBuffered) {
      this.end(closeCodes.tooSlow, 'reads too slowly: resume');
    }
  }

  deliver(page: readonly PagedFrame[], through: number): void {
    const first = page[0];
    if (this.#hasHole(first, through)) return this.#reset('expired');
    if (!this.#resumed) {
      const oldest = this.#context.clock.now() - keptMs;
      if (first !== undefined && first.occurredAt < oldest) return this.#reset('expired');
      this.#tellResumed();
    }
    this.#socket?.cork(() => {
      for (const { text } of page) this.#send(text);
    });
    this.cursor = page.at(-1)?.seq ?? through;
    this.#advance();
  }

  #resume(epoch: string | undefined, seq: number | undefined): void {
    this.#epoch = epoch;
    this.cursor = seq ?? fromNow;
    this.#state = 'catching-up';
    // Clients that came back together are spread over some seconds.
    this.#dueAt = this.#context.clock.monotonic() + heartbeatMs - (this.index % 10) * 1_000;
    if (this.feed.loaded) this.#begin();
  }

  /** The feed is known: where is the client in it? */
  #begin(): void {
    const { epoch, head } = this.feed;
    if (this.cursor === fromNow) this.cursor = head;
    else if (this.#epoch !== epoch) return this.#reset('epoch');
    else if (this.cursor < head - keptEvents) return this.#reset('expired');
    if (this.cursor > head) void this.#catchUpWithClient();
    else if (this.cursor === head) this.#goLive();
    else this.#context.catchUp.request(this);
  }

  /** The client has seen more, on another node, than this one has heard of; or its cursor is wrong. */
  async #catchUpWithClient(): Promise<void> {
    const feed = this.feed;
    await this.#context.hub.catchUp(feed);
    // A jump of the feed meanwhile has reset this session, and a close has ended it.
    if (this.#state !== 'catching-up' || this.#resumed) return;
    if (this.cursor > feed.head) this.#reset('ahead');
    else this.#begin();
  }

  /** Goes on from the cursor: live, or one more page, or waiting until the buffer has room (`drained`). */
  #advance(): void {
    if (this.#state !== 'catching-up') return;
    this.#draining = this.#buffered() > highWater;
    if (this.#draining) return;
    if (this.cursor === this.feed.head) this.#goLive();
    else this.#context.catchUp.request(this);
  }

  /** Nothing runs between the comparison of cursor and head and the subscription: no event is missed or sent twice. */
  #goLive(): void {
    this.#tellResumed();
    // A send that failed has closed the socket.
    if (this.#state !== 'catching-up') return;
    this.#state = 'live';
    this.#draining = false;
    this.#epoch = undefined;
    this.#socket?.subscribe(this.admission.environmentId ?? this.admission.projectId);
  }

  /** Tells the client to refetch, and goes on from the head. */
  #reset(reason: ResetReason): void {
    const { epoch, head } = this.feed;
    this.#resumed = true;
    this.cursor = head;
    this.#send(resetFrame(epoch, head, reason));
    if (this.#state === 'catching-up') this.#goLive();
  }

  #tellResumed(): void {
    if (this.#resumed) return;
    this.#resumed = true;
    this.#send(resumedFrame(this.feed.epoch, this.cursor));
  }

  /** Unlimited sockets see every number: a page that does not begin with the next one has lost its beginning to retention. */
  #hasHole(first: PagedFrame | undefined, through: number): boolean {
    if (this.admission.environmentId !== undefined) return false;
    return first === undefined ? through > this.cursor : first.seq !== this.cursor + 1;
  }

  #buffered(): number {
    return this.#socket?.buffered() ?? 0;
  }

  #send(text: string): void {
    if (this.#state === 'closing') return;
    if (this.#socket?.send(text) === 'dropped') this.end(closeCodes.tooSlow, 'reads too slowly: resume');
  }
}
