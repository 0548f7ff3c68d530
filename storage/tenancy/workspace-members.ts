/**
 * Members of a workspace: they come by invitation (invitations.ts) or as its founder, and get another role or are removed here.
 *
 * Changes in one workspace wait for each other, so the rules that they are held to are true however many are made at once.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  type AvatarColor,
  maxMemberProjectRoles,
  type MemberProjectRole,
  type WorkspaceMember as MemberResource,
  type WorkspaceRole,
} from '../../protocol/resources/index.ts';
import {
  type NewAuditEntry,
  recordAuditEntries,
  recordUserAction,
  type UserAuditContext,
} from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import type { Database } from '../database/index.ts';
import { ConsoleMember, Project, selectDisplayName, Workspace, WorkspaceMember } from '../entities/index.ts';
import { appendEvents, type NewEvent } from '../events/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import { defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import type { AccessCache } from './access-cache.ts';
import { memberResource } from './console-members.ts';
import { revokeInvitations } from './invitations.ts';
import { removeProjectRoles } from './project-members.ts';
import type { TenancyRules } from './rules.ts';
import { createProjectEvents, type ProjectChange } from './workspace-events.ts';

interface MemberRow {
  readonly workspaceId: string;
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly avatarColor: AvatarColor | null;
  readonly role: WorkspaceRole;
  readonly projectRoles: readonly MemberProjectRole[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const select = `
  select m.workspace_id as "workspaceId", m.user_id as "userId", u.email, ${selectDisplayName} as "displayName",
    u.avatar_color as "avatarColor", m.role, array(
      select jsonb_build_object('projectId', r.project_id, 'role', r.role)
      from project_members r join projects p on p.project_id = r.project_id
      where r.user_id = m.user_id and p.workspace_id = m.workspace_id order by r.project_id limit ${maxMemberProjectRoles}
    ) as "projectRoles", m.created_at as "createdAt", m.updated_at as "updatedAt"
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
  readonly limits?: Limits;
}

export class WorkspaceMembers {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #access: Pick<AccessCache, 'invalidateUser'>;
  readonly #rules: TenancyRules;
  readonly #limits: Limits;

  constructor({ db, cursors, access, rules, limits = defaultLimits }: WorkspaceMembersOptions) {
    this.#db = db;
    this.#cursors = cursors;
    this.#access = access;
    this.#rules = rules;
    this.#limits = limits;
  }

  async list(workspaceId: string, { cursor, limit }: PageRequest): Promise<Page<MemberResource>> {
    const scope = `members/${workspaceId}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const rows = await this.#db.query<MemberRow>(selectPage, [workspaceId, after, limit + 1]);
    return toPage(cutPage(rows.map(toResource), limit), last => this.#cursors.encode(scope, [last.userId]));
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

  /** Makes another member the owner in the place of whoever hands the workspace over, who becomes an admin. */
  async transfer(change: MembershipChange & Keyed): Promise<void> {
    const { workspaceId, userId, byUserId, now } = change;
    await transactOnce(this.#db, change.key, async em => {
      await em.findOne(Workspace, { workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const by = await em.findOne(WorkspaceMember, { workspaceId, userId: byUserId });
      this.#rules.requireOwner(by?.role);
      if (by === null || userId === byUserId) throw this.#rules.refuse('owner_is_self');
      const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
      if (member === null) throw this.#rules.refuse('user_absent');
      const details = { fromUserId: byUserId, previousRole: member.role };
      by.role = 'admin';
      member.role = 'owner';
      for (const row of [by, member]) row.updatedAt = new Date(now);
      await em.flush();
      await requireWithinLimit(em, this.#limits, 'workspaces', userId);
      const act = { action: 'workspace.transferred', targetId: userId, details } as const;
      await recordUserAction(em, change, { workspaceId, ...act });
    });
    for (const each of [userId, byUserId]) this.#access.invalidateUser(each);
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
  const projectIds = projects.map(({ projectId }) => projectId);
  const removed = await removeProjectRoles(em, projectIds, { userId });
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { projectId: 'asc' } } as const;
  const members = await em.find(ConsoleMember, { userId, projectId: { $in: projectIds } }, lock);
  const changes = members.map((row): ProjectChange => ({
    projectId: row.projectId,
    eventName: 'project.member.removed',
    data: { member: memberResource(row) },
  }));
  const events = await createProjectEvents(em, byUserId, [
    ...removed.map(({ change }) => change),
    ...changes,
  ]);
  for (const row of members) em.remove(row);
  await em.flush();
  const act = { workspaceId, targetId: userId, actor: { type: 'user', id: byUserId }, origin } as const;
  const inProject = ({ projectId, role }: { projectId: string; role: string }) => ({
    ...act,
    projectId,
    details: { role },
  });
  const entries: readonly NewAuditEntry[] = [
    { ...act, action: 'member.removed', details: { role } },
    ...removed.map(({ member: m }) => ({ ...inProject(m), action: 'project_member.removed' as const })),
    ...members.map(m => ({ ...inProject(m), action: 'console_member.removed' as const })),
  ];
  await recordAuditEntries(em, entries, now);
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
    projectRoles: [...row.projectRoles],
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
