/**
 * Bodies that are not held in memory. {@link IncomingBody} is a request's body as a stream: while nobody reads, the server is told
 * to pause, so that little more is in memory than the high-water mark and what the system had received by then. {@link pipeBody} sends an
 * answer's body from a stream of known size, as fast as the client takes it.
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
  #complete = false;

  constructor(tap: Tap) {
    super({ highWaterMark });
    this.#tap = tap;
    // The reader sees the error; without a reader it does not matter.
    this.on('error', () => undefined);
  }

  /** Whether the last byte has arrived. */
  get complete(): boolean {
    return this.#complete;
  }

  /** A piece of the body; its memory is the server's, and gone when this returns. */
  arrive(piece: ArrayBuffer, last: boolean): void {
    if (last) {
      this.#complete = true;
      // The connection goes on, and has to be read from for its next request.
      this.#flow();
    }
    if (this.destroyed) return;
    const hasRoom = piece.byteLength === 0 || this.push(Buffer.from(piece.slice(0)));
    if (last) {
      this.push(null);
    } else if (!hasRoom && !this.#paused) {
      this.#paused = true;
      this.#tap.pause();
    }
  }

  /** The rest will not come, or will not be read. What is still on its way is swallowed. */
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
  { stream, size }: OutgoingBody,
  done: (outcome: Outcome) => void,
): () => void {
  let over = false;
  let sent = 0;
  const end = (outcome: Outcome): void => {
    if (over) return;
    over = true;
    stream.destroy();
    done(outcome);
  };

  /** What the client has not taken yet, and where in the whole body it begins. */
  let rest: Uint8Array = new Uint8Array(0);
  let restAt = 0;
  let watching = false;
  // Registered once: of several, this server goes on calling the first.
  const watch = (): void => {
    if (watching) return;
    watching = true;
    res.onWritable(at => {
      if (over) return true;
      const [taken, complete] = res.tryEnd(rest.subarray(at - restAt), size);
      if (complete) end('complete');
      else if (taken) stream.resume();
      return taken;
    });
  };

  const offer = (chunk: Uint8Array): void => {
    rest = chunk;
    restAt = res.getWriteOffset();
    let taken = false;
    let complete = false;
    res.cork(() => {
      [taken, complete] = res.tryEnd(chunk, size);
    });
    if (complete) return end('complete');
    if (taken) return;
    stream.pause();
    watch();
  };

  stream.on('data', (chunk: Buffer) => {
    if (over) return;
    sent += chunk.length;
    if (sent > size) return end('broken');
    offer(chunk);
  });
  // An empty body has no data, and is complete with its head.
  stream.on('end', () => {
    if (over) return;
    if (size === 0) offer(new Uint8Array(0));
    else if (sent < size) end('broken');
  });
  stream.on('error', () => end('broken'));
  return () => {
    over = true;
    stream.destroy();
  };
}
