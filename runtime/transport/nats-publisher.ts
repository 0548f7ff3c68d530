/**
 * What a node sends over NATS: its headers, its batches, and its bound.
 *
 * All messages of one turn of the event loop are written together, in order. A message alone costs a write to the socket, a turn of the
 * server, and one of the receiving node: more than all other work for it.
 */
import { headers, type MsgHdrs, type PublishOptions } from 'nats';
import type { NatsConnection } from '../nats/index.ts';
import type { Log } from '../observability/index.ts';
import { TurnBatch } from '../time/index.ts';
import type { Envelope } from './transport.ts';

/** The remaining time of a command, in milliseconds. */
const leftHeader = 'Skein-Left';
const requestIdHeader = 'Skein-Request-Id';
const traceparentHeader = 'traceparent';

/**
 * The headers of a command between nodes: what the server's tools and tracing see, and what a node sees without parsing the text.
 * `now`: by the monotonic clock.
 */
export function createHeaders({ deadline, requestId, traceparent }: Envelope, now: number): MsgHdrs {
  const result = headers();
  result.set(leftHeader, String(Math.round(deadline - now)));
  if (requestId !== undefined && isPlain(requestId)) result.set(requestIdHeader, requestId);
  if (traceparent !== undefined && isPlain(traceparent)) result.set(traceparentHeader, traceparent);
  return result;
}

/** Whether the deadline had passed when the command was sent. */
export function isTooLate(given: MsgHdrs | undefined): boolean {
  return given?.get(leftHeader).startsWith('-') === true;
}

/** The envelope's text carries everything; headers carry what fits into one. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]{0,256}$/.test(text);
}

export interface OutgoingMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly options?: PublishOptions;
  /** Called when it will not be sent. */
  readonly onLost?: () => void;
}

export interface NatsPublisherOptions {
  readonly connection: NatsConnection;
  readonly log: Log;
  /** Calls back at the end of this turn of the event loop. */
  readonly atTurnEnd: (callback: () => void) => void;
}

export class NatsPublisher {
  readonly #options: NatsPublisherOptions;
  readonly #batch: TurnBatch<OutgoingMessage>;

  constructor(options: NatsPublisherOptions) {
    this.#options = options;
    this.#batch = new TurnBatch(messages => this.#publish(messages), options.atTurnEnd);
  }

  /** Only while there is a connection. */
  send(message: OutgoingMessage): void {
    this.#batch.add(message);
  }

  /** Hands the messages of this turn to the client now. */
  flush(): void {
    this.#batch.flush();
  }

  /** The connection is lost: none of these messages may be sent on the next one. */
  clear(): void {
    for (const { onLost } of this.#batch.take()) onLost?.();
  }

  /** In one go, so that the client writes them together. */
  #publish(messages: readonly OutgoingMessage[]): void {
    const { connection, log } = this.#options;
    for (const { subject, bytes, options, onLost } of messages) {
      try {
        connection.client.publish(subject, bytes, options);
      } catch (error) {
        log.error({ err: error, subject }, 'a message could not be sent');
        onLost?.();
      }
    }
  }
}

/** A confirmation is requested each time that so many bytes have been sent. */
const confirmEveryBytes = 256 * 1_024;

/**
 * How many bytes are on their way to a server that has not confirmed them. Without a bound, a server that hangs would fill this node's
 * memory until the connection is found to be dead.
 */
export class SendWindow {
  readonly #limit: number;
  readonly #flush: () => Promise<void>;
  #unconfirmed = 0;
  /** Bytes since the last flush. */
  #unflushed = 0;

  /** `flush` resolves when everything that was sent before is confirmed or lost. */
  constructor(limitBytes: number, flush: () => Promise<void>) {
    this.#limit = limitBytes;
    this.#flush = flush;
  }

  /** Whether nothing more should be sent now. */
  get isFull(): boolean {
    return this.#unconfirmed >= this.#limit;
  }

  /** Counts sent bytes. */
  add(bytes: number): void {
    this.#unconfirmed += bytes;
    this.#unflushed += bytes;
    if (this.#unflushed >= confirmEveryBytes) void this.#confirm();
  }

  async #confirm(): Promise<void> {
    const bytes = this.#unflushed;
    this.#unflushed = 0;
    await this.#flush();
    this.#unconfirmed -= bytes;
  }
}
