/**
 * The Console members of a project. Every change is an event of the project in the same transaction; the event of a removal also closes
 * the member's sockets on every node.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventName } from '../../protocol/events.ts';
import type { ConsoleRole } from '../../protocol/operation.ts';
import type {
  ConsoleMember as ConsoleMemberResource,
  ListedConsoleMember,
} from '../../protocol/resources/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { ConsoleMember, selectDisplayName, WorkspaceMember } from '../entities/index.ts';
import { appendEvents } from '../events/index.ts';
import type { AccessCache } from './access-cache.ts';
import { lockProject } from './roles.ts';
import type { TenancyRules } from './rules.ts';
import { createProjectEvents } from './workspace-events.ts';

/** A change of a membership. */
export interface MemberChange extends UserAuditContext {
  readonly projectId: string;
  readonly userId: string;
}

type ListedRow = InferEntity<typeof ConsoleMember> & Pick<ListedConsoleMember, 'displayName' | 'avatarColor'>;

const selectPage = `
  select m.project_id as "projectId", m.user_id as "userId", m.role, m.created_at as "createdAt", m.updated_at as "updatedAt",
    ${selectDisplayName} as "displayName", u.avatar_color as "avatarColor"
  from console_members m join users u on u.user_id = m.user_id
  where m.project_id = $1 and m.user_id > $2 order by m.user_id limit $3`;

export class ConsoleMembers {
  readonly #db: Database;
  readonly #access: Pick<AccessCache, 'invalidateProject'>;
  readonly #rules: TenancyRules;

  constructor(db: Database, access: Pick<AccessCache, 'invalidateProject'>, rules: TenancyRules) {
    this.#db = db;
    this.#access = access;
    this.#rules = rules;
  }

  /** By user id, which sorts by the creation of the user, after `after`. */
  async list(projectId: string, after: string, limit: number): Promise<ListedConsoleMember[]> {
    const rows = await this.#db.query<ListedRow>(selectPage, [projectId, after, limit], 'members.console');
    return rows.map(row => ({
      ...memberResource(row),
      displayName: row.displayName,
      avatarColor: row.avatarColor,
    }));
  }

  /**
   * Makes the user a member, or changes the role; the same role again changes nothing. Refused for a user who is not in the workspace of
   * the project: they are invited first.
   */
  async upsert(change: MemberChange & { readonly role: ConsoleRole }): Promise<ConsoleMemberResource> {
    const { projectId, userId, byUserId, role, now } = change;
    const member = await this.#db.em().transactional(async em => {
      const workspaceId = await this.#lockAsAdmin(em, projectId, byUserId);
      const at = new Date(now);
      // Locked until the commit: whoever removes the user from the workspace finds this membership, too.
      const lock = { lockMode: LockMode.PESSIMISTIC_READ };
      const inWorkspace = await em.findOne(WorkspaceMember, { workspaceId, userId }, lock);
      if (inWorkspace === null) throw this.#rules.refuse('console_user_absent');
      let row = await em.findOne(ConsoleMember, { projectId, userId });
      if (row?.role === role) return memberResource(row);
      const previousRole = row?.role;
      if (row === null) {
        row = em.create(ConsoleMember, { projectId, userId, role, createdAt: at, updatedAt: at });
      } else {
        row.role = role;
        row.updatedAt = at;
      }
      await em.flush();
      const resource = memberResource(row);
      const details = { role, ...(previousRole === undefined ? {} : { previousRole }) };
      await recordUserAction(em, change, {
        projectId,
        action: 'console_member.upserted',
        targetId: userId,
        details,
      });
      await this.#append(em, 'project.member.upserted', change, resource);
      return resource;
    });
    this.#access.invalidateProject(projectId);
    return member;
  }

  /** Ends the membership. */
  async remove(change: MemberChange): Promise<void> {
    const { projectId, userId, byUserId } = change;
    await this.#db.em().transactional(async em => {
      await this.#lockAsAdmin(em, projectId, byUserId);
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const row = await em.findOne(ConsoleMember, { projectId, userId }, lock);
      if (row === null) throw this.#rules.refuse('console_member_absent');
      const resource = memberResource(row);
      await em.remove(row).flush();
      await recordUserAction(em, change, {
        projectId,
        action: 'console_member.removed',
        targetId: userId,
        details: { role: resource.role },
      });
      await this.#append(em, 'project.member.removed', change, resource);
    });
    this.#access.invalidateProject(projectId);
  }

  /** Locks the project for somebody who may change its Console members; the id of its workspace. */
  async #lockAsAdmin(em: EntityManager, projectId: string, byUserId: string): Promise<string> {
    const project = await lockProject(em, projectId, byUserId);
    this.#rules.requireConsoleAdmin(project?.roles);
    if (project === undefined) throw this.#rules.refuse('console_member_absent');
    return project.workspaceId;
  }

  async #append(
    em: EntityManager,
    eventName: EventName,
    { projectId, byUserId }: MemberChange,
    member: ConsoleMemberResource,
  ): Promise<void> {
    const change = { projectId, eventName, data: { member } };
    await appendEvents(em, await createProjectEvents(em, byUserId, [change]));
  }
}

export function memberResource(row: InferEntity<typeof ConsoleMember>): ConsoleMemberResource {
  return {
    projectId: row.projectId,
    userId: row.userId,
    role: row.role,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
