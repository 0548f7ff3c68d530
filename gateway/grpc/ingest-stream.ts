/**
 * One IngestMessages stream.
 *
 *   reading   messages are taken, handed to their actors one after the other, and answered as their commits land
 *   full      as many are unanswered as may be, or the client does not read its answers: nothing is read
 *   ending    the client has sent its last message, or the node goes away: what was taken is answered, and the stream ends
 *   gone      ended; what is on its way to its actor goes on, what is not is dropped
 *
 *   reading <-> full;  reading, full -> ending -> gone;  any -> gone
 *
 * Order. A message is handed to its actor only when the one before it on the stream has been: an actor works in the order in which
 * it is asked, so that messages of one thread are committed as they were sent. Their answers leave in that order too: each
 * waits in the line of its thread.
 */
import { status as codes, type ServerDuplexStream } from '@grpc/grpc-js';
import { invalid } from '../../protocol/errors.ts';
import type { IngestMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/IngestMessageRequest.ts';
import type { IngestMessagesRequest__Output } from '../../protocol/gen/skein/internal/v1/IngestMessagesRequest.ts';
import type { IngestMessagesResponse } from '../../protocol/gen/skein/internal/v1/IngestMessagesResponse.ts';
import { newId } from '../../protocol/ids.ts';
import { internalError, unavailable } from '../../runtime/failures.ts';
import type { Log } from '../../runtime/log.ts';
import { refusalOf } from '../refusal.ts';
import { addressee } from '../rest/handlers/channel-traffic.ts';
import type { Conversations } from './conversations.ts';
import type { Received } from './definition.ts';
import { understood } from './gate.ts';
import type { GrpcMetrics } from './metrics.ts';
import type { OpenStream } from './open-stream.ts';
import { root } from './requests.ts';
import type { Circumstances } from './service-call.ts';
import { Cancelled, rpcStatus } from './status.ts';

export type IngestCall = ServerDuplexStream<Received<IngestMessagesRequest__Output>, IngestMessagesResponse>;

export interface IngestOptions {
  readonly conversations: Pick<Conversations, 'ingest'>;
  readonly metrics: GrpcMetrics;
  readonly log: Log;
}

/** Messages taken and not answered, at most. */
export const maxUnanswered = 256;
/** The same in bytes; a message that is larger by itself is taken alone. */
const maxUnansweredBytes = 1_048_576;

/** A message that was taken. */
interface Taken {
  readonly correlationId: string;
  readonly request: IngestMessageRequest__Output | null;
  /** Which line its answer stands in. */
  readonly line: string;
  readonly bytes: number;
  answer: IngestMessagesResponse | undefined;
}

export class IngestStream {
  readonly #stream: OpenStream<IngestCall>;
  readonly #circumstances: Circumstances;
  readonly #options: IngestOptions;
  /** Taken, and not yet begun. */
  readonly #waiting: Taken[] = [];
  /** Answers, in the order of the messages, by thread. */
  readonly #lines = new Map<string, Taken[]>();
  #unanswered = 0;
  #bytes = 0;
  #handingOver = false;
  /** The client does not read its answers. */
  #blocked = false;
  /** How it ends when everything is answered; undefined while it goes on. */
  #ending: 'ok' | 'away' | undefined;

  constructor(stream: OpenStream<IngestCall>, circumstances: Circumstances, options: IngestOptions) {
    this.#stream = stream;
    this.#circumstances = circumstances;
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

  #take(received: Received<IngestMessagesRequest__Output>): void {
    if (this.#stream.ended || this.#ending !== undefined) return;
    let taken: Taken;
    try {
      const { correlationId, message } = understood(received);
      const { bytes } = received;
      taken = { correlationId, request: message, line: lineOf(message), bytes, answer: undefined };
    } catch (error) {
      // Without its correlation id nobody could be told which one it was.
      return this.#stream.fail(error);
    }
    this.#unanswered++;
    this.#bytes += taken.bytes;
    const line = this.#lines.get(taken.line);
    if (line === undefined) this.#lines.set(taken.line, [taken]);
    else line.push(taken);
    this.#waiting.push(taken);
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
  #begin(taken: Taken): Promise<void> {
    return new Promise(resolve => {
      const circumstances = { ...this.#circumstances, requestId: newId('request'), onAsked: resolve };
      void this.#ingest(taken, circumstances).then(answer => {
        this.#settle(taken, answer);
        resolve();
      });
    });
  }

  async #ingest(
    { request, correlationId }: Taken,
    circumstances: Circumstances,
  ): Promise<IngestMessagesResponse> {
    try {
      if (request === null) {
        throw invalid([{ path: `${root}/message`, message: 'is required', code: 'required' }]);
      }
      return { correlationId, accepted: await this.#options.conversations.ingest(request, circumstances) };
    } catch (error) {
      return { correlationId, error: this.#errorOf(error, circumstances) };
    }
  }

  #errorOf(error: unknown, circumstances: Circumstances): IngestMessagesResponse['error'] & object {
    let refusal = refusalOf(error);
    if (refusal === undefined) {
      const { requestId } = circumstances;
      // A client that has gone is no defect, and reads no answer.
      if (!(error instanceof Cancelled)) {
        this.#options.log.error({ requestId, err: error }, 'gRPC message failed unexpectedly');
      }
      refusal = internalError();
    }
    return rpcStatus(refusal, circumstances);
  }

  #settle(taken: Taken, answer: IngestMessagesResponse): void {
    taken.answer = answer;
    const line = this.#lines.get(taken.line) ?? [];
    for (let first = line[0]; first?.answer !== undefined; first = line[0]) {
      line.shift();
      this.#send(first, first.answer);
    }
    if (line.length === 0) this.#lines.delete(taken.line);
    this.#readOn();
    this.#endIfDone();
  }

  #send({ bytes }: Taken, answer: IngestMessagesResponse): void {
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

/** The thread that the message is for, as far as it can be told before the message is looked at. */
function lineOf(request: IngestMessageRequest__Output | null): string {
  if (request === null) return '';
  const { environmentId, channelId, threadId, externalThreadRef, externalParticipantRef } = request;
  if (threadId !== '') return threadId;
  if (externalThreadRef === '' && externalParticipantRef === '') return '';
  const named = {
    ...(externalThreadRef === '' ? {} : { externalThreadRef }),
    ...(externalParticipantRef === '' ? {} : { externalParticipantRef }),
  };
  return addressee({ channelId, environmentId }, named).threadId;
}
