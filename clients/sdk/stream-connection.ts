/**
 * One websocket of the stream, as a queue of what it brings. It opens, resumes, answers pings, and ends once: by a close, an error, silence,
 * or a queue that is full. What came before the end is still given.
 */
import type { EphemeralEvent, SkeinEvent } from './generated/types.ts';

/** Where one is in a project's stream: keep it, and go on from it. */
export interface Cursor {
  readonly epoch: string;
  readonly seq: number;
}

/** What the stream gives. All but the ephemeral have the cursor to keep once they are done with. */
export type StreamItem =
  | {
      readonly type: 'event';
      readonly event: SkeinEvent;
      readonly cursor: Cursor;
      /** The exact text of the event, which is also what webhooks deliver and sign. */
      readonly raw: string;
    }
  /** Typing, or output while it is written: neither numbered nor repeated. */
  | { readonly type: 'ephemeral'; readonly event: EphemeralEvent }
  /** Nothing that you may see happened up to here. A cursor that is kept stays fresh by it. */
  | { readonly type: 'position'; readonly cursor: Cursor }
  /** Connected, and nothing is lost: what was missed follows, up to `head`, the newest number of the project. */
  | { readonly type: 'resumed'; readonly cursor: Cursor; readonly head: number }
  /** The events between the old cursor and this one are not in the stream any more: read what you show again. */
  | {
      readonly type: 'reset';
      readonly cursor: Cursor;
      /** `expired`: older than what is kept; `epoch`: the numbers started over; `ahead`: the server is behind, as after a restored backup. */
      readonly reason: 'expired' | 'epoch' | 'ahead' | (string & {});
    };

/** How a connection ended. */
export interface Closing {
  readonly type: 'closed';
  /** The websocket's close code; 1006 where there was none. */
  readonly code: number;
  readonly reason: string;
  /** Whether it was ever open. */
  readonly wasOpen: boolean;
  /** No frame came in time. */
  readonly wasSilent?: boolean;
}

/** What of a WebSocket the client uses. */
export interface SocketLike {
  /** As of a `WebSocket`. Without it, frames are sent until the connection is closed. */
  readonly readyState?: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** Frames that may wait to be taken. Beyond them the connection ends, to be resumed from what was taken. */
const maxQueued = 1_000;
/** `WebSocket.OPEN`. */
const openState = 1;
const eventHead = /^\{"type":"event","seq":\d+,"event":/;

/** What the reader of a stream shows and looks at. */
export interface Watching {
  readonly environmentId: string | undefined;
  /** Undefined: has never said. */
  threadId?: string | null;
}

export class StreamConnection {
  readonly #socket: SocketLike;
  readonly #watching: Watching;
  readonly #silenceMs: number;
  readonly #items: StreamItem[] = [];
  #epoch: string | undefined;
  #seq: number;
  #closing: Closing | undefined;
  #wasOpen = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Called when there is something to take. */
  #wake: () => void = () => undefined;

  /**
   * @param cursor where to go on; undefined: from now
   * @param silenceMs without any frame for so long the connection is dead
   */
  constructor(socket: SocketLike, cursor: Cursor | undefined, watching: Watching, silenceMs: number) {
    this.#socket = socket;
    this.#watching = watching;
    this.#silenceMs = silenceMs;
    this.#epoch = cursor?.epoch;
    this.#seq = cursor?.seq ?? 0;
    socket.addEventListener('open', () => {
      this.#wasOpen = true;
      const { environmentId } = watching;
      this.#send({ type: 'resume', ...cursor, environmentId });
      this.tellView();
    });
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    socket.addEventListener('close', ({ code, reason }) => this.#end(code, reason));
    // Node gives no `close` to a socket that never opened.
    socket.addEventListener('error', () => this.#end(1006, 'no connection'));
    this.#expectFrame();
  }

  /** The next item; after the last one, how the connection ended; undefined once the signal is aborted. */
  async next(signal: AbortSignal | undefined): Promise<StreamItem | Closing | undefined> {
    while (signal?.aborted !== true) {
      const next = this.#items.shift() ?? this.#closing;
      if (next !== undefined) return next;
      await this.#wait(signal);
    }
    return undefined;
  }

  /** Says which thread the user looks at; until the connection is open it waits. */
  tellView(): void {
    const { threadId } = this.#watching;
    if (threadId === undefined || !this.#wasOpen || this.#closing !== undefined) return;
    this.#send({ type: 'view', threadId });
  }

  /** Asks for a sign of life. Without any frame for so long the connection is dead, also one that is not open yet. */
  check(withinMs: number): void {
    if (this.#closing !== undefined) return;
    if (this.#wasOpen) this.#send({ type: 'ping' });
    this.#expectFrame(withinMs);
  }

  /** Ends it from this side. */
  close(): void {
    this.#end(1000, 'closed by the client');
  }

  /** Sends nothing while the connection closes: browsers would log an error. */
  #send(frame: object): void {
    if ((this.#socket.readyState ?? openState) === openState) this.#socket.send(JSON.stringify(frame));
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const wake = (): void => this.#wake();
    signal?.addEventListener('abort', wake, { once: true });
    await new Promise<void>(resolve => (this.#wake = resolve));
    signal?.removeEventListener('abort', wake);
  }

  #expectFrame(withinMs = this.#silenceMs): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(1006, 'no sign of life', true), withinMs);
  }

  #end(code: number, reason: string, wasSilent = false): void {
    if (this.#closing !== undefined) return;
    this.#closing = { type: 'closed', code, reason, wasOpen: this.#wasOpen, wasSilent };
    clearTimeout(this.#timer);
    this.#socket.close();
    this.#wake();
  }

  #receive(text: string): void {
    if (this.#closing !== undefined) return;
    this.#expectFrame();
    const frame = parseFrame(text);
    switch (frame?.type) {
      case 'event':
        return this.#receiveEvent(text, frame);
      case 'ping':
        this.#send({ type: 'pong' });
        return this.#receivePosition(frame.seq);
      case 'resumed':
      case 'reset':
        return this.#begin(frame);
      default:
      // A frame of a newer server: what is newer than this client is not for it.
    }
  }

  #begin({ type, epoch = '', seq = 0, head = seq, reason = '' }: Frame): void {
    this.#epoch = epoch;
    this.#seq = seq;
    const cursor = { epoch, seq };
    this.#push(type === 'reset' ? { type, cursor, reason } : { type: 'resumed', cursor, head });
  }

  #receiveEvent(text: string, { seq, event }: Frame): void {
    if (seq === undefined) return this.#push({ type: 'ephemeral', event: event as EphemeralEvent });
    this.#seq = seq;
    const head = eventHead.exec(text)?.[0];
    const raw = head === undefined ? JSON.stringify(event) : text.slice(head.length, -1);
    this.#push({ type: 'event', event: event as SkeinEvent, cursor: this.#getCursor(seq), raw });
  }

  /** A ping says up to where everything was sent. */
  #receivePosition(seq: number | undefined): void {
    if (seq === undefined || this.#epoch === undefined || seq <= this.#seq) return;
    this.#seq = seq;
    this.#push({ type: 'position', cursor: this.#getCursor(seq) });
  }

  #getCursor(seq: number): Cursor {
    return { epoch: this.#epoch ?? '', seq };
  }

  #push(item: StreamItem): void {
    this.#items.push(item);
    this.#wake();
    if (this.#items.length >= maxQueued) this.#end(1006, `${maxQueued} frames wait to be taken`);
  }
}

interface Frame {
  readonly type: string;
  readonly epoch?: string;
  readonly seq?: number;
  readonly head?: number;
  readonly reason?: string;
  readonly event?: unknown;
}

/** undefined for what is no JSON object. */
function parseFrame(text: string): Frame | undefined {
  try {
    return JSON.parse(text) as Frame | undefined;
  } catch {
    return undefined;
  }
}
