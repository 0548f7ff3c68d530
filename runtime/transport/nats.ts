/**
 * The transport of a cluster. Routing is by subscription: the owner of shard n listens on `skein.<cluster>.shard.<n>`, and the NATS
 * server itself reports at once when no node does. Answers come to an inbox of the asking node,
 * `skein.<cluster>.answer.<node>.<token>`; published messages go over `skein.<cluster>.topic.<topic>`.
 *
 * While the connection is lost, asks find no owner, and tells and published messages are dropped; asks that were sent before fail at
 * once, their outcome unknown. Bounded by `pendingLimit` asks and by the bytes that the server has not confirmed.
 */
import { createInbox, type Subscription } from 'nats';
import { ServiceError } from '../../protocol/errors.ts';
import type { NatsConnection } from '../nats/index.ts';
import type { Clock } from '../time/index.ts';
import { NoOwner, unavailable } from '../actor/index.ts';
import type { Counters, Log } from '../observability/index.ts';
import { createHeaders, NatsPublisher, SendWindow, type OutgoingMessage } from './nats-publisher.ts';
import { AcceptedAsks, NatsShard } from './nats-shard.ts';
import { PendingAsks } from './pending-asks.ts';
import type { Envelope, EnvelopeHandler, Release, Transport } from './transport.ts';
import { decodeAnswer, encodeEnvelope } from './wire.ts';

const defaultPendingLimit = 10_000;
/** Bytes that the server has not confirmed. */
const sendWindowBytes = 64 * 1_024 * 1_024;
/** Room for headers, which count towards the server's limit. */
const headersBytes = 1_024;

type Listener = (message: string) => void;

export interface NatsTransportOptions {
  /** Stays open when the transport drains: register and peers use it, too. */
  readonly connection: NatsConnection;
  /** The cluster's name: a token of NATS subjects. */
  readonly cluster: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: Pick<Counters, 'overloaded' | 'lostTells'>;
  /** Asks that wait for an answer; beyond it 503. Default 10,000. */
  readonly pendingLimit?: number;
  /** Calls back at the end of this turn of the event loop. Default: `setImmediate`. */
  readonly atTurnEnd?: (callback: () => void) => void;
}

export class NatsTransport implements Transport {
  readonly #options: NatsTransportOptions;
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #inboxPrefix: string;
  readonly #inbox: Subscription;
  readonly #pending: PendingAsks;
  readonly #accepted = new AcceptedAsks();
  readonly #publisher: NatsPublisher;
  readonly #window: SendWindow;
  readonly #shards = new Set<NatsShard>();
  readonly #topics = new Map<
    string,
    { readonly subscription: Subscription; readonly listeners: Set<Listener> }
  >();
  readonly #stopFollowing: () => void;
  #drained: Promise<void> | undefined;

  constructor(options: NatsTransportOptions) {
    this.#options = options;
    const { connection, cluster, clock, log, atTurnEnd = setImmediate } = options;
    this.#connection = connection;
    this.#prefix = `skein.${cluster}.`;
    this.#pending = new PendingAsks(clock);
    this.#publisher = new NatsPublisher({ connection, log, atTurnEnd });
    this.#window = new SendWindow(sendWindowBytes, () => this.#flush());
    this.#inboxPrefix = `${createInbox(`${this.#prefix}answer`)}.`;
    // One subscription for all answers: one for each ask would cost two more messages.
    this.#inbox = connection.client.subscribe(`${this.#inboxPrefix}*`, {
      callback: (error, message) => {
        if (error !== null) return log.error({ err: error }, 'NATS refuses the subscription for answers');
        const token = message.subject.slice(this.#inboxPrefix.length);
        if (message.data.length > 0) this.#pending.onAnswer(token, message.string());
        else if (message.headers?.code === 503) this.#pending.onUndelivered(token);
      },
    });
    this.#stopFollowing = connection.onConnection(connected => {
      if (connected) return;
      this.#publisher.clear();
      this.#pending.failAll();
    });
  }

  async serve(shard: number, handler: EnvelopeHandler): Promise<Release> {
    if (this.#drained !== undefined) throw new Error('the transport is drained');
    const { clock, log } = this.#options;
    const served = new NatsShard({
      shard,
      handler,
      clock,
      log,
      subject: this.#getShardSubject(shard),
      connection: this.#connection,
      accepted: this.#accepted,
      publisher: this.#publisher,
    });
    this.#shards.add(served);
    await this.#connection.flush();
    return async () => {
      await served.release();
      this.#shards.delete(served);
    };
  }

  /** The same envelope object, asked again after `NoOwner`, is accepted only once, even when several nodes get it. */
  async ask(shard: number, envelope: Envelope): Promise<unknown> {
    if (this.#drained !== undefined || !this.#connection.connected) throw new NoOwner();
    const late = this.#pending.getLateAnswer(envelope);
    if (late !== undefined) return decodeAnswer(late);
    const { pendingLimit = defaultPendingLimit, counters, clock } = this.#options;
    if (this.#pending.size >= pendingLimit || this.#window.isFull) {
      counters.overloaded++;
      throw overloaded;
    }
    const bytes = this.#encode(envelope);
    const token = this.#pending.getToken(envelope);
    const answer = this.#pending.wait(token, shard, envelope);
    this.#send({
      subject: this.#getShardSubject(shard),
      bytes,
      onLost: () => this.#pending.onUndelivered(token),
      options: { reply: this.#inboxPrefix + token, headers: createHeaders(envelope, clock.monotonic()) },
    });
    return decodeAnswer(await answer);
  }

  /** The owner of these shards is gone: asks that it got and did not answer are rejected, their outcome unknown. */
  failOrphanedAsks(shards: readonly number[]): void {
    this.#pending.failShards(new Set(shards));
  }

  tell(shard: number, envelope: Envelope): void {
    const { clock, log, counters } = this.#options;
    const onLost = (): void => void counters.lostTells++;
    if (!this.#canSend()) return onLost();
    try {
      const bytes = this.#encode(envelope);
      const options = { headers: createHeaders(envelope, clock.monotonic()) };
      this.#send({ subject: this.#getShardSubject(shard), bytes, options, onLost });
    } catch (error) {
      onLost();
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
        'a published message is larger than a NATS message may be',
      );
      return;
    }
    this.#send({ subject: this.#getTopicSubject(topic), bytes });
  }

  subscribe(topic: string, listener: Listener): () => void {
    if (this.#drained !== undefined) return () => undefined;
    const own: Listener = message => listener(message);
    let known = this.#topics.get(topic);
    if (known === undefined) this.#topics.set(topic, (known = this.#listen(topic)));
    const { listeners, subscription } = known;
    listeners.add(own);
    return () => {
      if (!listeners.delete(own) || listeners.size > 0) return;
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
    // The asks of this node are answered, too, or reach their deadline.
    await Promise.all([...[...this.#shards].map(shard => shard.release()), this.#pending.whenIdle()]);
    this.#stopFollowing();
    this.#inbox.unsubscribe();
    await this.#flush();
  }

  #listen(topic: string): { subscription: Subscription; listeners: Set<Listener> } {
    const { log } = this.#options;
    const listeners = new Set<Listener>();
    const subscription = this.#connection.client.subscribe(this.#getTopicSubject(topic), {
      callback: (error, message) => {
        if (error !== null)
          return log.error({ err: error, topic }, 'NATS refuses the subscription for a topic');
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
    return this.#drained === undefined && this.#connection.connected && !this.#window.isFull;
  }

  #send(message: OutgoingMessage): void {
    this.#publisher.send(message);
    this.#window.add(message.bytes.length);
  }

  /** Resolves when the server has confirmed everything that was sent, or the connection is lost. */
  #flush(): Promise<void> {
    this.#publisher.flush();
    return this.#connection.flush();
  }

  /** Throws a `ServiceError` for a command that is too large: the server would close the connection. */
  #encode(envelope: Envelope): Buffer {
    const bytes = Buffer.from(encodeEnvelope(envelope, this.#options.clock.monotonic()));
    const limit = this.#connection.maxPayload - headersBytes;
    if (bytes.length <= limit) return bytes;
    const message = `The command has ${bytes.length} bytes; at most ${limit} can be sent between nodes.`;
    throw new ServiceError('svc/validation/invalid_request', {
      message,
      http: 413,
      details: { reason: 'too_large', bytes: bytes.length, limit },
    });
  }

  #getShardSubject(shard: number): string {
    return `${this.#prefix}shard.${shard}`;
  }

  /** Dots separate the words of a topic, as in a subject; characters that a subject cannot hold are percent-encoded. */
  #getTopicSubject(topic: string): string {
    const name = /^[\w-]+(\.[\w-]+)*$/.test(topic)
      ? topic
      : encodeURIComponent(topic).replace(/[.*]/g, percentEncode);
    return `${this.#prefix}topic.${name}`;
  }
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

/** Shared: under overload, an error for each refusal would cost more than the refused work. */
const overloaded = unavailable('overloaded');
