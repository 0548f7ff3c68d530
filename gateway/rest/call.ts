/** One request on its way through the engine, and what its handler sees of it: see {@link Call}. */
import type { Operation, StudioRole } from '../../protocol/operation.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Grounds } from '../../storage/idempotency.ts';
import type { HttpRequest } from '../http/message.ts';
import type { Authority } from './authorise.ts';
import type { Call, Caller, IdempotencyMark, ProjectScope } from './handler.ts';
import type { Right } from './idempotency.ts';
import type { Parts } from './parts.ts';
import { exceeded, type Quota, type Quotas } from './quota.ts';

/** Every row of the table is served by the same code: the types of its parts are the handler's business. */
type AnyParts = Pick<Call<Operation>, 'params' | 'query' | 'body'>;

export class RestCall implements Call<Operation>, Right {
  readonly now: number;
  /** Milliseconds of `Clock.monotonic`. */
  readonly startedAt: number;
  readonly #request: HttpRequest;
  readonly #authority: Authority;
  readonly #named = new Named();
  params: AnyParts['params'];
  query: AnyParts['query'];
  body: AnyParts['body'];
  caller: Caller | undefined;
  project: ProjectScope | undefined;
  /** Marks the request's key by where the call acts at that moment; undefined where no actor keeps it. */
  mark: (() => IdempotencyMark) | undefined;
  /** Awaited once it is certain where a user's call acts on what it names by its id alone; rejects where nothing is to be done there. */
  onFound: (() => Promise<void>) | undefined;
  /** Of the buckets that it was charged to, the one that has least left: every answer to this request tells it, refusals too. */
  quota: Quota | undefined;
  readonly #quotas: Quotas | undefined;
  #tolled = false;
  #grounds: Grounds | undefined;
  #found: ProjectScope | undefined;

  constructor(request: HttpRequest, authority: Authority, clock: Clock, quotas: Quotas | undefined) {
    this.#request = request;
    this.#authority = authority;
    this.#quotas = quotas;
    this.now = clock.now();
    this.startedAt = clock.monotonic();
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  get address(): string {
    return this.#request.address;
  }

  /** Has the address worked out now; whoever reads it later finds it, though the client may be gone. */
  keepAddress(): void {
    void this.#request.address;
  }

  get path(): string {
    return this.#request.path;
  }

  header(name: string): string {
    return this.#request.header(name);
  }

  cookie(name: string): string | undefined {
    for (const pair of this.#request.header('cookie').split(';')) {
      const equals = pair.indexOf('=');
      if (equals >= 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
    }
    return undefined;
  }

  /** Notes what a bucket said; throws 429 where it had no room. */
  charged(quota: Quota | undefined): void {
    if (quota === undefined) return;
    if (!quota.allowed || this.quota === undefined || quota.remaining < this.quota.remaining) {
      this.quota = quota;
    }
    if (!quota.allowed) throw exceeded(quota);
  }

  /**
   * Charges the address that the request comes from: for a credential that is good for nothing, or that nobody here knows yet,
   * before it is looked up. Throws or rejects with 429. Once at most.
   */
  toll(): void | Promise<void> {
    if (this.#quotas === undefined || this.#tolled) return undefined;
    const quota = this.#quotas.stranger(this.address);
    if (quota instanceof Promise) return quota.then(taken => this.#takeToll(taken));
    return this.#takeToll(quota);
  }

  /** Gives the toll back: the credential was good. */
  forgive(): void {
    if (!this.#tolled) return;
    this.#tolled = false;
    this.quota = undefined;
    this.#quotas?.forgive(this.address);
  }

  #takeToll(quota: Quota): void {
    this.#tolled = quota.allowed;
    this.charged(quota);
  }

  /** Takes the parts in, and says which project and environment the request names, if any. */
  take(parts: Parts): Named {
    this.params = parts.params as AnyParts['params'];
    this.query = parts.query as AnyParts['query'];
    this.body = parts.body as AnyParts['body'];
    const named = this.#named;
    named.take(parts.params);
    named.take(parts.query);
    named.take(parts.body);
    return named;
  }

  async scopeOf(projectId: string, environmentId?: string): Promise<ProjectScope> {
    const caller = this.caller;
    if (caller === undefined || this.#contradicted(projectId, environmentId)) throw this.#authority.absent();
    const scope = await this.#authority.scope(caller, projectId, environmentId);
    if (scope === undefined) throw this.#authority.absent();
    this.#found = scope;
    this.#grounds = { projectId, ...(environmentId === undefined ? undefined : { environmentId }) };
    const { onFound } = this;
    this.onFound = undefined;
    await onFound?.();
    return scope;
  }

  async workspaceRoleOf(workspaceId: string): Promise<StudioRole> {
    if (this.caller === undefined) throw this.#authority.absent();
    const role = await this.#authority.workspaceRole(this.caller, workspaceId);
    this.#grounds = { workspaceId };
    return role;
  }

  /** Where it acts: where its handler has found the resource and been let in, else where the request says. */
  get place(): ProjectScope | undefined {
    return this.#found ?? this.project;
  }

  get idempotency(): IdempotencyMark | undefined {
    return this.mark?.();
  }

  get grounds(): Grounds | undefined {
    return this.#grounds;
  }

  stillHolds(grounds: Grounds): Promise<unknown> {
    return 'workspaceId' in grounds
      ? this.workspaceRoleOf(grounds.workspaceId)
      : this.scopeOf(grounds.projectId, grounds.environmentId);
  }

  /** Whether the request itself has named another project or environment than that. */
  #contradicted(projectId: string, environmentId: string | undefined): boolean {
    const named = this.#named;
    return (
      (named.projectId !== undefined && named.projectId !== projectId) ||
      (named.environmentId !== undefined &&
        environmentId !== undefined &&
        named.environmentId !== environmentId)
    );
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
}
