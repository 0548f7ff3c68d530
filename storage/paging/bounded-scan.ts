/**
 * Bounded scans: pages of lists with filters that no index serves. The list's own index is read in its order until the page is full,
 * or until a fixed number of rows has been read; the next page continues from there. So a page costs no more than that,
 * whatever the filters are. It may be short, or empty, although more follows. Nothing is missed, because one statement says both what
 * it found and how far it read.
 */
import type { Database } from '../database/index.ts';
import { type Counted, cutPage, limitBytes, type PageRows, stripCounts } from './page-rows.ts';

/** Rows that one page reads: some milliseconds, wherever they lie in the table. */
export const maxScannedRows = 2_000;

/** What each row of a scan says beside its columns. */
export interface ScanRow {
  /** The number of rows read up to this one, which is included. */
  readonly scanned: number;
  /** Whether the row fits the filters. The last row of a full scan is returned in any case, for its position. */
  readonly matches: boolean;
}

export interface BoundedScan {
  /** Where rows are found: a table, or a select in parentheses. */
  readonly table: string;
  /** The table that has what is selected of those that are shown. Default: `table`. */
  readonly rows?: string;
  /** The table's alias in all the texts below. */
  readonly as: string;
  /** What is selected of a row. */
  readonly columns: string;
  /** The columns that the scan is ordered by. An index begins with what `range` fixes and continues with them. */
  readonly by: readonly string[];
  /** Those of `by` that are no columns, but expressions over the table. */
  readonly computed?: Readonly<Record<string, string>>;
  /** Default: from the highest down. */
  readonly order?: 'asc' | 'desc';
  /** The primary key. */
  readonly key: readonly string[];
  /**
   * What the index finds: no other row is read. The tenant belongs here, not into `filters` alone, because a scan may end at any row
   * that it reads, and its cursor reveals which.
   */
  readonly range: readonly string[];
  /** Conditions on each row that is read; without any the index gives the page as it is. */
  readonly filters: readonly string[];
  /** Rows of a page. */
  readonly limit: number;
}

/** The statement. It gives one row more than the page has, if there is one, or the last row of a full scan. */
export function buildScanStatement(scan: BoundedScan): string {
  const {
    table,
    rows = table,
    as,
    columns,
    by,
    computed = {},
    order = 'desc',
    key,
    range,
    filters,
    limit,
  } = scan;
  const toOrder = (values: readonly string[]): string => values.map(value => `${value} ${order}`).join(', ');
  const inTable = by.map(column => computed[column] ?? `${as}.${column}`);
  const carried = [...new Set([...key, ...by])].map(column =>
    computed[column] === undefined ? `${as}.${column}` : `${computed[column]} as ${column}`,
  );
  const from = `from ${table} ${as} where ${range.join(' and ')} order by ${toOrder(inTable)}`;
  if (filters.length === 0) {
    return `select ${columns}, 0 as scanned, true as matches ${from} limit ${limit + 1}`;
  }
  return `
    select ${columns}, step.scanned, step.matches
    from (
      select ${carried.join(', ')}, coalesce(${filters.join(' and ')}, false) as matches,
        row_number() over (order by ${toOrder(inTable)}) as scanned
      ${from} limit ${maxScannedRows}
    ) step
    join ${rows} ${as} on ${key.map(column => `${as}.${column} = step.${column}`).join(' and ')}
    where step.matches or step.scanned = ${maxScannedRows}
    order by ${toOrder(by.map(column => `step.${column}`))} limit ${limit + 1}`;
}

/** Collects the conditions of a page and the parameters that they name. */
export class ScanConditions {
  readonly values: unknown[];
  readonly range: string[];
  readonly filters: string[];

  /** @param values the parameters `$1`, `$2` ... that the first conditions name */
  constructor(values: readonly unknown[], range: readonly string[], filters: readonly string[] = []) {
    this.values = [...values];
    this.range = [...range];
    this.filters = [...filters];
  }

  /** The number of a further parameter, as `$n`. */
  parameter(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** Adds a condition that the index serves, unless `value` is undefined. */
  inRange(condition: (parameter: string) => string, value: unknown): void {
    if (value !== undefined) this.range.push(condition(this.parameter(value)));
  }

  /** Adds a condition on each row, unless `value` is undefined. */
  filter(condition: (parameter: string) => string, value: unknown): void {
    if (value !== undefined) this.filters.push(condition(this.parameter(value)));
  }

  /** Continues after the row where the previous page ended, by the columns of the order: below it, unless the order ascends. */
  beyond(columns: readonly string[], ends: readonly unknown[], order: 'asc' | 'desc' = 'desc'): void {
    const parameters = ends.map(value => this.parameter(value));
    this.range.push(`(${columns.join(', ')}) ${order === 'asc' ? '>' : '<'} (${parameters.join(', ')})`);
  }
}

/** The statement of a page. */
export interface ScanStatement {
  readonly text: string;
  readonly values: unknown[];
  /** Whether it reads rows that are not in the page. */
  readonly isScan: boolean;
}

/**
 * Runs the statement: a scan on the connections for scans, anything else as any read.
 *
 * @param ownerId whose list it is, which shares the connections with its other lists: a project, or a workspace
 */
export async function readScanPage<T extends ScanRow>(
  db: Pick<Database, 'query' | 'scan'>,
  ownerId: string,
  { text, values, isScan }: ScanStatement,
  limit: number,
): Promise<PageRows<T>> {
  const limited = limitBytes(text);
  const counted = isScan
    ? await db.scan<T & Counted>(ownerId, limited, values)
    : await db.query<T & Counted>(limited, values);
  const { rows, found, allFit } = stripCounts<T>(counted);
  return toScanPage(rows, limit, found, allFit);
}

/**
 * The page that the rows of a scan make.
 *
 * @param found rows of the scan, of which `scanned` may be the first
 * @param allFit as {@link cutPage} takes it
 */
export function toScanPage<T extends ScanRow>(
  scanned: readonly T[],
  limit: number,
  found = scanned.length,
  allFit = false,
): PageRows<T> {
  const matching = scanned.filter(({ matches }) => matches);
  const page = cutPage(matching, limit, matching.length + found - scanned.length, allFit);
  if (page.end !== undefined) return page;
  const last = scanned.at(-1);
  return { ...page, end: last?.scanned === maxScannedRows ? last : undefined };
}
