/**
 * One IngestMessages stream.
 *
 *   reading   messages are accepted, handed to their actors one after the other, and answered as they are committed
 *   full      the most messages allowed are unanswered, or the client does not read its answers: nothing is read
 *   ending    the client has sent its last message, or the node goes away: what was accepted is answered, and the stream ends
 *   gone      ended; messages that were handed to their actors go on, the others are dropped
 *
 *   reading <-> full;  reading, full -> ending -> gone;  any -> gone
 *
 * Order. A message is handed to its actor only when the one before it on the stream has been. An actor works in the order in which
 * it is asked, so messages of one thread are committed as they were sent. Their answers leave in that order too: each
 * waits in the queue of its thread.
 */
import { status as codes, type ServerDuplexStream } from '@grpc/grpc-js';
import { invalid } from '../../protocol/errors.ts';
import type { IngestMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/IngestMessageRequest.ts';
import type { IngestMessagesRequest__Output } from '../../protocol/gen/skein/internal/v1/IngestMessagesRequest.ts';
import type { IngestMessagesResponse } from '../../protocol/gen/skein/internal/v1/IngestMessagesResponse.ts';
import { newId } from '../../protocol/ids.ts';
import { internalError, unavailable } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import { resolveThread } from '../handlers/index.ts';
import { toRefusal } from '../pipeline/index.ts';
import type { Conversations } from './conversations.ts';
import type { DecodedRequest } from './definition.ts';
import { requireDecoded } from './gate.ts';
import type { GrpcMetrics } from './metrics.ts';
import type { OpenStream } from './open-stream.ts';
import { root } from './conversions.ts';
import type { CallContext } from './service-call.ts';
import { Cancelled, rpcStatus } from './status.ts';

export type IngestCall = ServerDuplexStream<
  DecodedRequest<IngestMessagesRequest__Output>,
  IngestMessagesResponse
>;

export interface IngestOptions {
  readonly conversations: Pick<Conversations, 'ingest'>;
  readonly metrics: GrpcMetrics;
  readonly log: Log;
}

/** The most messages accepted and not answered. */
export const maxUnanswered = 256;
/** The same in bytes; a larger message is accepted alone. */
const maxUnansweredBytes = 1_048_576;

/** A message that was accepted. */
interface Accepted {
  readonly correlationId: string;
  readonly request: IngestMessageRequest__Output | null;
  /** The queue of its answer. */
  readonly queue: string;
  readonly bytes: number;
  answer: IngestMessagesResponse | undefined;
}

export class IngestStream {
  readonly #stream: OpenStream<IngestCall>;
  readonly #context: CallContext;
  readonly #options: IngestOptions;
  /** Accepted, and not yet begun. */
  readonly #waiting: Accepted[] = [];
  /** Answers in the order of the messages, by thread. */
  readonly #queues = new Map<string, Accepted[]>();
  #unanswered = 0;
  #bytes = 0;
  #handingOver = false;
  /** The client does not read its answers. */
  #blocked = false;
  /** How it ends when everything is answered; undefined while it is open. */
  #ending: 'ok' | 'away' | undefined;

  constructor(stream: OpenStream<IngestCall>, context: CallContext, options: IngestOptions) {
    this.#stream = stream;
    this.#context = context;
    this.#options = options;
  }

  /** Begins to read. */
  start(): void {
    const { call } = this.#stream;
    this.#stream.onGoAway(() => this.#goAway());
    this.#stream.onGone(() => this.#waiting.splice(0));
    call.on('data', received => this.#take(received));
    call.on('drain', () => {
      this.#blocked = false;
      this.#readOn();
    });
    call.on('end', () => {
      this.#ending ??= 'ok';
      this.#endIfDone();
    });
  }

  #take(received: DecodedRequest<IngestMessagesRequest__Output>): void {
    if (this.#stream.ended || this.#ending !== undefined) return;
    let accepted: Accepted;
    try {
      const { correlationId, message } = requireDecoded(received);
      const { bytes } = received;
      accepted = { correlationId, request: message, queue: getQueueName(message), bytes, answer: undefined };
    } catch (error) {
      // Without its correlation id the answer could not name the message.
      return this.#stream.fail(error);
    }
    this.#unanswered++;
    this.#bytes += accepted.bytes;
    const queue = this.#queues.get(accepted.queue);
    if (queue === undefined) this.#queues.set(accepted.queue, [accepted]);
    else queue.push(accepted);
    this.#waiting.push(accepted);
    if (this.#isFull()) this.#stream.call.pause();
    void this.#handOver();
  }

  async #handOver(): Promise<void> {
    if (this.#handingOver) return;
    this.#handingOver = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#begin(next);
    }
    this.#handingOver = false;
  }

  /** Resolves when the message is with its actor, or is answered. */
  #begin(accepted: Accepted): Promise<void> {
    return new Promise(resolve => {
      const context = { ...this.#context, requestId: newId('request'), onAsked: resolve };
      void this.#ingest(accepted, context).then(answer => {
        this.#settle(accepted, answer);
        resolve();
      });
    });
  }

  async #ingest({ request, correlationId }: Accepted, context: CallContext): Promise<IngestMessagesResponse> {
    try {
      if (request === null) {
        throw invalid([{ path: `${root}/message`, message: 'is required', code: 'required' }]);
      }
      return { correlationId, accepted: await this.#options.conversations.ingest(request, context) };
    } catch (error) {
      return { correlationId, error: this.#toStatus(error, context) };
    }
  }

  #toStatus(error: unknown, context: CallContext): IngestMessagesResponse['error'] & object {
    let refusal = toRefusal(error);
    if (refusal === undefined) {
      const { requestId } = context;
      // A client that has gone is not a defect, and reads no answer.
      if (!(error instanceof Cancelled)) {
        this.#options.log.error({ requestId, err: error }, 'gRPC message failed unexpectedly');
      }
      refusal = internalError();
    }
    return rpcStatus(refusal, context);
  }

  #settle(accepted: Accepted, answer: IngestMessagesResponse): void {
    accepted.answer = answer;
    const queue = this.#queues.get(accepted.queue) ?? [];
    for (let first = queue[0]; first?.answer !== undefined; first = queue[0]) {
      queue.shift();
      this.#send(first, first.answer);
    }
    if (queue.length === 0) this.#queues.delete(accepted.queue);
    this.#readOn();
    this.#endIfDone();
  }

  #send({ bytes }: Accepted, answer: IngestMessagesResponse): void {
    this.#unanswered--;
    this.#bytes -= bytes;
    this.#options.metrics.message('IngestMessages', (answer.error?.code ?? codes.OK) as codes);
    if (!this.#stream.ended && !this.#stream.call.write(answer)) {
      this.#blocked = true;
      this.#stream.call.pause();
    }
  }

  #isFull(): boolean {
    return this.#blocked || this.#unanswered >= maxUnanswered || this.#bytes >= maxUnansweredBytes;
  }

  #readOn(): void {
    if (!this.#isFull() && this.#ending === undefined && !this.#stream.ended) this.#stream.call.resume();
  }

  #goAway(): void {
    this.#ending ??= 'away';
    this.#stream.call.pause();
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#unanswered > 0 || this.#ending === undefined) return;
    if (this.#ending === 'ok') this.#stream.end();
    else this.#stream.fail(unavailable('draining'));
  }
}

/** The thread that the message is for, as far as that is known before the message is checked. */
function getQueueName(request: IngestMessageRequest__Output | null): string {
  if (request === null) return '';
  const { environmentId, channelId, threadId, externalThreadRef, externalParticipantRef } = request;
  if (threadId !== '') return threadId;
  if (externalThreadRef === '' && externalParticipantRef === '') return '';
  const named = {
    ...(externalThreadRef === '' ? {} : { externalThreadRef }),
    ...(externalParticipantRef === '' ? {} : { externalParticipantRef }),
  };
  return resolveThread({ channelId, environmentId }, named).threadId;
}
