/** [+] The audit log (decisions sections 2 and 3). */
import { invalid, notFound } from '../../../protocol/errors.ts';
import type { auditOperations } from '../../../protocol/operations/audit.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import { page, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { auditPage, type AuditFilter } from '../../../storage/reads/audit.ts';
import type { Call, Handlers } from '../handler.ts';

type View = Pick<AuditFilter, 'place' | 'environmentId' | 'withoutProduction'>;

export function auditHandlers(
  database: Pick<Database, 'query'>,
  cursors: Cursors,
): Handlers<typeof auditOperations> {
  return {
    listAuditLogs: async call => {
      const { cursor, limit = defaultPageSize, workspaceId: _, projectId: __, ...filters } = call.query;
      const { action, actorId, targetId } = filters;
      const view = await viewOf(call, call.query);
      const scope = `audit-logs ${JSON.stringify([view, filters])}`;
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await auditPage(database, {
        ...{ ...view, action, actorId, targetId, before, limit: limit + 1 },
        since: dateOf(filters.since),
        until: dateOf(filters.until),
      });
      return { body: page(rows, limit, last => cursors.encode(scope, [last.auditLogId])) };
    },
  };
}

/** What the caller sees: a key its environment, a user what they named, without production until their e-mail is verified. */
async function viewOf(
  call: Pick<Call, 'caller' | 'project' | 'workspaceRoleOf'>,
  asked: { readonly workspaceId?: string; readonly projectId?: string; readonly environmentId?: string },
): Promise<View> {
  const { caller, project } = call;
  const { workspaceId, projectId, environmentId } = asked;
  if (caller?.type === 'key' && project !== undefined) {
    // A workspace is more than a key reaches, be it its own.
    if (workspaceId !== undefined) throw notFound();
    const { projectId: own, environmentId: where } = project;
    return { place: { projectId: own }, environmentId: where, withoutProduction: false };
  }
  const withoutProduction = caller?.type !== 'user' || !caller.emailVerified;
  if (workspaceId !== undefined && projectId !== undefined) throw eitherOr();
  if (projectId !== undefined) return { place: { projectId }, environmentId, withoutProduction };
  if (workspaceId === undefined) throw eitherOr();
  await call.workspaceRoleOf(workspaceId);
  return { place: { workspaceId }, environmentId, withoutProduction };
}

function eitherOr(): Error {
  const message = 'one of workspaceId and projectId has to be named';
  return invalid([{ path: '/query', message, code: 'oneOf' }]);
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
