/** The audit log. */
import type { Operation } from '../operation.ts';
import { AuditLog, ListAuditLogsQuery, createList } from '../resources/index.ts';
import { access, listing } from './rules.ts';

export const auditOperations = {
  listAuditLogs: {
    method: 'GET',
    path: '/audit-logs',
    tag: 'Audit',
    summary: 'List audit log entries, newest first',
    description:
      'A Studio user names `workspaceId`, for all its projects and its members’ accounts, or `projectId`; an API key is bound to its project and environment. With `environmentId`, the list contains what was done in that environment and what belongs to no environment. Entries are kept for 400 days.',
    auth: 'project',
    access: access.readAudit,
    query: ListAuditLogsQuery,
    success: { status: 200, body: createList(AuditLog) },
    errors: listing,
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
