/** What each node has to know of a stitch's deliveries: what had happened when it read the stitch's row, and what the stitch did or was told there since. */

/** What a stitch is told of a result. */
export interface HeardResult {
  readonly deliveryId: string;
  /** Made so far; null where there will be no other. */
  readonly attempts: number | null;
}

/** A delivery that a stitch begins. */
export interface BegunDelivery {
  readonly deliveryId: string;
  /** Made so far. */
  readonly attempts: number;
}

/** Since a node has read the row of a stitch last. */
interface Knowledge {
  /** Virtual milliseconds. */
  readonly loadedAt: number;
  /** Deliveries that were begun. */
  readonly begun: Set<string>;
  /** The attempts of each delivery, as the stitch was told. */
  readonly heard: Map<string, number | null>;
}

export class KnownToNodes {
  /** By node and stitch. */
  readonly #knowledge = new Map<string, Knowledge>();
  /** The number of the last stop that a stitch knew when it began a delivery, by node and delivery. */
  readonly #begunAt = new Map<string, number>();
  /** The number of the last stop for which a node was told to withdraw what waits, by node and stitch. */
  readonly #withdrawn = new Map<string, number>();

  /** The database failed over: what nodes know of it may be of what is lost. */
  forget(): void {
    this.#knowledge.clear();
    this.#begunAt.clear();
    this.#withdrawn.clear();
  }

  /** A node reads the row of the stitch: what it knew of it before is forgotten. */
  load(node: string, stitchId: string, now: number): void {
    const knowledge = { loadedAt: now, begun: new Set<string>(), heard: new Map<string, number | null>() };
    this.#knowledge.set(`${node} ${stitchId}`, knowledge);
  }

  /** When it has read the row, in virtual milliseconds. */
  getLoadedAt(node: string, stitchId: string): number {
    return this.#get(node, stitchId).loadedAt;
  }

  /** The stitch is told of results that are committed. */
  hear(node: string, stitchId: string, results: readonly HeardResult[]): void {
    const { heard } = this.#get(node, stitchId);
    for (const { deliveryId, attempts } of results) heard.set(deliveryId, attempts);
  }

  /**
   * The stitch begins a delivery. Whether it has to know that this attempt is settled.
   *
   * @param stops the number of the last stop that it knows
   * @param settledAt when the delivery was settled, in virtual milliseconds
   */
  begin(
    node: string,
    stitchId: string,
    { deliveryId, attempts }: BegunDelivery,
    stops: number,
    settledAt: number | undefined,
  ): boolean {
    const { loadedAt, begun, heard } = this.#get(node, stitchId);
    const made = heard.get(deliveryId);
    const wasTold = made === null || (made !== undefined && attempts < made);
    // What it has begun itself, it knows to be settled when it is.
    const isSettled = settledAt !== undefined && (settledAt < loadedAt || begun.has(deliveryId));
    begun.add(deliveryId);
    this.#begunAt.set(`${node} ${deliveryId}`, stops);
    return wasTold || isSettled;
  }

  /** The node is told to withdraw what the stitch has begun before that stop, and is not out yet. */
  withdraw(node: string, stitchId: string, stops: number): void {
    const key = `${node} ${stitchId}`;
    this.#withdrawn.set(key, Math.max(stops, this.#withdrawn.get(key) ?? 0));
  }

  isWithdrawn(node: string, stitchId: string, deliveryId: string): boolean {
    const begunAt = this.#begunAt.get(`${node} ${deliveryId}`) ?? 0;
    return begunAt < (this.#withdrawn.get(`${node} ${stitchId}`) ?? 0);
  }

  #get(node: string, stitchId: string): Knowledge {
    const key = `${node} ${stitchId}`;
    if (!this.#knowledge.has(key)) this.load(node, stitchId, 0);
    return this.#knowledge.get(key) as Knowledge;
  }
}
