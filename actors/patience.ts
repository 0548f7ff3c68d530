/** Work that has to succeed before an actor can go on: tried until it does, or until the node goes down. */
import type { TaskContext } from '../runtime/actor.ts';
import { backoffMs } from '../runtime/backoff.ts';
import type { Clock, Random } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';

const firstMs = 100;
const longestMs = 5_000;

export interface PatienceServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** One for all tasks of a kind on a node. */
export class Patience {
  readonly #services: PatienceServices;
  #over = false;

  constructor(services: PatienceServices) {
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

  /** The task, but that a failure after `end` is nobody's: the rows say what is left to do. */
  guard<Payload>(
    task: (payload: Payload, context: TaskContext) => Promise<void>,
  ): (payload: Payload, context: TaskContext) => Promise<void> {
    return async (payload, context) => {
      try {
        await task(payload, context);
      } catch (err) {
        if (!this.#over) throw err;
        this.#services.log.info({ err, id: context.self.id }, 'left undone at the end of the node');
      }
    };
  }

  /** Milliseconds of the clock. */
  pause(ms: number): Promise<void> {
    return new Promise(resolve => this.#services.clock.after(ms, resolve));
  }
}
