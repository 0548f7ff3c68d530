/**
 * The shape of one row of the operation table (docs/decisions/0014-one-operation-table.md). Routing, validation, authorisation, OpenAPI
 * and the contract tests are derived from these rows, and nothing else defines a route.
 */
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';

export const scopes = [
  'threads:read',
  'threads:write',
  'messages:read',
  'messages:write',
  'agents:read',
  'agents:write',
  'agents:run',
  'tools:read',
  'tools:write',
  'tools:execute',
  'channels:read',
  'channels:write',
  'channels:connect',
  'webhooks:read',
  'webhooks:write',
  'usage:read',
  'audit:read',
  '*',
] as const;
export type Scope = (typeof scopes)[number];

/** Studio roles: owners and admins of a workspace are developers in all its projects, its viewers are viewers. */
export type StudioRole = 'owner' | 'admin' | 'developer' | 'viewer';
export type ConsoleRole = 'project_owner' | 'agent' | 'viewer';

/** Who may call (docs/contract-decisions.md, "Who may do what"). */
export interface Access {
  /** API keys need all of these; null: API keys are never accepted. */
  readonly scopes: readonly Exclude<Scope, '*'>[] | null;
  readonly studio: readonly StudioRole[];
  readonly console: readonly ConsoleRole[];
}

/** The quota that the operation counts towards (docs/contract-decisions.md, "Rate limits"). */
export type RateClass =
  | 'auth'
  | 'signUp'
  | 'read'
  | 'write'
  | 'bulk'
  | 'invitation'
  | 'message'
  | 'receipt'
  | 'run'
  | 'test'
  | 'none';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to /v1, with parameters in braces. */
  readonly path: string;
  /** Also served at the root of the server. */
  readonly root?: boolean;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * `none`: public. `refresh`: the refresh cookie. `any`: every valid credential, whatever it may do. `user`: any Studio token. `project`: a
   * credential with access to the project of the request, which is in the path, the query or the body, else that of the resource in the
   * path. `stream`: as `project`, by header or by single-use ticket.
   */
  readonly auth: 'none' | 'refresh' | 'any' | 'user' | 'project' | 'stream';
  /** Users may do it who have to verify their address first (EMAIL_DOMAINS). */
  readonly beforeVerification?: true;
  /** Credentials that a public operation uses when they are sent. */
  readonly optionalAuth?: readonly ('studioToken' | 'refreshCookie')[];
  /** The success sets or clears the refresh cookie. */
  readonly setsCookie?: true;
  /** A write that an archived project or workspace takes all the same. Reads and DELETE always work there. */
  readonly whileArchived?: true;
  /** Required for `project`; for `user` it narrows by workspace role. */
  readonly access?: Access;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Instead of `body`: another system's own bytes, at most so many, which the handler gets as they came. */
  readonly rawBody?: { readonly maxBytes: number };
  /** Another system calls it, and may add parameters to the query that nobody here knows. */
  readonly ignoresUnknownQuery?: true;
  /** The success status and its body; null for none (204, 101). A text of another type is sent as it is, and not as JSON. */
  readonly success: {
    readonly status: number;
    readonly body: TSchema | null;
    readonly contentType?: 'text/plain' | 'application/x-ndjson';
  };
  /** Another success, which the request asks for; `when` says how. */
  readonly alternative?: { readonly status: number; readonly body: TSchema | null; readonly when: string };
  /** Two people may edit the resource: reads and changes show its ETag, and changes take If-Match. */
  readonly tagged?: true;
  /** The success body contains a secret that is shown once: a stored answer must be encrypted. */
  readonly secret?: boolean;
  readonly errors: readonly ErrorCode[];
  readonly rate: RateClass;
  /** `required`: a missing Idempotency-Key is 400. `accepted`: honoured when sent. */
  readonly idempotency: 'required' | 'accepted' | 'none';
  /** For a POST whose Idempotency-Key is accepted and has no effect: what repeating the request does. */
  readonly repeatEffect?: string;
  /** Not part of the public contract, and left out of OpenAPI. */
  readonly hidden?: boolean;
}

/** The header by which a key names the user on whose behalf it acts: a name in lower case, and as documents write it. */
export const actingUserHeader = 'service-acting-user';
export const actingUserTitle = 'Service-Acting-User';

/** Whether a key may act for a user: where operators of the Console may do the same themselves. */
export function takesActingUser({ auth, access }: Operation): boolean {
  return (
    auth === 'project' && access !== undefined && access.scopes !== null && access.console.includes('agent')
  );
}

/** Fields that an API key implies, since it belongs to one project and one environment. */
const impliedByKeys = ['projectId', 'environmentId'] as const;
export type ImpliedField = (typeof impliedByKeys)[number];

/** Which of them the part of a request has to name; a request with an API key may leave them out. None where keys are not let in. */
export function listImpliedFields(operation: Operation, part: 'query' | 'body'): ImpliedField[] {
  const schema = operation[part] as { readonly required?: readonly string[] } | undefined;
  if ((operation.access?.scopes ?? null) === null) return [];
  return impliedByKeys.filter(name => schema?.required?.includes(name));
}

/** The longest body of an operation, in bytes: little where nobody has to be known to send it. A longer one is 413. */
export function getMaxBodyBytes({ auth, rawBody }: Operation): number {
  if (rawBody !== undefined) return rawBody.maxBytes;
  return auth === 'none' || auth === 'refresh' ? 8_192 : 1_048_576;
}

type Part<O, K extends string> = O extends { readonly [P in K]: infer S extends TSchema }
  ? Static<S>
  : undefined;
/** The type of the path parameters, query and body of a row. */
export type OperationParams<O extends Operation> = Part<O, 'params'>;
export type OperationQuery<O extends Operation> = Part<O, 'query'>;
export type OperationBody<O extends Operation> = O extends { readonly rawBody: object }
  ? Uint8Array
  : Part<O, 'body'>;
