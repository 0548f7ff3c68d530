/**
 * What every call passes: who is calling, is there room, was it understood; and what every refusal leaves by. Nothing thrown in a
 * method reaches grpc-js, which would end the call with UNKNOWN and no details.
 */
import { status as codes, type handleUnaryCall, type StatusObject } from '@grpc/grpc-js';
import { ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { Clock } from '../../runtime/clock.ts';
import { internalError, unavailable } from '../../runtime/failures.ts';
import type { Log } from '../../runtime/log.ts';
import type { ServiceTokens } from '../auth/service-tokens.ts';
import { refusalOf } from '../refusal.ts';
import type { Received } from './definition.ts';
import type { GrpcMetrics } from './metrics.ts';
import { type AnyCall, type AnyStream, OpenStream } from './open-stream.ts';
import type { Circumstances } from './service-call.ts';
import { callStatus, Cancelled, type About } from './status.ts';

export interface GateOptions {
  readonly tokens: ServiceTokens;
  readonly metrics: GrpcMetrics;
  readonly clock: Clock;
  readonly log: Log;
  /** Unary calls under way at once, beyond which they are refused with UNAVAILABLE. Default 10,000. */
  readonly maxInFlight?: number;
  /** Streams of services open at once on this node, likewise. Default 1,000. */
  readonly maxStreams?: number;
}

/** Streams of callers who need not say who they are (health): so few that they take no room from the others. */
const maxAnonymous = 100;

export class Gate {
  readonly #options: GateOptions;
  readonly #maxInFlight: number;
  readonly #maxStreams: number;
  readonly #streams = new Set<OpenStream>();
  readonly #anonymous = new Set<OpenStream>();
  #inFlight = 0;
  #state: 'starting' | 'open' | 'closed' = 'starting';

  constructor(options: GateOptions) {
    this.#options = options;
    this.#maxInFlight = options.maxInFlight ?? 10_000;
    this.#maxStreams = options.maxStreams ?? 1_000;
  }

  /** A unary method of the contract. */
  unary<Request, Response>(
    method: string,
    work: (request: Request, circumstances: Circumstances) => Promise<Response>,
  ): handleUnaryCall<Received<Request>, Response> {
    const { metrics, clock } = this.#options;
    return (call, callback) => {
      const startedAt = clock.monotonic();
      const about = aboutOf(call);
      const answered = (code: codes): void => metrics.answered(method, code, clock.monotonic() - startedAt);
      this.#work(call, about, work).then(
        response => {
          callback(null, response);
          answered(codes.OK);
        },
        (error: unknown) => {
          const status = this.statusOf(error, about, method);
          callback(status);
          answered(status.code ?? codes.UNKNOWN);
        },
      );
    };
  }

  /**
   * A streaming method. `authenticated` false lets everybody in (health). What `open` throws ends the stream.
   */
  streaming<Stream extends AnyStream>(
    method: string,
    authenticated: boolean,
    open: (stream: OpenStream<Stream>) => void,
  ): (call: Stream) => void {
    const { metrics } = this.#options;
    return call => {
      const about = aboutOf(call);
      const stream = new OpenStream(call, error => this.statusOf(error, about, method));
      metrics.streamOpened(method);
      stream.onGone(code => {
        this.#streams.delete(stream);
        this.#anonymous.delete(stream);
        metrics.streamEnded(method, code);
      });
      try {
        if (authenticated) stream.caller = this.#admit(call, about);
        this.#makeRoom(stream, authenticated);
        open(stream);
      } catch (error) {
        stream.fail(error);
      }
    };
  }

  /** Refuses a caller without a service token; gives undefined for one who has it. For methods that are not of the contract. */
  refusalOf(call: AnyCall, method: string): Partial<StatusObject> | undefined {
    const about = aboutOf(call);
    try {
      this.#admit(call, about);
      return undefined;
    } catch (error) {
      return this.statusOf(error, about, method);
    }
  }

  /** Lets calls in. */
  open(): void {
    if (this.#state === 'starting') this.#state = 'open';
  }

  /** Ends the streams, each after what it has taken on, and lets nothing in any more. */
  close(): void {
    this.#state = 'closed';
    for (const stream of [...this.#streams, ...this.#anonymous]) stream.goAway();
  }

  /** The end of a call that failed: the catalogue's, or INTERNAL for a defect, which is logged. */
  statusOf(error: unknown, about: About, method: string): Partial<StatusObject> {
    if (error instanceof Cancelled) return { code: codes.CANCELLED, details: 'cancelled' };
    const refusal = refusalOf(error);
    if (refusal !== undefined) return callStatus(refusal, about);
    const { requestId } = about;
    this.#options.log.error({ requestId, method, err: error }, 'gRPC call failed unexpectedly');
    return callStatus(internalError(), about);
  }

  #makeRoom(stream: OpenStream, authenticated: boolean): void {
    const [streams, most] = authenticated
      ? [this.#streams, this.#maxStreams]
      : [this.#anonymous, maxAnonymous];
    if (streams.size >= most) throw unavailable('overloaded');
    streams.add(stream);
  }

  async #work<Request, Response>(
    call: AnyCall & { readonly request: Received<Request> },
    about: About,
    work: (request: Request, circumstances: Circumstances) => Promise<Response>,
  ): Promise<Response> {
    const circumstances = this.#admit(call, about);
    if (this.#inFlight >= this.#maxInFlight) throw unavailable('overloaded');
    this.#inFlight++;
    try {
      return await work(understood(call.request), circumstances);
    } finally {
      this.#inFlight--;
    }
  }

  #admit(call: AnyCall, { requestId, deadline }: About): Circumstances {
    const { metadata } = call;
    const [authorization = ''] = metadata.get('authorization');
    const service = this.#options.tokens.verify(String(authorization));
    if (this.#state === 'starting') throw unavailable('no_owner');
    if (this.#state === 'closed') throw unavailable('draining');
    const [traceparent] = metadata.get('traceparent');
    return {
      ...{ service, requestId, deadline, address: call.getPeer() },
      traceparent: traceparent === undefined ? undefined : String(traceparent),
      cancelled: () => call.cancelled,
    };
  }
}

/** The request; throws when it could not be decoded. */
export function understood<Request>({ value }: Received<Request>): Request {
  if (value !== undefined) return value;
  const message = 'The bytes are not a message of this type.';
  throw new ServiceError('svc/validation/invalid_request', { http: 400, message });
}

function aboutOf(call: AnyCall): About {
  // It comes as the time that is left, which gRPC adds to the wall clock.
  const leftMs = Number(call.getDeadline()) - Date.now();
  return { requestId: newId('request'), deadline: performance.now() + leftMs };
}
