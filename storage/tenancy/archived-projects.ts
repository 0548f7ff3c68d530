/**
 * Whether a project is archived, by itself or with its workspace: asked for everything that a stitch sends, and held for some seconds. A
 * change that this process makes shows at once, if its maker calls `forget` after the commit.
 */
import type { Clock } from '../../runtime/time/index.ts';
import { type Queries, TtlCache } from '../database/index.ts';

/** Milliseconds. */
const maxAgeMs = 5_000;

const select = `
  select coalesce(p.archived_at, w.archived_at) is not null as "isArchived"
  from projects p left join workspaces w on w.workspace_id = p.workspace_id where p.project_id = $1`;

export class ArchivedProjects {
  readonly #found: TtlCache<{ readonly isArchived: boolean }, string>;

  constructor(db: Queries, clock: Clock) {
    this.#found = new TtlCache({
      clock,
      maxAgeMs,
      load: async projectId => {
        const [row] = await db.query<{ isArchived: boolean }>(select, [projectId], 'projects.archived');
        return row;
      },
    });
  }

  /** A value rather than a promise when it is known already. False where there is no such project. */
  has(projectId: string): boolean | Promise<boolean> {
    const found = this.#found.get(projectId, projectId);
    return found instanceof Promise ? found.then(row => row?.isArchived ?? false) : found.isArchived;
  }

  /** A project or a workspace was archived or restored. */
  forget(): void {
    this.#found.invalidateWhere(() => true);
  }
}

/** Stitches that one statement finds: of more, the recovery scanner wakes the rest (gateway/jobs). */
const maxStitches = 1_000;

const selectStitches = `
  select s.stitch_id as "stitchId" from projects p join stitches s on s.project_id = p.project_id
  where (p.project_id = $1 or p.workspace_id = $2) and s.archived_at is null and s.status <> 'disabled' limit ${maxStitches}`;

/** The stitches of a project, or of all projects of a workspace, that get events again when it is restored. */
export async function listRestoredStitches(
  db: Queries,
  { projectId, workspaceId }: { readonly projectId?: string; readonly workspaceId?: string },
): Promise<string[]> {
  const values = [projectId ?? null, workspaceId ?? null];
  const rows = await db.query<{ stitchId: string }>(selectStitches, values, 'stitches.restored');
  return rows.map(({ stitchId }) => stitchId);
}
