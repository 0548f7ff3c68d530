/** [+] The audit log (decisions sections 2, 3 and 9). */
import type { Operation } from '../operation.ts';
import { AuditLog, ListAuditLogsQuery } from '../resources/audit.ts';
import { listOf } from '../resources/list.ts';
import { access, listing } from './rules.ts';

export const auditOperations = {
  listAuditLogs: {
    method: 'GET',
    path: '/audit-logs',
    tag: 'Audit',
    summary: 'Who did what to what, and from where, newest first',
    description:
      'A Studio user names `workspaceId`, for all its projects and its members’ accounts, or `projectId`; an API key is bound to its project and environment. With `environmentId`: what was done there, and what was done in no environment. Kept for 400 days.',
    auth: 'project',
    access: access.readAudit,
    query: ListAuditLogsQuery,
    success: { status: 200, body: listOf(AuditLog) },
    errors: listing,
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
