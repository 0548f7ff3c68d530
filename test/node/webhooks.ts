/**
 * The customer's end of a stitch that takes everything: remembers the bytes of each event and what was wrong with any. Of a thread each
 * event comes after those before it, but for one that was refused: clocks that disagree may end the hold of its thread early.
 */
import type { EventEnvelope } from '../../protocol/resources/event.ts';
import { answer, hasValidSignature, Receiver, type Received } from '../support/receiver.ts';
import type { Ending } from '../support/node-process.ts';
import { withTimeLimit } from '../support/time-limit.ts';

export interface WebhookFault {
  readonly sort: 'signature' | 'content' | 'order' | 'repeat';
  readonly what: string;
}

export class Webhooks {
  /** The body of each event by its id. */
  readonly bodies = new Map<string, string>();
  readonly faults: WebhookFault[] = [];
  /** The delivery of each event by the event's id. */
  readonly deliveryIds = new Map<string, string>();
  /** Deliveries of events that had come before. */
  repeats = 0;
  secret = '';
  /** So many are still to be refused with 503. */
  failing = 0;
  /** Which others are refused. */
  refuses: (eventId: string) => boolean = () => false;
  /** The events that were refused, which have to come again. */
  readonly refused = new Set<string>();
  readonly #receiver: Receiver;
  /** The event of each delivery. */
  readonly #events = new Map<string, string>();
  /** The highest number of each thread that has come. */
  readonly #sequences = new Map<string, number>();
  readonly #settled = new Set<string>();
  #waits: { readonly missing: Set<string>; readonly resolve: () => void }[] = [];

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
    receiver.behaviour = (received, response) => {
      // All that is needed of it is kept here.
      receiver.received.length = 0;
      const { eventId } = JSON.parse(received.body) as Pick<EventEnvelope, 'eventId'>;
      if (this.failing > 0 || this.refuses(eventId)) {
        this.failing = Math.max(0, this.failing - 1);
        this.refused.add(eventId);
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

  /** These deliveries are recorded as delivered, and nothing is in flight: none of them may come again. */
  settle(deliveryIds: readonly string[]): void {
    for (const id of deliveryIds) this.#settled.add(id);
  }

  #take(received: Received): void {
    const { body } = received;
    const { eventId, data } = JSON.parse(body) as Pick<EventEnvelope, 'eventId' | 'data'>;
    this.#checkDelivery(eventId, String(received.headers['service-delivery-id']));
    if (!this.bodies.has(eventId)) this.#checkOrder(eventId, data);
    if (!hasValidSignature(received, this.secret)) this.#blame('signature', eventId);
    if (received.headers['service-event-id'] !== eventId)
      this.#blame('content', `${eventId}: Service-Event-Id`);
    const before = this.bodies.get(eventId);
    if (before === undefined) this.bodies.set(eventId, body);
    else this.repeats++;
    if (before !== undefined && before !== body) this.#blame('content', `${eventId}: other bytes`);
    this.#waits = this.#waits.filter(({ missing, resolve }) => {
      missing.delete(eventId);
      if (missing.size > 0) return true;
      resolve();
      return false;
    });
  }

  #blame(sort: WebhookFault['sort'], what: string): void {
    this.faults.push({ sort, what });
  }

  /** An event has one delivery, and a delivery one event, however often it is sent. It is not sent when it is recorded. */
  #checkDelivery(eventId: string, deliveryId: string): void {
    const known = this.deliveryIds.get(eventId);
    const event = this.#events.get(deliveryId);
    if (known === undefined) this.deliveryIds.set(eventId, deliveryId);
    else if (known !== deliveryId) {
      this.#blame('repeat', `${eventId}: the deliveries ${known} and ${deliveryId}`);
    }
    if (event === undefined) this.#events.set(deliveryId, eventId);
    else if (event !== eventId) this.#blame('content', `${deliveryId}: the events ${event} and ${eventId}`);
    if (this.#settled.has(deliveryId)) this.#blame('repeat', `${eventId}: sent again when it was settled`);
  }

  #checkOrder(eventId: string, { threadId, sequence }: EventEnvelope['data']): void {
    if (typeof threadId !== 'string' || typeof sequence !== 'number') return;
    const last = this.#sequences.get(threadId) ?? 0;
    this.#sequences.set(threadId, Math.max(last, sequence));
    if (sequence > last || this.refused.has(eventId)) return;
    this.#blame('order', `${eventId}: number ${sequence} of ${threadId} came after ${last}`);
  }
}
