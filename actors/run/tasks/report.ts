/** How a run hears of what its tasks have done. */
import { ServiceError } from '../../../protocol/errors.ts';
import type { TaskContext } from '../../../runtime/actor.ts';
import type { Patience } from '../../patience.ts';
import type { RunServices } from '../services.ts';

export class Reporter {
  readonly #log: RunServices['log'];
  readonly #patience: Patience;

  constructor({ log }: Pick<RunServices, 'log'>, patience: Patience) {
    this.#log = log;
    this.#patience = patience;
  }

  /**
   * Tells the run, and does not give up while it cannot be reached. What it cannot take, by a defect, is told as `instead`, or the
   * same would be done again and again.
   */
  async tell(
    context: TaskContext,
    command: 'thought' | 'called',
    word: object,
    instead: object,
  ): Promise<void> {
    const { self } = context;
    const say = (payload: object): Promise<unknown> =>
      this.#patience.until(
        'a run could not be told of its work',
        () => context.ask(self, command, payload),
        error => !isUnavailable(error),
      );
    try {
      await say(word);
    } catch (err) {
      if (isUnavailable(err)) throw err;
      this.#log.error({ err, id: self.id, command }, 'a run could not take what was done for it');
      await say(instead);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'svc/runtime/unavailable';
}
