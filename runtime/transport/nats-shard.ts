/**
 * A shard as this node serves it over NATS: the owner of shard n listens on `skein.<cluster>.shard.<n>`.
 *
 *   serving -> leaving   `release`: the server is told to send no more; late asks are answered with NoOwner
 *   leaving -> left      the server has confirmed that, and every answer in flight is out
 *
 * Nodes that have had an answer of the shard send its asks and tells to this node's own subject instead, in lines (nats.ts). A node that only
 * tells it asks for the subject.
 */
import type { Msg, Subscription } from 'nats';
import { ServiceError } from '../../protocol/errors.ts';
import { NoOwner, unavailable } from '../actor/index.ts';
import type { NatsConnection } from '../nats/index.ts';
import type { Log } from '../observability/index.ts';
import type { Clock } from '../time/index.ts';
import {
  createAnswerHeaders,
  headersBytes,
  isTooLate,
  type NatsPublisher,
  readLinesQuestion,
} from './nats-publisher.ts';
import type { EnvelopeHandler } from './transport.ts';
import {
  decodeEnvelope,
  encodeAnswerLine,
  encodeFailure,
  encodeReply,
  encodeReplyLine,
  noOwnerText,
} from './wire.ts';

/** In place of an ask's token: what comes under it are answers in lines. No token has this character. */
export const linesToken = '-';

/**
 * What the token of a tell in a line begins with; its shard follows, and what makes it unique. A node that knows no tells in lines takes it for
 * an ask, and its answer is not missed. With the shard alone it is the token of a tell's question where lines may be sent.
 */
export const tellToken = '~';

/** Two generations of this size are kept: an ask is repeated within 0.2 s, in which a node accepts a few thousand. */
const generationSize = 20_000;

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
  /** Where this node takes asks in lines; answers name it. */
  readonly linesTo: string;
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

  /** Takes an ask of a line; its answer goes to the same node in a line. `inbox`: what the subjects of its answers begin with. */
  onAskLine(inbox: string, token: string, envelope: string): void {
    const answer = (text: string): void => answerInLine(this.#options, inbox, token, text);
    if (this.#left !== undefined) return answer(noOwnerText);
    this.#take(inbox + token, envelope, encodeReplyLine, answer);
  }

  /** Takes a tell of a line. `passOn` is called where this node does not own the shard. */
  onTellLine(envelope: string, passOn: () => void): void {
    if (this.#left !== undefined) return passOn();
    this.#handle(envelope).catch((error: unknown) => {
      if (error instanceof NoOwner) passOn();
    });
  }

  #onTell(message: Msg): void {
    if (this.#left !== undefined) return;
    const question = readLinesQuestion(message.headers);
    this.#handle(message.string()).then(
      () => this.#answerQuestion(question),
      (error: unknown) => {
        if (!(error instanceof NoOwner)) this.#answerQuestion(question);
      },
    );
  }

  #answerQuestion(subject: string | undefined): void {
    const { connection, publisher, linesTo } = this.#options;
    if (subject === undefined || this.#left !== undefined || !connection.connected) return;
    publisher.send({ subject, bytes: Buffer.from(linesTo) });
  }

  #onAsk(message: Msg, subject: string): void {
    const answer = (text: string): void => this.#answer(subject, text);
    if (this.#left !== undefined) return answer(noOwnerText);
    if (isTooLate(message.headers)) return answer(tooLateText);
    this.#take(subject, message.string(), encodeReply, answer);
  }

  /** `ask`: its name in the whole cluster. */
  #take(
    ask: string,
    envelope: string,
    encode: (reply: unknown) => string,
    answer: (text: string) => void,
  ): void {
    const { accepted } = this.#options;
    if (!accepted.accept(ask)) return;
    const answering = this.#handle(envelope)
      .then(encode)
      .catch(encodeFailure)
      .then(text => {
        if (text === noOwnerText) accepted.forget(ask);
        answer(text);
      });
    this.#answering.add(answering);
    void answering.then(() => this.#answering.delete(answering));
  }

  /** Async, so that a throw of the handler is a rejection. The handler is called at once, in the order of the messages. */
  async #handle(envelope: string): Promise<unknown> {
    const { handler, clock } = this.#options;
    return handler(decodeEnvelope(envelope, clock.monotonic()));
  }

  #answer(subject: string, answer: string): void {
    const { connection, publisher, linesTo } = this.#options;
    if (!connection.connected) return;
    const bytes = Buffer.from(limitAnswer(this.#options, answer));
    const options = answer === noOwnerText ? undefined : { headers: createAnswerHeaders(linesTo) };
    publisher.send({ subject, bytes, ...(options && { options }) });
  }
}

type Answering = Pick<NatsShardOptions, 'connection' | 'publisher' | 'log'>;

/**
 * An answer that cannot be sent is lost: the caller has lost its connection, too, or waits until its deadline. `inbox`: what the
 * subjects of the caller's answers begin with.
 */
export function answerInLine(options: Answering, inbox: string, token: string, answer: string): void {
  const { connection, publisher } = options;
  if (!connection.connected) return;
  const line = encodeAnswerLine({ token, answer: limitAnswer(options, answer) });
  publisher.sendLine(inbox + linesToken, line);
}

/** The answer, or what is said in place of one that is too large. */
function limitAnswer({ connection, log }: Answering, answer: string): string {
  const limit = connection.maxPayload - headersBytes;
  const bytes = Buffer.byteLength(answer);
  if (bytes <= limit) return answer;
  log.error({ bytes, limit }, 'a reply is larger than a NATS message may be');
  return encodeFailure(createTooLarge(bytes, limit));
}

function createTooLarge(bytes: number, limit: number): ServiceError {
  const message = `The reply has ${bytes} bytes; at most ${limit} can be sent between nodes.`;
  return new ServiceError('svc/runtime/internal_error', {
    message,
    details: { reason: 'too_large', bytes, limit },
  });
}
