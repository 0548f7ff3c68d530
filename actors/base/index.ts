/**
 * What the kinds of actors share: the tenant that a command names (tenancy.ts), the audit record of an administrative command
 * (audit.ts), the precondition of a change and merged objects (changes.ts), the idempotency key of a request (request-key.ts), the
 * retries of tasks (retry-policy.ts), and the count of how calls of providers end (provider-calls.ts).
 */
export { type Audited, type CommandAudit, createAuditWrites, getChangedFields } from './audit.ts';
export { type Conditional, mergeObject, requireUnchanged } from './changes.ts';
export { ProviderCalls, type ProviderOutcome } from './provider-calls.ts';
export { keepReply, type Keyed } from './request-key.ts';
export { isUnavailable, RetryPolicy } from './retry-policy.ts';
export { exists, type Metadata, requireSameTenancy, systemActor, type Tenancy } from './tenancy.ts';
