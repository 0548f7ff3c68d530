/**
 * Which requests may be in flight on this node, so that no customer's receivers take what the others need. A request takes three permits,
 * one after the other, of semaphores that are fair to their owners:
 *
 *   1. of its origin (whose connections are limited), as one of its owner's
 *   2. of its owner's share, as one of its origin's
 *   3. of all, as one of its owner's
 *
 * So one owner has at most half of all requests in flight, whatever its receivers do; of those, one origin has at most half; and of the
 * connections to an origin that many owners send to, one owner has at most half. Who needs few gets them at once.
 */
import { FairSemaphore } from '../admission/index.ts';

export interface AdmissionLimits {
  /** Requests in flight. */
  readonly maxInFlight: number;
  /** Requests in flight to one origin. */
  readonly maxPerOrigin: number;
  /** Requests that wait to be sent. */
  readonly maxWaiting: number;
}

/** Semaphores by a key. Those that nobody uses are not kept. */
class KeyedSemaphores {
  readonly #permits: number;
  readonly #semaphores = new Map<string, FairSemaphore>();

  constructor(permits: number) {
    this.#permits = permits;
  }

  get taken(): number {
    let taken = 0;
    for (const semaphore of this.#semaphores.values()) taken += semaphore.taken;
    return taken;
  }

  tryTake(key: string, owner: string): boolean {
    return this.#get(key).tryTake(owner);
  }

  take(key: string, owner: string, signal: AbortSignal): Promise<void> {
    return this.#get(key).take(owner, signal);
  }

  release(key: string, owner: string): void {
    const semaphore = this.#get(key);
    semaphore.release(owner);
    if (semaphore.isIdle) this.#semaphores.delete(key);
  }

  #get(key: string): FairSemaphore {
    let semaphore = this.#semaphores.get(key);
    if (semaphore === undefined) {
      semaphore = new FairSemaphore(this.#permits, Infinity);
      this.#semaphores.set(key, semaphore);
    }
    return semaphore;
  }
}

/** A permit to take: of the semaphore with the key, for the owner. */
type Step = readonly [semaphores: KeyedSemaphores, key: string, owner: string];

export class Admission {
  readonly #origins: KeyedSemaphores;
  readonly #shares: KeyedSemaphores;
  readonly #all: KeyedSemaphores;
  readonly #waitingRoom: FairSemaphore;

  constructor({ maxInFlight, maxPerOrigin, maxWaiting }: AdmissionLimits) {
    this.#origins = new KeyedSemaphores(maxPerOrigin);
    this.#shares = new KeyedSemaphores(Math.ceil(maxInFlight / 2));
    this.#all = new KeyedSemaphores(maxInFlight);
    this.#waitingRoom = new FairSemaphore(maxWaiting, 0);
  }

  /** Requests in flight, and requests that wait to be sent. */
  get stats(): { readonly inFlight: number; readonly waiting: number } {
    return { inFlight: this.#all.taken, waiting: this.#waitingRoom.taken };
  }

  /** Admits a request at once, if that is possible. Whoever was admitted calls `leave`. */
  tryEnter(owner: string, origin: string): boolean {
    const steps = this.#listSteps(owner, origin);
    const missing = steps.findIndex(([semaphores, key, as]) => !semaphores.tryTake(key, as));
    if (missing >= 0) release(steps.slice(0, missing));
    return missing < 0;
  }

  /** Whether there is room to wait; if so, a place is taken, for `enter`. */
  tryWait(owner: string): boolean {
    return this.#waitingRoom.tryTake(owner);
  }

  /**
   * Admits a request that has a place to wait when its turn has come. Rejects with the signal's reason if it is aborted before. Whoever
   * was admitted calls `leave`.
   */
  async enter(owner: string, origin: string, signal: AbortSignal): Promise<void> {
    const taken: Step[] = [];
    try {
      for (const step of this.#listSteps(owner, origin)) {
        const [semaphores, key, as] = step;
        await semaphores.take(key, as, signal);
        taken.push(step);
      }
    } catch (error) {
      release(taken);
      throw error;
    } finally {
      this.#waitingRoom.release(owner);
    }
  }

  leave(owner: string, origin: string): void {
    release(this.#listSteps(owner, origin));
  }

  #listSteps(owner: string, origin: string): readonly Step[] {
    return [
      [this.#origins, origin, owner],
      [this.#shares, owner, origin],
      [this.#all, '', owner],
    ];
  }
}

function release(steps: readonly Step[]): void {
  for (const [semaphores, key, owner] of steps) semaphores.release(key, owner);
}
