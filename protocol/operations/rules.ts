/**
 * What many rows of the table share: who may call (decisions section 3) and which errors follow from how a row is
 * called. A row's error list is the specification's status list plus these.
 */
import type { ConsoleRole, Scope, StudioRole } from '../operation.ts';

const everyone = ['owner', 'admin', 'developer', 'viewer'] as const;
const developers = ['owner', 'admin', 'developer'] as const;
const admins = ['owner', 'admin'] as const;

const operators = ['project_owner', 'agent'] as const;
const allOperators = ['project_owner', 'agent', 'viewer'] as const;

type Scopes = readonly Exclude<Scope, '*'>[];
const who = <
  const S extends Scopes | null,
  const R extends readonly StudioRole[],
  const C extends readonly ConsoleRole[],
>(
  scopes: S,
  studio: R,
  console: C,
): { readonly scopes: S; readonly studio: R; readonly console: C } => ({ scopes, studio, console });

/** The rows of decisions section 3, by what they name. */
export const access = {
  readThreads: who(['threads:read'], everyone, allOperators),
  writeThreads: who(['threads:write'], developers, operators),
  readMessages: who(['messages:read'], everyone, allOperators),
  writeMessages: who(['messages:write'], developers, operators),
  readChannels: who(['channels:read'], everyone, allOperators),
  writeChannels: who(['channels:write'], developers, []),
  readWebhooks: who(['webhooks:read'], everyone, []),
  writeWebhooks: who(['webhooks:write'], developers, []),
  /** Keys are listed without secrets, so `viewer` sees them; API keys never reach them. */
  readKeys: who(null, everyone, []),
  writeKeys: who(null, developers, []),
  /** Members of a workspace and invitations to it. */
  readWorkspace: who(null, everyone, []),
  /** Of one's own free will everybody; to end another's membership takes an owner or an admin. */
  leaveWorkspace: who(null, everyone, []),
  readMembers: who(null, everyone, allOperators),
  writeMembers: who(null, admins, ['project_owner']),
  stream: who(['threads:read', 'messages:read'], [], allOperators),
  /** A key sets the header itself, and a ticket would carry more than the key may see: its holder is a person. */
  ticket: who(null, [], allOperators),
  /** It cannot be undone: not for everybody who writes in a thread. */
  erase: who(['threads:write'], developers, ['project_owner']),
  readAgents: who(['agents:read'], everyone, allOperators),
  writeAgents: who(['agents:write'], developers, []),
  runAgents: who(['agents:run'], developers, operators),
  /** It may send a message. */
  resolveSuggestions: who(['agents:run', 'messages:write'], developers, operators),
  readTools: who(['tools:read'], everyone, []),
  writeTools: who(['tools:write'], developers, []),
  executeTools: who(['tools:execute'], developers, []),
  readUsage: who(['usage:read'], admins, ['project_owner']),
  /** Whoever answers for the costs; a key that could raise its own limits would have none. */
  writeBudgets: who(null, admins, ['project_owner']),
  readAudit: who(['audit:read'], admins, []),
  administer: who(null, admins, []),
  develop: who(null, developers, []),
} as const;

/** Any operation may meet these. */
export const always = [
  'svc/rate_limit/exceeded',
  'svc/runtime/internal_error',
  'svc/runtime/unavailable',
] as const;

/** The request has a part that is checked against a schema. */
export const checked = ['svc/validation/invalid_request'] as const;

/** A list: the cursor may be unusable. */
export const paged = ['svc/validation/invalid_request', 'svc/runtime/invalid_request'] as const;

/** `auth: 'user'`: a Studio token. */
export const signedIn = [
  'svc/auth/missing_credentials',
  'svc/auth/expired_token',
  'svc/auth/invalid_token',
] as const;

/** `auth: 'project'` or `'stream'` where API keys are let in. */
export const credential = [...signedIn, 'svc/auth/invalid_api_key'] as const;

/** Reads something of a project by id: without 403 in the list, what may not be touched is not found. */
export const absent = ['svc/runtime/not_found'] as const;

/** Says 403 to a credential that reaches the project but not the operation. */
export const forbidden = ['svc/auth/insufficient_scope'] as const;

/** Production is closed, for reading too, to users whose e-mail is not verified. */
export const verified = ['svc/auth/email_not_verified'] as const;

/** A read within an environment. */
export const reading = [...always, ...checked, ...credential, ...forbidden, ...verified, ...absent] as const;

/** A list within an environment. */
export const listing = [...always, ...paged, ...credential, ...forbidden, ...verified, ...absent] as const;

/** What a list with filters says of its pages. */
export const shortPages =
  'A page looks through a bounded number of items: with filters that few of them fit it may be short, or empty, while hasMore is true. ' +
  'Nothing is left out: nextCursor goes on from there.';

/** A write within an environment. */
export const writing = reading;

/** `idempotency: 'accepted'`. A key that can be none is 400. */
export const repeatable = ['svc/runtime/idempotency_conflict', 'svc/runtime/invalid_request'] as const;

/** `idempotency: 'required'`. */
export const repeatableOnly = [
  'svc/runtime/idempotency_conflict',
  'svc/runtime/missing_idempotency_key',
] as const;

/** Console operations name the project in the path and have 403 and 404 codes of their own. */
export const consoleErrors = ['svc/console/forbidden', 'svc/console/not_found'] as const;
