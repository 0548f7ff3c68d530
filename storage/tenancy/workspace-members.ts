/**
 * Members of a workspace: they come by invitation (invitations.ts) or as its founder, and get another role or are removed here.
 *
 * Changes in one workspace wait for each other, so the rules that they are held to are true however many are made at once.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type {
  AvatarColor,
  WorkspaceMember as MemberResource,
  WorkspaceRole,
} from '../../protocol/resources/index.ts';
import {
  type NewAuditEntry,
  recordAuditEntries,
  recordUserAction,
  type UserAuditContext,
} from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, toPage } from '../paging/index.ts';
import type { Database } from '../database/index.ts';
import {
  ConsoleMember,
  Project,
  ProjectMember,
  selectDisplayName,
  Workspace,
  WorkspaceMember,
} from '../entities/index.ts';
import { appendEvents, type NewEvent } from '../events/index.ts';
import type { AccessCache } from './access-cache.ts';
import { memberResource } from './console-members.ts';
import { revokeInvitations } from './invitations.ts';
import type { TenancyRules } from './rules.ts';
import { createProjectEvents, type ProjectChange } from './workspace-events.ts';

interface MemberRow {
  readonly workspaceId: string;
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly avatarColor: AvatarColor | null;
  readonly role: WorkspaceRole;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const select = `
  select m.workspace_id as "workspaceId", m.user_id as "userId", u.email, ${selectDisplayName} as "displayName",
    u.avatar_color as "avatarColor", m.role, m.created_at as "createdAt", m.updated_at as "updatedAt"
  from workspace_members m join users u on u.user_id = m.user_id`;

/** Ids sort by creation: the oldest account comes first. */
const selectPage = `${select} where m.workspace_id = $1 and m.user_id > $2 order by m.user_id limit $3`;
const selectOne = `${select} where m.workspace_id = $1 and m.user_id = $2`;

/** A change of a membership. */
export interface MembershipChange extends UserAuditContext {
  readonly workspaceId: string;
  readonly userId: string;
}

export interface WorkspaceMembersOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly access: Pick<AccessCache, 'invalidateUser'>;
  readonly rules: TenancyRules;
}

export class WorkspaceMembers {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #access: Pick<AccessCache, 'invalidateUser'>;
  readonly #rules: TenancyRules;

  constructor({ db, cursors, access, rules }: WorkspaceMembersOptions) {
    this.#db = db;
    this.#cursors = cursors;
    this.#access = access;
    this.#rules = rules;
  }

  async list(workspaceId: string, { cursor, limit }: PageRequest): Promise<Page<MemberResource>> {
    const scope = `members/${workspaceId}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const rows = await this.#db.query<MemberRow>(selectPage, [workspaceId, after, limit + 1]);
    return toPage(rows.map(toResource), limit, last => this.#cursors.encode(scope, [last.userId]));
  }

  /** Refused for a user who is no member. */
  async get(workspaceId: string, userId: string): Promise<MemberResource> {
    const [row] = await this.#db.query<MemberRow>(selectOne, [workspaceId, userId]);
    if (row === undefined) throw this.#rules.refuse('absent');
    return toResource(row);
  }

  /**
   * Gives the member another role; the same role again changes nothing. The open invitations of a member who may not invite any more are
   * revoked, since they would be a way back.
   */
  async changeRole(change: MembershipChange & { readonly role: WorkspaceRole }): Promise<MemberResource> {
    const { workspaceId, userId, role, now } = change;
    await this.#db.em().transactional(async em => {
      const member = await this.#lock(em, change, role);
      if (member.role === role) return;
      const details = { role, previousRole: member.role };
      member.role = role;
      member.updatedAt = new Date(now);
      await em.flush();
      await recordUserAction(em, change, {
        workspaceId,
        action: 'member.role_changed',
        targetId: userId,
        details,
      });
      if (this.#rules.isAdmin(role)) return;
      const events = await revokeInvitations(em, { workspaceId, invitedByUserId: userId }, change);
      if (events.length > 0) await appendEvents(em, events);
    });
    this.#access.invalidateUser(userId);
    return this.get(workspaceId, userId);
  }

  /**
   * Removing a member also removes the user's roles in the projects of the workspace: the event of each Console membership closes the
   * user's sockets there. The invitations that they have sent are revoked, since they would be a way back. API keys that they have
   * created belong to the project, and stay.
   */
  async remove(change: MembershipChange): Promise<void> {
    const { workspaceId, userId } = change;
    await this.#db.em().transactional(async em => {
      const events = await removeMember(em, await this.#lock(em, change, undefined), change);
      events.push(...(await revokeInvitations(em, { workspaceId, invitedByUserId: userId }, change)));
      if (events.length > 0) await appendEvents(em, events);
    });
    this.#access.invalidateUser(userId);
  }

  /** The membership, locked with its workspace, if it may become `newRole` (undefined: be removed). */
  async #lock(
    em: EntityManager,
    { workspaceId, userId, byUserId }: MembershipChange,
    newRole: WorkspaceRole | undefined,
  ): Promise<InferEntity<typeof WorkspaceMember>> {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const workspace = await em.findOne(Workspace, { workspaceId }, lock);
    const by = workspace && (await em.findOne(WorkspaceMember, { workspaceId, userId: byUserId }));
    const member = workspace && (await em.findOne(WorkspaceMember, { workspaceId, userId }));
    const losesOwner = member?.role === 'owner' && newRole !== 'owner';
    this.#rules.requireMemberChange({
      actingRole: by?.role,
      memberRole: member?.role,
      newRole,
      isSelf: userId === byUserId,
      isLastOwner: losesOwner && (await em.count(WorkspaceMember, { workspaceId, role: 'owner' })) === 1,
    });
    if (member === null) throw this.#rules.refuse('absent');
    return member;
  }
}

/**
 * Removes a member from the workspace, its projects and their Consoles; resolves to the events of that. Call it inside a transaction that
 * has locked the workspace, and append the events there.
 */
export async function removeMember(
  em: EntityManager,
  member: InferEntity<typeof WorkspaceMember>,
  { byUserId, origin, now }: UserAuditContext,
): Promise<NewEvent[]> {
  const { workspaceId, userId, role } = member;
  // The membership first: whoever makes a Console member locks it, and is seen below or finds it removed.
  await em.remove(member).flush();
  const projects = await em.find(Project, { workspaceId });
  const mine = { userId, projectId: { $in: projects.map(({ projectId }) => projectId) } };
  await em.nativeDelete(ProjectMember, mine);
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { projectId: 'asc' } } as const;
  const members = await em.find(ConsoleMember, mine, lock);
  const changes = members.map((row): ProjectChange => ({
    projectId: row.projectId,
    eventName: 'project.member.removed',
    data: { member: memberResource(row) },
  }));
  const events = await createProjectEvents(em, byUserId, changes);
  for (const row of members) em.remove(row);
  await em.flush();
  const act = { workspaceId, targetId: userId, actor: { type: 'user', id: byUserId }, origin } as const;
  const acts = members.map((row): NewAuditEntry => ({
    ...act,
    projectId: row.projectId,
    action: 'console_member.removed',
    details: { role: row.role },
  }));
  await recordAuditEntries(em, [{ ...act, action: 'member.removed', details: { role } }, ...acts], now);
  return events;
}

function toResource(row: MemberRow): MemberResource {
  return {
    workspaceId: row.workspaceId,
    userId: row.userId,
    email: row.email,
    displayName: row.displayName,
    avatarColor: row.avatarColor,
    role: row.role,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
