/** Rows of `audit_logs`: who did what to what, from where (decisions sections 2 and 9). */
import type { AuditAction } from '../../protocol/resources/audit.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import { statement, type Write } from '../statement.ts';

/** The request that an act came by. */
export interface Origin {
  readonly requestId: string;
  /** The client's IP address. */
  readonly address: string;
}

/** The workspace of an act in a project is the project's. */
export const insertActs = statement(
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

/** One act. */
export interface Act {
  readonly auditLogId: string;
  /** May be left out where the project is known. */
  readonly workspaceId?: string | null;
  readonly projectId?: string;
  /** Absent: it was not done in one environment. */
  readonly environmentId?: string;
  readonly actor: { readonly type: 'user' | 'api_key' | 'system'; readonly id: string };
  readonly action: AuditAction;
  readonly targetId: string;
  /** Absent: no request made it. */
  readonly origin?: Origin;
  /** What a reader wants to know of it. Never a secret, never what somebody wrote in a conversation. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly at: string;
}

/** The author of a change as the audit log names them: of all that act in conversations, users, keys and we ourselves administer. */
export function actingAs({ type, id }: Actor): Act['actor'] {
  const known = type === 'user' || type === 'api_key' ? type : 'system';
  return { type: known, id: id ?? known };
}

export function recordAct(act: Act): Write {
  return {
    statement: insertActs,
    values: [
      act.auditLogId,
      act.workspaceId,
      act.projectId,
      act.environmentId,
      act.actor.type,
      act.actor.id,
      act.action,
      act.targetId,
      act.origin?.requestId,
      act.origin?.address,
      JSON.stringify(act.details ?? {}),
      act.at,
    ],
  };
}
