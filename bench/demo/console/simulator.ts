/**
 * Customers who write. Each asks, waits, goes on when answered, gets impatient when not, and comes back some time later. What is
 * sent to them arrives and is read, or not at once, as with people.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Api, ApiError } from '../api.ts';
import type { Customer } from './customers.ts';

interface Answer {
  readonly messageId: string;
}

export interface SimulatorOptions {
  /** With an API key, which outlives every sign-in. */
  readonly api: Api;
  readonly projectId: string;
  readonly channelId: string;
  readonly signal: AbortSignal;
}

/** Milliseconds: at least, at most. */
const paces = {
  first: [500, 20_000],
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
  readonly #waiting = new Map<string, (answer: Answer) => void>();

  constructor(options: SimulatorOptions) {
    this.#options = options;
  }

  /** Something was sent to a customer. */
  deliver(ref: string, messageId: string): void {
    this.#waiting.get(ref)?.({ messageId });
  }

  /** Lets a customer live until the signal. */
  async run(customer: Customer): Promise<void> {
    const { signal } = this.#options;
    try {
      await pause(draw(paces.first), undefined, { signal });
      for (;;) {
        await this.#converse(customer);
        await pause(draw(paces.comesBack), undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #converse(customer: Customer): Promise<void> {
    const { signal } = this.#options;
    await this.#say(customer, customer.asks);
    for (const next of customer.goesOn) {
      const answer = await this.#waitForAnswer(customer);
      if (answer === undefined) return;
      await this.#receive(answer);
      await pause(draw(paces.types), undefined, { signal });
      await this.#say(customer, next);
    }
    const last = await this.#waitForAnswer(customer);
    if (last !== undefined) await this.#receive(last);
  }

  /** Undefined where nobody has answered, although it was asked twice. */
  async #waitForAnswer(customer: Customer): Promise<Answer | undefined> {
    const { signal } = this.#options;
    for (let asked = 0; ; asked++) {
      const answered = new Promise<Answer>(resolve => this.#waiting.set(customer.ref, resolve));
      const over = new AbortController();
      const waited = pause(draw(paces.waitsBeforeAsking), undefined, {
        signal: AbortSignal.any([signal, over.signal]),
      });
      const answer = await Promise.race([answered, waited]);
      over.abort();
      waited.catch(() => undefined);
      if (answer !== undefined) return answer;
      const words = impatience[asked];
      if (words === undefined) return undefined;
      await this.#say(customer, words);
    }
  }

  async #say({ ref, displayName, locale }: Customer, body: string): Promise<void> {
    const { api, projectId, channelId } = this.#options;
    const message = {
      projectId,
      externalParticipantRef: ref,
      participant: { displayName, locale },
      body,
    };
    await api.post(`/channels/${channelId}/inbound-messages`, message, randomUUID());
  }

  async #receive({ messageId }: Answer): Promise<void> {
    await this.#report(messageId, 'delivered');
    await pause(draw(paces.reads), undefined, { signal: this.#options.signal });
    await this.#report(messageId, 'read');
  }

  async #report(messageId: string, status: 'delivered' | 'read'): Promise<void> {
    const { api, projectId, channelId } = this.#options;
    const occurredAt = new Date().toISOString();
    try {
      const receipt = { projectId, messageId, status, occurredAt };
      await api.post(`/channels/${channelId}/receipts`, receipt, `${messageId}-${status}`);
    } catch (error) {
      // Whoever plays with the demonstration may have erased the thread meanwhile.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
