/** One stream of a client, from its opening until nothing can be sent on it any more. */
import { status as codes, type ServerUnaryCall, type StatusObject } from '@grpc/grpc-js';
import { unavailable } from '../../runtime/failures.ts';
import type { Circumstances } from './service-call.ts';

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
  #caller: Circumstances | undefined;
  readonly #statusOf: (error: unknown) => Partial<StatusObject>;
  #endedWith: codes | undefined;
  #goAway = (): void => this.fail(unavailable('draining'));

  constructor(call: Stream, statusOf: (error: unknown) => Partial<StatusObject>) {
    this.call = call;
    this.#statusOf = statusOf;
  }

  /** Who it is, where that was asked. */
  get caller(): Circumstances {
    if (this.#caller === undefined) throw new Error('the stream was let in without a caller');
    return this.#caller;
  }

  set caller(caller: Circumstances) {
    this.#caller = caller;
  }

  /** Nothing more can be sent: it was ended by either side. */
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
    const status = this.#statusOf(error);
    this.#endedWith = status.code ?? codes.UNKNOWN;
    // How grpc-js has it: the status is sent when the writes before it are.
    this.call.emit('error', status);
  }

  /** Called once, when the last byte is out or the client has gone. */
  onGone(gone: (code: codes) => void): void {
    // Comes with every end, also with a good one.
    this.call.once('cancelled', () => gone(this.#endedWith ?? codes.CANCELLED));
  }

  /** What is to be done when the node goes away. Default: it ends at once. */
  onGoAway(goAway: () => void): void {
    this.#goAway = goAway;
  }

  /** The node goes away: the client is to come back elsewhere. */
  goAway(): void {
    this.#goAway();
  }
}
