/**
 * Reads of the audit log, newest first: ids sort by the instant of the change. An index serves each of the filters target, actor and action,
 * also where nothing fits. Of several filters one leads; the rows that it finds are looked through for the others, a bounded number for each
 * page (storage/paging/bounded-scan.ts): a page may be short, or empty, although more follows.
 */
import { newId } from '../../protocol/ids.ts';
import type { AuditAction, AuditLog } from '../../protocol/resources/index.ts';
import type { Database } from '../database/index.ts';
import {
  buildScanStatement,
  readScanPage,
  ScanConditions,
  type PageRows,
  type ScanRow,
  type ScanStatement,
} from '../paging/index.ts';

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
  /** The id of the entry where the previous page ended. */
  readonly before?: string | undefined;
  readonly limit: number;
}

interface AuditRecord extends Omit<AuditLog, 'actor' | 'createdAt'>, ScanRow {
  readonly actorType: AuditLog['actor']['type'];
  readonly actorId: string;
  readonly createdAt: Date;
}

const columns = `a.audit_log_id as "auditLogId", a.workspace_id as "workspaceId", a.project_id as "projectId",
    a.environment_id as "environmentId", a.actor_type as "actorType", a.actor_id as "actorId", a.action,
    a.target_id as "targetId", a.request_id as "requestId", a.address, a.details, a.created_at as "createdAt"`;

const isNotOfProduction = `(a.environment_id is null or exists (
  select from environments e where e.environment_id = a.environment_id and e.kind = 'sandbox'))`;

/** Milliseconds that an entry's id, made with the request, and its instant, made with the commit, differ at most. */
const maxSkewMs = 3_600_000;

/** The first characters of ids of that instant: ten characters of time after the prefix (protocol/ids.ts). */
const toIdPrefix = (ms: number): string => newId('audit', Math.max(0, ms)).slice(0, 'aud_'.length + 10);

const getScopeId = (scope: AuditScope): string =>
  'workspaceId' in scope ? scope.workspaceId : scope.projectId;

/** The statement of a page. */
export function auditStatement(filter: AuditFilter): ScanStatement {
  const { scope, environmentId, withoutProduction, since, until, before, limit } = filter;
  const conditions = new ScanConditions(
    [getScopeId(scope)],
    [`a.${'workspaceId' in scope ? 'workspace_id' : 'project_id'} = $1`],
  );
  const isLed = addNamed(conditions, filter);
  conditions.inRange(id => `a.audit_log_id < ${id}`, before);
  conditions.inRange(id => `a.audit_log_id >= ${id}`, since && toIdPrefix(since.getTime() - maxSkewMs));
  conditions.inRange(id => `a.audit_log_id < ${id}`, until && toIdPrefix(until.getTime() + maxSkewMs));
  conditions.filter(at => `a.created_at >= ${at}`, since);
  conditions.filter(at => `a.created_at < ${at}`, until);
  conditions.filter(id => `(a.environment_id is null or a.environment_id = ${id})`, environmentId);
  if (withoutProduction) conditions.filters.push(isNotOfProduction);
  const { values, range, filters } = conditions;
  const text = buildScanStatement({
    table: 'audit_logs',
    as: 'a',
    columns,
    by: ['audit_log_id'],
    key: ['audit_log_id'],
    range,
    filters,
    limit,
  });
  // Where one of them leads, the planner could prefer to read and sort all that the filter finds: not on the connections for scans.
  return { text, values, isScan: isLed || filters.length > 0 };
}

/** Conditions by what an index has. The first one leads: of most targets there are few entries, and of most people fewer than of what they do. */
function addNamed(conditions: ScanConditions, { targetId, actorId, action }: AuditFilter): boolean {
  const named = { target_id: targetId, actor_id: actorId, action };
  let isLed = false;
  for (const [column, value] of Object.entries(named)) {
    if (value === undefined) continue;
    const isIt = (given: string): string => `a.${column} = ${given}`;
    if (isLed) conditions.filter(isIt, value);
    else conditions.inRange(isIt, value);
    isLed = true;
  }
  return isLed;
}

export async function auditPage(
  db: Pick<Database, 'query' | 'scan'>,
  filter: AuditFilter,
): Promise<PageRows<AuditLog>> {
  const { scope, limit } = filter;
  const { rows, end } = await readScanPage<AuditRecord>(db, getScopeId(scope), auditStatement(filter), limit);
  return { rows: rows.map(toAuditLog), end: end && toAuditLog(end) };
}

function toAuditLog({
  actorType,
  actorId,
  createdAt,
  scanned: _,
  matches: __,
  ...row
}: AuditRecord): AuditLog {
  return { ...row, actor: { type: actorType, id: actorId }, createdAt: createdAt.toISOString() };
}
