/**
 * A number of places, and a line for those who wait for one.
 *
 *   (come)  -> at work    a place is free, and the owner holds fewer than are free
 *   (come)  -> waiting    else, where the owner has fewer in the line than there is room in it
 *   (come)  -> (gone)     else
 *   waiting -> at work    it is the owner's turn: owners take turns, and each is served first come, first served
 *   waiting -> (gone)     aborted
 *
 * So one owner alone has half of the places, and of the line, at most; of two each has a third; and there is always something left
 * for whoever comes next.
 */
export class Places {
  #free: number;
  #room: number;
  readonly #held = new Map<string, number>();
  /** By owner, in the order of their turns. */
  readonly #lines = new Map<string, Set<() => void>>();

  /** @param room how many may wait */
  constructor(count: number, room: number) {
    this.#free = count;
    this.#room = room;
  }

  /** Does the work when there is a place; not at all where there is no room to wait. Rejects with the signal's reason where it is aborted before. */
  async within(owner: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const hasRoom = (this.#lines.get(owner)?.size ?? 0) < this.#room;
    if (hasRoom || this.#mayTake(owner)) await this.inTurn(owner, signal, work);
  }

  /** Does the work when there is a place, however many wait. */
  async inTurn<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#mayTake(owner)) this.#take(owner);
    else await this.#turn(owner, signal);
    try {
      return await work();
    } finally {
      this.#give(owner);
    }
  }

  /** From now on there is a place for everybody. */
  open(): void {
    this.#free = Infinity;
    this.#callNext();
  }

  #mayTake(owner: string): boolean {
    return (this.#held.get(owner) ?? 0) < this.#free;
  }

  #take(owner: string): void {
    this.#free--;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
  }

  #give(owner: string): void {
    this.#free++;
    const held = (this.#held.get(owner) ?? 0) - 1;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
    this.#callNext();
  }

  /** Whoever may take the place that has become free: it is the last one's turn again after all others'. */
  #callNext(): void {
    for (const [owner, line] of this.#lines) {
      const [next] = line;
      if (next === undefined || !this.#mayTake(owner)) continue;
      this.#lines.delete(owner);
      this.#lines.set(owner, line);
      next();
      // That of the giver's own line may be called too, where another's was.
      this.#callNext();
      return;
    }
  }

  #turn(owner: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', abort);
        this.#leave(owner, take);
      };
      const abort = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      const take = (): void => {
        leave();
        this.#take(owner);
        resolve();
      };
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      signal.addEventListener('abort', abort, { once: true });
      this.#room--;
      const line = this.#lines.get(owner) ?? new Set();
      this.#lines.set(owner, line.add(take));
    });
  }

  #leave(owner: string, waiter: () => void): void {
    const line = this.#lines.get(owner);
    if (line?.delete(waiter) !== true) return;
    this.#room++;
    if (line.size === 0) this.#lines.delete(owner);
  }
}
