/**
 * Bodies that are not held in memory. {@link IncomingBody} is a request's body as a stream: while nothing reads it, the server pauses
 * the connection, so that little more is in memory than the high-water mark and what the system had received by then. {@link pipeBody} sends an
 * answer's body from a stream, as fast as the client takes it.
 */
import { Readable } from 'node:stream';
import type { HttpResponse } from 'uWebSockets.js';
import type { OutgoingBody } from './message.ts';

/** Bytes that may wait for the reader. */
const highWaterMark = 262_144;

/** The connection that the body comes from. */
export interface Tap {
  pause(): void;
  resume(): void;
}

/** The client went away before the body was complete, or the request was answered without it. */
export class BodyCut extends Error {
  override readonly name = 'BodyCut';
}

export class IncomingBody extends Readable {
  readonly #tap: Tap;
  #paused = false;

  constructor(tap: Tap) {
    super({ highWaterMark });
    this.#tap = tap;
    // The reader sees the error; without a reader it does not matter.
    this.on('error', () => undefined);
  }

  /** A piece of the body; its memory is the server's, and gone when this returns. */
  arrive(piece: ArrayBuffer, last: boolean): void {
    // The connection stays open, and has to be read for its next request.
    if (last) this.#flow();
    if (this.destroyed) return;
    const hasRoom = piece.byteLength === 0 || this.push(Buffer.from(piece.slice(0)));
    if (last) {
      this.push(null);
    } else if (!hasRoom && !this.#paused) {
      this.#paused = true;
      this.#tap.pause();
    }
  }

  /** The rest will not arrive, or will not be read. What still arrives is discarded. */
  cut(): void {
    this.#flow();
    if (!this.readableEnded) this.destroy(new BodyCut('the body was cut'));
  }

  override _read(): void {
    this.#flow();
  }

  #flow(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#tap.resume();
  }
}

/** How it ended; `broken`: the stream failed, or did not have its size, with half an answer sent. */
export type Outcome = 'complete' | 'broken';

/**
 * Sends the body after the head has been written, and calls `done` once. The returned function aborts: after it neither the
 * response nor `done` is touched.
 */
export function pipeBody(
  res: HttpResponse,
  body: OutgoingBody,
  done: (outcome: Outcome) => void,
): () => void {
  const { stream, size } = body;
  const pipe =
    size === undefined ? new ChunkPipe(res, stream, done) : new SizedPipe(res, { stream, size }, done);
  pipe.start();
  return () => pipe.abort();
}

/** Of a smaller chunk this server does not say that the client has not taken it. Bytes. */
const leastChunk = 65_536;

/**
 * A body of unknown size, in chunks, for which small pieces of the stream are gathered. What the client does not take at once stays in the
 * server, which then wants no more: at most one chunk, and what the system holds.
 */
class ChunkPipe {
  readonly #res: HttpResponse;
  readonly #stream: Readable;
  readonly #done: (outcome: Outcome) => void;
  #over = false;
  #watching = false;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;

  constructor(res: HttpResponse, stream: Readable, done: (outcome: Outcome) => void) {
    this.#res = res;
    this.#stream = stream;
    this.#done = done;
  }

  start(): void {
    const stream = this.#stream;
    stream.on('data', (piece: Buffer) => {
      if (this.#over) return;
      this.#gathered.push(piece);
      this.#gatheredBytes += piece.length;
      if (this.#gatheredBytes >= leastChunk) this.#write(this.#takeGathered());
    });
    stream.on('end', () => {
      if (this.#over) return;
      const rest = this.#takeGathered();
      this.#res.cork(() => {
        // A chunk without bytes would be the last.
        if (rest.length > 0) this.#res.write(rest);
        this.#res.end();
      });
      this.#end('complete');
    });
    // The last chunk is missing: the client knows that it has not got everything.
    stream.on('error', () => this.#end('broken'));
  }

  abort(): void {
    this.#over = true;
    this.#stream.destroy();
  }

  #end(outcome: Outcome): void {
    if (this.#over) return;
    this.abort();
    this.#done(outcome);
  }

  #takeGathered(): Buffer {
    const chunk = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    return chunk;
  }

  #write(chunk: Uint8Array): void {
    let taken = false;
    this.#res.cork(() => {
      taken = this.#res.write(chunk);
    });
    if (taken) return;
    this.#stream.pause();
    if (this.#watching) return;
    this.#watching = true;
    this.#res.onWritable(() => {
      if (!this.#over) this.#stream.resume();
      return true;
    });
  }
}

class SizedPipe {
  readonly #res: HttpResponse;
  readonly #body: Required<OutgoingBody>;
  readonly #done: (outcome: Outcome) => void;
  #over = false;
  /** Bytes that the stream has given. */
  #sent = 0;
  /** What the client has not taken yet, and where in the whole body it begins. */
  #rest: Uint8Array = new Uint8Array(0);
  #restAt = 0;
  #watching = false;

  constructor(res: HttpResponse, body: Required<OutgoingBody>, done: (outcome: Outcome) => void) {
    this.#res = res;
    this.#body = body;
    this.#done = done;
  }

  start(): void {
    const { stream, size } = this.#body;
    stream.on('data', (chunk: Buffer) => {
      if (this.#over) return;
      this.#sent += chunk.length;
      if (this.#sent > size) return this.#end('broken');
      this.#offer(chunk);
    });
    // An empty body has no data, and is complete with its head.
    stream.on('end', () => {
      if (this.#over) return;
      if (size === 0) this.#offer(new Uint8Array(0));
      else if (this.#sent < size) this.#end('broken');
    });
    stream.on('error', () => this.#end('broken'));
  }

  abort(): void {
    this.#over = true;
    this.#body.stream.destroy();
  }

  #end(outcome: Outcome): void {
    if (this.#over) return;
    this.abort();
    this.#done(outcome);
  }

  #offer(chunk: Uint8Array): void {
    this.#rest = chunk;
    this.#restAt = this.#res.getWriteOffset();
    let taken = false;
    let complete = false;
    this.#res.cork(() => {
      [taken, complete] = this.#res.tryEnd(chunk, this.#body.size);
    });
    if (complete) return this.#end('complete');
    if (taken) return;
    this.#body.stream.pause();
    this.#watch();
  }

  /** Sends the rest as the client takes it. Registered once: of several callbacks, this server keeps calling the first. */
  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    this.#res.onWritable(at => {
      if (this.#over) return true;
      const [taken, complete] = this.#res.tryEnd(this.#rest.subarray(at - this.#restAt), this.#body.size);
      if (complete) this.#end('complete');
      else if (taken) this.#body.stream.resume();
      return taken;
    });
  }
}
