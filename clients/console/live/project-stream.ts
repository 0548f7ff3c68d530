/**
 * The live events of the project that the operator works in, over as many connections as it takes. What is shown is read over REST and kept
 * true by these events.
 *
 *   connecting -> online -> waiting -> connecting ... -> ended
 *              -> catchingUp or reset -> online
 *
 * After a lost connection the stream goes on where it was: `catchingUp` until what was missed has come. `reset` says that too much was
 * missed: listeners read what they show again, and it lasts until they have. `polling` stands for `waiting` where no connection can be had,
 * though the server answers: what is shown is read again from time to time.
 */
import type { Cursor, Disconnect, EventStream, StreamItem } from '../../sdk/index.ts';

export type StreamState =
  | { readonly is: 'connecting' }
  | { readonly is: 'online' }
  /** `left`: how many numbers of events are still to come, some of which the operator may not see. */
  | { readonly is: 'catchingUp'; readonly left: number }
  | { readonly is: 'reset' }
  | { readonly is: 'waiting'; readonly retryAt: number }
  | { readonly is: 'polling' }
  /** The session is over, or the operator may not follow this project any more. */
  | { readonly is: 'ended'; readonly error: unknown };

export function isConnected({ is }: StreamState): boolean {
  return is === 'online' || is === 'catchingUp' || is === 'reset';
}

export type StreamedEvent = Extract<StreamItem, { type: 'event' }>['event'];
export type StreamedEphemeral = Extract<StreamItem, { type: 'ephemeral' }>['event'];

export interface StreamListener {
  /** Once each, in order. */
  onEvent?(event: StreamedEvent): void;
  /** Typing, viewers, and what a model is writing. */
  onEphemeral?(event: StreamedEphemeral): void;
  /** A connection begins: what is not repeated comes anew. */
  onConnect?(): void;
  /** The first connection begins, from now: of what happened between an earlier read and this nothing comes. */
  onBegin?(): void;
  /** Events were missed for good. Gives a promise where reading again takes a while. */
  onReset?(): void | Promise<unknown>;
  /** No connection can be had: what is shown is read again, and stays until it has come. */
  onPoll?(): void | Promise<unknown>;
}

/** Opens the stream: of the SDK, or of a test. */
export type OpenStream = (options: {
  readonly from: Cursor | undefined;
  readonly signal: AbortSignal;
  readonly onDisconnect: (disconnect: Disconnect) => void;
}) => AsyncIterable<StreamItem> & Pick<EventStream, 'view' | 'check'>;

/** What lives says so within so many milliseconds. */
const aliveWithinMs = 4_000;
/** While it catches up, how much is left is told so often at most. */
const leftEveryMs = 100;

export class ProjectStream {
  readonly #open: OpenStream;
  readonly #onSilence: () => unknown;
  readonly #now: () => number;
  readonly #listeners = new Set<StreamListener>();
  readonly #stateListeners = new Set<() => void>();
  #state: StreamState = { is: 'connecting' };
  /** How it stands with the next connection. */
  #next: StreamState = this.#state;
  #following: AbortController | undefined;
  #opened: Pick<EventStream, 'view' | 'check'> | undefined;
  #checkedAt = -Infinity;
  #viewed: string | null = null;
  #hasBegun = false;
  /** The number with which it has caught up. */
  #head = 0;
  #leftToldAt = 0;

  /** @param onSilence a connection has died without a word */
  constructor(open: OpenStream, onSilence: () => unknown, now: () => number = Date.now) {
    this.#open = open;
    this.#onSilence = onSilence;
    this.#now = now;
  }

  readonly getState = (): StreamState => this.#state;

  /** Returns what removes the listener. */
  readonly onState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  };

  /** Returns what removes the listener. */
  listen(listener: StreamListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Follows until `stop`. Without effect while it follows. */
  start(): void {
    if (this.#following !== undefined) return;
    this.#following = new AbortController();
    void this.#follow(this.#following.signal);
  }

  stop(): void {
    this.#following?.abort();
    this.#following = undefined;
  }

  /** Tells the colleagues which thread the operator looks at; null: none. */
  view(threadId: string | null): void {
    if (threadId === this.#viewed) return;
    this.#viewed = threadId;
    this.#opened?.view(threadId);
  }

  /** The connection may be dead without having said so: it shows that it lives, or the next one is made. */
  check(): void {
    const now = this.#now();
    if (now < this.#checkedAt + aliveWithinMs) return;
    this.#checkedAt = now;
    this.#opened?.check(aliveWithinMs);
  }

  /**
   * Has what is shown read again, unless there is a connection.
   *
   * @param isLasting whether it will be so for a while, which is told
   */
  poll(isLasting: boolean): void {
    if (isConnected(this.#state) || this.#state.is === 'ended') return;
    if (isLasting && this.#state.is !== 'polling') this.#setState({ is: 'polling' });
    for (const listener of this.#listeners) void listener.onPoll?.();
  }

  /** The server does not answer either. */
  endPolling(): void {
    if (this.#state.is === 'polling') this.#setState(this.#next);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const onDisconnect = ({ retryInMs, wasSilent }: Disconnect): void => {
      this.#next = { is: 'waiting', retryAt: this.#now() + retryInMs };
      if (this.#state.is !== 'polling') this.#setState(this.#next);
      if (wasSilent) this.#onSilence();
    };
    try {
      const opened = this.#open({ from: undefined, signal, onDisconnect });
      this.#opened = opened;
      opened.view(this.#viewed);
      for await (const item of opened) {
        if (signal.aborted) return;
        this.#take(item);
      }
    } catch (error) {
      if (!signal.aborted) this.#setState({ is: 'ended', error });
    }
  }

  #take(item: StreamItem): void {
    const isBeginning = item.type === 'resumed' || item.type === 'reset';
    if (item.type === 'resumed') this.#head = item.head;
    if (item.type === 'reset') this.#setState({ is: 'reset' });
    else if (item.type !== 'ephemeral') this.#count(item.cursor.seq, isBeginning);
    const isFirst = isBeginning && !this.#hasBegun;
    this.#hasBegun ||= isBeginning;
    const readings: unknown[] = [];
    for (const listener of this.#listeners) {
      if (isBeginning) listener.onConnect?.();
      if (isFirst) listener.onBegin?.();
      if (item.type === 'event') listener.onEvent?.(item.event);
      else if (item.type === 'ephemeral') listener.onEphemeral?.(item.event);
      else if (item.type === 'reset') readings.push(listener.onReset?.());
    }
    if (item.type === 'reset') void this.#awaitReadings(readings);
  }

  /** Everything up to this number has come. */
  #count(seq: number, isBeginning: boolean): void {
    if (!isBeginning && this.#state.is !== 'catchingUp') return;
    const left = this.#head - seq;
    if (left <= 0) return this.#setState({ is: 'online' });
    if (!isBeginning && this.#now() < this.#leftToldAt + leftEveryMs) return;
    this.#leftToldAt = this.#now();
    this.#setState({ is: 'catchingUp', left });
  }

  async #awaitReadings(readings: readonly unknown[]): Promise<void> {
    const reset = this.#state;
    await Promise.allSettled(readings);
    // Unless it was lost meanwhile.
    if (this.#state === reset) this.#setState({ is: 'online' });
  }

  #setState(state: StreamState): void {
    this.#state = state;
    for (const listener of this.#stateListeners) listener();
  }
}
