/**
 * One SubscribeEvents stream: a subscriber (gateway/stream/subscriber.ts, which has its states) that sends gRPC messages, on the same
 * hub as the Console's sockets.
 */
import { status as codes, type ServerWritableStream } from '@grpc/grpc-js';
import { ServiceError } from '../../protocol/errors.ts';
import type { SubscribeEventsRequest__Output } from '../../protocol/gen/skein/internal/v1/SubscribeEventsRequest.ts';
import type { SubscribeEventsResponse } from '../../protocol/gen/skein/internal/v1/SubscribeEventsResponse.ts';
import { unavailable } from '../../runtime/actor/index.ts';
import {
  type Admission,
  closeCodes,
  maxBufferedBytes,
  type PagedFrame,
  type ProjectStream,
  type ResetReason,
  type StreamContext,
  type StreamEvent,
  type StreamListener,
  Subscriber,
} from '../stream/index.ts';
import type { DecodedRequest } from './definition.ts';
import type { GrpcMetrics } from './metrics.ts';
import type { OpenStream } from './open-stream.ts';

export type SubscribeCall = ServerWritableStream<
  DecodedRequest<SubscribeEventsRequest__Output>,
  SubscribeEventsResponse
>;

const heartbeatMs = 25_000;
/** About how many bytes a frame takes beside its event. */
const frameBytes = 64;

const reasons = {
  epoch: 'REASON_EPOCH',
  expired: 'REASON_EXPIRED',
  ahead: 'REASON_AHEAD',
} as const satisfies Record<ResetReason, string>;

export class Subscription extends Subscriber implements StreamListener {
  readonly #stream: OpenStream<SubscribeCall>;
  readonly #metrics: GrpcMetrics;
  /** Bytes that were written and not sent yet. */
  #pending = 0;
  /** Monotonic milliseconds of the next heartbeat. */
  #dueAt = 0;

  constructor(
    stream: OpenStream<SubscribeCall>,
    admission: Admission,
    context: StreamContext,
    metrics: GrpcMetrics,
  ) {
    super(admission, context);
    this.#stream = stream;
    this.#metrics = metrics;
  }

  /** Begins after the cursor; both undefined: from now on. */
  open(epoch: string | undefined, seq: number | undefined): void {
    this.#stream.onGone(() => this.#close());
    this.join();
    // Clients that reconnected together are spread over some seconds.
    this.#dueAt = this.context.clock.monotonic() + heartbeatMs - (this.index % 10) * 1_000;
    this.resumeFrom(epoch, seq);
  }

  /** An event, while it is live. */
  take(event: StreamEvent, environmentId: string): void {
    const { environmentId: only, view } = this.admission;
    if (only !== undefined && only !== environmentId) return;
    if (!view.names.has(event.eventName)) return;
    this.#sendEvent(event);
    this.checkBuffer();
  }

  tick(_now: number, monotonic: number): void {
    if (this.state !== 'live' || !this.stream.loaded || monotonic < this.#dueAt) return;
    this.#dueAt = monotonic + heartbeatMs;
    this.#send({ heartbeat: { seq: this.stream.head } }, 0);
  }

  checkBuffer(): void {
    if (this.state === 'live' && this.#pending > maxBufferedBytes) {
      this.end(closeCodes.tooSlow, 'The subscriber reads too slowly: subscribe again with its last cursor.');
    }
  }

  /** @param code of the websocket: too slow, or else the node goes away. */
  end(code: number, reason: string): void {
    if (code === closeCodes.tooSlow) {
      this.#stream.fail(
        new ServiceError('svc/rate_limit/exceeded', { message: reason, details: { reason: 'too_slow' } }),
      );
    } else {
      this.#stream.fail(unavailable('draining'));
    }
    this.#close();
  }

  protected buffered(): number {
    return this.#pending;
  }

  protected tellResumed(epoch: string, seq: number): void {
    this.#send({ resumed: { cursor: { epoch, seq } } }, 0);
  }

  protected tellReset(epoch: string, seq: number, reason: ResetReason): void {
    this.#send({ reset: { cursor: { epoch, seq }, reason: reasons[reason] } }, 0);
  }

  protected sendPage(page: readonly PagedFrame[]): void {
    for (const event of page) this.#sendEvent(event);
  }

  protected goLive(stream: ProjectStream): void {
    stream.listeners.add(this);
  }

  #sendEvent({ seq, eventName, body }: Pick<StreamEvent, 'seq' | 'eventName' | 'body'>): void {
    this.#metrics.message('SubscribeEvents', codes.OK);
    this.#send({ event: { seq, eventName, envelopeJson: body } }, Buffer.byteLength(body));
  }

  #send(frame: SubscribeEventsResponse, length: number): void {
    if (this.state === 'closing' || this.#stream.ended) return;
    const bytes = frameBytes + length;
    this.#pending += bytes;
    this.#stream.call.write(frame, () => {
      this.#pending -= bytes;
      this.drained();
    });
  }

  #close(): void {
    if (this.state === 'closing') return;
    this.stream.listeners.delete(this);
    this.leave();
  }
}
