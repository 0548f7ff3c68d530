/**
 * One operation being served. The stages of a request, each of which may refuse it:
 *
 * 1. who is calling (401), and has whoever calls quota left (429): from here on whatever is done for the request is paid for,
 *    and before that the caller's address pays, for a credential that is no good or not known here yet;
 * 2. could any project make that credential good (403), and is the request well-formed (400, 422);
 * 3. may the caller do this in the project that it names (403, 404);
 * 4. has what it is about quota left (429): a thread, an e-mail;
 * 5. has it been answered before (Idempotency-Key), else the handler.
 *
 * Nothing waits unless it must: a stage that has its answer goes on at once, and only a stage that was given a promise
 * makes another. With a cached credential, a whole request runs in one go up to the handler.
 */
import { ServiceError } from '../../protocol/errors.ts';
import type { Operation } from '../../protocol/operation.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { errorAnswer } from '../http/error-answer.ts';
import type { HttpAnswer, HttpRequest } from '../http/message.ts';
import { refusalOf } from '../refusal.ts';
import type { Origin } from '../auth/origin.ts';
import { Authority, type Tenancy } from './authorise.ts';
import { RestCall } from './call.ts';
import type { Answer, Caller, Handler, IdempotencyMark, ProjectScope } from './handler.ts';
import { canonical, type Idempotency, keptByActors, keyOf, markOf } from './idempotency.ts';
import { PartsReader } from './parts.ts';
import { quotaHeaders, type Quotas } from './quota.ts';

/**
 * Who sends a request, by its Authorization header; throws or rejects with a 401. A value rather than a promise when known; where
 * it is not, `from` pays before anything is looked up.
 */
export type Authenticate = (request: HttpRequest, from: Origin) => Caller | Promise<Caller>;

/** What all operations share. */
export interface Services {
  readonly authenticate: Authenticate;
  readonly tenancy: Tenancy;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly log: Log;
  readonly docsUrl: string;
  /** Absent: nothing is limited. */
  readonly quotas?: Quotas;
  /** Told of every answer, for the metrics. */
  readonly onAnswered?: (operationId: string, status: number, durationMs: number) => void;
}

type Maybe<T> = T | Promise<T>;

/** One row of the operation table, ready to serve. */
export class OperationRoute {
  readonly #id: string;
  readonly #operation: Operation;
  readonly #handler: Handler;
  readonly #services: Services;
  readonly #authority: Authority;
  readonly #parts: PartsReader;
  readonly #keptByActor: boolean;
  readonly #namesById: boolean;
  readonly #recorded: boolean;
  readonly #quotas: Quotas | undefined;

  constructor(id: string, operation: Operation, handler: Handler, services: Services) {
    this.#id = id;
    this.#operation = operation;
    this.#handler = handler;
    this.#services = services;
    this.#authority = new Authority(operation, services.tenancy);
    this.#parts = new PartsReader(operation);
    this.#keptByActor = keptByActors.has(id);
    this.#namesById = namesById(operation);
    this.#recorded = operation.method !== 'GET' && ['write', 'auth', 'invitation'].includes(operation.rate);
    this.#quotas = operation.rate === 'none' ? undefined : services.quotas;
  }

  /** Answers a request; never throws, never rejects. */
  serve(request: HttpRequest): Maybe<HttpAnswer> {
    const call = new RestCall(request, this.#authority, this.#services.clock, this.#quotas);
    // The audit log wants the address that an act came from: it is not to be had any more once the client has gone.
    if (this.#recorded) call.keepAddress();
    try {
      const answer = this.#identify(call, request);
      if (!(answer instanceof Promise)) return this.#finish(call, answer);
      return answer.then(
        given => this.#finish(call, given),
        (error: unknown) => this.#refuse(call, error),
      );
    } catch (error) {
      return this.#refuse(call, error);
    }
  }

  #identify(call: RestCall, request: HttpRequest): Maybe<HttpAnswer> {
    if (!this.#authority.needsCaller) return this.#enter(call, request);
    const caller = this.#services.authenticate(request, call);
    if (caller instanceof Promise) return caller.then(known => this.#welcome(call, request, known));
    return this.#welcome(call, request, caller);
  }

  #welcome(call: RestCall, request: HttpRequest, caller: Caller): Maybe<HttpAnswer> {
    call.forgive();
    call.caller = caller;
    return this.#enter(call, request);
  }

  #enter(call: RestCall, request: HttpRequest): Maybe<HttpAnswer> {
    const quota = this.#quotas?.enter(this.#operation.rate, call);
    if (quota instanceof Promise) {
      return quota.then(taken => {
        call.charged(taken);
        return this.#locate(call, request);
      });
    }
    call.charged(quota);
    return this.#locate(call, request);
  }

  #locate(call: RestCall, request: HttpRequest): Maybe<HttpAnswer> {
    const { caller } = call;
    if (caller !== undefined) this.#authority.admit(caller);
    if (request.refused !== undefined) throw request.refused;
    const named = call.take(this.#parts.read(request));
    if (named.contradictory) throw this.#authority.absent();
    if (caller === undefined) return this.#charge(call);
    if (this.#authority.inProject) {
      const scope = this.#authority.scope(caller, named.projectId, named.environmentId);
      if (scope instanceof Promise) return scope.then(found => this.#settle(call, found));
      return this.#settle(call, scope);
    }
    if (named.workspaceId !== undefined && this.#operation.access !== undefined) {
      return this.#authority.workspaceRole(caller, named.workspaceId).then(() => this.#charge(call));
    }
    return this.#charge(call);
  }

  #settle(call: RestCall, scope: ProjectScope | undefined): Maybe<HttpAnswer> {
    call.project = scope;
    return this.#charge(call);
  }

  #charge(call: RestCall): Maybe<HttpAnswer> {
    const quota = this.#quotas?.about(this.#operation.rate, call);
    if (quota instanceof Promise) {
      return quota.then(taken => {
        call.charged(taken);
        return this.#answer(call);
      });
    }
    call.charged(quota);
    return this.#answer(call);
  }

  #answer(call: RestCall): Maybe<HttpAnswer> {
    const { idempotency } = this.#operation;
    if (idempotency === 'none') return this.#run(call);
    const key = keyOf(call.header('idempotency-key'), idempotency === 'required');
    if (isRehearsal(call.query)) return this.#run(call);
    const owner = this.#ownerOf(call);
    // Without anybody to whom the key could belong it would be everybody's.
    if (key === undefined || owner === undefined) return this.#run(call);
    const mark = (): IdempotencyMark =>
      markOf(this.#ownerOf(call) ?? owner, this.#id, key, call.path, call.body);
    const run = (): Maybe<HttpAnswer> => this.#run(call);
    const refuse = (error: ServiceError): HttpAnswer =>
      errorAnswer(error, call.requestId, this.#services.docsUrl);
    if (this.#keptByActor) {
      call.mark = mark;
      return this.#services.idempotency.inCommit(mark, run, refuse);
    }
    const keeping = { secret: this.#operation.secret === true, right: call };
    const claimed = async (claim: () => Promise<void>): Promise<HttpAnswer> => {
      if (this.#namesById && call.caller?.type === 'user') call.onFound = claim;
      else await claim();
      return run();
    };
    return this.#services.idempotency.wrapped(mark, keeping, claimed, refuse);
  }

  // In which environment a resource lies that a user names by its id alone, only the handler learns: its key is marked after that.
  #ownerOf(call: RestCall): readonly string[] | undefined {
    const { caller, place: project } = call;
    if (caller === undefined) {
      // Many people may have one address: theirs is what they have sent themselves, to the byte.
      return call.address === '' ? undefined : ['nobody', call.address, canonical(call.body)];
    }
    if (project === undefined) return caller.type === 'user' ? [caller.userId] : undefined;
    const { projectId, environmentId } = project;
    if (this.#operation.secret !== true) return [projectId, environmentId];
    // A secret is shown again to whom it was shown, not to whoever knows the key.
    return [projectId, environmentId, caller.type === 'user' ? caller.userId : caller.apiKeyId];
  }

  #run(call: RestCall): Maybe<HttpAnswer> {
    const answer = this.#handler(call);
    return answer instanceof Promise ? answer.then(given => this.#render(given)) : this.#render(answer);
  }

  #render(answer: Answer): HttpAnswer {
    const status = answer.status ?? this.#operation.success.status;
    const body = answer.json ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
    return {
      status,
      ...(body === undefined ? undefined : { body }),
      ...(answer.headers === undefined ? undefined : { headers: answer.headers }),
    };
  }

  #refuse(call: RestCall, error: unknown): Maybe<HttpAnswer> {
    const refused = (reason: unknown): HttpAnswer => this.#finish(call, this.#refusal(call, reason));
    // Whoever was let in has been charged.
    if (call.caller !== undefined || !this.#authority.needsCaller) return refused(error);
    if (!(error instanceof ServiceError) || error.http !== 401) {
      call.forgive();
      return refused(error);
    }
    try {
      const tolled = call.toll();
      return tolled instanceof Promise ? tolled.then(() => refused(error), refused) : refused(error);
    } catch (spent) {
      return refused(spent);
    }
  }

  #refusal(call: RestCall, error: unknown): HttpAnswer {
    const { log, docsUrl } = this.#services;
    const refusal = refusalOf(error);
    if (refusal !== undefined) return errorAnswer(refusal, call.requestId, docsUrl);
    log.error(
      { requestId: call.requestId, operation: this.#id, err: error },
      'operation failed unexpectedly',
    );
    return errorAnswer(new ServiceError('svc/runtime/internal_error'), call.requestId, docsUrl);
  }

  #finish(call: RestCall, answer: HttpAnswer): HttpAnswer {
    this.#services.onAnswered?.(this.#id, answer.status, this.#services.clock.monotonic() - call.startedAt);
    if (call.quota === undefined) return answer;
    return { ...answer, headers: { ...quotaHeaders(call.quota), ...answer.headers } };
  }
}

/** Whether what it acts on is found by an id in its path, which says nothing of the environment: its handler has to (`Call.scopeOf`). */
export function namesById({ auth, path }: Operation): boolean {
  return auth === 'project' && /\{(?!projectId\})/.test(path);
}

/** With `dryRun` nothing is done, so nothing could be done twice: such a request neither uses up a key nor is answered by one. */
function isRehearsal(query: unknown): boolean {
  return typeof query === 'object' && query !== null && 'dryRun' in query && query.dryRun === true;
}
