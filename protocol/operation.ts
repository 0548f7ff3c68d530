/**
 * The shape of one row of the operation table (design section 6). Routing, validation, authorisation, OpenAPI, the SDK's
 * types and the contract tests are derived from these rows, and nothing else defines a route.
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

/** Studio roles: workspace owner and admin imply developer in every project; viewer of the workspace implies viewer. */
export type StudioRole = 'owner' | 'admin' | 'developer' | 'viewer';
export type ConsoleRole = 'project_owner' | 'agent' | 'viewer';

/** Who may call (decisions section 3). Absent means nobody of that sort. */
export interface Access {
  /** API keys need all of these; null: API keys never reach the operation. */
  readonly scopes: readonly Exclude<Scope, '*'>[] | null;
  readonly studio: readonly StudioRole[];
  readonly console: readonly ConsoleRole[];
}

/** Quota class of decisions section 9. */
export type RateClass =
  'auth' | 'read' | 'write' | 'invitation' | 'message' | 'receipt' | 'run' | 'test' | 'none';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to /v1; parameters in braces. */
  readonly path: string;
  /** Served at the root of the server as well as under /v1. */
  readonly root?: boolean;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * `none`: public. `refresh`: the refresh cookie. `user`: any Studio token. `project`: a credential with access to the
   * project of the request, which is in the path, the query or the body, else the one of the resource that the path
   * names. `stream`: as `project`, by header or by single-use ticket.
   */
  readonly auth: 'none' | 'refresh' | 'user' | 'project' | 'stream';
  /** What a public operation takes notice of where it is sent. */
  readonly optionalAuth?: readonly ('studioToken' | 'refreshCookie')[];
  /** The success sets or clears the refresh cookie. */
  readonly setsCookie?: true;
  /** Required for `project`; for `user` it narrows by workspace role. */
  readonly access?: Access;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The success status and its body; null body: none (204, 101). */
  readonly success: { readonly status: number; readonly body: TSchema | null };
  /** A second kind of success that the request itself asks for; `when` says how. */
  readonly alternative?: { readonly status: number; readonly body: TSchema; readonly when: string };
  /** The success body holds a secret that is shown once: whoever keeps the answer for a replay must keep it encrypted. */
  readonly secret?: boolean;
  readonly errors: readonly ErrorCode[];
  readonly rate: RateClass;
  /** `required`: a missing Idempotency-Key is 400. `accepted`: honoured when sent. */
  readonly idempotency: 'required' | 'accepted' | 'none';
  /** Of a POST that keeps no answers: what comes of sending it again. An Idempotency-Key is accepted there, and has no effect. */
  readonly again?: string;
  /** Left out of OpenAPI (specification: private paths). */
  readonly hidden?: boolean;
}

type Part<O, K extends string> = O extends { readonly [P in K]: infer S extends TSchema }
  ? Static<S>
  : undefined;
/** The type of the path parameters, query and body of a row. */
export type ParamsOf<O extends Operation> = Part<O, 'params'>;
export type QueryOf<O extends Operation> = Part<O, 'query'>;
export type BodyOf<O extends Operation> = Part<O, 'body'>;
