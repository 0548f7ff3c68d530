/**
 * Reports the results of one stitch's deliveries to the stitch. All that are answered in one turn of the event loop, or while the results
 * before are being committed, are sent as one command `settled`; its outcome is reported with `progress`. (Their commit would wait for
 * the one before anyway.)
 *
 *   add -> (answered) -> settled is committed -> (released) -> done
 */
import { ServiceError } from '../../../protocol/errors.ts';
import type { ActorRef, TaskContext } from '../../../runtime/actor/index.ts';
import type { RetryPolicy } from '../../base/index.ts';
import type { AttemptResult, StitchCommands } from '../commands.ts';
import type { Released } from '../queue.ts';
import { toOutcome, type Answer } from '../window.ts';

type Ask = TaskContext['ask'];
type Repetition = StitchCommands['settled']['payload']['repetition'];

export class ResultReporter {
  readonly #self: ActorRef;
  readonly #ask: Ask;
  readonly #retryPolicy: RetryPolicy;
  #results: AttemptResult[] = [];
  #answered: string[] = [];
  #answers: Answer[] = [];
  #released: Released[] = [];
  #batch: Promise<void> | undefined;
  /** Resolves when the last command `settled` has an answer, whatever it is. */
  #lastSettled: Promise<unknown> = Promise.resolve();
  #progress: Promise<void> | undefined;
  #unsent: string[] = [];
  #unsentTold: Promise<void> | undefined;
  /** How many results are not released yet. */
  open = 0;

  constructor(self: ActorRef, ask: Ask, retryPolicy: RetryPolicy) {
    this.#self = self;
    this.#ask = ask;
    this.#retryPolicy = retryPolicy;
  }

  /** Resolves when the result is committed and its thread released. */
  add(result: AttemptResult): Promise<void> {
    this.open++;
    this.#results.push(result);
    this.#answered.push(result.delivery.deliveryId);
    const { at, durationMs, status, failure } = result;
    this.#answers.push({ at, durationMs, outcome: toOutcome(status, failure) });
    // It fails only when the node goes down. Then the next owner of the stitch finds the rows.
    this.#tellProgress().catch(() => undefined);
    // At least a microtask later, when all results of this turn have been added.
    this.#batch ??= this.#lastSettled.then(() => this.#flush());
    return this.#batch;
  }

  /** The request of that delivery was not made. Resolves when the stitch knows; all of a turn are one command. */
  giveBack(deliveryId: string): Promise<void> {
    this.#unsent.push(deliveryId);
    this.#unsentTold ??= Promise.resolve().then(() => {
      const deliveryIds = this.#unsent;
      this.#unsent = [];
      this.#unsentTold = undefined;
      return this.#retryPolicy.retry('a stitch could not be told what was not sent', async () => {
        await this.#ask(this.#self, 'postpone', { deliveryIds });
      });
    });
    return this.#unsentTold;
  }

  async #flush(): Promise<void> {
    const results = this.#results;
    this.#results = [];
    this.#batch = undefined;
    const released = await this.#settle(results);
    this.#released.push(...released);
    await this.#tellProgress();
    this.open -= results.length;
  }

  /** @param repetition whether the results were sent before: a command that fails may have been carried out */
  async #settle(results: readonly AttemptResult[], repetition?: Repetition): Promise<readonly Released[]> {
    let next = repetition;
    try {
      return await this.#retryPolicy.retry(
        'the results of deliveries could not be written',
        () => {
          const payload = next === undefined ? { results } : { results, repetition: next };
          next ??= 'possible';
          const answer = this.#ask(this.#self, 'settled', payload) as Promise<readonly Released[]>;
          this.#lastSettled = answer.catch(() => undefined);
          return answer;
        },
        error => isWritten(error) || (!isUnavailable(error) && results.length > 1),
      );
    } catch (error) {
      if (results.length > 1) {
        // One of them is at fault, or written already: by itself it fails alone.
        return (await Promise.all(results.map(result => this.#settle([result], 'possible')))).flat();
      }
      if (!isWritten(error)) throw error;
      return this.#settle(results, 'certain');
    }
  }

  /** One `progress` for all that has happened in this turn. */
  #tellProgress(): Promise<void> {
    this.#progress ??= Promise.resolve().then(() => {
      const progress = { answered: this.#answered, answers: this.#answers, released: this.#released };
      this.#answered = [];
      this.#answers = [];
      this.#released = [];
      this.#progress = undefined;
      return this.#retryPolicy.retry('a stitch could not be told of its progress', async () => {
        await this.#ask(this.#self, 'progress', progress);
      });
    });
    return this.#progress;
  }
}

/** Whether a result has been written by an earlier command whose answer was lost. */
function isWritten(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    error.code === 'svc/runtime/conflict' &&
    error.details?.['scope'] === 'attempt'
  );
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'svc/runtime/unavailable';
}
