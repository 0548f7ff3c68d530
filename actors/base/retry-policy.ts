/** Retries work that has to succeed before an actor can go on: until it does, or until the node goes down. */
import { ServiceError } from '../../protocol/errors.ts';
import type { TaskContext } from '../../runtime/actor/index.ts';
import { backoffMs, pause, type Clock, type Random } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import { isTransient } from '../../storage/database/index.ts';

const firstRetryMs = 100;
const maxRetryMs = 5_000;

export interface RetryServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Whether it is what the node or the database cannot do now, which says nothing of what was to be done. Reads reject with the error of the
 * driver.
 */
export function isUnavailable(error: unknown): boolean {
  return (error instanceof ServiceError && error.code === 'svc/runtime/unavailable') || isTransient(error);
}

/** One instance serves all tasks of a kind on a node. */
export class RetryPolicy {
  readonly #services: RetryServices;
  #isStopped = false;

  constructor(services: RetryServices) {
    this.#services = services;
  }

  /** From now on nothing is retried. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Resolves with the result of `work`. Rejects with its error only when `isFinal` says so, or after `stop`.
   *
   * @param message what the log says of each failure; at debug of a 409: somebody else was faster, which is no fault
   */
  async retry<T>(
    message: string,
    work: () => Promise<T>,
    isFinal: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await work();
      } catch (error) {
        if (this.#isStopped || isFinal(error)) throw error;
        const isConflict = error instanceof ServiceError && error.code === 'svc/runtime/conflict';
        this.#services.log[isConflict ? 'debug' : 'warn']({ err: error, failures }, message);
        await this.pause(backoffMs(failures, firstRetryMs, maxRetryMs, this.#services.random));
      }
    }
  }

  /** Wraps a task so that a failure after `stop` is ignored: the remaining work is in rows. */
  guard<Payload>(
    task: (payload: Payload, context: TaskContext) => Promise<void>,
  ): (payload: Payload, context: TaskContext) => Promise<void> {
    return async (payload, context) => {
      try {
        await task(payload, context);
      } catch (err) {
        if (!this.#isStopped) throw err;
        this.#services.log.info(
          { err, id: context.self.id },
          'a task was left unfinished as the node stopped',
        );
      }
    };
  }

  /** @param ms milliseconds of the clock */
  pause(ms: number): Promise<void> {
    return pause(this.#services.clock, ms);
  }
}
