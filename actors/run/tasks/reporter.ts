/** Reports to a run what its tasks have done. */
import { isRefusal, type TaskContext } from '../../../runtime/actor/index.ts';
import { isUnavailable, type RetryPolicy } from '../../base/index.ts';
import type { runCommand } from '../commands.ts';
import type { RunServices } from '../services.ts';

/** Attempts to report a result while the run fails for an unknown reason: some 15 seconds. */
const maxUnknownFailures = 8;

export class Reporter {
  readonly #log: RunServices['log'];
  readonly #retryPolicy: RetryPolicy;

  constructor({ log }: Pick<RunServices, 'log'>, retryPolicy: RetryPolicy) {
    this.#log = log;
    this.#retryPolicy = retryPolicy;
  }

  /**
   * Reports a result, and retries without limit while the run cannot be reached. If the run refuses the result, or fails for an unknown
   * reason for a while, it gets `fallback`: otherwise a defect would repeat the same work again and again.
   */
  async report(
    context: TaskContext,
    command: typeof runCommand.stepCompleted | typeof runCommand.toolCompleted,
    result: object,
    fallback: object,
  ): Promise<void> {
    const { self } = context;
    let unknown = 0;
    const isFinal = (error: unknown): boolean =>
      isRefusal(error) || (!isUnavailable(error) && ++unknown >= maxUnknownFailures);
    const message = 'a run could not be told of its work';
    try {
      await this.#retryPolicy.retry(message, () => context.ask(self, command, result), isFinal);
    } catch (err) {
      if (isUnavailable(err)) throw err;
      this.#log.error({ err, id: self.id, command }, 'a run could not take the result of its work');
      await this.#retryPolicy.retry(message, () => context.ask(self, command, fallback), isRefusal);
    }
  }
}
