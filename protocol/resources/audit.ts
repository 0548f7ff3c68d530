/** The audit log. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { choice, freeForm, id, instant, nullable, optional, resource, text } from './fields.ts';
import { page } from './list.ts';

/** All recorded actions: `<resource>.<verb>`. */
export const auditActions = [
  'user.created',
  'user.email_verified',
  'user.password_reset',
  'user.password_changed',
  'user.email_changed',
  'user.second_factor_enabled',
  'user.second_factor_disabled',
  'user.recovery_codes_renewed',
  'user.passkey_added',
  'user.passkey_removed',
  'user.removed',
  'user.login_failed',
  'session.opened',
  'session.closed',
  'session.reuse_detected',
  'single_sign_on.updated',
  'single_sign_on.removed',
  'single_sign_on.used',
  'single_sign_on.domain_added',
  'single_sign_on.domain_proven',
  'single_sign_on.domain_updated',
  'single_sign_on.domain_removed',
  'workspace.created',
  'workspace.updated',
  'workspace.archived',
  'workspace.transferred',
  'project.created',
  'project.updated',
  'project.archived',
  'environment.created',
  'environment.updated',
  'invitation.created',
  'invitation.accepted',
  'invitation.revoked',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'project_member.upserted',
  'project_member.removed',
  'console_member.upserted',
  'console_member.removed',
  'api_key.created',
  'api_key.updated',
  'api_key.rotated',
  'api_key.revoked',
  'partner_app.created',
  'partner_app.secret_rotated',
  'partner_app.revoked',
  'channel.created',
  'channel.updated',
  'channel.status_changed',
  'stitch.created',
  'stitch.updated',
  'stitch.archived',
  'stitch.secret_rotated',
  'stitch.tested',
  'stitch.replayed',
  'stitch.delivery_replayed',
  'stitch.disabled',
  'thread.updated',
  'thread.assigned',
  'thread.personal_data_erased',
  'byok_credential.created',
  'byok_credential.updated',
  'byok_credential.rotated',
  'byok_credential.revoked',
  'tool.created',
  'tool.updated',
  'tool.secret_rotated',
  'tool.tested',
  'loom.created',
  'loom.updated',
  'loom_version.created',
  'loom_version.updated',
  'loom_version.activated',
  'agent.created',
  'agent.updated',
  'agent_run.created',
  'agent_run.cancelled',
  'agent_run.suggestion_resolved',
  'agent_run.tool_call_resolved',
  'budget.updated',
  'canned_reply.created',
  'canned_reply.updated',
  'canned_reply.deleted',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One action: who did what, to what, from where. */
export const AuditLog = resource('AuditLog', {
  auditLogId: id('audit'),
  workspaceId: nullable(id('workspace')),
  /** Null for an action on the workspace, or on the account of one of its members. */
  projectId: nullable(id('project')),
  /** Null for an action that belongs to no environment. */
  environmentId: nullable(id('environment')),
  actor: Type.Object({ type: choice(['user', 'api_key', 'system']), id: Type.String() }),
  action: Type.String({ description: `One of ${auditActions.join(', ')}; more may follow.` }),
  targetId: nullable(Type.String()),
  /** Null for an action without a request. */
  requestId: nullable(Type.String()),
  /** The client's IP address. Null for what members do with their own accounts, and for an action without a request. */
  address: nullable(Type.String()),
  details: freeForm(),
  createdAt: instant(),
});
export type AuditLog = Static<typeof AuditLog>;

const filters = {
  workspaceId: optional(id('workspace')),
  projectId: optional(id('project')),
  environmentId: optional(id('environment')),
  action: optional(choice(auditActions)),
  actorId: optional(text(1, 128)),
  targetId: optional(text(1, 128)),
  since: optional(instant()),
  until: optional(instant()),
};

/** A Studio user names one of workspace and project; a key is bound to its project. */
export const ListAuditLogsQuery = Type.Object({ ...filters, ...page });
export type ListAuditLogsQuery = Static<typeof ListAuditLogsQuery>;

export const ExportAuditLogsQuery = Type.Object(filters);
export type ExportAuditLogsQuery = Static<typeof ExportAuditLogsQuery>;
