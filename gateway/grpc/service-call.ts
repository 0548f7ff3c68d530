/** A gRPC call as REST's handlers see it: one request of an internal service, authorised and validated. */
import { notFound, ServiceError } from '../../protocol/errors.ts';
import type { BodyOf, Operation, ParamsOf, QueryOf, StudioRole } from '../../protocol/operation.ts';
import { unavailable } from '../../runtime/failures.ts';
import type { AskOptions, Node } from '../../runtime/node.ts';
import type { Call, IdempotencyMark, ProjectScope, ServiceCaller } from '../rest/handler.ts';
import { Cancelled } from './status.ts';

/** What is known of a request before it is looked at: one call, or one message of a stream. */
export interface Circumstances {
  /** The service's name. */
  readonly service: string;
  readonly requestId: string;
  /** Of the connection's peer. */
  readonly address: string;
  /** W3C Trace Context, as the metadata has it. */
  readonly traceparent: string | undefined;
  /** When the client has to have its answer, of `performance.now`; Infinity: it waits. */
  readonly deadline: number;
  /** Whether the client has gone. */
  readonly cancelled: () => boolean;
  /** Called when the request has been handed to its actor: what is handed over later comes after it. */
  readonly onAsked?: () => void;
}

/** The checked parts of a request, as the operation's row has them. */
export interface CallParts<O extends Operation> {
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly project: ProjectScope;
  readonly idempotency?: IdempotencyMark;
}

/** Longest wait for an actor, whatever the client's deadline: as of REST. */
const longestWaitMs = 10_000;

export class ServiceCall<O extends Operation> implements Call<O> {
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly caller: ServiceCaller;
  readonly project: ProjectScope;
  readonly idempotency: IdempotencyMark | undefined;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly address: string;
  readonly now: number;
  readonly #circumstances: Circumstances;

  constructor(parts: CallParts<O>, circumstances: Circumstances, now: number) {
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.project = parts.project;
    this.idempotency = parts.idempotency;
    this.caller = { type: 'service', name: circumstances.service };
    this.requestId = circumstances.requestId;
    this.traceparent = circumstances.traceparent;
    this.address = circumstances.address;
    this.now = now;
    this.#circumstances = circumstances;
  }

  /** What is left of the client's time. */
  get deadlineMs(): number {
    return Math.min(longestWaitMs, this.#circumstances.deadline - performance.now());
  }

  /** Throws when nobody waits for the answer any more, so that nothing is begun for it. */
  begin(): void {
    const { cancelled, onAsked } = this.#circumstances;
    if (cancelled()) throw new Cancelled();
    if (this.deadlineMs <= 0) throw unavailable('deadline');
    onAsked?.();
  }

  header(): string {
    return '';
  }

  cookie(): undefined {
    return undefined;
  }

  scopeOf(projectId: string, environmentId?: string): Promise<ProjectScope> {
    const { project } = this;
    const same =
      projectId === project.projectId &&
      (environmentId === undefined || environmentId === project.environmentId);
    return same ? Promise.resolve(project) : Promise.reject(notFound());
  }

  /** A service has no role in a workspace. */
  workspaceRoleOf(): Promise<StudioRole> {
    return Promise.reject(new ServiceError('svc/auth/login_required'));
  }
}

/** The node for handlers that are called with a {@link ServiceCall}: it is told when it is handed over. */
export function nodeForServices(node: Pick<Node, 'ask'>): Pick<Node, 'ask'> {
  return {
    ask<R>(...asked: Parameters<Node['ask']>): Promise<R> {
      const options: AskOptions | undefined = asked[3];
      if (options instanceof ServiceCall) options.begin();
      return node.ask<R>(...asked);
    },
  };
}
