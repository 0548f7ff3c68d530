/**
 * The gate that every call passes: who is calling, is there room, could the message be decoded. Every refusal leaves through it.
 * Nothing thrown in a method reaches grpc-js, which would end the call with UNKNOWN and no details.
 *
 *   starting -> open -> closed
 */
import {
  status as codes,
  type Deadline,
  type handleUnaryCall,
  type Metadata,
  type Server,
  type ServerDuplexStream,
  type StatusObject,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { Clock } from '../../runtime/time/index.ts';
import { internalError, unavailable } from '../../runtime/actor/index.ts';
import type { Log, Span } from '../../runtime/observability/index.ts';
import type { ServiceTokens } from '../auth/index.ts';
import { toRefusal } from '../pipeline/index.ts';
import { serviceName, type DecodedRequest } from './definition.ts';
import type { GrpcMetrics } from './metrics.ts';
import { type AnyCall, type AnyStream, OpenStream } from './open-stream.ts';
import type { CallContext } from './service-call.ts';
import { callStatus, Cancelled, type ErrorContext } from './status.ts';

export interface GateOptions {
  readonly tokens: ServiceTokens;
  readonly metrics: GrpcMetrics;
  readonly clock: Clock;
  readonly log: Log;
  /** Unary calls in progress at once; beyond that they are refused with UNAVAILABLE. Default 10,000. */
  readonly maxInFlight?: number;
  /** Streams of services open at once on this node, likewise. Default 1,000. */
  readonly maxStreams?: number;
}

/** Streams of callers who need no credential (health): so few that they leave room for the others. */
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

  /** A unary method of the contract. `describe`: the metadata of an answer, which goes before it. */
  unary<Request, Response>(
    method: string,
    work: (request: Request, context: CallContext) => Promise<Response>,
    describe: (response: Response) => Metadata | undefined,
  ): handleUnaryCall<DecodedRequest<Request>, Response> {
    const { metrics, clock } = this.#options;
    return (call, callback) => {
      const startedAt = clock.monotonic();
      const about = createErrorContext(call.getDeadline());
      const answered = (code: codes): void =>
        metrics.answered(method, code, clock.monotonic() - startedAt, about.span?.traceparent);
      this.#work(call, about, work).then(
        response => {
          const metadata = describe(response);
          if (metadata !== undefined) call.sendMetadata(metadata);
          callback(null, response);
          answered(codes.OK);
        },
        (error: unknown) => {
          const status = this.toStatus(error, about, method);
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
      const about = createErrorContext(call.getDeadline());
      const stream = new OpenStream(call, error => this.toStatus(error, about, method));
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

  /** The refusal of a call by its metadata; undefined for one that is permitted. Asked before a message is read. */
  refuse(metadata: Metadata, deadline: Deadline, path: string): Partial<StatusObject> | undefined {
    const about = createErrorContext(deadline);
    try {
      this.#verify(metadata);
      return undefined;
    } catch (error) {
      const status = this.toStatus(error, about, path);
      this.#options.metrics.refused(getName(path), status.code ?? codes.UNKNOWN);
      return status;
    }
  }

  /** Lets calls in. */
  open(): void {
    if (this.#state === 'starting') this.#state = 'open';
  }

  /** Ends the streams, each after what it has accepted, and lets nothing in any more. */
  close(): void {
    this.#state = 'closed';
    for (const stream of [...this.#streams, ...this.#anonymous]) stream.goAway();
  }

  /** The end of a call that failed: the catalogue's, or INTERNAL for a defect, which is logged. */
  toStatus(error: unknown, about: ErrorContext, method: string): Partial<StatusObject> {
    if (error instanceof Cancelled) return { code: codes.CANCELLED, details: 'cancelled' };
    const refusal = toRefusal(error);
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
    call: AnyCall & { readonly request: DecodedRequest<Request> },
    about: Admitted,
    work: (request: Request, context: CallContext) => Promise<Response>,
  ): Promise<Response> {
    const context = this.#admit(call, about);
    if (this.#inFlight >= this.#maxInFlight) throw unavailable('overloaded');
    this.#inFlight++;
    try {
      return await work(requireDecoded(call.request), context);
    } finally {
      this.#inFlight--;
    }
  }

  /** The name of the service; throws where it has no token, or the gate is not open. */
  #verify(metadata: Metadata): string {
    const [authorization = ''] = metadata.get('authorization');
    const service = this.#options.tokens.verify(String(authorization));
    if (this.#state === 'starting') throw unavailable('no_owner');
    if (this.#state === 'closed') throw unavailable('draining');
    return service;
  }

  #admit(call: AnyCall, about: Admitted): CallContext {
    const { requestId, deadline } = about;
    const { metadata } = call;
    const service = this.#verify(metadata);
    const [traceparent] = metadata.get('traceparent');
    return {
      service,
      requestId,
      deadline,
      address: call.getPeer(),
      traceparent: traceparent === undefined ? undefined : String(traceparent),
      cancelled: () => call.cancelled,
      traced: span => void (about.span = span),
    };
  }
}

/** The request; throws when it could not be decoded. */
export function requireDecoded<Request>({ value }: DecodedRequest<Request>): Request {
  if (value !== undefined) return value;
  const message = 'The bytes are not a message of this type.';
  throw new ServiceError('svc/validation/invalid_request', { http: 400, message });
}

/** What the gate remembers of a call until it has ended. */
interface Admitted extends ErrorContext {
  /** Of a unary call, where its trace is kept. */
  span?: Span;
}

/** `IngestMessage` of `/skein.internal.v1.Conversations/IngestMessage`. Other services are counted by their whole path. */
function getName(path: string): string {
  return path.startsWith(`/${serviceName}/`) ? path.slice(serviceName.length + 2) : path;
}

function createErrorContext(deadline: Deadline): Admitted {
  // The client sends the time that is left, which gRPC adds to the wall clock.
  const leftMs = Number(deadline) - Date.now();
  return { requestId: newId('request'), deadline: performance.now() + leftMs };
}

type Stream = ServerDuplexStream<unknown, unknown>;

/**
 * What a ready-made service (health, reflection) is added to, so that its streams are counted as our own are.
 *
 * @param authenticated false: open to all
 */
export function gatedServer(server: Server, gate: Gate, authenticated: boolean): Pick<Server, 'addService'> {
  return {
    addService(definition, implementation): void {
      const methods: UntypedServiceImplementation = {};
      for (const [name, { path, responseStream, originalName }] of Object.entries(definition)) {
        const method = implementation[name] ?? implementation[originalName ?? name];
        if (method === undefined) continue;
        methods[name] = responseStream
          ? gate.streaming<Stream>(path, authenticated, ({ call }) =>
              (method as (call: Stream) => void)(call),
            )
          : method;
      }
      server.addService(definition, methods);
    },
  };
}
