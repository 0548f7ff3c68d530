/** Work that has to succeed before a stitch can go on: tried until it does, or until the node goes down. */
import { backoffMs } from '../../../runtime/backoff.ts';
import type { StitchServices } from './services.ts';

const firstMs = 100;
const longestMs = 5_000;

export class Patience {
  readonly #services: Pick<StitchServices, 'clock' | 'random' | 'log'>;
  #over = false;

  constructor(services: Pick<StitchServices, 'clock' | 'random' | 'log'>) {
    this.#services = services;
  }

  /** From now on the first failure is the last. */
  end(): void {
    this.#over = true;
  }

  /** The result of `work`; rejects with its error only when `isFinal` says so, or after `end`. */
  async until<T>(
    what: string,
    work: () => Promise<T>,
    isFinal: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await work();
      } catch (error) {
        if (this.#over || isFinal(error)) throw error;
        this.#services.log.warn({ err: error, failures }, what);
        await this.pause(backoffMs(failures, firstMs, longestMs, this.#services.random));
      }
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise(resolve => this.#services.clock.after(ms, resolve));
  }
}
