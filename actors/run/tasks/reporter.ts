/** Reports to a run what its tasks have done. */
import { ServiceError } from '../../../protocol/errors.ts';
import type { TaskContext } from '../../../runtime/actor/index.ts';
import type { RetryPolicy } from '../../base/index.ts';
import type { runCommand } from '../commands.ts';
import type { RunServices } from '../services.ts';

export class Reporter {
  readonly #log: RunServices['log'];
  readonly #retryPolicy: RetryPolicy;

  constructor({ log }: Pick<RunServices, 'log'>, retryPolicy: RetryPolicy) {
    this.#log = log;
    this.#retryPolicy = retryPolicy;
  }

  /**
   * Reports a result, and does not give up while the run cannot be reached. If the run cannot take it, because of a defect, it gets
   * `fallback`: otherwise the same work would be done again and again.
   */
  async report(
    context: TaskContext,
    command: typeof runCommand.stepCompleted | typeof runCommand.toolCompleted,
    result: object,
    fallback: object,
  ): Promise<void> {
    const { self } = context;
    const ask = (payload: object): Promise<unknown> =>
      this.#retryPolicy.retry(
        'a run could not be told of its work',
        () => context.ask(self, command, payload),
        error => !isUnavailable(error),
      );
    try {
      await ask(result);
    } catch (err) {
      if (isUnavailable(err)) throw err;
      this.#log.error({ err, id: self.id, command }, 'a run could not take the result of its work');
      await ask(fallback);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'svc/runtime/unavailable';
}
