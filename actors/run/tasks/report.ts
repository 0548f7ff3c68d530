/** How a run hears of what its tasks have done: when it is their turn. */
import { ServiceError } from '../../../protocol/errors.ts';
import type { TaskContext } from '../../../runtime/actor.ts';
import type { Patience } from '../../patience.ts';
import type { RunServices } from '../services.ts';
import type { Places } from './places.ts';

/** What was done, and for whom: its signal is aborted once nobody wants to know. */
export interface Report {
  readonly command: 'thought' | 'called';
  readonly word: object;
  /** For a run that cannot take the word. */
  readonly instead: object;
  readonly environmentId: string;
  readonly signal: AbortSignal;
}

export class Reporter {
  readonly #log: RunServices['log'];
  readonly #patience: Patience;
  readonly #hands: Places;

  constructor({ log }: Pick<RunServices, 'log'>, patience: Patience, hands: Places) {
    this.#log = log;
    this.#patience = patience;
    this.#hands = hands;
  }

  /**
   * Tells the run, and does not give up while it cannot be reached. What it cannot take, by a defect, is told as `instead`, or the
   * same would be done again and again.
   */
  async tell(context: TaskContext, { command, word, instead, environmentId, signal }: Report): Promise<void> {
    const { self } = context;
    const say = (payload: object): Promise<unknown> =>
      this.#patience.until(
        'a run could not be told of its work',
        () => this.#hands.inTurn(environmentId, signal, () => context.ask(self, command, payload)),
        error => signal.aborted || !isUnavailable(error),
      );
    try {
      await say(word);
    } catch (err) {
      if (signal.aborted || isUnavailable(err)) throw err;
      this.#log.error({ err, id: self.id, command }, 'a run could not take what was done for it');
      await say(instead);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'svc/runtime/unavailable';
}
