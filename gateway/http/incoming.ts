/**
 * The body of a request as a stream, for routes that take more than would fit into memory. While nobody reads, the server
 * beneath is told to pause, so that little more lies here than the high-water mark and what the system had received by then.
 */
import { Readable } from 'node:stream';

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
    // Whoever reads sees the error; where nobody does, it is of no concern.
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
