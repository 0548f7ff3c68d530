/** Workspaces: the list of those that a user is a member of, and new workspaces. */
import type { Workspace as WorkspaceResource } from '../../protocol/resources/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, toPage } from '../paging/index.ts';
import type { Database } from '../database/index.ts';
import { transactOnce, type WorkKey } from '../idempotency/index.ts';
import { defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import { addWorkspace } from './create-tenant.ts';

interface WorkspaceRow {
  readonly workspaceId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly archivedAt?: Date | null | undefined;
}

/** Ids sort by creation: the oldest comes first. */
const selectPage = `
  select w.workspace_id as "workspaceId", w.name, w.created_at as "createdAt", w.updated_at as "updatedAt",
    w.archived_at as "archivedAt"
  from workspace_members m join workspaces w on w.workspace_id = m.workspace_id
  where m.user_id = $1 and m.workspace_id > $2 order by m.workspace_id limit $3`;

export class Workspaces {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #limits: Limits;

  constructor(db: Database, cursors: Cursors, limits = defaultLimits) {
    this.#db = db;
    this.#cursors = cursors;
    this.#limits = limits;
  }

  /** The workspaces that the user is a member of, the oldest first. */
  async list(userId: string, { cursor, limit }: PageRequest): Promise<Page<WorkspaceResource>> {
    const scope = `workspaces/${userId}`;
    const after = cursor === undefined ? '' : this.#cursors.decode(scope, cursor)[0];
    const rows = await this.#db.query<WorkspaceRow>(selectPage, [userId, after, limit + 1]);
    return toPage(rows.map(toResource), limit, last => this.#cursors.encode(scope, [last.workspaceId]));
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
  };
}
