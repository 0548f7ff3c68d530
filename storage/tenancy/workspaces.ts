/** Workspaces: the list of those that a user is a member of, and new workspaces. */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Workspace as WorkspaceResource, WorkspaceRole } from '../../protocol/resources/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import type { Database } from '../database/index.ts';
import { selectHasSecondFactor, Workspace, WorkspaceMember } from '../entities/index.ts';
import { transactOnce, type WorkKey } from '../idempotency/index.ts';
import { defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import { addWorkspace } from './create-tenant.ts';
import type { TenancyRules } from './rules.ts';

interface WorkspaceRow {
  readonly workspaceId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly archivedAt?: Date | null | undefined;
  readonly requiresSecondFactor?: boolean | undefined;
}

/** Ids sort by creation: the oldest comes first. */
const selectPage = `
  select w.workspace_id as "workspaceId", w.name, w.created_at as "createdAt", w.updated_at as "updatedAt",
    w.archived_at as "archivedAt", w.requires_second_factor as "requiresSecondFactor"
  from workspace_members m join workspaces w on w.workspace_id = m.workspace_id
  where m.user_id = $1 and m.workspace_id > $2 order by m.workspace_id limit $3`;

const selectOne = `
  select workspace_id as "workspaceId", name, created_at as "createdAt", updated_at as "updatedAt", archived_at as "archivedAt",
    requires_second_factor as "requiresSecondFactor"
  from workspaces where workspace_id = $1`;

const selectOwnFactor = `select ${selectHasSecondFactor('?')} as has`;

/** What changes of a workspace; undefined stays. */
export interface WorkspaceUpdate extends UserAuditContext {
  readonly workspaceId: string;
  readonly name: string | undefined;
  /** Brings it back. */
  readonly archived?: false | undefined;
  /** Whether its members need a second factor; takes an owner who has one. */
  readonly requiresSecondFactor?: boolean | undefined;
}

/** A workspace of a user's, and what they are there. */
export interface Membership {
  readonly workspaceId: string;
  readonly name: string;
  readonly role: WorkspaceRole;
}

const selectMemberships = `
  select w.workspace_id as "workspaceId", w.name, m.role
  from workspace_members m join workspaces w on w.workspace_id = m.workspace_id
  where m.user_id = $1 order by m.workspace_id limit $2`;

export class Workspaces {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #rules: TenancyRules;
  readonly #limits: Limits;

  constructor(db: Database, cursors: Cursors, rules: TenancyRules, limits = defaultLimits) {
    this.#db = db;
    this.#cursors = cursors;
    this.#rules = rules;
    this.#limits = limits;
  }

  /** The workspaces that the user is a member of, the oldest first. */
  async list(userId: string, { cursor, limit }: PageRequest): Promise<Page<WorkspaceResource>> {
    const scope = `workspaces/${userId}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const rows = await this.#db.query<WorkspaceRow>(selectPage, [userId, after, limit + 1]);
    return toPage(cutPage(rows.map(toResource), limit), last =>
      this.#cursors.encode(scope, [last.workspaceId]),
    );
  }

  /** Of a caller who has a role in it; undefined where there is none. */
  async find(workspaceId: string): Promise<WorkspaceResource | undefined> {
    const [row] = await this.#db.query<WorkspaceRow>(selectOne, [workspaceId], 'workspaces.find');
    return row === undefined ? undefined : toResource(row);
  }

  /** A change that changes nothing is not recorded. Bringing it back takes an owner. */
  update(change: WorkspaceUpdate): Promise<WorkspaceResource> {
    const { workspaceId, archived, now } = change;
    return this.#db.em().transactional(async em => {
      const { row, role } = await this.#lock(em, change);
      this.#rules.requireAdmin(role);
      const { name = row.name } = change;
      const isRenamed = name !== row.name;
      const isRestored = archived === false && (row.archivedAt ?? null) !== null;
      if (isRestored) this.#rules.requireOwner(role);
      const demand = await this.#changeDemand(em, row, role, change);
      if (!isRenamed && !isRestored && demand === undefined) return toResource(row);
      row.name = name;
      if (isRestored) row.archivedAt = null;
      row.updatedAt = new Date(now);
      await em.flush();
      const details = { ...(isRenamed && { name }), ...(isRestored && { archived: false }), ...demand };
      const act = { action: 'workspace.updated', targetId: workspaceId, details } as const;
      await recordUserAction(em, change, { workspaceId, ...act });
      return toResource(row);
    });
  }

  /** What of the demand for a second factor changes; undefined: nothing. */
  async #changeDemand(
    em: EntityManager,
    row: InferEntity<typeof Workspace>,
    role: WorkspaceRole | undefined,
    { byUserId: userId, requiresSecondFactor }: WorkspaceUpdate,
  ): Promise<{ readonly requiresSecondFactor: boolean } | undefined> {
    if (requiresSecondFactor === undefined || requiresSecondFactor === row.requiresSecondFactor)
      return undefined;
    this.#rules.requireOwner(role);
    const [own] = await em.execute<{ has: boolean }[]>(selectOwnFactor, [userId, userId]);
    if (requiresSecondFactor && own?.has !== true) throw this.#rules.refuse('second_factor_missing');
    row.requiresSecondFactor = requiresSecondFactor;
    return { requiresSecondFactor };
  }

  /** Archiving twice changes nothing. The projects in it count as archived as long as it is. */
  async archive(change: UserAuditContext & { readonly workspaceId: string }): Promise<void> {
    const { workspaceId, now } = change;
    await this.#db.em().transactional(async em => {
      const { row, role } = await this.#lock(em, change);
      this.#rules.requireOwner(role);
      if ((row.archivedAt ?? null) !== null) return;
      row.archivedAt = new Date(now);
      row.updatedAt = row.archivedAt;
      await em.flush();
      const details = { name: row.name };
      const act = { action: 'workspace.archived', targetId: workspaceId, details } as const;
      await recordUserAction(em, change, { workspaceId, ...act });
    });
  }

  /** The locked workspace, and the role of whoever changes it. */
  async #lock(
    em: EntityManager,
    { workspaceId, byUserId: userId }: UserAuditContext & { readonly workspaceId: string },
  ) {
    const row = await em.findOne(Workspace, { workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (row === null) throw this.#rules.refuse('absent');
    const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
    return { row, role: member?.role };
  }

  /** The first `most` of them, with the user's role in each. */
  listMemberships(userId: string, most: number): Promise<Membership[]> {
    return this.#db.query<Membership>(selectMemberships, [userId, most], 'workspaces.memberships');
  }

  /** Creates the workspace with its default project and sandbox; the user becomes its owner. */
  create(name: string, audit: UserAuditContext, key?: WorkKey): Promise<WorkspaceResource> {
    const { byUserId: userId, now } = audit;
    return transactOnce(this.#db, key, async em => {
      const { workspace } = addWorkspace(em, { name, userId, now: new Date(now) });
      await em.flush();
      await requireWithinLimit(em, this.#limits, 'workspaces', userId);
      const { workspaceId } = workspace;
      const details = { name };
      await recordUserAction(em, audit, {
        workspaceId,
        action: 'workspace.created',
        targetId: workspaceId,
        details,
      });
      return toResource(workspace);
    });
  }
}

function toResource(row: WorkspaceRow): WorkspaceResource {
  return {
    workspaceId: row.workspaceId,
    name: row.name,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
    requiresSecondFactor: row.requiresSecondFactor ?? false,
  };
}
