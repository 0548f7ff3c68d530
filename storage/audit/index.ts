/** The audit log: recorded in the transaction of the change, read newest first. */
export { type AuditFilter, auditPage } from './audit-log.ts';
export {
  type AuditContext,
  type NewAuditEntry,
  recordAccountAction,
  recordAction,
  recordAuditEntries,
  recordUserAction,
  type RequestOrigin,
  type UserAuditContext,
  type WorkspaceDetails,
} from './record.ts';
