/** The audit log (docs/contract-decisions.md, "Who may do what"). */
import { Readable } from 'node:stream';
import { invalid, notFound } from '../../protocol/errors.ts';
import type { auditOperations } from '../../protocol/operations/index.ts';
import {
  type AuditLog,
  defaultPageSize,
  type ExportAuditLogsQuery,
  type ListAuditLogsQuery,
} from '../../protocol/resources/index.ts';
import { type Cursors, toPage, type PageRows } from '../../storage/paging/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { type AuditFilter, auditPage } from '../../storage/audit/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';

type View = Pick<AuditFilter, 'scope' | 'environmentId' | 'withoutProduction'>;
type Filters = Omit<AuditFilter, 'before' | 'limit'>;
type AuditDatabase = Pick<Database, 'query' | 'scan'>;

/** Entries that an export reads at once, of some 300 bytes: what it has in memory is this and the page before. */
const exportedAtOnce = 500;

export function auditHandlers(database: AuditDatabase, cursors: Cursors): Handlers<typeof auditOperations> {
  return {
    listAuditLogs: async call => {
      const { cursor, limit = defaultPageSize, workspaceId: _, projectId: __, ...filters } = call.query;
      const view = await createView(call, call.query);
      const scope = `audit-logs ${JSON.stringify([view, filters])}`;
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const asked = createFilters(view, call.query);
      const page = await auditPage(database, { ...asked, before, limit });
      return { body: toPage(page, end => cursors.encode(scope, [end.auditLogId])) };
    },

    exportAuditLogs: async call => {
      const filters = createFilters(await createView(call, call.query), call.query);
      // Read before the answer begins: until then a database that is away is a 503.
      const first = await auditPage(database, { ...filters, limit: exportedAtOnce });
      const isUnread = (): boolean => stream.destroyed;
      const stream: Readable = Readable.from(readLines(database, filters, first, isUnread), {
        highWaterMark: 1,
      });
      return {
        stream,
        headers: { 'Content-Disposition': 'attachment; filename="audit-log.ndjson"' },
      };
    },
  };
}

/**
 * The entries from that page on, a page of lines at a time.
 *
 * @param isUnread whether the client has gone: while nothing is found, nothing is sent, and only by this it is noticed
 */
async function* readLines(
  database: AuditDatabase,
  filters: Filters,
  first: PageRows<AuditLog>,
  isUnread: () => boolean,
): AsyncGenerator<Buffer> {
  for (let page = first; ;) {
    const { rows, end } = page;
    if (rows.length > 0) yield Buffer.from(rows.map(log => `${JSON.stringify(log)}\n`).join(''));
    if (end === undefined || isUnread()) return;
    page = await auditPage(database, { ...filters, before: end.auditLogId, limit: exportedAtOnce });
  }
}

function createFilters(
  view: View,
  { action, actorId, targetId, since, until }: ListAuditLogsQuery | ExportAuditLogsQuery,
): Filters {
  return { ...view, action, actorId, targetId, since: parseDate(since), until: parseDate(until) };
}

/** What the caller sees: a key its environment; a user what they have named, without production until their e-mail is verified. */
async function createView(
  call: Pick<Call, 'caller' | 'project' | 'requireWorkspaceRole'>,
  asked: { readonly workspaceId?: string; readonly projectId?: string; readonly environmentId?: string },
): Promise<View> {
  const { caller, project } = call;
  const { workspaceId, projectId, environmentId } = asked;
  if (caller?.type === 'key' && project !== undefined) {
    // A key does not reach a whole workspace, not even its own.
    if (workspaceId !== undefined) throw notFound();
    const { projectId: own, environmentId: where } = project;
    return { scope: { projectId: own }, environmentId: where, withoutProduction: false };
  }
  const withoutProduction = caller?.type !== 'user' || !caller.emailVerified;
  if (workspaceId !== undefined && projectId !== undefined) throw eitherOr();
  if (projectId !== undefined) return { scope: { projectId }, environmentId, withoutProduction };
  if (workspaceId === undefined) throw eitherOr();
  await call.requireWorkspaceRole(workspaceId);
  return { scope: { workspaceId }, environmentId, withoutProduction };
}

function eitherOr(): Error {
  const message = 'one of workspaceId and projectId must be named';
  return invalid([{ path: '/query', message, code: 'oneOf' }]);
}

function parseDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
