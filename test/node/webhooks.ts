/** The customer's end of a stitch that takes everything: remembers the bytes of each event and what was wrong with any. */
import { answer, hasValidSignature, Receiver, type Received } from '../support/receiver.ts';
import type { Ending } from '../support/node-process.ts';
import { withTimeLimit } from '../support/time-limit.ts';

export class Webhooks {
  /** The body of each event by its id. */
  readonly bodies = new Map<string, string>();
  readonly faults: string[] = [];
  /** Deliveries of events that had come before. */
  repeats = 0;
  secret = '';
  /** So many are still to be refused with 503. */
  failing = 0;
  /** The events that were refused, which have to come again. */
  readonly refused = new Set<string>();
  readonly #receiver: Receiver;
  #waits: { readonly missing: Set<string>; readonly resolve: () => void }[] = [];

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
    receiver.behaviour = (received, response) => {
      if (this.failing > 0) {
        this.failing--;
        this.refused.add((JSON.parse(received.body) as { eventId: string }).eventId);
        return answer(503)(received, response);
      }
      this.#take(received);
      answer(204)(received, response);
    };
  }

  static async listen(t: Ending): Promise<Webhooks> {
    const receiver = await Receiver.start();
    t.teardown(() => receiver.stop());
    return new Webhooks(receiver);
  }

  get url(): string {
    return this.#receiver.url('/webhooks');
  }

  /** Resolves when each of these events has come. */
  async arrived(eventIds: readonly string[]): Promise<void> {
    const missing = new Set(eventIds.filter(id => !this.bodies.has(id)));
    if (missing.size === 0) return;
    await withTimeLimit(
      new Promise<void>(resolve => this.#waits.push({ missing, resolve })),
      'webhook of every event',
    );
  }

  #take(received: Received): void {
    const { body } = received;
    const { eventId } = JSON.parse(body) as { eventId: string };
    if (!hasValidSignature(received, this.secret)) this.faults.push(`${eventId}: signature`);
    if (received.headers['service-event-id'] !== eventId) this.faults.push(`${eventId}: Service-Event-Id`);
    const before = this.bodies.get(eventId);
    if (before === undefined) this.bodies.set(eventId, body);
    else this.repeats++;
    if (before !== undefined && before !== body) this.faults.push(`${eventId}: other bytes`);
    this.#waits = this.#waits.filter(({ missing, resolve }) => {
      missing.delete(eventId);
      if (missing.size > 0) return true;
      resolve();
      return false;
    });
  }
}
