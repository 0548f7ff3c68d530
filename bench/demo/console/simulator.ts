/**
 * Customers who write. Each has asked, waits, goes on when answered, gets impatient when not, and comes back some time later. What is
 * sent to them arrives and is read, or not at once, as with people.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../../clients/sdk/index.ts';
import type { Customer } from './customers.ts';

/** Something that was sent to a customer. */
export interface Answer {
  /** Tells the channel what became of it. */
  report(status: 'delivered' | 'read' | 'failed'): Promise<void>;
}

export interface SimulatorOptions {
  /** Sends what a customer says over their channel. */
  readonly say: (customer: Customer, body: string) => Promise<void>;
  /** Customers to whom the next message cannot be delivered. */
  readonly unreachable: Set<string>;
  readonly signal: AbortSignal;
}

/** Milliseconds: at least, at most. */
const paces = {
  reads: [1_500, 6_000],
  types: [4_000, 15_000],
  waitsBeforeAsking: [60_000, 120_000],
  comesBack: [120_000, 300_000],
} as const;
const impatience = ['Hello? Is anybody there?', 'I am still waiting.'];

const draw = ([least, most]: readonly [number, number]): number => least + Math.random() * (most - least);

export class Simulator {
  readonly #options: SimulatorOptions;
  /** Who waits for an answer, by what names them in the channel. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: SimulatorOptions) {
    this.#options = options;
  }

  /** An answer is on its way to a customer. */
  deliver(ref: string, answer: Answer): void {
    void this.#receive(ref, answer).catch((error: unknown) => {
      // Whoever plays with the demonstration may have erased the thread meanwhile.
      if (!this.#options.signal.aborted && !(error instanceof ApiError)) throw error;
    });
  }

  /**
   * Lets a customer live until the signal.
   *
   * @param said how much of `goesOn` they have said
   */
  async run(customer: Customer, said: number): Promise<void> {
    const { signal } = this.#options;
    try {
      for (let from = said; ; from = 0) {
        await this.#goOn(customer, from);
        await pause(draw(paces.comesBack), undefined, { signal });
        await this.#say(customer, customer.asks);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #goOn(customer: Customer, from: number): Promise<void> {
    for (const next of customer.goesOn.slice(from)) {
      if (!(await this.#waitForAnswer(customer))) return;
      await pause(draw(paces.types), undefined, { signal: this.#options.signal });
      await this.#say(customer, next);
    }
    await this.#waitForAnswer(customer);
  }

  /** False where nobody has answered, although it was asked twice. */
  async #waitForAnswer(customer: Customer): Promise<boolean> {
    const { signal } = this.#options;
    for (let asked = 0; ; asked++) {
      const answered = new Promise<true>(resolve => this.#waiting.set(customer.ref, () => resolve(true)));
      const over = new AbortController();
      const limitMs = customer.isPatient === true ? 2 ** 31 - 1 : draw(paces.waitsBeforeAsking);
      const waited = pause(limitMs, false as const, { signal: AbortSignal.any([signal, over.signal]) });
      const isAnswered = await Promise.race([answered, waited]);
      over.abort();
      waited.catch(() => undefined);
      if (isAnswered) return true;
      const words = impatience[asked];
      if (words === undefined) return false;
      await this.#say(customer, words);
    }
  }

  async #say(customer: Customer, body: string): Promise<void> {
    try {
      await this.#options.say(customer, body);
    } catch (error) {
      // An archived conversation takes no more.
      if (!(error instanceof ApiError)) throw error;
    }
  }

  async #receive(ref: string, answer: Answer): Promise<void> {
    const { signal, unreachable } = this.#options;
    if (unreachable.delete(ref)) {
      await answer.report('failed');
      return;
    }
    await answer.report('delivered');
    await pause(draw(paces.reads), undefined, { signal });
    await answer.report('read');
    this.#waiting.get(ref)?.();
  }
}
