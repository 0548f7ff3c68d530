/**
 * One request on its way through the pipeline, and what its handler sees of it (see {@link Call}). What differs by transport (REST,
 * gRPC) is in the subclasses: who sends the request, what it requests, and where its idempotency key is.
 */
import { ServiceError } from '../../protocol/errors.ts';
import type { Operation, StudioRole } from '../../protocol/operation.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import {
  formatTraceparent,
  parseTraceparent,
  type Attributes,
  type Span,
  type Tracer,
} from '../../runtime/observability/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { AccessRules } from './authorise.ts';
import type { Call, Caller, Handler, IdempotencyMark, ProjectScope, ServiceCaller, Work } from './handler.ts';
import { canonicalJson, type Idempotency, type RepeatableCall } from './idempotency.ts';
import type { Parts } from './parts.ts';
import type { ReadAdmission } from './read-admission.ts';
import { AnonymousCharge, quotaExceeded, type Quota, type RateLimiter } from './rate-limiter.ts';

/** A value that may have to be waited for. */
export type Maybe<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, so that only what has to wait makes a promise. */
export function chain<T, R>(value: Maybe<T>, next: (value: T) => Maybe<R>): Maybe<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** One operation as a transport serves it. */
export interface Endpoint {
  /** The operation's name in the table. */
  readonly id: string;
  readonly operation: Operation;
  readonly handler: Handler;
  readonly rules: AccessRules;
  /** Undefined: nothing is limited. */
  readonly limiter: RateLimiter | undefined;
  /** Undefined: the operation works while nothing more can be stored. */
  readonly room: StorageRoom | undefined;
  /** Undefined: the operation does not read the database, or reads are not limited. */
  readonly reads: ReadAdmission | undefined;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly tracer: Tracer;
}

/** What a transport tells of a request before anybody looks into it. */
export interface Source {
  readonly requestId: string;
  /** The client's IP address. */
  readonly address: string;
  /** Of REST, with the version; part of what an idempotency key stands for. */
  readonly path: string;
  /** A header by its lower-case name; empty when absent. */
  header(name: string): string;
}

/** Every operation passes through the same code: the types of its parts are the handler's business. */
type AnyParts = Pick<Call<Operation>, 'params' | 'query' | 'body'>;

/** Whether there is room for what requests store. What every request looks at is data, so that a message calls nothing more. */
export interface StorageRoom {
  /** Whether the database has no room. */
  readonly disk: { readonly isFull: boolean };
  /** Projects that may store no more. */
  readonly full: ReadonlyMap<string, unknown>;
  /** Projects of which that is known. Of any other, the first request waits until it is learnt. */
  readonly known: { has(projectId: string): boolean };
  /** Never rejects. */
  learn(projectId: string): Promise<void>;
  /** Throws what refuses a request: 507, or `LimitReached`. */
  refuse(projectId: string | undefined): void;
  /** A request of the project stores so many bytes. */
  charge(projectId: string, bytes: number): void;
}

/** Bytes of what a request stores beside its body: its rows, and an entry of the audit log. */
const requestOverhead = 1_024;

export abstract class OperationCall<S extends Source = Source> implements Call<Operation>, RepeatableCall {
  readonly endpoint: Endpoint;
  readonly now: number;
  /** Milliseconds of `Clock.monotonic`. */
  readonly startedAt: number;
  readonly named = new Named();
  params: AnyParts['params'];
  query: AnyParts['query'];
  body: AnyParts['body'];
  caller: Caller | ServiceCaller | undefined;
  project: ProjectScope | undefined;
  isReplayed = false;
  /** W3C Trace Context: actors are asked in this trace. */
  traceparent: string | undefined = undefined;
  /** Undefined where the request's trace is not kept. */
  span: Span | undefined = undefined;
  /** Of the buckets that the request was charged to, the one that has least left: every answer shows it, refusals too. */
  quota: Quota | undefined;
  protected readonly source: S;
  #anonymousCharge: AnonymousCharge | undefined;
  #found: ProjectScope | undefined;
  /** The request's idempotency key; undefined where it has none. */
  #key: string | undefined;

  constructor(endpoint: Endpoint, source: S) {
    this.endpoint = endpoint;
    this.source = source;
    this.now = endpoint.clock.now();
    this.startedAt = endpoint.clock.monotonic();
  }

  /** Who sends the request; throws or rejects with 401. */
  abstract authenticate(): Maybe<Caller | ServiceCaller>;

  /** What the request asks for, checked by the operation's schemas; throws 400, 413 or 422. */
  abstract readParts(): Parts;

  /** The idempotency key. Undefined: the request has none and needs none. Throws 400. */
  abstract readKey(): string | undefined;

  get requestId(): string {
    return this.source.requestId;
  }

  get address(): string {
    return this.source.address;
  }

  header(name: string): string {
    return this.source.header(name);
  }

  cookie(name: string): string | undefined {
    for (const pair of this.header('cookie').split(';')) {
      const equals = pair.indexOf('=');
      if (equals >= 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
    }
    return undefined;
  }

  /**
   * Begins the request's span, where its trace is kept.
   *
   * @param given the caller's `traceparent`
   */
  trace(given: string | undefined, attributes: Attributes): void {
    const { id, tracer } = this.endpoint;
    this.span = tracer.startRequest(id, given, {
      kind: 'server',
      attributes: { 'skein.request.id': this.requestId, ...attributes },
    });
    this.traceparent = this.span?.traceparent ?? toUnsampled(given);
  }

  /**
   * Ends the request's span, where it has one.
   *
   * @param failure what the caller cannot help, if that is what happened
   */
  endTrace(attributes: Attributes, failure?: string): void {
    if (this.span === undefined) return;
    const { project } = this;
    this.span.set({
      'skein.project.id': project?.projectId ?? this.named.projectId,
      'skein.environment.id': project?.environmentId ?? this.named.environmentId,
      'skein.caller.type': this.caller?.type,
      ...attributes,
    });
    this.span.end(failure);
  }

  /** Notes what a bucket said; throws 429 where it had no room. */
  charge(quota: Quota | undefined): void {
    if (quota === undefined) return;
    if (!quota.allowed || this.quota === undefined || quota.remaining < this.quota.remaining) {
      this.quota = quota;
    }
    if (!quota.allowed) throw quotaExceeded(quota);
  }

  /** Throws 507 while the database has no room, and 409 where the tenant may store no more. */
  requireRoom(projectId: string | undefined): Maybe<void> {
    const { room } = this.endpoint;
    if (room === undefined) return undefined;
    if (projectId === undefined || room.known.has(projectId)) return this.#takeRoom(room, projectId);
    return room.learn(projectId).then(() => this.#takeRoom(room, projectId));
  }

  #takeRoom(room: StorageRoom, projectId: string | undefined): void {
    const { operation } = this.endpoint;
    if (room.disk.isFull || (projectId !== undefined && room.full.has(projectId))) room.refuse(projectId);
    // The commits of messages and receipts are counted. Other requests store what they say, and what records them.
    if (projectId === undefined || operation.rate === 'message' || operation.rate === 'receipt') return;
    room.charge(projectId, requestOverhead + this.bodyBytes);
  }

  /** Bytes of the body, however it came. */
  protected get bodyBytes(): number {
    return 0;
  }

  /** Charges the sender's address, before an unknown credential is looked up and for an invalid one. Throws or rejects with 429. */
  chargeAnonymous(): Maybe<void> {
    const { limiter } = this.endpoint;
    if (limiter === undefined) return undefined;
    this.#anonymousCharge ??= new AnonymousCharge(limiter, this.address);
    return chain(this.#anonymousCharge.take(), quota => this.charge(quota));
  }

  /** Gives the address back what it was charged: the credential was good. */
  refundAnonymous(): void {
    if (this.#anonymousCharge?.refund() === true) this.quota = undefined;
  }

  /** Takes over the parts, and notes which project, environment and workspace they name. */
  takeParts(parts: Parts): void {
    this.params = parts.params as AnyParts['params'];
    this.query = parts.query as AnyParts['query'];
    this.body = parts.body as AnyParts['body'];
    const { named } = this;
    named.take(parts.params);
    named.take(parts.query);
    named.take(parts.body);
    named.take(parts.scope);
  }

  async authoriseScope(projectId: string, environmentId?: string): Promise<ProjectScope> {
    const { caller } = this;
    const { rules } = this.endpoint;
    if (caller === undefined || this.named.contradicts(projectId, environmentId)) throw rules.absent();
    const scope = await rules.scope(caller, projectId, environmentId);
    if (scope === undefined) throw rules.absent();
    this.#found = scope;
    await this.requireRoom(projectId);
    return scope;
  }

  async requireWorkspaceRole(workspaceId: string): Promise<StudioRole> {
    const { rules } = this.endpoint;
    if (this.caller === undefined) throw rules.absent();
    return rules.workspaceRole(this.caller, workspaceId);
  }

  /** Whose reads are counted together: the project's; where the request names none, the caller's. */
  get reader(): string {
    const { project, caller } = this;
    if (project !== undefined) return project.projectId;
    switch (caller?.type) {
      case 'key':
        return caller.projectId;
      case 'user':
        return caller.userId;
      case 'service':
        return caller.name;
      case undefined:
        return '';
    }
  }

  /** The request has this idempotency key. */
  useKey(key: string): void {
    this.#key = key;
  }

  once<T>(work: Work<T>, part?: string): Promise<T> {
    return this.#once(work, parseKept<T>, part);
  }

  onceAsText(work: Work<string>): Promise<string> {
    return this.#once(work, String);
  }

  #once<T>(work: Work<T>, parse: (kept: string | null) => T, part?: string): Promise<T> {
    const mark = this.#createMark(part);
    if (mark === undefined) return Promise.resolve(work(undefined));
    // Whether the request is a repetition shows in its first part.
    const call = part === undefined ? this : { caller: this.caller, isReplayed: false };
    return this.endpoint.idempotency.once(call, mark, work, parse);
  }

  #createMark(part: string | undefined): IdempotencyMark | undefined {
    const key = this.#key;
    const owner = key === undefined ? undefined : this.#keyOwner();
    if (key === undefined || owner === undefined) return undefined;
    const { id, operation, idempotency } = this.endpoint;
    const names = part === undefined ? [...owner, id, key] : [...owner, id, key, part];
    const acting = getActingUserId(this);
    const asked = acting === undefined ? this.source.path : `${this.source.path}\n${acting}`;
    const mark = idempotency.createMark(this.#keyPlace(), names, asked, this.body);
    return operation.secret === true ? idempotency.sealing(mark) : mark;
  }

  /**
   * Where a reply is that an event has: project and environment. Of whom else a key belongs to the database is given a hash alone: of a request
   * without a credential that is the body, with its passwords and tokens.
   */
  #keyPlace(): readonly string[] {
    const project = this.#found ?? this.project;
    return project === undefined ? [] : [project.projectId, project.environmentId];
  }

  /** Whom a key belongs to. Without anybody to whom it could belong it would be everybody's: undefined. */
  #keyOwner(): readonly string[] | undefined {
    const { caller } = this;
    // Where the handler has found the resource and the caller was let in, else where the request says.
    const project = this.#found ?? this.project;
    if (caller === undefined) {
      // Many people may share one address: a key is theirs only with the very body that they have sent.
      return this.address === '' ? undefined : ['nobody', this.address, canonicalJson(this.body)];
    }
    if (project === undefined) return caller.type === 'user' ? [caller.userId] : undefined;
    const { projectId, environmentId } = project;
    if (this.endpoint.operation.secret !== true) return [projectId, environmentId];
    // A secret is shown again only to the caller who has seen it, not to everyone who knows the key. A successor of an API key is the same
    // caller: whoever repeats a request after a rotation must not make a second one of what the first has made.
    return [projectId, environmentId, getCallerId(caller)];
  }
}

/** The author of what a call does, as events and messages show it (docs/contract-decisions.md, "Events"). */
export function getAuthor({ caller }: Pick<Call, 'caller'>): Actor {
  if (caller === undefined) throw new ServiceError('svc/auth/missing_credentials');
  switch (caller.type) {
    case 'key':
      return caller.actingUserId === undefined
        ? { type: 'api_key', id: caller.apiKeyId }
        : { type: 'user', id: caller.actingUserId, apiKeyId: caller.apiKeyId };
    case 'user':
      return { type: 'user', id: caller.userId };
    case 'service':
      return { type: 'system', id: caller.name };
  }
}

/** For the log: the caller's trace, which this node does not keep. */
function toUnsampled(given: string | undefined): string | undefined {
  const context = parseTraceparent(given);
  return context === undefined ? undefined : formatTraceparent({ ...context, sampled: false });
}

function getActingUserId({ caller }: Pick<Call, 'caller'>): string | undefined {
  return caller?.type === 'key' ? caller.actingUserId : undefined;
}

function parseKept<T>(kept: string | null): T {
  return (kept === null ? null : JSON.parse(kept)) as T;
}

function getCallerId(caller: Caller | ServiceCaller): string {
  switch (caller.type) {
    case 'user':
      return caller.userId;
    case 'key':
      return caller.firstKeyId;
    case 'service':
      return caller.name;
  }
}

/** The project, environment and workspace that a request names, wherever it names them. */
export class Named {
  projectId: string | undefined;
  environmentId: string | undefined;
  workspaceId: string | undefined;
  /** It names two different ones: no resource can be in both. */
  contradictory = false;

  take(part: unknown): void {
    if (typeof part !== 'object' || part === null) return;
    const { projectId, environmentId, workspaceId } = part as Readonly<Record<string, unknown>>;
    if (typeof projectId === 'string') {
      if (this.projectId !== undefined && this.projectId !== projectId) this.contradictory = true;
      this.projectId = projectId;
    }
    if (typeof environmentId === 'string') {
      if (this.environmentId !== undefined && this.environmentId !== environmentId) this.contradictory = true;
      this.environmentId = environmentId;
    }
    if (typeof workspaceId === 'string') this.workspaceId = workspaceId;
  }

  /** Whether it names another project or environment than these. */
  contradicts(projectId: string, environmentId: string | undefined): boolean {
    return (
      (this.projectId !== undefined && this.projectId !== projectId) ||
      (this.environmentId !== undefined &&
        environmentId !== undefined &&
        this.environmentId !== environmentId)
    );
  }
}
