/** Which rows of a database hold sealed texts, found by looking at every column and not by what the code says. */
import type { Queries } from '../../storage/database/index.ts';

const selectColumns = `
  select c.table_name as "table", c.column_name as "column" from information_schema.columns c
  where c.table_schema = 'public' and c.data_type in ('text', 'json', 'jsonb', 'ARRAY')
    and not exists (select from pg_inherits where inhrelid = format('%I', c.table_name)::regclass)`;

/** The beginning of every compact JWE of ours: the header begins with {"alg":"dir". */
const beginning = Buffer.from('{"alg":"dir"').toString('base64url');

/** The number of such rows by `<table>.<column>`, where there are any. */
export async function countSealedRows(db: Queries): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { table, column } of await db.query<{ table: string; column: string }>(selectColumns)) {
    const [row] = await db.query<{ rows: number }>(
      `select count(*) as rows from ${table} where ${column}::text like $1`,
      [`%${beginning}%`],
    );
    if ((row?.rows ?? 0) > 0) found.set(`${table}.${column}`, row?.rows ?? 0);
  }
  return found;
}
