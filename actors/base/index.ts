/**
 * What the kinds of actors share: the tenant that a command names (tenancy.ts), the audit record of an administrative command
 * (audit.ts), and the retries of tasks (retry-policy.ts).
 */
export { type Audited, type CommandAudit, createAuditWrites, getChangedFields } from './audit.ts';
export { RetryPolicy } from './retry-policy.ts';
export { exists, type Metadata, requireSameTenancy, systemActor, type Tenancy } from './tenancy.ts';
