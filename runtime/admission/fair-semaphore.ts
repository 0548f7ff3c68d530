/**
 * A semaphore that is fair to owners.
 *
 *   (new)   -> working    there is a free permit, and the owner holds fewer permits than are free
 *   (new)   -> waiting    otherwise, if the owner's queue is shorter than the remaining room
 *   (new)   -> (skipped)  otherwise
 *   waiting -> working    it is the owner's turn: owners take turns, and the queue of each is first in, first out
 *   waiting -> (gone)     aborted
 *
 * So one owner alone gets at most half of the permits and of the room; of two owners each gets a third. There is always something left
 * for the next owner. (The dynamic thresholds of A. Choudhury and E. Hahne, "Dynamic queue length thresholds for shared-memory packet
 * switches", 1998, with a factor of 1.)
 */
export class FairSemaphore {
  #free: number;
  #room: number;
  readonly #held = new Map<string, number>();
  /** The queues of waiting work, by owner, in the order of the owners' turns. */
  readonly #queues = new Map<string, Set<() => void>>();

  /**
   * @param permits how many may work at once
   * @param room how many may wait
   */
  constructor(permits: number, room: number) {
    this.#free = permits;
    this.#room = room;
  }

  /** Permits that are taken, or rest. */
  get taken(): number {
    let taken = 0;
    for (const held of this.#held.values()) taken += held;
    return taken;
  }

  /** Work that waits for its turn. */
  get waiting(): number {
    let waiting = 0;
    for (const queue of this.#queues.values()) waiting += queue.size;
    return waiting;
  }

  /** Work of the owner that waits for its turn. */
  countWaiting(owner: string): number {
    return this.#queues.get(owner)?.size ?? 0;
  }

  /** Nobody works and nobody waits. */
  get isIdle(): boolean {
    return this.#held.size === 0 && this.#queues.size === 0;
  }

  /** Does the work when it gets a permit; skips it if there is no room to wait. Rejects with the signal's reason if aborted before. */
  async runOrSkip(owner: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const hasRoom = this.countWaiting(owner) < this.#room;
    if (hasRoom || this.#mayTake(owner)) await this.run(owner, signal, work);
  }

  /** Does the work when it gets a permit, however many wait. Rejects with the signal's reason if aborted before. */
  async run<T>(owner: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (!this.tryTake(owner)) await this.take(owner, signal);
    try {
      return await work();
    } finally {
      this.release(owner);
    }
  }

  /** Gives a permit back during the work, and takes one again after it. */
  async runWithout<T>(owner: string, work: () => Promise<T>): Promise<T> {
    this.release(owner);
    try {
      return await work();
    } finally {
      await this.take(owner);
    }
  }

  /** Takes a permit if there is one for this owner now. Whoever has taken one releases it. */
  tryTake(owner: string): boolean {
    if (!this.#mayTake(owner)) return false;
    this.#take(owner);
    return true;
  }

  /** Takes a permit as soon as there is one for this owner, however many wait. Rejects with the signal's reason if aborted before. */
  take(owner: string, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return this.tryTake(owner) ? Promise.resolve() : this.#wait(owner, signal);
  }

  /** As `take`, but false where it is aborted before. */
  takeUnlessAborted(owner: string, signal: AbortSignal): Promise<boolean> {
    return this.take(owner, signal).then(
      () => true,
      () => false,
    );
  }

  /** Gives a permit back. */
  release(owner: string): void {
    this.#free++;
    this.#countOut(owner);
  }

  /** Gives a permit back that counts as its owner's until `endRest`: others may take it, and its owner gets fewer meanwhile. */
  rest(): void {
    this.#free++;
    this.#callAll();
  }

  /** Once for each `rest`. */
  endRest(owner: string): void {
    this.#countOut(owner);
  }

  #countOut(owner: string): void {
    const held = (this.#held.get(owner) ?? 0) - 1;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
    this.#callAll();
  }

  /** From now on every caller gets a permit at once. */
  open(): void {
    this.#free = Infinity;
    this.#callAll();
  }

  #mayTake(owner: string): boolean {
    return (this.#held.get(owner) ?? 0) < this.#free;
  }

  #take(owner: string): void {
    this.#free--;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
  }

  /** Gives free permits to waiting work. One release may allow two owners to go on: the next one, and the one that now holds fewer. */
  #callAll(): void {
    while (this.#callNext());
  }

  /** An owner that gets a permit has its next turn after all others. */
  #callNext(): boolean {
    if (this.#free <= 0) return false;
    for (const [owner, queue] of this.#queues) {
      const [next] = queue;
      if (next === undefined || !this.#mayTake(owner)) continue;
      this.#queues.delete(owner);
      this.#queues.set(owner, queue);
      next();
      return true;
    }
    return false;
  }

  #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener('abort', abort);
        this.#leave(owner, take);
      };
      const abort = (): void => {
        leave();
        reject(signal?.reason as Error);
      };
      const take = (): void => {
        leave();
        this.#take(owner);
        resolve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#room--;
      const queue = this.#queues.get(owner) ?? new Set();
      this.#queues.set(owner, queue.add(take));
    });
  }

  #leave(owner: string, waiter: () => void): void {
    const queue = this.#queues.get(owner);
    if (queue?.delete(waiter) !== true) return;
    this.#room++;
    if (queue.size === 0) this.#queues.delete(owner);
  }
}
