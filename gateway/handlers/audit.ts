/** The audit log (docs/contract-decisions.md, "Who may do what"). */
import { invalid, notFound } from '../../protocol/errors.ts';
import type { auditOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize } from '../../protocol/resources/index.ts';
import { type Cursors, toPage } from '../../storage/paging/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { type AuditFilter, auditPage } from '../../storage/audit/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';

type View = Pick<AuditFilter, 'scope' | 'environmentId' | 'withoutProduction'>;

export function auditHandlers(
  database: Pick<Database, 'query'>,
  cursors: Cursors,
): Handlers<typeof auditOperations> {
  return {
    listAuditLogs: async call => {
      const { cursor, limit = defaultPageSize, workspaceId: _, projectId: __, ...filters } = call.query;
      const { action, actorId, targetId } = filters;
      const view = await createView(call, call.query);
      const scope = `audit-logs ${JSON.stringify([view, filters])}`;
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await auditPage(database, {
        ...view,
        action,
        actorId,
        targetId,
        before,
        limit: limit + 1,
        since: parseDate(filters.since),
        until: parseDate(filters.until),
      });
      return { body: toPage(rows, limit, last => cursors.encode(scope, [last.auditLogId])) };
    },
  };
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
