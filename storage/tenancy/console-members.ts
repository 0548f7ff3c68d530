/**
 * Console memberships of a project (specification, "Console project membership"). Every change is an event of the project in
 * the same transaction; the one of a removal is also what closes the member's sockets on every node.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ServiceError } from '../../protocol/errors.ts';
import type { EventName } from '../../protocol/events.ts';
import type { ConsoleRole } from '../../protocol/operation.ts';
import type { ConsoleMember as ConsoleMemberResource } from '../../protocol/resources/console.ts';
import { recordDoing, type Doing } from '../audit.ts';
import type { Database } from '../database.ts';
import { ConsoleMember, WorkspaceMember } from '../entities/tenancy.ts';
import { appendEvents } from '../events.ts';
import type { Access } from './access.ts';
import { requireConsoleAdmin } from './authority.ts';

/** Whose membership, by whom, and where the event belongs. */
export interface MemberChange extends Doing {
  readonly projectId: string;
  readonly userId: string;
  /** Events belong to one environment; a membership is the project's, so the scope of the request decides. */
  readonly environmentId: string;
}

export class ConsoleMembers {
  readonly #db: Database;
  readonly #access: Pick<Access, 'forgetProject'>;

  constructor(db: Database, access: Pick<Access, 'forgetProject'>) {
    this.#db = db;
    this.#access = access;
  }

  /** By user id, which sorts by the user's creation, from after `after`. */
  async list(projectId: string, after: string, limit: number): Promise<ConsoleMemberResource[]> {
    const where = { projectId, userId: { $gt: after } };
    const rows = await this.#db.em().find(ConsoleMember, where, { orderBy: { userId: 'asc' }, limit });
    return rows.map(memberResource);
  }

  /**
   * Makes the user a member, or changes the role; the same role again changes nothing. `svc/console/not_found` for a user who is
   * not in the project's workspace: they are invited first. Both fail as `requireConsoleAdmin` does, too: who asks may have been
   * removed since the request was let in.
   */
  async upsert(change: MemberChange & { readonly role: ConsoleRole }): Promise<ConsoleMemberResource> {
    const { projectId, userId, byUserId, role, now } = change;
    const member = await this.#db.em().transactional(async em => {
      const { workspaceId } = await requireConsoleAdmin(em, projectId, byUserId);
      const at = new Date(now);
      // Held until the commit: whoever removes the user from the workspace finds this membership, too.
      const held = { lockMode: LockMode.PESSIMISTIC_READ };
      const inWorkspace = await em.findOne(WorkspaceMember, { workspaceId, userId }, held);
      if (inWorkspace === null) throw new ServiceError('svc/console/not_found');
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
      await recordDoing(em, change, {
        ...{ projectId, action: 'console_member.upserted', targetId: userId, details },
      });
      await this.#append(em, 'project.member.upserted', change, resource);
      return resource;
    });
    this.#access.forgetProject(projectId);
    return member;
  }

  /** Ends the membership; `svc/console/not_found` when there is none. */
  async remove(change: MemberChange): Promise<void> {
    const { projectId, userId, byUserId } = change;
    await this.#db.em().transactional(async em => {
      await requireConsoleAdmin(em, projectId, byUserId);
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const row = await em.findOne(ConsoleMember, { projectId, userId }, lock);
      if (row === null) throw new ServiceError('svc/console/not_found');
      const resource = memberResource(row);
      await em.remove(row).flush();
      await recordDoing(em, change, {
        ...{
          projectId,
          action: 'console_member.removed',
          targetId: userId,
          details: { role: resource.role },
        },
      });
      await this.#append(em, 'project.member.removed', change, resource);
    });
    this.#access.forgetProject(projectId);
  }

  #append(
    em: EntityManager,
    eventName: EventName,
    change: MemberChange,
    member: ConsoleMemberResource,
  ): Promise<void> {
    const { projectId, environmentId, byUserId } = change;
    const data = { actor: { type: 'user', id: byUserId }, member };
    return appendEvents(em, [{ projectId, environmentId, eventName, data }]);
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
