/**
 * When the counts of the queues are asked for again. Soon after something has happened: a few times at once, and then not more often than
 * somebody looks, however much happens. What the operator does is told at once.
 */

const soonMs = 300;
/** Of the operator's own changes those of one action are one question. */
const ownSoonMs = 100;
const ownLeastMs = 500;
/** So many questions may follow each other soon; each comes back after `leastMs`. */
const burst = 4;
const leastMs = 5_000;

export interface CountRefresherOptions {
  readonly ask: () => void;
  /** Milliseconds of any clock that only goes forward. */
  readonly now: () => number;
  /** Runs the work later, once; returns what cancels it. */
  readonly schedule: (work: () => void, ms: number) => () => void;
}

export class CountRefresher {
  readonly #options: CountRefresherOptions;
  #due: { readonly at: number; readonly cancel: () => void } | undefined;
  #askedAt = -Infinity;
  /** When all questions of the burst are there again. */
  #fullAt = -Infinity;

  constructor(options: CountRefresherOptions) {
    this.#options = options;
  }

  /** Something has happened that may change a count. */
  change(isOwn: boolean): void {
    const now = this.#options.now();
    const at = isOwn
      ? Math.max(now + ownSoonMs, this.#askedAt + ownLeastMs)
      : Math.max(now + soonMs, this.#fullAt - (burst - 1) * leastMs);
    if (this.#due !== undefined && this.#due.at <= at) return;
    this.#due?.cancel();
    this.#due = { at, cancel: this.#options.schedule(() => this.askNow(), at - now) };
  }

  askNow(): void {
    this.stop();
    const now = this.#options.now();
    this.#askedAt = now;
    this.#fullAt = Math.max(now, this.#fullAt) + leastMs;
    this.#options.ask();
  }

  stop(): void {
    this.#due?.cancel();
    this.#due = undefined;
  }
}
