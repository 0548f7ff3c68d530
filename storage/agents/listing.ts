/** Lists of an environment: newest first, page by page. */
import { page, type Cursors, type Page } from '../cursor.ts';
import type { Database } from '../database.ts';
import type { Place } from '../reads/place.ts';
import type { PageRequest } from '../tenancy/workspaces.ts';

/** One list: where its rows are, and which column is the id in them. */
export interface Listing {
  readonly table: string;
  readonly id: string;
  /** What is selected, under the names of the row. */
  readonly columns: string;
  /** A further condition. */
  readonly where?: string;
}

/** A page of the rows of one environment; each row has its creation, and its id under `idName`. */
export async function listed<Row extends { readonly createdAt: Date }>(
  { db, cursors }: { readonly db: Pick<Database, 'query'>; readonly cursors: Cursors },
  { table, id, columns, where = 'true' }: Listing,
  { projectId, environmentId }: Place,
  { cursor, limit }: PageRequest,
  idOf: (row: Row) => string,
): Promise<Page<Row>> {
  const scope = `${table} ${projectId} ${environmentId}`;
  const [at, lastId] = cursor === undefined ? [] : cursors.decode(scope, cursor);
  const rows = await db.query<Row>(
    `select ${columns} from ${table}
     where project_id = $1 and environment_id = $2 and ${where}
       and ($3::timestamptz is null or (created_at, ${id}) < ($3, $4))
     order by created_at desc, ${id} desc limit $5`,
    [projectId, environmentId, at === undefined ? null : new Date(at), lastId ?? null, limit + 1],
  );
  return page(rows, limit, last => cursors.encode(scope, [last.createdAt.getTime(), idOf(last)]));
}
