/** The audit log. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { AuditLog, ExportAuditLogsQuery, ListAuditLogsQuery, createList } from '../resources/index.ts';
import { access, listing, reading, shortPages } from './rules.ts';

const audited =
  'A Studio user names `workspaceId`, for all its projects and its members’ accounts, or `projectId`; an API key is bound to its project and environment. With `environmentId`, the list contains what was done in that environment and what belongs to no environment. Entries are kept for 400 days.';

export const auditOperations = {
  listAuditLogs: {
    method: 'GET',
    path: '/audit-logs',
    tag: 'Audit',
    summary: 'List audit log entries, newest first',
    description: `${audited} ${shortPages}`,
    auth: 'project',
    access: access.readAudit,
    query: ListAuditLogsQuery,
    success: { status: 200, body: createList(AuditLog) },
    errors: listing,
    rate: 'read',
    idempotency: 'none',
  },
  exportAuditLogs: {
    method: 'GET',
    path: '/audit-logs/export',
    tag: 'Audit',
    summary: 'Export audit log entries as NDJSON, newest first',
    description:
      'All entries of listAuditLogs with the same filters in one answer: a JSON object a line, as the list has it. The answer is sent as it is read, without a Content-Length. It is whole where it ends with its last chunk; an answer that is cut off, or takes longer than five minutes, ends without: export less at once, by `since` and `until`.',
    auth: 'project',
    access: access.readAudit,
    query: ExportAuditLogsQuery,
    success: { status: 200, body: Type.String(), contentType: 'application/x-ndjson' },
    errors: reading,
    rate: 'test',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
