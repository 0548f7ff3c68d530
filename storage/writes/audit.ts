/** Rows of `audit_logs`: who changed what, from where (docs/contract-decisions.md, "Operations" and "Retention"). */
import type { Actor, AuditAction } from '../../protocol/resources/index.ts';
import { statement, type Write } from '../statements/index.ts';

/** The request that made a change. */
export interface RequestOrigin {
  readonly requestId: string;
  /** The client's IP address. */
  readonly address: string;
}

/** An entry of a project gets the project's workspace. */
export const insertAuditEntries = statement(
  'audit.insert',
  80,
  {
    audit_log_id: 'text',
    workspace_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    actor_type: 'text',
    actor_id: 'text',
    action: 'text',
    target_id: 'text',
    request_id: 'text',
    address: 'text',
    details: 'jsonb',
    created_at: 'timestamptz',
  },
  input => `
    insert into audit_logs (audit_log_id, workspace_id, project_id, environment_id, actor_type, actor_id, action, target_id,
      request_id, address, details, created_at)
    select audit_log_id,
      coalesce(workspace_id, (select p.workspace_id from projects p where p.project_id = input.project_id)),
      project_id, environment_id, actor_type, actor_id, action, target_id, request_id, address, details, created_at
    from ${input}`,
);

/** One change. */
export interface AuditEntry {
  readonly auditLogId: string;
  /** May be absent where the project is known. */
  readonly workspaceId?: string | null;
  readonly projectId?: string;
  /** Absent: the change does not belong to one environment. */
  readonly environmentId?: string;
  readonly actor: {
    readonly type: 'user' | 'api_key' | 'system';
    readonly id: string;
    /** The key that acted on the user's behalf: the details name it. */
    readonly apiKeyId?: string;
  };
  readonly action: AuditAction;
  readonly targetId: string;
  /** Absent: no request made the change. Without an address where the reader is not to know it. */
  readonly origin?: Pick<RequestOrigin, 'requestId'> & Partial<RequestOrigin>;
  /** What a reader wants to know of it. Never a secret, never the content of a conversation. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly at: string;
}

/** The author of a change as the audit log names them: a user, an API key, or the system for all others. */
export function toAuditActor({ type, id, apiKeyId }: Actor): AuditEntry['actor'] {
  const auditType = type === 'user' || type === 'api_key' ? type : 'system';
  return { type: auditType, id: id ?? auditType, ...(apiKeyId === undefined ? {} : { apiKeyId }) };
}

export function insertAuditEntry(entry: AuditEntry): Write {
  const { apiKeyId } = entry.actor;
  const details = apiKeyId === undefined ? entry.details : { ...entry.details, apiKeyId };
  return {
    statement: insertAuditEntries,
    values: [
      entry.auditLogId,
      entry.workspaceId,
      entry.projectId,
      entry.environmentId,
      entry.actor.type,
      entry.actor.id,
      entry.action,
      entry.targetId,
      entry.origin?.requestId,
      entry.origin?.address,
      JSON.stringify(details ?? {}),
      entry.at,
    ],
  };
}
