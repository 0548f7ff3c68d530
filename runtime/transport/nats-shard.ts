/**
 * A shard as this node serves it over NATS: the owner of shard n listens on `skein.<cluster>.shard.<n>`.
 *
 *   serving -> leaving   `release`: the server is told to send no more; what still comes hears NoOwner
 *   leaving -> left      the server has confirmed that, and every answer in flight is out
 */
import type { Msg, Subscription } from 'nats';
import { ServiceError } from '../../protocol/errors.ts';
import type { NatsConnection } from '../cluster/nats-connection.ts';
import type { Clock } from '../clock.ts';
import { unavailable } from '../failures.ts';
import type { Log } from '../log.ts';
import type { AcceptedAsks } from './accepted.ts';
import { isTooLate } from './nats-headers.ts';
import type { Outbox } from './nats-outbox.ts';
import { NoOwner, type Serve } from './transport.ts';
import { decodeEnvelope, encodeFailure, encodeReply } from './wire.ts';

const saysNoOwner = encodeFailure(new NoOwner());
const saysTooLate = encodeFailure(unavailable('deadline'));

export interface NatsShardOptions {
  readonly shard: number;
  readonly subject: string;
  readonly handler: Serve;
  readonly connection: NatsConnection;
  /** Shared by the shards of a node, as is the outbox. */
  readonly accepted: AcceptedAsks;
  readonly outbox: Outbox;
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
        if (error !== null) log.error({ err: error, shard }, 'NATS refuses the subscription of a shard');
        else if (message.reply === undefined || message.reply === '') this.#hearTell(message);
        else this.#hearAsk(message, message.reply);
      },
    });
  }

  release(): Promise<void> {
    return (this.#left ??= this.#leave());
  }

  async #leave(): Promise<void> {
    const { connection, outbox } = this.#options;
    // Until the server has confirmed, asks may be under way, and an ask that nobody answers would wait until its deadline.
    if (connection.connected) await this.#subscription.drain().catch(() => undefined);
    else this.#subscription.unsubscribe();
    await Promise.all(this.#answering);
    outbox.flush();
    await connection.flush();
  }

  #hearTell(message: Msg): void {
    if (this.#left !== undefined) return;
    this.#handle(message).catch(() => undefined);
  }

  #hearAsk(message: Msg, token: string): void {
    const { accepted } = this.#options;
    if (this.#left !== undefined) return this.#answer(token, saysNoOwner);
    if (isTooLate(message.headers)) return this.#answer(token, saysTooLate);
    if (!accepted.take(token)) return;
    const answering = this.#handle(message)
      .then(encodeReply)
      .catch(encodeFailure)
      .then(text => {
        if (text === saysNoOwner) accepted.forget(token);
        this.#answer(token, text);
      });
    this.#answering.add(answering);
    void answering.then(() => this.#answering.delete(answering));
  }

  /** Asynchronous at once, so that a handler's throw is a rejection too, and in the order of the messages. */
  async #handle(message: Msg): Promise<unknown> {
    const { handler, clock } = this.#options;
    return handler(decodeEnvelope(message.string(), clock.monotonic()));
  }

  /** An answer that cannot be sent is lost: the asker has lost its connection too, or waits until its deadline. */
  #answer(token: string, text: string): void {
    const { connection, outbox, log, shard } = this.#options;
    if (!connection.connected) return;
    const bytes = Buffer.from(text);
    const limit = connection.maxPayload;
    if (bytes.length > limit) {
      log.error({ shard, bytes: bytes.length, limit }, 'a reply is larger than a NATS message may be');
      return this.#answer(token, encodeFailure(tooLargeReply(bytes.length, limit)));
    }
    outbox.send({ subject: token, bytes });
  }
}

function tooLargeReply(bytes: number, limit: number): ServiceError {
  const message = `The reply has ${bytes} bytes, and ${limit} is the most that crosses between nodes.`;
  return new ServiceError('svc/runtime/internal_error', {
    message,
    details: { reason: 'too_large', bytes, limit },
  });
}
