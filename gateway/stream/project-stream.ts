/**
 * One project's stream on this node: how far it has been published, which events are held behind a gap, and who follows it. It is
 * plain state, which the hub (hub.ts) changes.
 */
import { type Admission, getTopic } from './admission.ts';
import type { ResetReason } from './frames.ts';

/** An event as a commit announces it (storage/events/commit-notifier.ts) or the log holds it. */
export interface StreamEvent {
  readonly seq: number;
  readonly eventName: string;
  /** The envelope's exact text. */
  readonly body: string;
  /** Given by the log, not by the announcement. */
  readonly environmentId?: string;
}

/** The followers who see the same, whose frames have a topic of their own. */
export interface Audience {
  readonly topic: string;
  readonly admission: Pick<Admission, 'environmentId' | 'view'>;
  size: number;
}

/** A subscriber of the stream. */
export interface Follower {
  /** Its index in {@link ProjectStream.followers}, which the stream sets. */
  index: number;
  readonly admission: Admission;
  /** The stream's epoch and head have become known. */
  loaded(): void;
  /** The stream has jumped: the events in between cannot be published. */
  onJump(reason: ResetReason): void;
  /** Checks the socket's buffer, because much has been published since the last check. */
  checkBuffer(): void;
  /** A second has passed: `now` and `monotonic` are the clock's, in milliseconds. */
  tick(now: number, monotonic: number): void;
  /** Closes the socket with a code of `closeCodes` (frames.ts). */
  end(code: number, reason: string): void;
}

/** A live follower without a socket: it is handed each event as it is published. */
export interface StreamListener {
  /** @param environmentId the event's, where some follower of the stream is limited to one environment; else empty */
  take(event: StreamEvent, environmentId: string): void;
}

/** Events that are held behind a gap, at most. Further ones are read from the log when their turn comes. */
const maxHeld = 1_000;
/** The same limit in characters. */
const maxHeldLength = 4_194_304;

export class ProjectStream {
  readonly projectId: string;
  epoch = '';
  /** Counts how often the numbers have started over: an answer of the log from before is not used. */
  starts = 0;
  /** Everything up to this number has been published; -1 until it is known. */
  head = -1;
  /** The highest number that is known to be committed. */
  target = 0;
  readonly followers: Follower[] = [];
  readonly listeners = new Set<StreamListener>();
  /** By topic. */
  readonly audiences = new Map<string, Audience>();
  /** Followers that see one environment alone. */
  limited = 0;
  /** Bytes published since the followers' buffers were last checked. */
  unchecked = 0;
  /** The read that brings `head` to `target`, while it runs. */
  filling: Promise<void> | undefined;
  /** A read of the missing events is scheduled. */
  isFillDue = false;
  /** Unsubscribes from the commits of other nodes. */
  unfollow: (() => void) | undefined;
  readonly #held = new Map<number, StreamEvent>();
  #heldLength = 0;

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  get loaded(): boolean {
    return this.head >= 0;
  }

  /** Nobody follows any more: work for the stream may stop. */
  get isAbandoned(): boolean {
    return this.followers.length === 0;
  }

  add(follower: Follower): void {
    follower.index = this.followers.length;
    this.followers.push(follower);
    const { admission } = follower;
    const topic = getTopic(admission);
    const audience = this.audiences.get(topic);
    if (audience === undefined) this.audiences.set(topic, { topic, admission, size: 1 });
    else audience.size++;
    if (admission.environmentId !== undefined) this.limited++;
  }

  remove(follower: Follower): void {
    const last = this.followers.pop();
    if (last !== undefined && last !== follower) {
      last.index = follower.index;
      this.followers[follower.index] = last;
    }
    const { admission } = follower;
    const audience = this.audiences.get(getTopic(admission));
    if (audience !== undefined && --audience.size === 0) this.audiences.delete(audience.topic);
    if (admission.environmentId !== undefined) this.limited--;
  }

  /** Holds an event until those before it have been published. Beyond the limits it is dropped: `target` still counts it. */
  hold(event: StreamEvent): void {
    if (this.#held.has(event.seq)) return;
    if (this.#held.size >= maxHeld || this.#heldLength + event.body.length > maxHeldLength) return;
    this.#held.set(event.seq, event);
    this.#heldLength += event.body.length;
  }

  /** Removes and returns the next event, if it is held. */
  next(): StreamEvent | undefined {
    if (this.#held.size === 0) return undefined;
    const event = this.#held.get(this.head + 1);
    if (event !== undefined) this.#release(event);
    return event;
  }

  /** Jumps, and drops the held events up to the new head. */
  moveTo(epoch: string, head: number): void {
    this.epoch = epoch;
    this.head = head;
    if (this.target < head) this.target = head;
    for (const event of this.#held.values()) if (event.seq <= head) this.#release(event);
  }

  /** Forgets everything but the followers and the last epoch, because the numbers have started over. */
  startOver(): void {
    this.starts++;
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
