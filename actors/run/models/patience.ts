/** Ends an attempt at a model that is cancelled, that is silent for too long, or that goes beyond its deadline. */
import type { Clock } from '../../../runtime/clock.ts';
import { ModelFault } from './faults.ts';

/** A model that says nothing for so long has stopped, in milliseconds. */
const longestSilenceMs = 60_000;

export interface PatienceOptions {
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Cancels. */
  readonly signal: AbortSignal;
}

export class Patience {
  readonly #clock: Clock;
  readonly #cancelled: AbortSignal;
  readonly #ended = new AbortController();
  readonly #deadline: { cancel(): void };
  #silence: { cancel(): void };
  #heardAt: number;

  constructor(clock: Clock, { deadline, signal }: PatienceOptions) {
    this.#clock = clock;
    this.#heardAt = clock.monotonic();
    this.#cancelled = signal;
    signal.addEventListener('abort', this.#cancel, { once: true });
    if (signal.aborted) this.#cancel();
    const timeout = (what: string, passes: boolean) => () =>
      void this.end(new ModelFault('timeout', `the model did not answer: ${what}`, passes));
    const left = Math.max(0, deadline - clock.now());
    this.#deadline = clock.after(left, timeout("the run's time is over", false));
    const listen = (ms: number): { cancel(): void } =>
      clock.after(ms, () => {
        const silent = clock.monotonic() - this.#heardAt;
        if (silent < longestSilenceMs) this.#silence = listen(longestSilenceMs - silent);
        else timeout(`it was silent for ${longestSilenceMs / 1_000} s`, true)();
      });
    this.#silence = listen(longestSilenceMs);
  }

  /** Ends what is asked with it, with the reason. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  /** Returns why it has ended, which is the first reason that there was. */
  end(reason: unknown): unknown {
    this.#ended.abort(reason);
    return this.#ended.signal.reason;
  }

  stop(): void {
    this.#cancelled.removeEventListener('abort', this.#cancel);
    this.#deadline.cancel();
    this.#silence.cancel();
  }

  readonly #cancel = (): void => void this.end(this.#cancelled.reason);
}
