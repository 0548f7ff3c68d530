/**
 * One project's stream on this node: how far it has been shown, what is held back behind a gap, and who follows it.
 * Plain state; the hub (hub.ts) moves it.
 */
import type { Admission } from './admission.ts';
import type { ResetReason } from './frames.ts';

/** An event as the news brings it (storage/news.ts) or the log. */
export interface StreamEvent {
  readonly seq: number;
  readonly eventName: string;
  /** The envelope's exact text. */
  readonly body: string;
  /** What the log knows and the news does not. */
  readonly environmentId?: string;
}

/** Whoever follows a feed: a socket's session. */
export interface Follower {
  /** Its place in {@link Feed.followers}, kept by the feed. */
  index: number;
  readonly admission: Admission;
  /** The feed's epoch and head have become known. */
  loaded(): void;
  /** The feed has jumped to another place: what lies between cannot be shown. */
  rebased(reason: ResetReason): void;
  /** Look at the socket's buffer: much has been published since the last time. */
  checkBuffer(): void;
  /** A second has passed: `now` and `monotonic` are the clock's, in milliseconds. */
  tick(now: number, monotonic: number): void;
  /** Closes the socket with a code of `closeCodes` (frames.ts). */
  end(code: number, reason: string): void;
}

/** A follower that is live without a topic of the HTTP server: it is handed each event as it is shown. */
export interface Listener {
  /** @param environmentId the event's, where some follower of the feed is limited to one; else empty */
  take(event: StreamEvent, environmentId: string): void;
}

/** Events held back behind a gap, at most; what does not fit is read from the log when its turn comes. */
const maxHeld = 1_000;
/** The same in characters. */
const maxHeldLength = 4_194_304;

export class Feed {
  readonly projectId: string;
  epoch = '';
  /** Everything up to this number has been shown; -1 until it is known. */
  head = -1;
  /** The highest number that is known to be committed. */
  target = 0;
  readonly followers: Follower[] = [];
  readonly listeners = new Set<Listener>();
  /** Environments that some follower is limited to, with how many: they have a topic of their own. */
  readonly limited = new Map<string, number>();
  /** Bytes published since the followers' buffers were last looked at. */
  unchecked = 0;
  /** The work under way that brings `head` to `target`. */
  healing: Promise<void> | undefined;
  /** A look at the gap is due shortly. */
  healSoon = false;
  /** Ends the interest in other nodes' news of the project. */
  unfollow: (() => void) | undefined;
  readonly #held = new Map<number, StreamEvent>();
  #heldLength = 0;

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  get loaded(): boolean {
    return this.head >= 0;
  }

  /** Nobody follows any more: whatever still runs for the feed may stop. */
  get abandoned(): boolean {
    return this.followers.length === 0;
  }

  add(follower: Follower): void {
    follower.index = this.followers.length;
    this.followers.push(follower);
    const environment = follower.admission.environmentId;
    if (environment !== undefined) this.limited.set(environment, (this.limited.get(environment) ?? 0) + 1);
  }

  remove(follower: Follower): void {
    const last = this.followers.pop();
    if (last !== undefined && last !== follower) {
      last.index = follower.index;
      this.followers[follower.index] = last;
    }
    const environment = follower.admission.environmentId;
    if (environment === undefined) return;
    const left = (this.limited.get(environment) ?? 0) - 1;
    if (left > 0) this.limited.set(environment, left);
    else this.limited.delete(environment);
  }

  /** Holds an event until those before it have been shown. Beyond the bounds it is dropped: `target` remembers that it is. */
  hold(event: StreamEvent): void {
    if (this.#held.has(event.seq)) return;
    if (this.#held.size >= maxHeld || this.#heldLength + event.body.length > maxHeldLength) return;
    this.#held.set(event.seq, event);
    this.#heldLength += event.body.length;
  }

  /** Takes the event that comes next, if it is held. */
  next(): StreamEvent | undefined {
    if (this.#held.size === 0) return undefined;
    const event = this.#held.get(this.head + 1);
    if (event !== undefined) this.#release(event);
    return event;
  }

  /** Jumps: what was held up to the new place is of no use any more. */
  moveTo(epoch: string, head: number): void {
    this.epoch = epoch;
    this.head = head;
    if (this.target < head) this.target = head;
    for (const event of this.#held.values()) if (event.seq <= head) this.#release(event);
  }

  /** Forgets everything but the followers: the numbers have started over. */
  startOver(): void {
    this.#held.clear();
    this.#heldLength = 0;
    this.target = 0;
    this.head = -1;
  }

  #release(event: StreamEvent): void {
    this.#held.delete(event.seq);
    this.#heldLength -= event.body.length;
  }
}
