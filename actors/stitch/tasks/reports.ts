/**
 * The results of one stitch on their way into its state: everything that is answered in one turn of the event loop, or while
 * the results before are on their way into the database, goes as one command `settled`, and what that commits comes back with
 * `progress`. (Its commit would wait for theirs anyway.)
 *
 *   add -> (answered) -> settled is committed -> (released) -> done
 */
import { ServiceError } from '../../../protocol/errors.ts';
import type { ActorRef, TaskContext } from '../../../runtime/actor.ts';
import type { AttemptResult } from '../commands.ts';
import type { Released } from '../queue.ts';
import type { Patience } from '../../patience.ts';

type Ask = TaskContext['ask'];

export class Reports {
  readonly #self: ActorRef;
  readonly #ask: Ask;
  readonly #patience: Patience;
  #results: AttemptResult[] = [];
  #answered: string[] = [];
  #released: Released[] = [];
  #batch: Promise<void> | undefined;
  /** Resolves when the last command `settled` has an answer, of whatever sort. */
  #writing: Promise<unknown> = Promise.resolve();
  #progress: Promise<void> | undefined;
  /** Results that are not released yet. */
  open = 0;

  constructor(self: ActorRef, ask: Ask, patience: Patience) {
    this.#self = self;
    this.#ask = ask;
    this.#patience = patience;
  }

  /** Resolves when the result is committed and its thread released. */
  add(result: AttemptResult): Promise<void> {
    this.open++;
    this.#results.push(result);
    this.#answered.push(result.delivery.deliveryId);
    // It fails only when the node goes down, and then the rows tell whoever comes next.
    this.#tell().catch(() => undefined);
    // At least a microtask later, when all results of this turn are here.
    this.#batch ??= this.#writing.then(() => this.#flush());
    return this.#batch;
  }

  async #flush(): Promise<void> {
    const results = this.#results;
    this.#results = [];
    this.#batch = undefined;
    const released = await this.#settle(results);
    this.#released.push(...released);
    await this.#tell();
    this.open -= results.length;
  }

  async #settle(results: readonly AttemptResult[]): Promise<readonly Released[]> {
    try {
      return await this.#patience.until(
        'the results of deliveries could not be written',
        () => {
          const answer = this.#ask(this.#self, 'settled', { results }) as Promise<readonly Released[]>;
          this.#writing = answer.catch(() => undefined);
          return answer;
        },
        error => !isUnavailable(error) && results.length > 1,
      );
    } catch (error) {
      if (results.length === 1) throw error;
      // One of them is at fault: alone it fails alone.
      return (await Promise.all(results.map(result => this.#settle([result])))).flat();
    }
  }

  /** One `progress` for all that happened in this turn. */
  #tell(): Promise<void> {
    this.#progress ??= Promise.resolve().then(() => {
      const progress = { answered: this.#answered, released: this.#released };
      this.#answered = [];
      this.#released = [];
      this.#progress = undefined;
      return this.#patience.until('a stitch did not take its progress', async () => {
        await this.#ask(this.#self, 'progress', progress);
      });
    });
    return this.#progress;
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'svc/runtime/unavailable';
}
