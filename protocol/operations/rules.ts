/**
 * What many rows of the table share: who may call (docs/contract-decisions.md, "Who may do what"), and the errors that follow from how
 * an operation is called. A row lists these and the errors of its own.
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

/** Who may call, by what it allows. */
export const access = {
  readThreads: who(['threads:read'], everyone, allOperators),
  writeThreads: who(['threads:write'], developers, operators),
  /** Their own: whoever may only read has read, too. */
  moveReadCursor: who(['threads:write'], everyone, allOperators),
  readMessages: who(['messages:read'], everyone, allOperators),
  writeMessages: who(['messages:write'], developers, operators),
  /** What happened on a channel: its bridge may say so, and operators may not put words into a customer's mouth. */
  reportTraffic: who(['messages:write'], developers, []),
  /** They are everybody's words: those who look after the project write them. */
  writeCannedReplies: who(null, developers, ['project_owner']),
  readChannels: who(['channels:read'], everyone, allOperators),
  writeChannels: who(['channels:write'], developers, []),
  connectChannels: who(['channels:connect'], developers, []),
  readWebhooks: who(['webhooks:read'], everyone, []),
  writeWebhooks: who(['webhooks:write'], developers, []),
  /** Keys are listed without secrets, so that `viewer` may see them; API keys may not. */
  readKeys: who(null, everyone, []),
  writeKeys: who(null, developers, []),
  /** Members of a workspace and invitations to it. */
  readWorkspace: who(null, everyone, []),
  /** All users may remove themselves; removing others takes an owner or an admin. */
  leaveWorkspace: who(null, everyone, []),
  readMembers: who(null, everyone, allOperators),
  writeMembers: who(null, admins, ['project_owner']),
  stream: who(['threads:read', 'messages:read'], [], allOperators),
  /** Only people: a key can set the header itself, and the ticket would allow more than the key. */
  ticket: who(null, [], allOperators),
  /** It cannot be undone, so writing in threads is not enough. */
  erase: who(['threads:write'], developers, ['project_owner']),
  /** All of it at once, for those who may erase it. */
  exportPersonalData: who(['threads:read', 'messages:read', 'agents:read'], developers, ['project_owner']),
  readAgents: who(['agents:read'], everyone, allOperators),
  writeAgents: who(['agents:write'], developers, []),
  runAgents: who(['agents:run'], developers, operators),
  /** What it answers holds what runs of the thread have recorded. */
  tryLooms: who(['agents:run', 'agents:read'], developers, operators),
  /** It may send a message. */
  resolveSuggestions: who(['agents:run', 'messages:write'], developers, operators),
  /** It has a tool called. */
  resolveToolCalls: who(['agents:run', 'tools:execute'], developers, operators),
  readTools: who(['tools:read'], everyone, []),
  writeTools: who(['tools:write'], developers, []),
  executeTools: who(['tools:execute'], developers, []),
  readUsage: who(['usage:read'], admins, ['project_owner']),
  /** Those who are responsible for the costs; a key must not raise its own limits. */
  writeBudgets: who(null, admins, ['project_owner']),
  readAudit: who(['audit:read'], admins, []),
  administer: who(null, admins, []),
  /** The workspace as a whole. */
  own: who(null, ['owner'], []),
  develop: who(null, developers, []),
} as const;

/** Errors of all operations. */
export const always = [
  'svc/rate_limit/exceeded',
  'svc/runtime/internal_error',
  'svc/runtime/unavailable',
] as const;

/** Of operations with a schema for a part of the request. */
export const checked = ['svc/validation/invalid_request'] as const;

/** Of lists: the cursor may be invalid. */
export const paged = ['svc/validation/invalid_request', 'svc/runtime/invalid_request'] as const;

/** `auth: 'user'`: a Studio token. */
/** Of a change to an account that takes the user's second factor. */
export const secondFactor = [
  'svc/auth/second_factor_required',
  'svc/auth/invalid_code',
  'svc/auth/invalid_passkey',
] as const;
export const signedIn = [
  'svc/auth/missing_credentials',
  'svc/auth/expired_token',
  'svc/auth/invalid_token',
] as const;

/** `auth: 'project'` or `'stream'`, where API keys are accepted. */
export const credential = [...signedIn, 'svc/auth/invalid_api_key'] as const;

/** Reads a resource of a project by id. Without 403 in the list, what the caller may not see is not found. */
export const absent = ['svc/runtime/not_found'] as const;

/** 403 for a credential that has access to the project but not to the operation. */
export const forbidden = ['svc/auth/insufficient_scope'] as const;

/** Users without a verified e-mail address have no access to production, not even for reading. */
export const verified = ['svc/auth/email_not_verified'] as const;

/** A read within an environment. */
export const reading = [...always, ...checked, ...credential, ...forbidden, ...verified, ...absent] as const;

/** A list within an environment. */
export const listing = [...always, ...paged, ...credential, ...forbidden, ...verified, ...absent] as const;

/** The description of pages of a list with filters. */
export const shortPages =
  'A page scans a bounded number of items: with filters that match few of them it may be short, or empty, while hasMore is true. ' +
  'Nothing is left out: nextCursor continues from there.';

/** A write within an environment. */
export const writing = reading;

/** Of a `tagged` change: If-Match names another state of the resource. */
export const conditional = ['svc/runtime/precondition_failed'] as const;

/** Of a PATCH that takes free-form objects. */
export const mergedFields =
  '`metadata` is merged as JSON Merge Patch says (RFC 7396): names that are absent stay, null removes one.';

/** `idempotency: 'accepted'`. A malformed key is 400. */
export const repeatable = ['svc/runtime/idempotency_conflict', 'svc/runtime/invalid_request'] as const;

/** `idempotency: 'required'`. */
export const repeatableOnly = [
  'svc/runtime/idempotency_conflict',
  'svc/runtime/missing_idempotency_key',
] as const;

/** Console operations name the project in the path and have 403 and 404 codes of their own. */
export const consoleErrors = ['svc/console/forbidden', 'svc/console/not_found'] as const;
