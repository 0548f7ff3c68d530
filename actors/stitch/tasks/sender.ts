/**
 * The task `send`: gives deliveries to the node's pool and reports what came of them. It holds one thing that no row stands
 * for: which deliveries this node has out, so that an actor that was reloaded does not send them twice.
 */
import type { TaskContext } from '../../../runtime/actor.ts';
import type { OutboundResult } from '../../../runtime/pool/messages.ts';
import { PoolOverloaded } from '../../../runtime/pool/pool.ts';
import { WorkerLost } from '../../../runtime/pool/session.ts';
import { eventBodies } from '../../../storage/reads/open-deliveries.ts';
import type { AttemptResult, SendOrder } from '../commands.ts';
import type { Delivery } from '../queue.ts';
import type { Bodies } from './bodies.ts';
import { Reports } from './reports.ts';
import type { Patience } from '../../patience.ts';
import type { Secrets } from './secrets.ts';
import type { StitchServices } from './services.ts';

const defaultTimeoutMs = 15_000;
/** Kept of an answer, in bytes. */
const keepBytes = 16_384;
/** When the pool is full, or its worker was lost. */
const againMs = 500;

export class Sender {
  readonly #services: StitchServices;
  readonly #bodies: Bodies;
  readonly #secrets: Secrets;
  readonly #patience: Patience;
  readonly #out = new Set<string>();
  readonly #reports = new Map<string, Reports>();
  #draining = false;

  constructor(services: StitchServices, bodies: Bodies, secrets: Secrets, patience: Patience) {
    this.#services = services;
    this.#bodies = bodies;
    this.#secrets = secrets;
    this.#patience = patience;
  }

  /** Requests that are out, or about to be. */
  get out(): number {
    return this.#out.size;
  }

  /** Sends nothing new from now on: what is pending stays in the table. */
  drain(): void {
    this.#draining = true;
  }

  readonly send = async (order: SendOrder, context: TaskContext): Promise<void> => {
    const deliveries = order.deliveries.filter(({ deliveryId }) => !this.#out.has(deliveryId));
    if (this.#draining || deliveries.length === 0) return;
    for (const { deliveryId } of deliveries) this.#out.add(deliveryId);
    const { id } = context.self;
    const secrets =
      this.#secrets.known(order.secrets, context.now()) ??
      (await this.#patience.until('the secrets of a stitch could not be opened', () =>
        this.#secrets.open(id, order.secrets, context.now()),
      ));
    const bodies = await this.#bodiesOf(order.projectId, deliveries);
    const reports = this.#reportsOf(context);
    await Promise.all(
      deliveries.map(async (delivery, index) => {
        const result = await this.#attempt(order, secrets, delivery, bodies[index], context);
        this.#out.delete(delivery.deliveryId);
        if (result !== undefined) await reports.add(result);
      }),
    );
    if (reports.open === 0) this.#reports.delete(id);
  };

  #reportsOf(context: TaskContext): Reports {
    const { id } = context.self;
    let reports = this.#reports.get(id);
    if (reports === undefined) {
      reports = new Reports(context.self, context.ask.bind(context), this.#patience);
      this.#reports.set(id, reports);
    }
    return reports;
  }

  /** What was read ahead; the rest is read now, together. */
  async #bodiesOf(projectId: string, deliveries: readonly Delivery[]): Promise<(string | undefined)[]> {
    const bodies = deliveries.map(({ deliveryId }) => this.#bodies.take(deliveryId));
    if (!bodies.includes(undefined)) return bodies;
    const missing = deliveries.filter((_, index) => bodies[index] === undefined);
    const read = await this.#patience.until('the bodies of events could not be read', () =>
      eventBodies(
        this.#services.db,
        missing.map(({ eventSeq, eventAt }) => ({ projectId, eventSeq, eventAt })),
      ),
    );
    let next = 0;
    return bodies.map(body => body ?? read[next++]);
  }

  /** One attempt; undefined when the node goes down before it is made. */
  async #attempt(
    order: SendOrder,
    secrets: readonly string[],
    delivery: Delivery,
    body: string | undefined,
    context: TaskContext,
  ): Promise<AttemptResult | undefined> {
    const jitter = this.#services.random.next();
    if (body === undefined) {
      const nothing = { durationMs: 0, status: null, body: null, error: null, jitter };
      return { delivery, at: context.now(), failure: 'no_body', ...nothing };
    }
    const request = {
      method: 'POST' as const,
      url: order.url,
      httpsOnly: order.httpsOnly,
      timeoutMs: this.#services.attemptTimeoutMs ?? defaultTimeoutMs,
      keepBytes,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Skein-Stitch/1',
        'Service-Event-Id': delivery.eventId,
        'Service-Delivery-Id': delivery.deliveryId,
        'Service-Attempt': String(delivery.attempts + 1),
      },
      sign: { secrets, id: delivery.eventId },
    };
    for (;;) {
      try {
        return resultOf(delivery, await this.#services.pool.send(request), jitter);
      } catch (error) {
        // Overloaded: nothing was sent. Worker lost: perhaps it was, and is sent again, as after any crash.
        const passes = error instanceof PoolOverloaded || error instanceof WorkerLost;
        if (!passes || this.#draining) return undefined;
        await this.#patience.pause(againMs * (0.5 + this.#services.random.next()));
      }
    }
  }
}

function resultOf(delivery: Delivery, result: OutboundResult, jitter: number): AttemptResult {
  const { at, durationMs, status, body, failure, error, retryAfter } = result;
  return {
    delivery,
    at,
    durationMs,
    status: status ?? null,
    body: body === undefined ? null : storable(body),
    failure: failure ?? null,
    error: error === undefined ? null : storable(error),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    jitter,
  };
}

/** PostgreSQL cannot hold U+0000; what was no UTF-8 is replaced already. */
function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
