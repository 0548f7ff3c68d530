/**
 * What every list with filters is held to: paging through gives exactly what is there, and no page looks at more rows than a walk may,
 * whether the planner knows the tables or not. What is another's answers as what does not exist, and no page ends at it.
 */
import fc, { type Arbitrary } from '../../support/fuzz.ts';
import type { Test } from 'tap';
import type { Database } from '../../../storage/database/database.ts';
import { maxScannedRows } from '../../../storage/paging/bounded-scan.ts';
import type { PageRows } from '../../../storage/paging/page-rows.ts';

/** Where lists are read. */
export interface ListDatabase {
  readonly db: Pick<Database, 'query' | 'scan'>;
  /** Whether the planner knows the tables. */
  isAnalysed: boolean;
}

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

interface Statement {
  readonly text: string;
  readonly values: unknown[];
  readonly isScan?: boolean;
}

/** Rows of tables that the statement looked at, wanted or not. */
async function lookedAt({ db }: ListDatabase, { text, values, isScan = true }: Statement): Promise<number> {
  const explain = `explain (analyze, format json) ${text}`;
  const [row] = isScan
    ? await db.scan<{ 'QUERY PLAN': string }>('prj_1', explain, values)
    : await db.query<{ 'QUERY PLAN': string }>(explain, values);
  const countRows = (plan: Plan): number =>
    plan.Plans === undefined
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : plan.Plans.reduce((sum, each) => sum + countRows(each), 0);
  const [{ Plan: plan }] = JSON.parse(row?.['QUERY PLAN'] ?? '[]') as [{ readonly Plan: Plan }];
  return countRows(plan);
}

/** One list: its rows as they are, in the order of the list, and how it is read. */
export interface List<Row, Filter> {
  /** All rows that a page may end at in order, by the filter's sort: the environment's, and of the log the project's. */
  readonly sorted: (filter: Filter) => readonly Row[];
  readonly matches: (row: Row, filter: Filter) => boolean;
  readonly idOf: (row: Row) => string;
  readonly statement: (
    filter: Filter,
    after: string | undefined,
    limit: number,
  ) => Statement | Promise<Statement>;
  /** A page's ids, and where the next one begins. */
  readonly page: (filter: Filter, after: string | undefined, limit: number) => Promise<PageRows<string>>;
  readonly filters: Arbitrary<Filter>;
  /** Filters that nothing fits, each by itself. */
  readonly nobody: readonly Filter[];
  /** Filters by what other places have much of, each beside the same with what nobody has. */
  readonly foreign: readonly (readonly [theirs: Filter, nobodys: Filter])[];
}

/** Beside the walk: rows that are taken along to be sorted, the first of each partition, and those that are shown. */
const most = maxScannedRows + 250;

async function bounded<Row, Filter>(
  source: ListDatabase,
  list: List<Row, Filter>,
  filter: Filter,
  after: string | undefined,
): Promise<void> {
  const statement = await list.statement(filter, after, 50);
  // What the planner is free to read in its own way it can only get right by what it knows.
  if (statement.isScan === false && !source.isAnalysed) return;
  const rows = await lookedAt(source, statement);
  if (rows > most) throw new Error(`${rows} rows looked at for ${JSON.stringify(filter)}`);
}

/** The ids that paging brings, page by page. */
async function paged<Row, Filter>(list: List<Row, Filter>, filter: Filter, limit: number): Promise<string[]> {
  const own = new Set(list.sorted(filter).map(list.idOf));
  const found: string[] = [];
  let after: string | undefined;
  do {
    const { rows, end } = await list.page(filter, after, limit);
    if (rows.length > limit) throw new Error(`${rows.length} rows in a page of ${limit}`);
    if (end !== undefined && !own.has(end)) throw new Error(`a page ends at ${end}, which is another's`);
    found.push(...rows);
    after = end;
  } while (after !== undefined);
  return found;
}

/** Holds the list to it, by so many filters. */
export async function hold<Row, Filter>(
  t: Test,
  source: ListDatabase,
  list: List<Row, Filter>,
  runs: number,
): Promise<void> {
  for (const filter of list.nobody) await bounded(source, list, filter, undefined);
  for (const [theirs, nobodys] of list.foreign) {
    const name = `what is another's answers as what does not exist: ${JSON.stringify(theirs)}`;
    t.same(await list.page(theirs, undefined, 50), await list.page(nobodys, undefined, 50), name);
    await bounded(source, list, theirs, undefined);
  }
  const property = fc.asyncProperty(list.filters, fc.constantFrom(400, 1_500), async (filter, limit) => {
    const wanted = list.sorted(filter).filter(row => list.matches(row, filter));
    const found = await paged(list, filter, limit);
    if (found.join() !== wanted.map(list.idOf).join()) throw new Error(`${found.length} of ${wanted.length}`);
    await bounded(source, list, filter, undefined);
    for (const row of wanted.slice(0, 1)) await bounded(source, list, filter, list.idOf(row));
  });
  await fc.assert(property, { numRuns: runs, endOnFailure: true });
  t.pass('each filter gave what there is');
}

/** One of the values, or none. */
export const maybe = <T>(...values: T[]): Arbitrary<T | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
/** By the key, down from the highest. */
export const newest = <Row>(rows: readonly Row[], keyOf: (row: Row) => readonly (string | number)[]): Row[] =>
  rows
    .map(row => ({ row, key: keyOf(row) }))
    .sort((a, b) => {
      const at = a.key.findIndex((value, i) => value !== b.key[i]);
      return (a.key[at] ?? 0) < (b.key[at] ?? 0) ? 1 : -1;
    })
    .map(({ row }) => row);
