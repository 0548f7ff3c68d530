/** What the handler of an operation is given and returns: plain values, typed by the operation's row in the table. */
import type { Readable } from 'node:stream';
import type {
  OperationBody,
  ConsoleRole,
  Operation,
  OperationParams,
  OperationQuery,
  Scope,
  StudioRole,
} from '../../protocol/operation.ts';
import type { EnvironmentKind } from '../../protocol/resources/index.ts';
import type { Span } from '../../runtime/observability/index.ts';
import type { WorkKey } from '../../storage/idempotency/index.ts';
import type { ProjectAccess } from '../../storage/tenancy/index.ts';

/** An API key. It acts in its own project and environment only. */
export interface KeyCaller {
  readonly type: 'key';
  readonly apiKeyId: string;
  /** The key that it goes back to by rotations, itself if there were none: what it is known by across them. */
  readonly firstKeyId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly environmentKind: EnvironmentKind;
  readonly scopes: ReadonlySet<Scope>;
  /** What is done with the key is attributed to this user. */
  readonly createdByUserId: string;
  /** The user on whose behalf it acts (`Service-Acting-User`). Absent: on its own. */
  readonly actingUserId?: string;
}

/** A Studio session. */
export interface UserCaller {
  readonly type: 'user';
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** Whether they sign in with a second factor: some workspaces demand it. */
  readonly hasSecondFactor: boolean;
  /** They may do nothing before they have verified their address: the deployment admits only some domains. */
  readonly mustVerify?: boolean;
}

/** Who sends a REST request. */
export type Caller = KeyCaller | UserCaller;

/** An internal service, by gRPC: it may act in every project, and names project and environment in each call. */
export interface ServiceCaller {
  readonly type: 'service';
  readonly name: string;
}

/** The project and environment that a call acts in, once it has been authorised. */
export interface ProjectScope {
  readonly projectId: string;
  /** The key's; for users the request's `environmentId`, else the project's sandbox. */
  readonly environmentId: string;
  readonly environmentKind: EnvironmentKind;
  /** What admits the caller: a key its scopes, a service its token, a user the first role that the operation accepts. */
  readonly role: 'key' | 'service' | StudioRole | ConsoleRole;
  /** All roles of a user there. */
  readonly access?: ProjectAccess;
}

/** The key of a request and what it stands for (docs/contract-decisions.md, "Idempotency-Key"). */
export interface IdempotencyMark extends WorkKey {
  /** Project and environment, where the request is in one: there a reply is looked for that an event has. Else empty. */
  readonly place: readonly string[];
}

/** What a request does under its key: the key goes with the one commit that this makes. */
export type Work<T> = (key: WorkKey | undefined) => T | Promise<T>;

/** One authenticated, authorised and validated request. */
export interface Call<O extends Operation = Operation> {
  readonly params: OperationParams<O>;
  readonly query: OperationQuery<O>;
  readonly body: OperationBody<O>;
  /** Undefined only where the operation's auth is `none` or `refresh`. */
  readonly caller: Caller | ServiceCaller | undefined;
  /** Present when the request names a project, and always for API keys on operations of auth `project`. */
  readonly project: ProjectScope | undefined;
  readonly requestId: string;
  /** The client's IP address. */
  readonly address: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The request's span, where its trace is kept. */
  readonly span?: Span | undefined;
  /** How long the caller waits, where that is known: asks of actors take the call for their options. */
  readonly deadlineMs?: number;
  /** A header by its lower-case name; empty when absent. */
  header(name: string): string;
  /** A cookie by name; undefined when absent. */
  cookie(name: string): string | undefined;
  /**
   * The scope for a resource that was found by its id alone: resolves when the caller may do this operation there, rejects
   * with 404 or 403 by the rule "permission or absence". Pass the resource's environment where it has one: then
   * tenancy and the verified e-mail are checked against it, and no further check is needed. Call it before `once`: the
   * Idempotency-Key of a user belongs to where this finds the resource.
   */
  authoriseScope(projectId: string, environmentId?: string): Promise<ProjectScope>;
  /** The caller's role in a workspace, for resources of a workspace found by their id alone; rejects like `authoriseScope`. */
  requireWorkspaceRole(workspaceId: string): Promise<StudioRole>;
  /**
   * Does what the request asks for, at most once under its Idempotency-Key: `work` makes one commit, which carries the key. Resolves to
   * what `work` resolves to, which is JSON; in a repetition to what it resolved to the first time. What comes after may be done twice.
   * Whatever may be refused because of what has changed since belongs into the work: a repetition is not refused for it.
   *
   * @param part tells further work of the same request, with a commit of its own, from the first
   */
  once<T>(work: Work<T>, part?: string): Promise<T>;
  /** The same for work that resolves to a JSON text, which is kept as it is. */
  onceAsText(work: Work<string>): Promise<string>;
}

/** What a handler returns; an empty object stands for the row's success status without a body. */
export interface Answer {
  /** Default: the row's success status. */
  readonly status?: number;
  /** Serialised as JSON. */
  readonly body?: unknown;
  /** The body already serialised; wins over `body`. Of a row whose success is plain text, that text. */
  readonly json?: string | Uint8Array;
  /** Instead of both: a body of unknown size, sent as it is made, and destroyed where the client goes away. */
  readonly stream?: Readable;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Refuses by throwing a `ServiceError`; any other exception is a 500. Returns a value, not a promise, where nothing waits. */
export type Handler<O extends Operation = Operation> = (call: Call<O>) => Answer | Promise<Answer>;

export type OperationTable = Readonly<Record<string, Operation>>;

/** The rows that are answered by handlers: all but websockets, which have an endpoint of their own. */
export type HandledId<Table extends OperationTable> = {
  [Id in keyof Table]: Table[Id]['auth'] extends 'stream' ? never : Id;
}[keyof Table];

/** One handler per row of the table: a missing one does not compile. */
export type Handlers<Table extends OperationTable> = {
  readonly [Id in HandledId<Table>]: Handler<Table[Id]>;
};
