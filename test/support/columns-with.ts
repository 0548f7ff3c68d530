/** Looks for a text in a whole database. */
import type { Queries } from '../../storage/database/database.ts';

/** The columns in which a text is to be found, of every table, whatever they hold. */
export async function columnsWith(database: Queries, text: string): Promise<string[]> {
  const columns = await database.query<{ table: string; column: string; type: string }>(
    `select c.table_name as table, c.column_name as column, c.data_type as type
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and c.data_type in ('text', 'character varying', 'json', 'jsonb', 'ARRAY', 'bytea')`,
  );
  const found = new Set<string>();
  for (const { table, column, type } of columns) {
    const shown = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
    const rows = await database.query(`select 1 from "${table}" where strpos(${shown}, $1) > 0 limit 1`, [
      text,
    ]);
    if (rows.length > 0) found.add(`${table.replace(/_\d{8}$/, '')}.${column}`);
  }
  return [...found];
}
