/**
 * The transport of a cluster. Routing is by subscription: whoever owns shard n listens on `skein.<cluster>.shard.<n>`, and the
 * server itself says at once when nobody does. Answers come to an inbox of the asking node, `skein.<cluster>.answer.<node>.<token>`;
 * news go over `skein.<cluster>.topic.<topic>`.
 *
 * While the connection is lost asks find no owner, and tells and news are dropped; asks that were sent fail at once, their
 * outcome unknown. Bounded by `pendingLimit` asks and by the bytes that the server has not yet taken.
 */
import { createInbox, type Subscription } from 'nats';
import { ServiceError } from '../../protocol/errors.ts';
import type { NatsConnection } from '../cluster/nats-connection.ts';
import type { Clock } from '../clock.ts';
import { unavailable } from '../failures.ts';
import type { Log } from '../log.ts';
import type { Counters } from '../metrics.ts';
import { AcceptedAsks } from './accepted.ts';
import { headersOf } from './nats-headers.ts';
import { NatsShard } from './nats-shard.ts';
import { Outbox, type Letter } from './nats-outbox.ts';
import { Outflow } from './outflow.ts';
import { PendingAsks } from './pending.ts';
import { NoOwner, type Envelope, type Release, type Serve, type Transport } from './transport.ts';
import { decodeAnswer, encodeEnvelope } from './wire.ts';

const defaultPendingLimit = 10_000;
const outflowBytes = 64 * 1_024 * 1_024;
/** Headers count towards the server's limit. */
const headersBytes = 1_024;

type Listener = (message: string) => void;

export interface NatsTransportOptions {
  /** Stays open when the transport drains: register and peers stand on it too. */
  readonly connection: NatsConnection;
  /** The cluster's name, a subject token. */
  readonly cluster: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: Pick<Counters, 'overloaded' | 'lostTells'>;
  /** Asks that wait for an answer; beyond it 503. Default 10,000. */
  readonly pendingLimit?: number;
  /** Calls back at the end of this turn of the event loop. Default: `setImmediate`. */
  readonly turnEnd?: (callback: () => void) => void;
}

export class NatsTransport implements Transport {
  readonly #options: NatsTransportOptions;
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #inboxPrefix: string;
  readonly #inbox: Subscription;
  readonly #pending: PendingAsks;
  readonly #accepted = new AcceptedAsks();
  readonly #outbox: Outbox;
  readonly #outflow: Outflow;
  readonly #shards = new Set<NatsShard>();
  readonly #topics = new Map<
    string,
    { readonly subscription: Subscription; readonly listeners: Set<Listener> }
  >();
  readonly #stopFollowing: () => void;
  #drained: Promise<void> | undefined;

  constructor(options: NatsTransportOptions) {
    this.#options = options;
    const { connection, cluster, clock, log, turnEnd = setImmediate } = options;
    this.#connection = connection;
    this.#prefix = `skein.${cluster}.`;
    this.#pending = new PendingAsks(clock);
    this.#outbox = new Outbox({ connection, log, turnEnd });
    this.#outflow = new Outflow(outflowBytes, () => this.#flush());
    this.#inboxPrefix = `${createInbox(`${this.#prefix}answer`)}.`;
    // One subscription for all answers: to subscribe for each ask costs two more messages.
    this.#inbox = connection.client.subscribe(`${this.#inboxPrefix}*`, {
      callback: (error, message) => {
        if (error !== null) return log.error({ err: error }, 'NATS refuses the subscription for answers');
        const token = message.subject.slice(this.#inboxPrefix.length);
        if (message.data.length > 0) this.#pending.answered(token, message.string());
        else if (message.headers?.code === 503) this.#pending.unheard(token);
      },
    });
    this.#stopFollowing = connection.onConnection(connected => {
      if (connected) return;
      this.#outbox.clear();
      this.#pending.lose();
    });
  }

  async serve(shard: number, handler: Serve): Promise<Release> {
    if (this.#drained !== undefined) throw new Error('the transport is drained');
    const { clock, log } = this.#options;
    const served = new NatsShard({
      ...{ shard, handler, clock, log, subject: this.#subjectOf(shard) },
      ...{ connection: this.#connection, accepted: this.#accepted, outbox: this.#outbox },
    });
    this.#shards.add(served);
    await this.#connection.flush();
    return async () => {
      await served.release();
      this.#shards.delete(served);
    };
  }

  /** The same envelope object, asked again after `NoOwner`, is taken once only, even when several nodes hear it. */
  async ask(shard: number, envelope: Envelope): Promise<unknown> {
    if (this.#drained !== undefined || !this.#connection.connected) throw new NoOwner();
    const late = this.#pending.lateAnswer(envelope);
    if (late !== undefined) return decodeAnswer(late);
    const { pendingLimit = defaultPendingLimit, counters, clock } = this.#options;
    if (this.#pending.size >= pendingLimit || this.#outflow.full) {
      counters.overloaded++;
      throw overloaded;
    }
    const bytes = this.#encode(envelope);
    const token = this.#pending.tokenOf(envelope);
    const answer = this.#pending.wait(token, shard, envelope);
    this.#send({
      ...{ subject: this.#subjectOf(shard), bytes, lost: () => this.#pending.unheard(token) },
      options: { reply: this.#inboxPrefix + token, headers: headersOf(envelope, clock.monotonic()) },
    });
    return decodeAnswer(await answer);
  }

  /** The owner of these shards is gone: asks that it heard and did not answer are rejected, their outcome unknown. */
  orphaned(shards: readonly number[]): void {
    this.#pending.orphan(new Set(shards));
  }

  tell(shard: number, envelope: Envelope): void {
    const { clock, log, counters } = this.#options;
    const lost = (): void => void counters.lostTells++;
    if (!this.#canSend()) return lost();
    try {
      const bytes = this.#encode(envelope);
      const options = { headers: headersOf(envelope, clock.monotonic()) };
      this.#send({ subject: this.#subjectOf(shard), bytes, options, lost });
    } catch (error) {
      lost();
      log.error({ err: error, shard }, 'a tell could not be sent');
    }
  }

  publish(topic: string, message: string): void {
    if (!this.#canSend()) return;
    const bytes = Buffer.from(message);
    const limit = this.#connection.maxPayload;
    if (bytes.length > limit) {
      this.#options.log.error(
        { topic, bytes: bytes.length, limit },
        'news are larger than a NATS message may be',
      );
      return;
    }
    this.#send({ subject: this.#topicSubject(topic), bytes });
  }

  subscribe(topic: string, listener: Listener): () => void {
    if (this.#drained !== undefined) return () => undefined;
    const mine: Listener = message => listener(message);
    let heard = this.#topics.get(topic);
    if (heard === undefined) this.#topics.set(topic, (heard = this.#listen(topic)));
    const { listeners, subscription } = heard;
    listeners.add(mine);
    return () => {
      if (!listeners.delete(mine) || listeners.size > 0) return;
      if (!subscription.isClosed()) subscription.unsubscribe();
      this.#topics.delete(topic);
    };
  }

  drain(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  async #drain(): Promise<void> {
    for (const { subscription, listeners } of this.#topics.values()) {
      listeners.clear();
      if (!subscription.isClosed()) subscription.unsubscribe();
    }
    this.#topics.clear();
    // Asks of this node are answered, too, or reach their deadline.
    await Promise.all([...[...this.#shards].map(shard => shard.release()), this.#pending.quiet()]);
    this.#stopFollowing();
    this.#inbox.unsubscribe();
    await this.#flush();
  }

  #listen(topic: string): { subscription: Subscription; listeners: Set<Listener> } {
    const { log } = this.#options;
    const listeners = new Set<Listener>();
    const subscription = this.#connection.client.subscribe(this.#topicSubject(topic), {
      callback: (error, message) => {
        if (error !== null)
          return log.error({ err: error, topic }, 'NATS refuses the subscription of a topic');
        const text = message.string();
        for (const listener of listeners) {
          try {
            listener(text);
          } catch (failure) {
            log.error({ err: failure, topic }, 'a listener failed');
          }
        }
      },
    });
    return { subscription, listeners };
  }

  #canSend(): boolean {
    return this.#drained === undefined && this.#connection.connected && !this.#outflow.full;
  }

  #send(letter: Letter): void {
    this.#outbox.send(letter);
    this.#outflow.add(letter.bytes.length);
  }

  /** Resolves when the server has taken all that was sent until now, or the connection is lost. */
  #flush(): Promise<void> {
    this.#outbox.flush();
    return this.#connection.flush();
  }

  /** Throws a `ServiceError` when the server would close the connection over it. */
  #encode(envelope: Envelope): Buffer {
    const bytes = Buffer.from(encodeEnvelope(envelope, this.#options.clock.monotonic()));
    const limit = this.#connection.maxPayload - headersBytes;
    if (bytes.length <= limit) return bytes;
    const message = `The command has ${bytes.length} bytes, and ${limit} is the most that crosses between nodes.`;
    throw new ServiceError('svc/validation/invalid_request', {
      ...{ message, http: 413, details: { reason: 'too_large', bytes: bytes.length, limit } },
    });
  }

  #subjectOf(shard: number): string {
    return `${this.#prefix}shard.${shard}`;
  }

  /** Dots part the words of a topic as they part a subject's; what a subject cannot hold is written as its number. */
  #topicSubject(topic: string): string {
    const name = /^[\w-]+(\.[\w-]+)*$/.test(topic)
      ? topic
      : encodeURIComponent(topic).replace(/[.*]/g, hexadecimal);
    return `${this.#prefix}topic.${name}`;
  }
}

function hexadecimal(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

/** One for all: under overload, making an error for each would cost more than the work that is refused. */
const overloaded = unavailable('overloaded');
