/**
 * Reads of the audit log, newest first: ids sort by the instant of the change. An index serves each of the filters action, actor, target
 * and time, also where nothing fits. Of several filters one leads, and the rows that it finds are filtered by the others.
 */
import { newId } from '../../protocol/ids.ts';
import type { AuditAction, AuditLog } from '../../protocol/resources/index.ts';
import type { Queries } from '../database/index.ts';

/** A workspace with all its projects, or one project. */
export type AuditScope = { readonly workspaceId: string } | { readonly projectId: string };

export interface AuditFilter {
  readonly scope: AuditScope;
  /** Entries of this environment and those of none. Absent: of all environments. */
  readonly environmentId?: string | undefined;
  /** Without the entries of production. */
  readonly withoutProduction: boolean;
  readonly action?: AuditAction | undefined;
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
  /** Inclusive. */
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  /** The last id of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

interface AuditRecord extends Omit<AuditLog, 'actor' | 'createdAt'> {
  readonly actorType: AuditLog['actor']['type'];
  readonly actorId: string;
  readonly createdAt: Date;
}

const selectPage = (column: 'workspace_id' | 'project_id'): string => `
  select a.audit_log_id as "auditLogId", a.workspace_id as "workspaceId", a.project_id as "projectId",
    a.environment_id as "environmentId", a.actor_type as "actorType", a.actor_id as "actorId", a.action,
    a.target_id as "targetId", a.request_id as "requestId", a.address, a.details, a.created_at as "createdAt"
  from audit_logs a
  where a.${column} = $1
    and ($2::text is null or a.environment_id is null or a.environment_id = $2)
    and (not $3::boolean or a.environment_id is null or exists (
      select from environments e where e.environment_id = a.environment_id and e.kind = 'sandbox'))
    and ($4::text is null or a.action = $4) and ($5::text is null or a.actor_id = $5)
    and ($6::text is null or a.target_id = $6)
    and ($7::timestamptz is null or a.created_at >= $7) and ($8::timestamptz is null or a.created_at < $8)
    and ($9::text is null or a.audit_log_id < $9)
    and ($11::text is null or a.audit_log_id >= $11) and ($12::text is null or a.audit_log_id < $12)
  order by a.audit_log_id desc limit $10`;

const pages = { workspace: selectPage('workspace_id'), project: selectPage('project_id') };

/** Milliseconds that an entry's id, made with the request, and its instant, made with the commit, differ at most. */
const maxSkewMs = 3_600_000;

/** The first characters of ids of that instant: ten characters of time after the prefix (protocol/ids.ts). */
const toIdPrefix = (ms: number): string => newId('audit', ms).slice(0, 'aud_'.length + 10);

/** The statement of a page. It is planned for each page, so that absent filters cost nothing. */
export function auditStatement(filter: AuditFilter): { readonly text: string; readonly values: unknown[] } {
  const { scope, environmentId, withoutProduction, action, actorId, targetId, since, until, before, limit } =
    filter;
  const [text, scopeId] =
    'workspaceId' in scope ? [pages.workspace, scope.workspaceId] : [pages.project, scope.projectId];
  const values = [scopeId, environmentId ?? null, withoutProduction, action ?? null, actorId ?? null];
  const span = [targetId ?? null, since ?? null, until ?? null, before ?? null, limit];
  const from = since === undefined ? null : toIdPrefix(Math.max(0, since.getTime() - maxSkewMs));
  const to = until === undefined ? null : toIdPrefix(Math.max(0, until.getTime() + maxSkewMs));
  return { text, values: [...values, ...span, from, to] };
}

export async function auditPage(db: Queries, filter: AuditFilter): Promise<AuditLog[]> {
  const { text, values } = auditStatement(filter);
  const rows = await db.query<AuditRecord>(text, values);
  return rows.map(({ actorType, actorId: id, createdAt, ...row }) => ({
    ...row,
    actor: { type: actorType, id },
    createdAt: createdAt.toISOString(),
  }));
}
