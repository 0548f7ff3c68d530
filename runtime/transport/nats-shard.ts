/**
 * A shard as this node serves it over NATS: the owner of shard n listens on `skein.<cluster>.shard.<n>`.
 *
 *   serving -> leaving   `release`: the server is told to send no more; late asks are answered with NoOwner
 *   leaving -> left      the server has confirmed that, and every answer in flight is out
 */
import type { Msg, Subscription } from 'nats';
import { ServiceError } from '../../protocol/errors.ts';
import { NoOwner, unavailable } from '../actor/index.ts';
import type { NatsConnection } from '../nats/index.ts';
import type { Log } from '../observability/index.ts';
import type { Clock } from '../time/index.ts';
import { isTooLate, type NatsPublisher } from './nats-publisher.ts';
import type { EnvelopeHandler } from './transport.ts';
import { decodeEnvelope, encodeFailure, encodeReply } from './wire.ts';

/** Two generations of this size are kept: an ask is repeated within 0.2 s, in which a node accepts a few thousand. */
const generationSize = 20_000;

const noOwnerText = encodeFailure(new NoOwner());
const tooLateText = encodeFailure(unavailable('deadline'));

/**
 * The asks that this node accepted lately, by their tokens, so that a repeated one is not handled twice.
 *
 * An ask is repeated when two nodes got it: a node that was paused resumes, is still subscribed, and answers `NoOwner`, while its
 * successor already works on the same ask. The caller cannot know this and tries again with the same token.
 */
export class AcceptedAsks {
  #young = new Set<string>();
  #old = new Set<string>();

  /** False when the ask was accepted before. */
  accept(token: string): boolean {
    if (this.#young.has(token) || this.#old.has(token)) return false;
    if (this.#young.size >= generationSize) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(token);
    return true;
  }

  /** The ask was not handled after all, and may be repeated. */
  forget(token: string): void {
    this.#young.delete(token);
    this.#old.delete(token);
  }
}

export interface NatsShardOptions {
  readonly shard: number;
  readonly subject: string;
  readonly handler: EnvelopeHandler;
  readonly connection: NatsConnection;
  /** Shared by the shards of a node, as is the publisher. */
  readonly accepted: AcceptedAsks;
  readonly publisher: NatsPublisher;
  readonly clock: Clock;
  readonly log: Log;
}

export class NatsShard {
  readonly #options: NatsShardOptions;
  readonly #subscription: Subscription;
  readonly #answering = new Set<Promise<void>>();
  #left: Promise<void> | undefined;

  constructor(options: NatsShardOptions) {
    this.#options = options;
    const { connection, subject, shard, log } = options;
    this.#subscription = connection.client.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) log.error({ err: error, shard }, 'NATS refuses the subscription for a shard');
        else if (message.reply === undefined || message.reply === '') this.#onTell(message);
        else this.#onAsk(message, message.reply);
      },
    });
  }

  release(): Promise<void> {
    return (this.#left ??= this.#leave());
  }

  async #leave(): Promise<void> {
    const { connection, publisher } = this.#options;
    // Until the server has confirmed, requests may still arrive; one that nobody answers would wait until its deadline.
    if (connection.connected) await this.#subscription.drain().catch(() => undefined);
    else this.#subscription.unsubscribe();
    await Promise.all(this.#answering);
    publisher.flush();
    await connection.flush();
  }

  #onTell(message: Msg): void {
    if (this.#left !== undefined) return;
    this.#handle(message).catch(() => undefined);
  }

  #onAsk(message: Msg, token: string): void {
    const { accepted } = this.#options;
    if (this.#left !== undefined) return this.#answer(token, noOwnerText);
    if (isTooLate(message.headers)) return this.#answer(token, tooLateText);
    if (!accepted.accept(token)) return;
    const answering = this.#handle(message)
      .then(encodeReply)
      .catch(encodeFailure)
      .then(text => {
        if (text === noOwnerText) accepted.forget(token);
        this.#answer(token, text);
      });
    this.#answering.add(answering);
    void answering.then(() => this.#answering.delete(answering));
  }

  /** Async, so that a throw of the handler is a rejection. The handler is called at once, in the order of the messages. */
  async #handle(message: Msg): Promise<unknown> {
    const { handler, clock } = this.#options;
    return handler(decodeEnvelope(message.string(), clock.monotonic()));
  }

  /** An answer that cannot be sent is lost: the caller has lost its connection, too, or waits until its deadline. */
  #answer(token: string, text: string): void {
    const { connection, publisher, log, shard } = this.#options;
    if (!connection.connected) return;
    const bytes = Buffer.from(text);
    const limit = connection.maxPayload;
    if (bytes.length > limit) {
      log.error({ shard, bytes: bytes.length, limit }, 'a reply is larger than a NATS message may be');
      return this.#answer(token, encodeFailure(createTooLarge(bytes.length, limit)));
    }
    publisher.send({ subject: token, bytes });
  }
}

function createTooLarge(bytes: number, limit: number): ServiceError {
  const message = `The reply has ${bytes} bytes; at most ${limit} can be sent between nodes.`;
  return new ServiceError('svc/runtime/internal_error', {
    message,
    details: { reason: 'too_large', bytes, limit },
  });
}
