/** Reads of stitches. Each names the project and the environment. */
import { limitBytes, readPage, type PageRows } from '../paging/index.ts';
import { createFindTenant, type Queries, type TenantScope } from '../database/index.ts';

export const findStitchTenant = createFindTenant('stitches', 'stitch_id');

/** A stitch as its snapshot's row in JSON, which the actor's code decodes. */
export interface StitchRecord {
  readonly stitchId: string;
  readonly row: unknown;
  readonly createdAt: Date;
}

const record = `s.stitch_id as "stitchId", to_jsonb(s) as row, s.created_at as "createdAt"`;

/** A stitch by its id, archived or not; undefined where the environment has no such stitch. */
export async function findStitch(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  stitchId: string,
): Promise<StitchRecord | undefined> {
  const [row] = await db.query<StitchRecord>(
    `select ${record} from stitches s where s.stitch_id = $1 and s.project_id = $2 and s.environment_id = $3`,
    [stitchId, projectId, environmentId],
    'stitches.find',
  );
  return row;
}

export interface StitchPage extends TenantScope {
  /** Those that are archived, instead of the others. */
  readonly archived?: boolean;
  /** Where the previous page ended; exclusive. */
  readonly after?: { readonly at: number; readonly stitchId: string } | undefined;
  readonly limit: number;
}

/** The newest stitches of the environment that are not archived. */
export async function listStitchIds(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ readonly stitchId: string }>(
    `select stitch_id as "stitchId" from stitches where project_id = $1 and environment_id = $2 and archived_at is null
     order by created_at desc, stitch_id desc limit $3`,
    [projectId, environmentId, limit],
    'stitches.ids',
  );
  return rows.map(({ stitchId }) => stitchId);
}

const selectPage = (archived: 'is null' | 'is not null'): string =>
  limitBytes(`
  select ${record} from stitches s
  where s.project_id = $1 and s.environment_id = $2 and s.archived_at ${archived}
    and ($3::timestamptz is null or (s.created_at, s.stitch_id) < ($3, $4::text))
  order by s.created_at desc, s.stitch_id desc limit $5`);

const selectLive = selectPage('is null');
const selectArchived = selectPage('is not null');

/** A page of one environment's stitches, newest first. */
export function stitchPage(db: Queries, page: StitchPage): Promise<PageRows<StitchRecord>> {
  const { projectId, environmentId, archived = false, after, limit } = page;
  const at = after === undefined ? null : new Date(after.at);
  return readPage<StitchRecord>(
    db,
    archived ? selectArchived : selectLive,
    [projectId, environmentId, at, after?.stitchId ?? null, limit + 1],
    limit,
    archived ? 'stitches.archived_page' : 'stitches.page',
  );
}
