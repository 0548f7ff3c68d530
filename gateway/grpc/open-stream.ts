/** One stream of a client, from its opening until nothing can be sent on it any more. */
import { status as codes, type ServerUnaryCall, type StatusObject } from '@grpc/grpc-js';
import { unavailable } from '../../runtime/actor/index.ts';
import type { CallContext } from './service-call.ts';

/** What every call of grpc-js has. */
export type AnyCall = Pick<
  ServerUnaryCall<unknown, unknown>,
  'metadata' | 'cancelled' | 'getPeer' | 'getDeadline'
>;

/** What every call has whose responses are a stream. */
export interface AnyStream extends AnyCall {
  end(): unknown;
  emit(event: 'error', status: Partial<StatusObject>): boolean;
  once(event: 'cancelled', listener: () => void): unknown;
}

export class OpenStream<Stream extends AnyStream = AnyStream> {
  readonly call: Stream;
  #caller: CallContext | undefined;
  readonly #toStatus: (error: unknown) => Partial<StatusObject>;
  #endedWith: codes | undefined;
  #goAway = (): void => this.fail(unavailable('draining'));

  constructor(call: Stream, toStatus: (error: unknown) => Partial<StatusObject>) {
    this.call = call;
    this.#toStatus = toStatus;
  }

  /** Who calls, where a credential is needed. */
  get caller(): CallContext {
    if (this.#caller === undefined) throw new Error('the stream was admitted without a caller');
    return this.#caller;
  }

  set caller(caller: CallContext) {
    this.#caller = caller;
  }

  /** Nothing more can be sent: either side has ended it. */
  get ended(): boolean {
    return this.#endedWith !== undefined || this.call.cancelled;
  }

  /** Ends it with OK, after what was written. */
  end(): void {
    if (this.ended) return;
    this.#endedWith = codes.OK;
    this.call.end();
  }

  /** Ends it with the error's status, after what was written. */
  fail(error: unknown): void {
    if (this.ended) return;
    const status = this.#toStatus(error);
    this.#endedWith = status.code ?? codes.UNKNOWN;
    // grpc-js sends the status after the writes before it.
    this.call.emit('error', status);
  }

  /** Called once, when the last byte is sent or the client has gone. */
  onGone(gone: (code: codes) => void): void {
    // Emitted at every end, also a regular one.
    this.call.once('cancelled', () => gone(this.#endedWith ?? codes.CANCELLED));
  }

  /** Called when the node goes away. Default: the stream ends at once. */
  onGoAway(goAway: () => void): void {
    this.#goAway = goAway;
  }

  /** The node stops: the client should connect to another one. */
  goAway(): void {
    this.#goAway();
  }
}
