/** Parts of a page whose file did not come, which a network may be to blame for that was gone for a moment: they are asked for again. */

/** Between two tries it waits 1 s, 2 s, 4 s and so on. */
export const firstWaitMs = 1_000;
export const longestWaitMs = 60_000;

export type Load<T> = () => Promise<T>;

/**
 * Loads once, however often it is called; and after a failure anew.
 *
 * @param load imports a module, and gives nothing but that
 * @param importElsewhere is given the failure of each try but the first, and imports the module in another way, or throws the failure
 */
export function retriable<T>(load: Load<T>, importElsewhere: (failure: unknown) => Promise<T>): Load<T> {
  let loading: Promise<T> | undefined;
  let hasFailed = false;
  const tryOnce = async (): Promise<T> => {
    const isFirst = !hasFailed;
    try {
      return await load();
    } catch (failure) {
      hasFailed = true;
      if (isFirst) throw failure;
      return await importElsewhere(failure);
    }
  };
  return () =>
    (loading ??= tryOnce().catch((failure: unknown) => {
      loading = undefined;
      throw failure;
    }));
}

/** What a late part needs of its surroundings. */
export interface LatePort {
  /** Runs the work after so many milliseconds. Returns what prevents it. */
  schedule(work: () => void, ms: number): () => void;
  /** Runs the work when there is reason to think that the part comes now. Returns what ends that. */
  onChance(work: () => void): () => void;
}

/**
 * A part that did not come, as long as anybody wants to see it:
 *
 *   idle -> waiting: somebody wants it
 *   waiting -> asking: its time has come, or there is a chance
 *           -> idle: nobody wants it any more
 *   asking -> loaded: for good
 *          -> waiting: it did not come this time either
 *          -> idle: nor does anybody want it any more
 */
export class LatePart<T> {
  readonly #load: Load<T>;
  readonly #port: LatePort;
  readonly #listeners = new Set<() => void>();
  #state: 'idle' | 'waiting' | 'asking' | 'loaded' = 'idle';
  #loaded: T | undefined;
  #tries = 0;
  #stopWaiting = (): void => undefined;

  constructor(load: Load<T>, port: LatePort) {
    this.#load = load;
    this.#port = port;
  }

  /** Undefined until it has come. */
  readonly get = (): T | undefined => this.#loaded;

  /** Wants it. The listener is told when it has come. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#state === 'idle') this.#wait();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0 && this.#state === 'waiting') this.#rest();
    };
  };

  #wait(): void {
    this.#state = 'waiting';
    const ask = (): void => void this.#ask();
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** this.#tries++);
    const stopTimer = this.#port.schedule(ask, waitMs);
    const stopListening = this.#port.onChance(ask);
    this.#stopWaiting = () => {
      stopTimer();
      stopListening();
    };
  }

  #rest(): void {
    this.#stopWaiting();
    this.#state = 'idle';
    this.#tries = 0;
  }

  async #ask(): Promise<void> {
    this.#stopWaiting();
    this.#state = 'asking';
    try {
      this.#loaded = await this.#load();
    } catch {
      if (this.#listeners.size > 0) this.#wait();
      else this.#rest();
      return;
    }
    this.#state = 'loaded';
    for (const listener of this.#listeners) listener();
  }
}
