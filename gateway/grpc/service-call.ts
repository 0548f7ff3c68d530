/** A request of an internal service by gRPC, on the way that REST's requests go as well (gateway/pipeline). */
import { invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import { unavailable } from '../../runtime/actor/index.ts';
import type { AskOptions, Node } from '../../runtime/node/index.ts';
import type { Span } from '../../runtime/observability/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import { type Database, TtlCache } from '../../storage/database/index.ts';
import { streamHeads } from '../../storage/events/index.ts';
import { type EnvironmentHead, findEnvironmentHead } from '../../storage/reads/index.ts';
import {
  canBeKey,
  OperationCall,
  type AccessRules,
  type Endpoint,
  type Parts,
  type ProjectScope,
  type ServiceCaller,
  type Source,
} from '../pipeline/index.ts';
import { root } from './conversions.ts';
import { Cancelled } from './status.ts';

/** What is known of a request before it is parsed: one call, or one message of a stream. */
export interface CallContext {
  /** The service's name. */
  readonly service: string;
  readonly requestId: string;
  /** Of the connection's peer. */
  readonly address: string;
  /** W3C Trace Context, from the metadata. */
  readonly traceparent: string | undefined;
  /** When the client needs its answer, of `performance.now`; Infinity: it waits. */
  readonly deadline: number;
  /** Whether the client has gone. */
  readonly cancelled: () => boolean;
  /** Is told the span of the request, where its trace is kept. */
  readonly traced: (span: Span) => void;
}

/** A request message, as the pipeline asks for it. */
export interface ServiceRequest {
  /** The path of the same request by REST: an idempotency key stands for it. */
  readonly path: string;
  /** The field idempotency_key, where the message has one. */
  readonly key?: string;
  /** Checks the message; throws 422. */
  readParts(): Parts;
}

/** The longest wait for an actor in milliseconds, whatever the client's deadline: as for REST. */
const maxActorWaitMs = 10_000;

export class ServiceCall extends OperationCall {
  readonly #request: ServiceRequest;
  readonly #context: CallContext;

  constructor(endpoint: Endpoint, request: ServiceRequest, context: CallContext) {
    super(endpoint, new ServiceSource(request, context));
    this.traceparent = context.traceparent;
    this.#request = request;
    this.#context = context;
  }

  /** What is left of the client's time. */
  get deadlineMs(): number {
    return Math.min(maxActorWaitMs, this.#context.deadline - performance.now());
  }

  /** Throws when the client no longer waits for the answer, so that no work is begun for it. */
  begin(): void {
    if (this.#context.cancelled()) throw new Cancelled();
    if (this.deadlineMs <= 0) throw unavailable('deadline');
  }

  /** The gate has verified the service's token: for a stream once, when it was opened. */
  override authenticate(): ServiceCaller {
    return { type: 'service', name: this.#context.service };
  }

  override readParts(): Parts {
    return this.#request.readParts();
  }

  override readKey(): string {
    const { key = '' } = this.#request;
    if (canBeKey(key)) return key;
    const message = 'The field idempotency_key is required here: 1 to 255 visible ASCII characters.';
    throw new ServiceError('svc/runtime/missing_idempotency_key', { message });
  }
}

class ServiceSource implements Source {
  readonly requestId: string;
  readonly address: string;
  readonly path: string;

  constructor({ path }: ServiceRequest, { requestId, address }: CallContext) {
    this.requestId = requestId;
    this.address = address;
    this.path = path;
  }

  header(): string {
    return '';
  }
}

/** The node for handlers that are called with a {@link ServiceCall}, which begins when its actor is asked. */
export function nodeForServices(node: Pick<Node, 'ask'>): Pick<Node, 'ask'> {
  return {
    ask<R>(...asked: Parameters<Node['ask']>): Promise<R> {
      const options: AskOptions | undefined = asked[3];
      if (options instanceof ServiceCall) options.begin();
      return node.ask<R>(...asked);
    },
  };
}

/** Where services may act: a service token is bound to no tenant, so each request names its project and environment. */
export class ServiceAuthority implements AccessRules {
  readonly needsCaller = true;
  readonly inProject = true;
  readonly #db: Pick<Database, 'query'>;
  readonly #environments: TtlCache<EnvironmentHead, string>;

  constructor(db: Pick<Database, 'query'>, clock: Clock) {
    this.#db = db;
    this.#environments = new TtlCache({ clock, load: (id: string) => findEnvironmentHead(db, id) });
  }

  /** Every service may do every operation that gRPC has. */
  admit(): void {}

  /** Rejects with 422 where the request names no environment, with 404 where there is no such one, or it is not the project's, with
   * 403 where the project is archived. */
  async scope(
    _: unknown,
    projectId: string | undefined,
    environmentId: string | undefined,
  ): Promise<ProjectScope> {
    if (projectId === undefined) throw missing('projectId');
    if (environmentId === undefined) throw missing('environmentId');
    const environment = await this.#environments.get(environmentId, environmentId);
    if (environment?.projectId !== projectId) throw notFound();
    if (environment.isArchived) {
      throw new ServiceError('svc/auth/insufficient_scope', { message: 'The project is archived.' });
    }
    return { projectId, environmentId, environmentKind: environment.kind, role: 'service' };
  }

  /** A service has no role in a workspace. */
  workspaceRole(): Promise<never> {
    return Promise.reject(new ServiceError('svc/auth/login_required'));
  }

  /** Services act as the system: the header is one of REST. */
  readonly takesActingUser = false;

  actFor(): never {
    throw this.absent();
  }

  absent(): ServiceError {
    return notFound();
  }

  /** Rejects with 404 where there is no such project. */
  async requireProject(projectId: string): Promise<void> {
    if ((await streamHeads(this.#db, [projectId])).length === 0) throw notFound();
  }
}

function missing(field: string): ServiceError {
  return invalid([{ path: `${root}/${field}`, message: 'is required', code: 'required' }]);
}
