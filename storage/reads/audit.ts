/**
 * Reads of the audit log, newest first: ids sort by the instant of the act. What is asked for by action, actor, target or time is found
 * by an index, also where there is nothing to be found; of several together one leads, and what it finds is looked through.
 */
import { newId } from '../../protocol/ids.ts';
import type { AuditAction, AuditLog } from '../../protocol/resources/audit.ts';
import type { Database } from '../database.ts';

/** Whose acts: of a workspace, with all its projects, or of one project. */
export type AuditPlace = { readonly workspaceId: string } | { readonly projectId: string };

export interface AuditFilter {
  readonly place: AuditPlace;
  /** Acts in this environment, and those that are in none. Absent: of all. */
  readonly environmentId?: string | undefined;
  /** Leaves out what was done in production. */
  readonly withoutProduction: boolean;
  readonly action?: AuditAction | undefined;
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
  /** Inclusive. */
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  /** The last id of the page before. */
  readonly before?: string | undefined;
  readonly limit: number;
}

interface AuditRecord extends Omit<AuditLog, 'actor' | 'createdAt'> {
  readonly actorType: AuditLog['actor']['type'];
  readonly actorId: string;
  readonly createdAt: Date;
}

const selectPage = (place: 'workspace_id' | 'project_id'): string => `
  select a.audit_log_id as "auditLogId", a.workspace_id as "workspaceId", a.project_id as "projectId",
    a.environment_id as "environmentId", a.actor_type as "actorType", a.actor_id as "actorId", a.action,
    a.target_id as "targetId", a.request_id as "requestId", a.address, a.details, a.created_at as "createdAt"
  from audit_logs a
  where a.${place} = $1
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

/** An act's id is made with its request, and its instant with its commit: they are not further apart than this. */
const apartMs = 3_600_000;

/** How ids of that instant begin (protocol/ids.ts): ten characters of time after the prefix. */
const idsOf = (ms: number): string => newId('audit', ms).slice(0, 'aud_'.length + 10);

/** The statement of a page; planned anew for each, so that what is not asked for costs nothing. */
export function auditStatement(filter: AuditFilter): { readonly text: string; readonly values: unknown[] } {
  const { place, environmentId, withoutProduction, action, actorId, targetId, since, until, before, limit } =
    filter;
  const [text, placeId] =
    'workspaceId' in place ? [pages.workspace, place.workspaceId] : [pages.project, place.projectId];
  const values = [placeId, environmentId ?? null, withoutProduction, action ?? null, actorId ?? null];
  const span = [targetId ?? null, since ?? null, until ?? null, before ?? null, limit];
  const from = since === undefined ? null : idsOf(Math.max(0, since.getTime() - apartMs));
  const to = until === undefined ? null : idsOf(Math.max(0, until.getTime() + apartMs));
  return { text, values: [...values, ...span, from, to] };
}

export async function auditPage(db: Pick<Database, 'query'>, filter: AuditFilter): Promise<AuditLog[]> {
  const { text, values } = auditStatement(filter);
  const rows = await db.query<AuditRecord>(text, values);
  return rows.map(({ actorType, actorId: id, createdAt, ...row }) => ({
    ...row,
    actor: { type: actorType, id },
    createdAt: createdAt.toISOString(),
  }));
}
