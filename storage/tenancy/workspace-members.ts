/**
 * Members of a workspace: they come by invitation (invitations.ts) or as its founder, and are given another role or removed here.
 *
 * Changes in one workspace wait for each other, so these hold however many are made at once: a workspace has an owner; only
 * owners make, change or remove owners; and who changes a member is still a member with the right to.
 */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound, ServiceError } from '../../protocol/errors.ts';
import type { WorkspaceMember as MemberResource } from '../../protocol/resources/member.ts';
import type { WorkspaceRole } from '../../protocol/resources/studio.ts';
import { recordActs, recordDoing, type Doing, type NewAct } from '../audit.ts';
import { page } from '../cursor.ts';
import type { Cursors, Page } from '../cursor.ts';
import type { Database } from '../database.ts';
import { ConsoleMember, Project, ProjectMember, Workspace, WorkspaceMember } from '../entities/tenancy.ts';
import { appendEvents, type NewEvent } from '../events.ts';
import type { Access } from './access.ts';
import { memberResource } from './console-members.ts';
import { revokeInvitationsOf } from './invitations.ts';
import { sandboxesOf } from './workspace-events.ts';
import type { PageRequest } from './workspaces.ts';

interface MemberRow {
  readonly workspaceId: string;
  readonly userId: string;
  readonly email: string;
  readonly role: WorkspaceRole;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const select = `
  select m.workspace_id as "workspaceId", m.user_id as "userId", u.email, m.role, m.created_at as "createdAt",
    m.updated_at as "updatedAt"
  from workspace_members m join users u on u.user_id = m.user_id`;

/** Ids sort by creation: whose account is the oldest comes first. */
const selectPage = `${select} where m.workspace_id = $1 and m.user_id > $2 order by m.user_id limit $3`;
const selectOne = `${select} where m.workspace_id = $1 and m.user_id = $2`;

/** Whose membership of what, and who changes it. */
export interface MembershipChange extends Doing {
  readonly workspaceId: string;
  readonly userId: string;
}

export interface WorkspaceMembersOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly access: Pick<Access, 'forgetUser'>;
}

export class WorkspaceMembers {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #access: Pick<Access, 'forgetUser'>;

  constructor({ db, cursors, access }: WorkspaceMembersOptions) {
    this.#db = db;
    this.#cursors = cursors;
    this.#access = access;
  }

  async list(workspaceId: string, { cursor, limit }: PageRequest): Promise<Page<MemberResource>> {
    const scope = `members/${workspaceId}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const rows = await this.#db.query<MemberRow>(selectPage, [workspaceId, after, limit + 1]);
    return page(rows.map(toResource), limit, last => this.#cursors.encode(scope, [last.userId]));
  }

  /** `svc/runtime/not_found` for a user who is no member. */
  async get(workspaceId: string, userId: string): Promise<MemberResource> {
    const [row] = await this.#db.query<MemberRow>(selectOne, [workspaceId, userId]);
    if (row === undefined) throw notFound();
    return toResource(row);
  }

  /**
   * Gives the member another role; the same again changes nothing. Who may invite nobody any more has their invitations revoked,
   * which else would be a way back up. Fails with `svc/runtime/not_found`, `svc/auth/insufficient_scope` (an admin and an
   * owner), `svc/runtime/conflict` (the last owner).
   */
  async changeRole(change: MembershipChange & { readonly role: WorkspaceRole }): Promise<MemberResource> {
    const { workspaceId, userId, role, now } = change;
    await this.#db.em().transactional(async em => {
      const member = await changeable(em, change, role);
      if (member.role === role) return;
      const details = { role, previousRole: member.role };
      member.role = role;
      member.updatedAt = new Date(now);
      await em.flush();
      await recordDoing(em, change, {
        ...{ workspaceId, action: 'member.role_changed', targetId: userId, details },
      });
      if (role !== 'viewer') return;
      const events = await revokeInvitationsOf(em, workspaceId, userId, change);
      if (events.length > 0) await appendEvents(em, events);
    });
    this.#access.forgetUser(userId);
    return this.get(workspaceId, userId);
  }

  /**
   * Ends the membership, and what the user is in the projects of the workspace: the event of each Console membership closes
   * the user's sockets there. Invitations that they have sent are revoked, which else would be a way back in; API keys that they
   * have made are the project's, and stay. Fails as `changeRole` does.
   */
  async remove(change: MembershipChange): Promise<void> {
    const { workspaceId, userId, byUserId, origin, now } = change;
    await this.#db.em().transactional(async em => {
      // The membership first: whoever makes a Console member holds on to it, and is seen below or finds it gone.
      const member = await changeable(em, change, undefined);
      const { role } = member;
      await em.remove(member).flush();
      const projects = await em.find(Project, { workspaceId });
      const mine = { userId, projectId: { $in: projects.map(({ projectId }) => projectId) } };
      await em.nativeDelete(ProjectMember, mine);
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { projectId: 'asc' } } as const;
      const members = await em.find(ConsoleMember, mine, lock);
      const sandboxes = await sandboxesOf(
        em,
        members.map(({ projectId }) => projectId),
      );
      const events = members.map((row): NewEvent => {
        const { projectId } = row;
        const data = { actor: { type: 'user', id: byUserId }, member: memberResource(row) };
        const environmentId = sandboxes.get(projectId) ?? '';
        return { projectId, environmentId, eventName: 'project.member.removed', data };
      });
      for (const row of members) em.remove(row);
      await em.flush();
      const act = { workspaceId, targetId: userId, actor: { type: 'user', id: byUserId }, origin } as const;
      const acts = members.map((row): NewAct => ({
        ...{
          ...act,
          projectId: row.projectId,
          action: 'console_member.removed',
          details: { role: row.role },
        },
      }));
      await recordActs(em, [{ ...act, action: 'member.removed', details: { role } }, ...acts], now);
      events.push(...(await revokeInvitationsOf(em, workspaceId, userId, change)));
      if (events.length > 0) await appendEvents(em, events);
    });
    this.#access.forgetUser(userId);
  }
}

/** The membership, locked; `role`: what it shall become, undefined: nothing. */
async function changeable(
  em: EntityManager,
  { workspaceId, userId, byUserId }: MembershipChange,
  role: WorkspaceRole | undefined,
) {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  const workspace = await em.findOne(Workspace, { workspaceId }, lock);
  const by = await em.findOne(WorkspaceMember, { workspaceId, userId: byUserId });
  // Who has just been removed sees nothing of the workspace any more.
  if (workspace === null || by === null) throw notFound();
  const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
  // Whoever wants to leave may.
  const leaves = role === undefined && userId === byUserId;
  if (by.role === 'viewer' && !leaves) throw new ServiceError('svc/auth/insufficient_scope');
  if (member === null) throw notFound();
  if (by.role !== 'owner' && (member.role === 'owner' || role === 'owner')) {
    const message = 'Only an owner makes, changes or removes owners.';
    throw new ServiceError('svc/auth/insufficient_scope', { message });
  }
  if (member.role === 'owner' && role !== 'owner') {
    const owners = await em.count(WorkspaceMember, { workspaceId, role: 'owner' });
    if (owners === 1) {
      throw new ServiceError('svc/runtime/conflict', { message: 'A workspace keeps one owner.' });
    }
  }
  return member;
}

function toResource(row: MemberRow): MemberResource {
  return {
    workspaceId: row.workspaceId,
    userId: row.userId,
    email: row.email,
    role: row.role,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
