/** Who owns what: workspaces, projects, environments, and the people in them. */
import { defineEntity, p } from '@mikro-orm/core';
import { id, instant } from './columns.ts';

const studioRoles = ['owner', 'admin', 'viewer'] as const;
const consoleRoles = ['project_owner', 'agent', 'viewer'] as const;

export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  properties: {
    workspaceId: id().primary(),
    name: p.text(),
    createdAt: instant(),
    updatedAt: instant(),
    archivedAt: instant().nullable(),
    /** Its members need a second factor. */
    requiresSecondFactor: p.boolean().default(false),
  },
});

export const WorkspaceMember = defineEntity({
  name: 'WorkspaceMember',
  tableName: 'workspace_members',
  properties: {
    workspaceId: id().primary(),
    userId: id().primary(),
    role: p.enum(studioRoles),
    createdAt: instant(),
    updatedAt: instant(),
  },
  indexes: [{ name: 'workspace_members_user', properties: ['userId', 'workspaceId'] }],
});

export const Project = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: {
    projectId: id().primary(),
    workspaceId: id(),
    name: p.text(),
    createdAt: instant(),
    updatedAt: instant(),
    archivedAt: instant().nullable(),
    assignmentMode: p.enum(['off', 'roundRobin'] as const).default('off'),
    /** Threads that one operator is given at most, where they are assigned automatically. */
    maxOpenThreads: p.integer().default(20),
  },
  indexes: [{ name: 'projects_workspace', properties: ['workspaceId', 'projectId'] }],
});

/** A user who is or was online, in a project that assigns threads automatically. */
export const Operator = defineEntity({
  name: 'Operator',
  tableName: 'operators',
  properties: {
    projectId: id().primary(),
    userId: id().primary(),
    onlineUntil: instant(),
    /** Whoever has the lowest is given the next thread. */
    turn: p.integer().default(0),
  },
  indexes: [{ name: 'operators_online', properties: ['onlineUntil'] }],
});

export const ProjectMember = defineEntity({
  name: 'ProjectMember',
  tableName: 'project_members',
  properties: {
    projectId: id().primary(),
    userId: id().primary(),
    role: p.enum(['developer', 'viewer'] as const),
    createdAt: instant(),
    updatedAt: instant(),
  },
  indexes: [{ name: 'project_members_user', properties: ['userId', 'projectId'] }],
});

export const ConsoleMember = defineEntity({
  name: 'ConsoleMember',
  tableName: 'console_members',
  properties: {
    projectId: id().primary(),
    userId: id().primary(),
    role: p.enum(consoleRoles),
    createdAt: instant(),
    updatedAt: instant(),
  },
  indexes: [{ name: 'console_members_user', properties: ['userId', 'projectId'] }],
});

export const Environment = defineEntity({
  name: 'Environment',
  tableName: 'environments',
  properties: {
    environmentId: id().primary(),
    projectId: id(),
    kind: p.enum(['sandbox', 'production'] as const),
    name: p.text(),
    createdAt: instant(),
    updatedAt: instant(),
    /** Of a sandbox: until then no thread in it can be due to be forgotten (storage/retention/sandbox-threads.ts). */
    restsUntil: instant().defaultRaw('now()'),
  },
  uniques: [{ name: 'environments_project_kind', properties: ['projectId', 'kind'] }],
  indexes: [{ name: 'environments_resting', properties: ['restsUntil'], where: "kind = 'sandbox'" }],
});

export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    invitationId: id().primary(),
    workspaceId: id(),
    email: p.text(),
    /** Normalised as `users.email_key`. */
    emailKey: id(),
    studioRole: p.enum(studioRoles),
    consoleRole: p.enum(consoleRoles),
    invitedByUserId: id(),
    tokenHash: p.blob(),
    createdAt: instant(),
    expiresAt: instant(),
    acceptedAt: instant().nullable(),
    acceptedByUserId: id().nullable(),
    revokedAt: instant().nullable(),
  },
  uniques: [
    { name: 'invitations_token_hash', properties: ['tokenHash'] },
    // One open invitation per address; one that has expired is revoked before its successor is made.
    {
      name: 'invitations_open',
      properties: ['workspaceId', 'emailKey'],
      where: 'accepted_at is null and revoked_at is null',
    },
  ],
  indexes: [
    { name: 'invitations_listed', properties: ['workspaceId', 'createdAt', 'invitationId'] },
    {
      name: 'invitations_ended',
      expression:
        'create index invitations_ended on invitations (least(accepted_at, revoked_at, expires_at))',
    },
  ],
});

/** A reply that operators use again and again. */
export const CannedReply = defineEntity({
  name: 'CannedReply',
  tableName: 'canned_replies',
  properties: {
    cannedReplyId: id().primary(),
    projectId: id(),
    /** With its slash, in lower case. */
    shortcut: id(),
    title: p.text(),
    body: p.text(),
    createdByUserId: id(),
    updatedByUserId: id(),
    createdAt: instant(),
    updatedAt: instant(),
  },
  uniques: [{ name: 'canned_replies_shortcut', properties: ['projectId', 'shortcut'] }],
});
