/**
 * Bodies that were read ahead of their deliveries: a convenience with a bound for the whole node. One that was pushed out
 * is read again when its delivery starts.
 */
export class Bodies {
  readonly #most: number;
  readonly #bodies = new Map<string, string>();
  #size = 0;

  /** @param most UTF-16 units, over all bodies. */
  constructor(most: number) {
    this.#most = most;
  }

  /** What is kept now, in UTF-16 units. */
  get size(): number {
    return this.#size;
  }

  /** Keeps the body; the oldest make room. */
  put(deliveryId: string, body: string): void {
    this.take(deliveryId);
    this.#bodies.set(deliveryId, body);
    this.#size += body.length;
    for (const [oldest] of this.#bodies) {
      if (this.#size <= this.#most) break;
      this.take(oldest);
    }
  }

  /** The body, which is then no longer kept. */
  take(deliveryId: string): string | undefined {
    const body = this.#bodies.get(deliveryId);
    if (body === undefined) return undefined;
    this.#bodies.delete(deliveryId);
    this.#size -= body.length;
    return body;
  }
}
