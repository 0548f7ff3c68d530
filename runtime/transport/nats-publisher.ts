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

/** Room for headers, which count towards the server's limit. */
export const headersBytes = 1_024;

/** The subject at which the node that answers takes asks for all of its shards, in lines. */
const linesToHeader = 'Skein-Lines-To';
/** The subject at which the sender of a tell wants to hear the subject for lines. */
const linesQuestionHeader = 'Skein-Lines-Question';
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

/** The headers of an answer that names where its node takes lines. */
export function createAnswerHeaders(linesTo: string): MsgHdrs {
  const result = headers();
  result.set(linesToHeader, linesTo);
  return result;
}

/** Undefined where the node that answers is older than lines, or does not own the shard. */
export function readLinesTo(given: MsgHdrs | undefined): string | undefined {
  const subject = given?.get(linesToHeader);
  return subject === '' ? undefined : subject;
}

/** The same headers with the question of a tell where lines may be sent; it is answered at `subject`. */
export function askForLines(given: MsgHdrs, subject: string): MsgHdrs {
  given.set(linesQuestionHeader, subject);
  return given;
}

/** Where to answer the question; undefined where there is none. */
export function readLinesQuestion(given: MsgHdrs | undefined): string | undefined {
  const subject = given?.get(linesQuestionHeader);
  return subject === '' ? undefined : subject;
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

/** Lines to one subject, which go as one message. */
interface Lines {
  readonly subject: string;
  readonly lines: string[];
  readonly options: PublishOptions | undefined;
  readonly lost: (() => void)[];
  bytes: number;
}

export interface NatsPublisherOptions {
  readonly connection: NatsConnection;
  readonly log: Log;
  /** Calls back at the end of this turn of the event loop. */
  readonly atTurnEnd: (callback: () => void) => void;
}

export class NatsPublisher {
  readonly #options: NatsPublisherOptions;
  readonly #batch: TurnBatch<OutgoingMessage | Lines>;
  /** By subject: those of this turn that still have room. */
  readonly #open = new Map<string, Lines>();

  constructor(options: NatsPublisherOptions) {
    this.#options = options;
    this.#batch = new TurnBatch(messages => this.#publishAll(messages), options.atTurnEnd);
  }

  /** Only while there is a connection. */
  send(message: OutgoingMessage): void {
    this.#batch.add(message);
  }

  /**
   * The lines to one subject of this turn go as one message, at the place of the first, or as several where one would be too large.
   * Returns the options that their message has, made by `createOptions` for its first line.
   */
  sendLine(
    subject: string,
    line: string,
    createOptions?: () => PublishOptions,
    onLost?: () => void,
  ): PublishOptions | undefined {
    const bytes = Buffer.byteLength(line) + 1;
    let open = this.#open.get(subject);
    if (open === undefined || open.bytes + bytes > this.#options.connection.maxPayload) {
      open = { subject, lines: [], options: createOptions?.(), lost: [], bytes: 0 };
      this.#open.set(subject, open);
      this.#batch.add(open);
    }
    open.lines.push(line);
    open.bytes += bytes;
    if (onLost !== undefined) open.lost.push(onLost);
    return open.options;
  }

  /** Hands the messages of this turn to the client now. */
  flush(): void {
    this.#batch.flush();
  }

  /** The connection is lost: none of these messages may be sent on the next one. */
  clear(): void {
    this.#open.clear();
    for (const message of this.#batch.take()) loseMessage(message);
  }

  /** In one go, so that the client writes them together. */
  #publishAll(messages: readonly (OutgoingMessage | Lines)[]): void {
    this.#open.clear();
    const { connection, log } = this.#options;
    for (const message of messages) {
      const { subject, options } = message;
      try {
        const bytes = 'lines' in message ? Buffer.from(message.lines.join('\n')) : message.bytes;
        connection.client.publish(subject, bytes, options);
      } catch (error) {
        log.error({ err: error, subject }, 'a message could not be sent');
        loseMessage(message);
      }
    }
  }
}

function loseMessage(message: OutgoingMessage | Lines): void {
  if ('lines' in message) for (const onLost of message.lost) onLost();
  else message.onLost?.();
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
