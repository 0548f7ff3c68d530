/**
 * The transport of a cluster. Routing is by subscription: the owner of shard n listens on `skein.<cluster>.shard.<n>`, and the NATS
 * server itself reports at once when no node does. Answers come to an inbox of the asking node,
 * `skein.<cluster>.answer.<node>.<token>`; published messages go over `skein.<cluster>.topic.<topic>`.
 *
 * An answer names the subject at which its node takes asks in lines, `skein.<cluster>.lines.<node>`. Later asks of the shard go there, so
 * that all asks of one node to another in a turn of the event loop are one message, as are their answers. A message alone costs
 * both nodes and the server more than what is in it. Who is not the owner any more says so, and the next try is by subscription again. Tells go
 * with the asks; whoever gets one for a shard that it does not own says so, too, and passes it on by subscription. A tell that goes alone asks the
 * owner for its subject, by a header: of many shards nothing is ever asked, where stitches are woken.
 *
 * While the connection is lost, asks find no owner, and tells and published messages are dropped; asks that were sent before fail at
 * once, their outcome unknown. Bounded by `pendingLimit` asks and by the bytes that the server has not confirmed.
 */
import { createInbox, type Msg, type Subscription } from 'nats';
import { ServiceError } from '../../protocol/errors.ts';
import type { NatsConnection } from '../nats/index.ts';
import type { Clock } from '../time/index.ts';
import { NoOwner, unavailable } from '../actor/index.ts';
import type { Counters, Log } from '../observability/index.ts';
import {
  askForLines,
  createHeaders,
  headersBytes,
  NatsPublisher,
  readLinesTo,
  SendWindow,
  type OutgoingMessage,
} from './nats-publisher.ts';
import { AcceptedAsks, answerInLine, linesToken, NatsShard, tellToken } from './nats-shard.ts';
import { NatsTopics } from './nats-topics.ts';
import { PendingAsks } from './pending-asks.ts';
import { ShardLines } from './shard-lines.ts';
import type { Envelope, EnvelopeHandler, Release, Transport } from './transport.ts';
import {
  type AskLine,
  decodeAnswer,
  decodeAnswerLine,
  decodeAskLine,
  encodeAskLine,
  encodeEnvelope,
  noOwnerText,
} from './wire.ts';

const defaultPendingLimit = 10_000;
/** Bytes that the server has not confirmed. */
const sendWindowBytes = 64 * 1_024 * 1_024;
/** Before the number of a question whether anybody listens. */
const questionToken = '?';

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
  /** By shard: the latest of those. */
  readonly #serving = new Map<number, NatsShard>();
  /** What the subjects of all nodes for lines begin with. */
  readonly #linesPrefix: string;
  /** Where this node takes asks in lines. */
  readonly #linesTo: string;
  readonly #lines: Subscription;
  readonly #shardLines = new ShardLines();
  readonly #topics: NatsTopics;
  #nextBundle = 0;
  #nextTell = 0;
  /** Of the questions whether anybody listens, those that were not yet answered with no. */
  readonly #questions = new Set<string>();
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
    this.#topics = new NatsTopics({ connection, prefix: this.#prefix, log });
    this.#inboxPrefix = `${createInbox(`${this.#prefix}answer`)}.`;
    // One subscription for all answers: one for each ask would cost two more messages.
    this.#inbox = connection.client.subscribe(`${this.#inboxPrefix}*`, {
      callback: (error, message) => {
        if (error !== null) log.error({ err: error }, 'NATS refuses the subscription for answers');
        else this.#onAnswer(message);
      },
    });
    this.#linesPrefix = `${this.#prefix}lines.`;
    this.#linesTo = createInbox(`${this.#prefix}lines`);
    this.#lines = connection.client.subscribe(this.#linesTo, {
      callback: (error, message) => {
        if (error !== null) log.error({ err: error }, 'NATS refuses the subscription for asks');
        else this.#onAskLines(message);
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
      linesTo: this.#linesTo,
    });
    this.#shards.add(served);
    this.#serving.set(shard, served);
    await this.#connection.flush();
    return async () => {
      await served.release();
      this.#shards.delete(served);
      if (this.#serving.get(shard) === served) this.#serving.delete(shard);
    };
  }

  /** The same envelope object, asked again after `NoOwner`, is accepted only once, even when several nodes get it. */
  async ask(shard: number, envelope: Envelope): Promise<unknown> {
    if (this.#drained !== undefined || !this.#connection.connected) throw new NoOwner();
    const late = this.#pending.getLateAnswer(envelope);
    if (late !== undefined) return decodeAnswer(late);
    const { pendingLimit = defaultPendingLimit, counters } = this.#options;
    if (this.#pending.size >= pendingLimit || this.#window.isFull) {
      counters.overloaded++;
      throw overloaded;
    }
    // Another node may be at work on an ask in doubt, and its shard's subject finds it.
    const linesTo = this.#pending.isDoubtful(envelope) ? undefined : this.#shardLines.get(shard);
    if (linesTo === undefined) return decodeAnswer(await this.#askAlone(shard, envelope));
    try {
      return decodeAnswer(await this.#askInLine(shard, envelope, linesTo));
    } catch (error) {
      if (error instanceof NoOwner) this.#shardLines.forget(shard, linesTo);
      throw error;
    }
  }

  #askAlone(shard: number, envelope: Envelope): Promise<string> {
    const bytes = Buffer.from(this.#encode(envelope));
    const token = this.#pending.getToken(envelope);
    this.#send({
      subject: this.#getShardSubject(shard),
      bytes,
      onLost: () => this.#pending.onUndelivered(token),
      options: {
        reply: this.#inboxPrefix + token,
        headers: createHeaders(envelope, this.#options.clock.monotonic()),
      },
    });
    return this.#pending.wait(token, shard, envelope);
  }

  #askInLine(shard: number, envelope: Envelope, linesTo: string): Promise<string> {
    const text = this.#encode(envelope);
    const token = this.#pending.getToken(envelope);
    const bundle = this.#sendLine(linesTo, { shard, token, envelope: text }, () =>
      this.#pending.onUndelivered(token),
    );
    return this.#pending.wait(token, shard, envelope, bundle);
  }

  /** Returns the subject under which it is said that nobody got the message. */
  #sendLine(linesTo: string, line: AskLine, onLost: () => void): string | undefined {
    // The last word of the subject says whom nobody has heard.
    const createOptions = (): { reply: string } => ({
      reply: `${this.#inboxPrefix}${linesToken}${this.#nextBundle++}${linesToken}${linesTo.slice(this.#linesPrefix.length)}`,
    });
    const options = this.#publisher.sendLine(linesTo, encodeAskLine(line), createOptions, onLost);
    this.#window.add(line.envelope.length);
    return options?.reply;
  }

  /** The owner of these shards is gone: asks that it got and did not answer are rejected, their outcome unknown. */
  failOrphanedAsks(shards: readonly number[]): void {
    this.#shardLines.forgetShards(shards);
    this.#pending.failShards(new Set(shards));
  }

  tell(shard: number, envelope: Envelope): void {
    const { clock, log, counters } = this.#options;
    const onLost = (): void => void counters.lostTells++;
    if (!this.#canSend()) return onLost();
    try {
      const text = this.#encode(envelope);
      const linesTo = this.#shardLines.get(shard);
      if (linesTo !== undefined) {
        const token = `${tellToken}${shard}${linesToken}${this.#nextTell++}`;
        this.#sendLine(linesTo, { shard, token, envelope: text }, onLost);
        return;
      }
      const bytes = Buffer.from(text);
      const now = clock.monotonic();
      const headers = createHeaders(envelope, now);
      if (this.#shardLines.takeQuestion(shard, now)) {
        askForLines(headers, `${this.#inboxPrefix}${tellToken}${shard}`);
      }
      this.#send({ subject: this.#getShardSubject(shard), bytes, options: { headers }, onLost });
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
    this.#send({ subject: this.#topics.getSubject(topic), bytes });
  }

  subscribe(topic: string, listener: (message: string) => void): () => void {
    return this.#drained === undefined ? this.#topics.subscribe(topic, listener) : () => undefined;
  }

  /** The server itself says that nobody listens, before it confirms that it has the question. */
  async isHeard(topic: string): Promise<boolean> {
    if (!this.#canSend()) return true;
    const question = questionToken + this.#nextBundle++;
    this.#questions.add(question);
    const options = { reply: this.#inboxPrefix + question };
    this.#send({ subject: this.#topics.getSubject(topic), bytes: nothing, options });
    await this.#flush();
    return this.#questions.delete(question);
  }

  drain(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  async #drain(): Promise<void> {
    this.#topics.close();
    // The asks of this node are answered, too, or reach their deadline.
    await Promise.all([...[...this.#shards].map(shard => shard.release()), this.#pending.whenIdle()]);
    // Until the server has confirmed, lines of asks may still arrive; an ask that nobody answers would wait until its deadline.
    if (this.#connection.connected) await this.#lines.drain().catch(() => undefined);
    else this.#lines.unsubscribe();
    this.#stopFollowing();
    this.#inbox.unsubscribe();
    await this.#flush();
  }

  #onAnswer(message: Msg): void {
    const token = message.subject.slice(this.#inboxPrefix.length);
    if (token === linesToken) {
      for (const line of message.string().split('\n')) {
        const { token, answer } = decodeAnswerLine(line);
        if (token.startsWith(tellToken)) this.#onTellAnswer(token, answer);
        else this.#pending.onAnswer(token, answer);
      }
    } else if (token.startsWith(tellToken)) {
      this.#setLines(Number(token.slice(tellToken.length)), message.string());
    } else if (message.data.length > 0) {
      this.#learn(token, readLinesTo(message.headers));
      this.#pending.onAnswer(token, message.string());
    } else if (message.headers?.code === 503) {
      this.#onUndelivered(token, message.subject);
    }
  }

  /** Whoever was told does not own the shard, or knows no tells in lines. */
  #onTellAnswer(token: string, answer: string): void {
    if (answer !== noOwnerText) return;
    this.#shardLines.forgetShards([Number(token.slice(tellToken.length, token.indexOf(linesToken)))]);
  }

  /** Whoever answers an ask of a shard owns the shard. */
  #learn(token: string, linesTo: string | undefined): void {
    const shard = this.#pending.getShard(token);
    if (shard !== undefined && linesTo !== undefined) this.#setLines(shard, linesTo);
  }

  #setLines(shard: number, linesTo: string): void {
    if (this.#shardLines.get(shard) === linesTo) return;
    // A later ask must not overtake one that waits for the end of this turn.
    this.#publisher.flush();
    this.#shardLines.set(shard, linesTo);
  }

  #onUndelivered(token: string, reply: string): void {
    if (token.startsWith(questionToken)) {
      this.#questions.delete(token);
    } else if (token.startsWith(linesToken)) {
      this.#shardLines.forgetSubject(this.#linesPrefix + token.slice(token.lastIndexOf(linesToken) + 1));
      this.#pending.onBundleUndelivered(reply);
    } else {
      this.#pending.onUndelivered(token);
    }
  }

  #onAskLines(message: Msg): void {
    const { reply = '' } = message;
    const inbox = reply.slice(0, reply.lastIndexOf('.') + 1);
    for (const line of message.string().split('\n')) {
      const { shard, token, envelope } = decodeAskLine(line);
      const served = this.#serving.get(shard);
      if (token.startsWith(tellToken)) {
        const passOn = (): void => this.#passTellOn(inbox, { shard, token, envelope });
        if (served === undefined) passOn();
        else served.onTellLine(envelope, passOn);
      } else if (served !== undefined) served.onAskLine(inbox, token, envelope);
      else answerInLine({ ...this.#options, publisher: this.#publisher }, inbox, token, noOwnerText);
    }
  }

  /** Once: whoever gets it by its subject owns the shard, or nobody does. */
  #passTellOn(inbox: string, { shard, token, envelope }: AskLine): void {
    answerInLine({ ...this.#options, publisher: this.#publisher }, inbox, token, noOwnerText);
    const onLost = (): void => void this.#options.counters.lostTells++;
    if (this.#canSend())
      this.#send({ subject: this.#getShardSubject(shard), bytes: Buffer.from(envelope), onLost });
    else onLost();
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
  #encode(envelope: Envelope): string {
    const text = encodeEnvelope(envelope, this.#options.clock.monotonic());
    const bytes = Buffer.byteLength(text);
    const limit = this.#connection.maxPayload - headersBytes;
    if (bytes <= limit) return text;
    const message = `The command has ${bytes} bytes; at most ${limit} can be sent between nodes.`;
    throw new ServiceError('svc/validation/invalid_request', {
      message,
      http: 413,
      details: { reason: 'too_large', bytes, limit },
    });
  }

  #getShardSubject(shard: number): string {
    return `${this.#prefix}shard.${shard}`;
  }
}

const nothing = new Uint8Array();
/** Shared: under overload, an error for each refusal would cost more than the refused work. */
const overloaded = unavailable('overloaded');
