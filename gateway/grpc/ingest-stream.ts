/**
 * One IngestMessages stream.
 *
 *   reading   messages are accepted, each thread's handed to its actor one after the other, and answered as they are committed
 *   full      the most messages allowed are unanswered, or the client does not read its answers: nothing is read
 *   ending    the client has sent its last message, or the node goes away: what was accepted is answered, and the stream ends
 *   gone      ended; messages that were handed to their actors go on, the others are dropped
 *
 *   reading <-> full;  reading, full -> ending -> gone;  any -> gone
 *
 * Order. Each thread has a queue, and its next message begins only when the outcome of the one before is known. What was handed over
 * together could change places: the thread's owner may die or lose its lease with some of it, and its successor gets the rest first.
 * An answer of 5xx, for one, leaves the outcome open. Then the thread is held: all of its messages are refused with 503 until the one
 * without an outcome is sent again, which is recognised by its idempotency key.
 */
import { status as codes, type ServerDuplexStream } from '@grpc/grpc-js';
import { invalid, ServiceError } from '../../protocol/errors.ts';
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
import type { ThreadOwners } from './thread-owners.ts';

export type IngestCall = ServerDuplexStream<
  DecodedRequest<IngestMessagesRequest__Output>,
  IngestMessagesResponse
>;

export interface IngestOptions {
  readonly conversations: Pick<Conversations, 'ingest'>;
  readonly threadOwners: ThreadOwners;
  readonly metrics: GrpcMetrics;
  readonly log: Log;
}

/** The most messages accepted and not answered. */
export const maxUnanswered = 256;
/** The same in bytes; a larger message is accepted alone. */
const maxUnansweredBytes = 1_048_576;

/** The most threads of a stream that are held; beyond it the stream ends, and the client resumes with what was not answered. */
export const maxHeld = 1_000;

/** A message that was accepted. */
interface Accepted {
  readonly correlationId: string;
  readonly request: IngestMessageRequest__Output | null;
  readonly bytes: number;
}

interface Outcome {
  readonly answer: IngestMessagesResponse;
  /** False: the message may be stored or not. */
  readonly isOutcomeKnown: boolean;
}

/** A message whose outcome is not known. */
interface Held {
  readonly idempotencyKey: string;
  readonly correlationId: string;
}

export class IngestStream {
  readonly #stream: OpenStream<IngestCall>;
  readonly #context: CallContext;
  readonly #options: IngestOptions;
  /** By thread: accepted, and not yet begun. A thread is here while one of its messages is under way. */
  readonly #queues = new Map<string, Accepted[]>();
  /** By thread: the message whose outcome is not known. */
  readonly #held = new Map<string, Held>();
  #unanswered = 0;
  #bytes = 0;
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
    this.#stream.onGone(() => {
      for (const queue of this.#queues.values()) queue.splice(0);
    });
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
      accepted = { correlationId, request: message, bytes: received.bytes };
    } catch (error) {
      // Without its correlation id the answer could not name the message.
      return this.#stream.fail(error);
    }
    this.#unanswered++;
    this.#bytes += accepted.bytes;
    if (this.#isFull()) this.#stream.call.pause();
    this.#enqueue(accepted);
  }

  #enqueue(accepted: Accepted): void {
    const { request } = accepted;
    const thread = getThread(request);
    const held = this.#held.get(thread);
    if (held !== undefined && held.idempotencyKey !== request?.idempotencyKey) {
      this.#answer(accepted, this.#refuse(accepted, createHeldRefusal(held), newId('request')));
      return;
    }
    this.#held.delete(thread);
    const queue = this.#queues.get(thread);
    if (queue === undefined) void this.#work(thread, accepted);
    else queue.push(accepted);
  }

  /** The messages of one thread, beginning with this one, until none waits. */
  async #work(thread: string, first: Accepted): Promise<void> {
    const queue = [first];
    this.#queues.set(thread, queue);
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { answer, isOutcomeKnown } = await this.#ingest(next);
      this.#answer(next, answer);
      if (!isOutcomeKnown) this.#hold(thread, next, queue);
    }
    this.#queues.delete(thread);
  }

  #hold(thread: string, { request, correlationId }: Accepted, queue: Accepted[]): void {
    if (request === null || thread === '') return;
    const held = { idempotencyKey: request.idempotencyKey, correlationId };
    this.#held.set(thread, held);
    for (const accepted of queue.splice(0)) {
      this.#answer(accepted, this.#refuse(accepted, createHeldRefusal(held), newId('request')));
    }
    if (this.#held.size > maxHeld) this.#stream.fail(unavailable('overloaded'));
  }

  async #ingest(accepted: Accepted): Promise<Outcome> {
    const { request, correlationId } = accepted;
    const requestId = newId('request');
    try {
      if (request === null) {
        throw invalid([{ path: `${root}/message`, message: 'is required', code: 'required' }]);
      }
      const made = await this.#options.conversations.ingest(request, { ...this.#context, requestId });
      const owner = this.#options.threadOwners.getAddress(made) ?? '';
      return { answer: { correlationId, accepted: made, owner }, isOutcomeKnown: true };
    } catch (error) {
      const refusal = this.#toRefusal(error, requestId);
      return { answer: this.#refuse(accepted, refusal, requestId), isOutcomeKnown: isFinal(refusal) };
    }
  }

  #toRefusal(error: unknown, requestId: string): ServiceError {
    const refusal = toRefusal(error);
    if (refusal !== undefined) return refusal;
    // A client that has gone is not a defect, and reads no answer.
    if (!(error instanceof Cancelled)) {
      this.#options.log.error({ requestId, err: error }, 'gRPC message failed unexpectedly');
    }
    return internalError();
  }

  #refuse({ correlationId }: Accepted, refusal: ServiceError, requestId: string): IngestMessagesResponse {
    return { correlationId, error: rpcStatus(refusal, { ...this.#context, requestId }) };
  }

  #answer({ bytes }: Accepted, answer: IngestMessagesResponse): void {
    this.#unanswered--;
    this.#bytes -= bytes;
    this.#options.metrics.message('IngestMessages', (answer.error?.code ?? codes.OK) as codes);
    if (!this.#stream.ended && !this.#stream.call.write(answer)) {
      this.#blocked = true;
      this.#stream.call.pause();
    }
    this.#readOn();
    this.#endIfDone();
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

/** Whether the message is not stored, and never will be. A refusal of 5xx, or because the same request is under way, does not tell. */
function isFinal({ http, details }: ServiceError): boolean {
  return http < 500 && details?.['reason'] !== 'in_progress';
}

/** The refusal of a message whose thread is held. */
function createHeldRefusal({ correlationId }: Held): ServiceError {
  return new ServiceError('svc/runtime/unavailable', {
    message:
      'The outcome of an earlier message of the thread is not known: send that one again first, under its key.',
    retryAfterSeconds: 1,
    details: { reason: 'held', correlationId },
  });
}

/** The thread that the message is for, as far as that is known before the message is checked. */
function getThread(request: IngestMessageRequest__Output | null): string {
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
