/**
 * The live events of the project that the operator works in, over as many connections as it takes. What is shown is read over REST and kept
 * true by these events.
 *
 *   connecting -> online -> waiting -> connecting ... -> ended
 *
 * After a lost connection the stream goes on where it was: `catchingUp` until what was missed has come. `reset` says that too much was
 * missed: listeners read what they show again.
 */
import type { Cursor, Disconnect, EventStream, StreamItem } from '../../sdk/index.ts';

export type StreamState =
  | { readonly is: 'connecting' }
  | { readonly is: 'online' }
  | { readonly is: 'waiting'; readonly retryAt: number }
  /** The session is over, or the operator may not follow this project any more. */
  | { readonly is: 'ended'; readonly error: unknown };

export type StreamedEvent = Extract<StreamItem, { type: 'event' }>['event'];
export type StreamedEphemeral = Extract<StreamItem, { type: 'ephemeral' }>['event'];

export interface StreamListener {
  /** Once each, in order. */
  onEvent?(event: StreamedEvent): void;
  /** Typing, viewers, and what a model is writing. */
  onEphemeral?(event: StreamedEphemeral): void;
  /** A connection begins: what is not repeated comes anew. */
  onConnect?(): void;
  /** Events were missed for good. */
  onReset?(): void;
}

/** Opens the stream: of the SDK, or of a test. */
export type OpenStream = (options: {
  readonly from: Cursor | undefined;
  readonly signal: AbortSignal;
  readonly onDisconnect: (disconnect: Disconnect) => void;
}) => AsyncIterable<StreamItem> & Pick<EventStream, 'view'>;

export class ProjectStream {
  readonly #open: OpenStream;
  readonly #now: () => number;
  readonly #listeners = new Set<StreamListener>();
  readonly #stateListeners = new Set<() => void>();
  #state: StreamState = { is: 'connecting' };
  #following: AbortController | undefined;
  #opened: Pick<EventStream, 'view'> | undefined;
  #viewed: string | null = null;

  constructor(open: OpenStream, now: () => number = Date.now) {
    this.#open = open;
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

  async #follow(signal: AbortSignal): Promise<void> {
    const onDisconnect = ({ retryInMs }: Disconnect): void =>
      this.#setState({ is: 'waiting', retryAt: this.#now() + retryInMs });
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
    if (isBeginning) this.#setState({ is: 'online' });
    for (const listener of this.#listeners) {
      if (isBeginning) listener.onConnect?.();
      if (item.type === 'event') listener.onEvent?.(item.event);
      else if (item.type === 'ephemeral') listener.onEphemeral?.(item.event);
      else if (item.type === 'reset') listener.onReset?.();
    }
  }

  #setState(state: StreamState): void {
    this.#state = state;
    for (const listener of this.#stateListeners) listener();
  }
}
