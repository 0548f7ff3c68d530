/**
 * The task `send`: gives deliveries to the node's pool, and reports the results. It keeps one thing that no row stands for: which deliveries
 * this node has begun and not recorded, so that an actor that was reloaded does not send them twice.
 */
import { FairSemaphore } from '../../../runtime/admission/index.ts';
import type { TaskContext } from '../../../runtime/actor/index.ts';
import type { OutboundRequest, OutboundResult } from '../../../runtime/outbound/index.ts';
import type { Span } from '../../../runtime/observability/index.ts';
import { PoolOverloaded, WorkerLost } from '../../../runtime/pool/index.ts';
import { Backoff } from '../../../runtime/time/index.ts';
import { type EventBody, eventBodies } from '../../../storage/deliveries/index.ts';
import { keptMs } from '../../../storage/events/index.ts';
import { SealBroken } from '../../../storage/secrets/index.ts';
import type { RetryPolicy } from '../../base/index.ts';
import type { SendBatch } from '../commands.ts';
import type { Delivery } from '../queue.ts';
import type { StitchServices } from '../services.ts';
import { type Attempt, createHeaders, endSpan, toAttemptResult } from './attempt.ts';
import type { BodyCache, SecretCache } from './caches.ts';
import { forge, isRefusal } from './host-proof.ts';
import { HostTurns } from './host-turns.ts';
import { ResultReporter } from './result-reporter.ts';
import { Withdrawals } from './withdrawals.ts';

const defaultTimeoutMs = 15_000;
/** How many bytes of an answer are kept. */
const keepBytes = 16_384;
/** Milliseconds to wait when the pool is full, or its worker was lost. */
const firstAgainMs = 500;
const maxAgainMs = 2_000;

/**
 * Batches that are sent at once, of one project half of them at most: with a delivery or more in each, as much as the pool has in flight for it
 * and keeps waiting. The others wait here, without their bodies.
 */
const maxBatches = 8_192;

/** What an attempt is made with. */
interface AttemptRequest {
  readonly batch: SendBatch;
  /** Undefined: none of them can be opened. */
  readonly secrets: readonly string[] | undefined;
  readonly delivery: Delivery;
  /** Undefined: it is no longer kept. */
  readonly event: EventBody | undefined;
  readonly withdrawn: AbortSignal;
  /** The host that the answer to a test event proves: undefined unless the host has a rate that a proof ends. */
  readonly provableHost: string | undefined;
}

export class DeliverySender {
  readonly #services: StitchServices;
  readonly #bodies: BodyCache;
  readonly #secrets: SecretCache;
  readonly #retryPolicy: RetryPolicy;
  readonly #inFlight = new Set<string>();
  // Each batch has a delivery or more that its stitch counts as in flight: the windows of the stitches in memory bound how many wait.
  readonly turns = new FairSemaphore(maxBatches, Infinity);
  readonly #withdrawals = new Withdrawals();
  readonly #hostTurns: HostTurns;
  readonly #reporters = new Map<string, ResultReporter>();
  #draining = false;

  constructor(services: StitchServices, bodies: BodyCache, secrets: SecretCache, retryPolicy: RetryPolicy) {
    this.#services = services;
    this.#bodies = bodies;
    this.#secrets = secrets;
    this.#retryPolicy = retryPolicy;
    this.#hostTurns = new HostTurns(services, retryPolicy);
  }

  /** How many deliveries are about to be sent, in flight, or answered and not recorded yet. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** From now on nothing new is sent: what is pending stays in the table. What waits for its turn need not wait any longer to be left there. */
  drain(): void {
    this.#draining = true;
    this.turns.open();
    this.#hostTurns.open();
  }

  /** The stitch was stopped, by the stop with that number: what it had begun before and is not out yet is not sent. */
  withdraw(stitchId: string, stops: number): void {
    this.#withdrawals.withdraw(stitchId, stops);
  }

  readonly send = async (batch: SendBatch, context: TaskContext): Promise<void> => {
    const { id } = context.self;
    const sending = this.#withdrawals.begin(id, batch.stops);
    try {
      // From here on, and not from its turn on: an actor that is loaded again meanwhile starts the same deliveries once more.
      const deliveries = batch.deliveries.filter(({ deliveryId }) => !this.#inFlight.has(deliveryId));
      if (this.#draining || deliveries.length === 0) return;
      for (const { deliveryId } of deliveries) this.#inFlight.add(deliveryId);
      await this.#sendAtRate({ ...batch, deliveries }, sending.withdrawn, context);
    } finally {
      this.#withdrawals.end(id, sending);
    }
  };

  /** Sends a batch at once if its host has no rate; otherwise each delivery when the rate allows it. Holds no turn of the node meanwhile. */
  async #sendAtRate(batch: SendBatch, withdrawn: AbortSignal, context: TaskContext): Promise<void> {
    const found = this.#hostTurns.findBucket(batch);
    const bucket = found instanceof Promise ? await found : found;
    if (bucket === undefined) return this.#sendInTurn(batch, withdrawn, context);
    const provableHost = bucket.name === 'webhooks' ? bucket.host : undefined;
    await Promise.all(
      batch.deliveries.map(async delivery => {
        const mayGo = await this.#hostTurns.wait(bucket, withdrawn);
        if (!mayGo) return this.#giveBack([delivery], context);
        await this.#sendInTurn({ ...batch, deliveries: [delivery] }, withdrawn, context, provableHost);
      }),
    );
  }

  async #sendInTurn(
    batch: SendBatch,
    withdrawn: AbortSignal,
    context: TaskContext,
    provableHost?: string,
  ): Promise<void> {
    const { projectId, deliveries } = batch;
    const hasTurn =
      this.turns.tryTake(projectId) || (await this.turns.takeUnlessAborted(projectId, withdrawn));
    if (!hasTurn) return this.#giveBack(deliveries, context);
    try {
      const found = this.#isArchived(projectId);
      const isArchived = typeof found === 'boolean' ? found : await found;
      if (this.#draining) this.#forget(deliveries);
      else if (isArchived) await this.#postpone(deliveries, context);
      else await this.#sendBatch(batch, withdrawn, context, provableHost);
    } finally {
      this.turns.release(projectId);
    }
  }

  /** The stitch was stopped before these had their turn. */
  async #giveBack(deliveries: readonly Delivery[], context: TaskContext): Promise<void> {
    this.#forget(deliveries);
    const reporter = this.#getReporter(context);
    await Promise.all(deliveries.map(({ deliveryId }) => reporter.giveBack(deliveryId)));
    if (reporter.open === 0) this.#reporters.delete(context.self.id);
  }

  #forget(deliveries: readonly Delivery[]): void {
    for (const { deliveryId } of deliveries) this.#inFlight.delete(deliveryId);
  }

  async #sendBatch(
    batch: SendBatch,
    withdrawn: AbortSignal,
    context: TaskContext,
    provableHost: string | undefined,
  ): Promise<void> {
    const { deliveries } = batch;
    const { id } = context.self;
    const secrets =
      this.#secrets.known(batch.secrets, context.now()) ?? (await this.#openSecrets(batch, context));
    const bodies = await this.#readBodies(batch.projectId, deliveries);
    const reporter = this.#getReporter(context);
    await Promise.all(
      deliveries.map(async (delivery, index) => {
        const { deliveryId } = delivery;
        let result: Attempt;
        try {
          const request = { batch, secrets, delivery, event: bodies[index], withdrawn, provableHost };
          result = await this.#attempt(request, context);
          if (typeof result !== 'string') {
            // Until its row is there, an actor that is loaded again finds it in the log as what was never sent.
            await reporter.add({ ...result, stops: batch.stops });
          }
        } finally {
          this.#inFlight.delete(deliveryId);
        }
        if (result === 'withdrawn') await reporter.giveBack(deliveryId);
      }),
    );
    if (reporter.open === 0) this.#reporters.delete(id);
  }

  async #postpone(deliveries: readonly Delivery[], context: TaskContext): Promise<void> {
    this.#forget(deliveries);
    const deliveryIds = deliveries.map(({ deliveryId }) => deliveryId);
    await this.#retryPolicy.retry('a stitch could not be postponed', () =>
      context.ask(context.self, 'postpone', { deliveryIds }),
    );
  }

  /** Nearly always known already. */
  #isArchived(projectId: string): boolean | Promise<boolean> {
    const { archived } = this.#services;
    const found = archived.has(projectId);
    if (typeof found === 'boolean') return found;
    // Awaited, whatever becomes of it: a rejection that nobody hears ends the process.
    let first: Promise<boolean> | undefined = found;
    return this.#retryPolicy.retry('it could not be read whether a project is archived', async () => {
      const asked = first ?? archived.has(projectId);
      first = undefined;
      return asked;
    });
  }

  /** Undefined: none of them can be opened, now or later. */
  async #openSecrets(
    { secrets }: SendBatch,
    { self, now }: TaskContext,
  ): Promise<readonly string[] | undefined> {
    try {
      return await this.#secrets.open(self.id, secrets, now());
    } catch (err) {
      if (!(err instanceof SealBroken)) throw err;
      this.#services.log.error({ err, stitchId: self.id }, 'the secret of a stitch cannot be opened');
      return undefined;
    }
  }

  #getReporter(context: TaskContext): ResultReporter {
    const { id } = context.self;
    let reporter = this.#reporters.get(id);
    if (reporter === undefined) {
      reporter = new ResultReporter(context.self, context.ask.bind(context), this.#retryPolicy);
      this.#reporters.set(id, reporter);
    }
    return reporter;
  }

  /** The bodies that were read ahead; the others are read now, together. */
  async #readBodies(projectId: string, deliveries: readonly Delivery[]): Promise<(EventBody | undefined)[]> {
    const bodies = deliveries.map(({ deliveryId, traceparent = null }) => {
      const body = this.#bodies.take(deliveryId);
      return body === undefined ? undefined : { body, traceparent };
    });
    if (!bodies.includes(undefined)) return bodies;
    const missing = deliveries.filter((_, index) => bodies[index] === undefined);
    const read = await this.#retryPolicy.retry('the bodies of events could not be read', () =>
      eventBodies(
        this.#services.db,
        missing.map(({ eventSeq, eventAt }) => ({ projectId, eventSeq, eventAt })),
      ),
    );
    let next = 0;
    return bodies.map(body => body ?? read[next++]);
  }

  /** One attempt, in the trace of its event. */
  #attempt(request: AttemptRequest, context: TaskContext): Promise<Attempt> {
    const { batch, delivery, event } = request;
    const parent = event?.traceparent ?? undefined;
    const span = parent === undefined ? undefined : this.#trace(parent, batch, delivery, context);
    const attempt = this.#makeAttempt(request, context, span).then(result => {
      if (typeof result !== 'string') this.#services.metrics?.countAttempt(result, span?.traceparent);
      return result;
    });
    if (span === undefined) return attempt;
    let result: Attempt = 'abandoned';
    return attempt.then(given => (result = given)).finally(() => endSpan(span, result));
  }

  #trace(
    parent: string,
    { projectId, url }: SendBatch,
    delivery: Delivery,
    { self }: TaskContext,
  ): Span | undefined {
    const { deliveryId, eventId, eventName, threadId, attempts, trigger } = delivery;
    return this.#services.tracer?.start('webhook', parent, {
      kind: 'client',
      attributes: {
        'skein.project.id': projectId,
        'skein.stitch.id': self.id,
        'skein.delivery.id': deliveryId,
        'skein.delivery.trigger': trigger,
        'skein.delivery.attempt': attempts + 1,
        'skein.event.id': eventId,
        'skein.event.name': eventName,
        'skein.thread.id': threadId ?? undefined,
        'http.request.method': 'POST',
        // Without its path and query, which may hold a secret of the receiver.
        'server.address': URL.parse(url)?.host,
      },
    });
  }

  async #makeAttempt(
    { batch, secrets, delivery, event, withdrawn, provableHost }: AttemptRequest,
    context: TaskContext,
    span: Span | undefined,
  ): Promise<Attempt> {
    const jitter = this.#services.random.next();
    const unsent = {
      delivery,
      at: context.now(),
      durationMs: 0,
      status: null,
      body: null,
      error: null,
      jitter,
    };
    if (event === undefined) return { ...unsent, failure: 'no_body' };
    if (secrets === undefined) return { ...unsent, failure: 'unreadable_secret' };
    const { clock, random, pool, attemptTimeoutMs = defaultTimeoutMs } = this.#services;
    let request: OutboundRequest = {
      method: 'POST',
      url: batch.url,
      httpsOnly: batch.httpsOnly,
      timeoutMs: attemptTimeoutMs,
      keepBytes,
      body: event.body,
      headers: createHeaders(delivery, span),
      sign: { secrets, id: delivery.eventId },
    };
    let backoff: Backoff | undefined;
    let readAt = clock.monotonic();
    /** Undefined: what was perhaps sent is not withdrawn any more. */
    let withdrawal: AbortSignal | undefined = withdrawn;
    for (;;) {
      try {
        const send = (each: OutboundRequest): Promise<OutboundResult> =>
          pool.send({ ...each, at: context.now() }, batch.projectId, undefined, withdrawal);
        const forged = delivery.trigger === 'test' && provableHost !== undefined ? forge(request) : undefined;
        const isGuarded = forged !== undefined && isRefusal(await send(forged));
        const result = toAttemptResult(delivery, await send(request), jitter);
        if (!isGuarded || provableHost === undefined) return result;
        const isAccepted = result.status !== null && result.status >= 200 && result.status < 300;
        return isAccepted ? { ...result, provenHost: provableHost } : result;
      } catch (error) {
        if (withdrawal?.aborted === true && error === withdrawal.reason) return 'withdrawn';
        // Overloaded: nothing was sent. Worker lost: perhaps the request was sent, and it is sent again, as after any crash. So it is where
        // the stitch was stopped meanwhile: a delivery that the receiver may have is not shown as one that was never attempted.
        const isLost = error instanceof WorkerLost;
        if (!(isLost || error instanceof PoolOverloaded) || this.#draining) return 'abandoned';
        if (isLost) withdrawal = undefined;
        backoff ??= new Backoff(firstAgainMs, maxAgainMs, random);
        await this.#retryPolicy.pause(backoff.next());
        if (clock.monotonic() - readAt < keptMs) continue;
        // It may have been erased meanwhile.
        readAt = clock.monotonic();
        const [again] = await this.#readBodies(batch.projectId, [delivery]);
        if (again === undefined) return { ...unsent, failure: 'no_body' };
        request = { ...request, body: again.body };
      }
    }
  }
}
