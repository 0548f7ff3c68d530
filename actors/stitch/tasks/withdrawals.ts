/**
 * Tells what a node has yet to send for a stitch that the stitch was stopped. What waits for its turn in the pool's queue, or for anything
 * before that, is then not sent; what is out is answered.
 */

/** What a stitch has on its way. */
export interface Sending {
  /** The number of its last stop when that began. */
  readonly stops: number;
  /** Aborted by the next stop. */
  readonly withdrawn: AbortSignal;
}

interface Entry extends Sending {
  readonly controller: AbortController;
  batches: number;
}

/** The numbers of a stitch's stops only grow: whoever has a lower one than another was begun before a stop, wherever that was made. */
export class Withdrawals {
  /** By stitch, of the highest number. Nothing new is sent while a stop lasts. */
  readonly #sending = new Map<string, Entry>();

  /** A batch begins. Whoever has begun calls `end`. */
  begin(stitchId: string, stops: number): Sending {
    // It was stopped elsewhere, and came back: what was begun here before is still in the queue of this node.
    this.withdraw(stitchId, stops);
    let entry = this.#sending.get(stitchId);
    if (entry !== undefined && entry.stops > stops) return { stops, withdrawn: AbortSignal.abort(stopped()) };
    if (entry?.stops !== stops) {
      const controller = new AbortController();
      entry = { stops, withdrawn: controller.signal, controller, batches: 0 };
      this.#sending.set(stitchId, entry);
    }
    entry.batches++;
    return entry;
  }

  end(stitchId: string, sending: Sending): void {
    const entry = this.#sending.get(stitchId);
    if (entry === undefined || entry !== sending) return;
    entry.batches--;
    if (entry.batches === 0) this.#sending.delete(stitchId);
  }

  /** The stitch was stopped, by the stop with that number: withdraws what was begun before, and not what was begun after a later one. */
  withdraw(stitchId: string, stops: number): void {
    const entry = this.#sending.get(stitchId);
    if (entry !== undefined && entry.stops < stops) entry.controller.abort(stopped());
  }
}

function stopped(): Error {
  return new Error('the stitch was stopped');
}
