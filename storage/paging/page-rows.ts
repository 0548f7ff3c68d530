/**
 * The rows of a page: at most `limit` of them, and about 1 MiB, of which one row is shown in any case. A page that ends early has the
 * position where the next one begins. The server counts the bytes too, so that neither the connection nor the node holds the rest.
 */
import type { Queries } from '../database/index.ts';

/** Bytes of the rows in a page, as JSON. */
export const maxPageBytes = 1_048_576;
/** Bytes of JSON for one byte of a row's text: `\u0001`. */
const maxEscape = 6;

/** Rows of a page, and the row that the next page begins after; without `end` there is no next page. */
export interface PageRows<T> {
  readonly rows: T[];
  readonly end: T | undefined;
}

/** What {@link limitBytes} adds to each row. */
export interface Counted {
  /** Rows of the statement, including those that were left out. */
  readonly found: number;
  /** Bytes of the rows before this one. */
  readonly ahead: number;
}

/** The statement without the rows that a page of {@link maxPageBytes} has no room for. Keeps the order. */
export function limitBytes(statement: string): string {
  return `
    select p.* from (
      select p.*, count(*) over ()::int as found,
        coalesce(sum(octet_length(p::text)) over (rows between unbounded preceding and 1 preceding), 0)::int as ahead
      from (${statement}) p
    ) p where ahead < ${maxPageBytes}`;
}

/**
 * Runs the statement of a page.
 *
 * @param text made by {@link limitBytes} of a statement that asks for one row more than `limit`
 * @param name prepares the statement, where its text never varies
 */
export async function readPage<T extends object>(
  db: Queries,
  text: string,
  values: readonly unknown[],
  limit: number,
  name?: string,
): Promise<PageRows<T>> {
  const { rows, found, allFit } = stripCounts<T>(await db.query<T & Counted>(text, values, name));
  return cutPage(rows, limit, found, allFit);
}

/** Rows of a statement of {@link limitBytes}. */
export interface CountedRows<T> {
  /** Without the counts. */
  readonly rows: T[];
  /** Rows that the statement found. */
  readonly found: number;
  /** The server's count proves that a page has room for all rows. False: it proves nothing. */
  readonly allFit: boolean;
}

/** Separates the statement's own rows from the counts. */
export function stripCounts<T extends object>(counted: readonly (T & Counted)[]): CountedRows<T> {
  const rows = counted.map(({ found: _, ahead: __, ...row }) => row as unknown as T);
  const last = counted.at(-1);
  if (last === undefined) return { rows, found: 0, allFit: true };
  // JSON escapes a control character with six bytes, and has the names of the columns in each row. The count has no more than a comma for null.
  const names = Object.keys(last).reduce((bytes, name) => bytes + Buffer.byteLength(name) + '"":'.length, 0);
  const most = maxEscape * last.ahead + names * rows.length + Buffer.byteLength(JSON.stringify(last));
  return { rows, found: last.found, allFit: most <= maxPageBytes };
}

/** The first rows that fit a page. Counts again, because the server counts a control character as one byte. */
function takeFitting<T>(rows: readonly T[], limit: number): T[] {
  let bytes = 0;
  let count = 0;
  for (; count < rows.length && count < limit; count++) {
    bytes += Buffer.byteLength(JSON.stringify(rows[count]));
    if (bytes > maxPageBytes && count > 0) break;
  }
  return rows.slice(0, count);
}

/**
 * The page that the rows make.
 *
 * @param found rows that there are, of which `rows` may be the first. A list asks for one more than `limit`, to see that there is more
 * @param allFit a page has room for all rows, so their bytes need no count
 */
export function cutPage<T>(
  rows: readonly T[],
  limit: number,
  found = rows.length,
  allFit = false,
): PageRows<T> {
  const shown = allFit ? rows.slice(0, limit) : takeFitting(rows, limit);
  return { rows: shown, end: shown.length < found ? shown.at(-1) : undefined };
}

/** The same page of other values. */
export function mapPage<T, U>({ rows, end }: PageRows<T>, map: (row: T) => U): PageRows<U> {
  return { rows: rows.map(map), end: end === undefined ? undefined : map(end) };
}
