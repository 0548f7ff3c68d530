/**
 * The roles of a workspace's members in one of its projects. Every change is an event of the project in the same transaction; the event also
 * ends the member's Console sockets on every node, to be resumed with the roles that are left.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type {
  ListedProjectMember,
  ProjectMember as ProjectMemberResource,
  ProjectRole,
} from '../../protocol/resources/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { ProjectMember, selectDisplayName, WorkspaceMember } from '../entities/index.ts';
import { appendEvents } from '../events/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import type { AccessCache } from './access-cache.ts';
import type { MemberChange } from './console-members.ts';
import { lockProject } from './roles.ts';
import type { TenancyRules } from './rules.ts';
import { createProjectEvents, type ProjectChange } from './workspace-events.ts';

type ListedRow = InferEntity<typeof ProjectMember> & Pick<ListedProjectMember, 'displayName' | 'avatarColor'>;

/** By user id, which sorts by the creation of the account. */
const selectPage = `
  select m.project_id as "projectId", m.user_id as "userId", m.role, m.created_at as "createdAt", m.updated_at as "updatedAt",
    ${selectDisplayName} as "displayName", u.avatar_color as "avatarColor"
  from project_members m join users u on u.user_id = m.user_id
  where m.project_id = $1 and m.user_id > $2 order by m.user_id limit $3`;

export interface ProjectMembersOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly access: Pick<AccessCache, 'invalidateProject'>;
  readonly rules: TenancyRules;
}

export class ProjectMembers {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #access: Pick<AccessCache, 'invalidateProject'>;
  readonly #rules: TenancyRules;

  constructor({ db, cursors, access, rules }: ProjectMembersOptions) {
    this.#db = db;
    this.#cursors = cursors;
    this.#access = access;
    this.#rules = rules;
  }

  async list(projectId: string, { cursor, limit }: PageRequest): Promise<Page<ListedProjectMember>> {
    const scope = `project-members/${projectId}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const rows = await this.#db.query<ListedRow>(
      selectPage,
      [projectId, after, limit + 1],
      'members.project',
    );
    const members = rows.map(row => ({
      ...toResource(row),
      displayName: row.displayName,
      avatarColor: row.avatarColor,
    }));
    return toPage(cutPage(members, limit), last => this.#cursors.encode(scope, [last.userId]));
  }

  /** Gives the role; the same role again changes nothing. */
  async upsert(change: MemberChange & { readonly role: ProjectRole }): Promise<ProjectMemberResource> {
    const { projectId, userId, role, now } = change;
    const member = await this.#db.em().transactional(async em => {
      const workspaceId = await this.#lockAsAdmin(em, change);
      // The workspace is locked: whoever removes the user from it finds this role, too.
      const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
      if (member === null) throw this.#rules.refuse('user_absent');
      if (this.#rules.isAdmin(member.role)) throw this.#rules.refuse('project_user_is_admin');
      let row = await em.findOne(ProjectMember, { projectId, userId });
      if (row?.role === role) return toResource(row);
      const at = new Date(now);
      const details = { role, ...(row === null ? {} : { previousRole: row.role }) };
      if (row === null) {
        row = em.create(ProjectMember, { projectId, userId, role, createdAt: at, updatedAt: at });
      } else {
        row.role = role;
        row.updatedAt = at;
      }
      await em.flush();
      const act = { action: 'project_member.upserted', targetId: userId, details } as const;
      await recordUserAction(em, change, { projectId, ...act });
      const told = {
        projectId,
        eventName: 'project.role.upserted',
        data: { member: toResource(row) },
      } as const;
      await appendEvents(em, await createProjectEvents(em, change.byUserId, [told]));
      return toResource(row);
    });
    this.#access.invalidateProject(projectId);
    return member;
  }

  /** Takes the role away. */
  async remove(change: MemberChange): Promise<void> {
    const { projectId, userId, byUserId } = change;
    await this.#db.em().transactional(async em => {
      await this.#lockAsAdmin(em, change);
      const [removed] = await removeProjectRoles(em, [projectId], change);
      if (removed === undefined) throw this.#rules.refuse('absent');
      const { role } = removed.member;
      const act = { action: 'project_member.removed', targetId: userId, details: { role } } as const;
      await recordUserAction(em, change, { projectId, ...act });
      await appendEvents(em, await createProjectEvents(em, byUserId, [removed.change]));
    });
    this.#access.invalidateProject(projectId);
  }

  /** Locks the project for somebody who administers its workspace; the id of the workspace. */
  async #lockAsAdmin(
    em: EntityManager,
    { projectId, byUserId }: Pick<UserAuditContext & MemberChange, 'projectId' | 'byUserId'>,
  ): Promise<string> {
    const project = await lockProject(em, projectId, byUserId);
    this.#rules.requireProjectAdmin(project?.roles);
    if (project === undefined) throw this.#rules.refuse('absent');
    return project.workspaceId;
  }
}

/** A role that is gone, and the change that tells it. */
export interface RemovedProjectRole {
  readonly member: ProjectMemberResource;
  readonly change: ProjectChange;
}

/** Takes away the user's roles in the projects. Call it inside a transaction that has locked their workspace, and record and append there. */
export async function removeProjectRoles(
  em: EntityManager,
  projectIds: readonly string[],
  { userId }: Pick<MemberChange, 'userId'>,
): Promise<RemovedProjectRole[]> {
  const rows = await em.find(
    ProjectMember,
    { userId, projectId: { $in: [...projectIds] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { projectId: 'asc' } },
  );
  for (const row of rows) em.remove(row);
  await em.flush();
  return rows.map(row => {
    const member = toResource(row);
    return {
      member,
      change: { projectId: row.projectId, eventName: 'project.role.removed', data: { member } },
    };
  });
}

function toResource(row: InferEntity<typeof ProjectMember>): ProjectMemberResource {
  return {
    projectId: row.projectId,
    userId: row.userId,
    role: row.role,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
