/**
 * Lists of an environment's threads. Each is read in the order of an index, or of several beside each other (thread-parts.ts). What then is not
 * asked for is left out row by row, on a bounded scan, or where few threads are in question these are found first.
 */
import type { Database } from '../database/index.ts';
import {
  buildScanStatement,
  readScanPage,
  ScanConditions,
  type PageRows,
  type ScanRow,
  type ScanStatement,
} from '../paging/index.ts';
import {
  addFilters,
  addOpenWindow,
  changedSecond,
  few,
  type FewName,
  isOfParticipant,
  type Served,
  type ThreadFilter,
  toMinute,
  toSecond,
} from './thread-filters.ts';
import { type Choice, findFew, findParts } from './thread-parts.ts';
import { record, type ThreadRecord } from './threads.ts';

export interface ThreadListing extends ThreadFilter {
  readonly sort: keyof typeof orders;
  /** Default: newest first. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Where the previous page ended: what it is sorted by, and the id. */
  readonly after?: ThreadPosition | undefined;
  readonly limit: number;
}

/** A place in a list. */
export interface ThreadPosition {
  readonly threadId: string;
  /** The instant that the list is sorted by, in epoch milliseconds. */
  readonly at: number;
  /** The whole second that the index has. */
  readonly second: number;
}

/** A row of a page, with what it is sorted by. */
export interface ListedThread extends ThreadRecord, ScanRow {
  readonly sortedAt: Date;
  readonly sortedSecond: number;
}

interface Order {
  readonly second?: string;
  readonly instant: string;
  /** The list has these threads alone. */
  readonly only?: FewName;
}

/**
 * What a list is sorted by. For what messages change the index has only the whole second, or minute, and the server sorts within it. So a
 * busy thread's row keeps its index entries for as long as the second lasts, and its updates stay on its page (HOT). The last three lists
 * have the threads alone that wait, whose window is open, and that are snoozed.
 */
const orders = {
  lastMessageAt: { second: 't.active_second', instant: 'last_message_at' },
  updatedAt: { second: changedSecond, instant: 'updated_at' },
  createdAt: { instant: 'created_at' },
  waitingSince: { instant: 'waiting_since', only: 'awaitingReply' },
  windowClosesAt: { second: 't.window_minute', instant: 'created_at' },
  snoozedUntil: { instant: 'snoozed_until', only: 'snoozed' },
} as const satisfies Record<string, Order>;

const nothing: Served = { columns: [], few: [] };

/** The threads that the list is read from, as a table, and which of the filters they fit already. */
function describeTable(
  conditions: ScanConditions,
  listing: ThreadListing,
  choice: Choice | undefined,
): Served & { readonly table: string; readonly isPart: boolean } {
  const { participant, sort, order = 'desc' } = listing;
  const { only }: Order = orders[sort];
  const select = (condition: string): string => `select * from threads t where ${condition}`;
  // Those of a participant are few: they are found first, and then sorted.
  if (participant !== undefined) {
    const table = `(${select(isOfParticipant(conditions, participant))} offset 0)`;
    return { ...nothing, table, isPart: false };
  }
  if (choice !== undefined) {
    const { columns, few: served } = choice;
    const condition = choice.toCondition(value => conditions.parameter(value));
    const inTenant = 't.project_id = $1 and t.environment_id = $2';
    return {
      columns,
      few: served,
      table: `(${select(`${inTenant} and ${condition}`)} order by ${choice.by} offset 0)`,
      isPart: true,
    };
  }
  const parts = findParts(conditions, listing);
  if (parts === undefined) {
    return { columns: [], few: only === undefined ? [] : [only], table: 'threads', isPart: false };
  }
  const { columns, few: served, conditions: found } = parts;
  // In order each by itself, so that they are merged: the planner sees no order in a part otherwise.
  const sorted = ['active_second', 'last_message_at', 'thread_id'].map(column => `t.${column} ${order}`);
  const selects = (found.length === 0 ? ['false'] : found).map(
    each => `(${select(each)} order by ${sorted.join(', ')})`,
  );
  const table = `(${selects.join(' union all ')})`;
  return { columns, few: served, table, isPart: true };
}

/** What the list's order leaves out. */
function addOrderConditions(conditions: ScanConditions, listing: ThreadListing): void {
  const { sort, updatedAfter, windowClosesBefore, now } = listing;
  const { only }: Order = orders[sort];
  if (only !== undefined) conditions.range.push(few[only]);
  if (sort === 'updatedAt' && updatedAfter !== undefined) {
    conditions.inRange(from => `${changedSecond} >= ${from}::bigint`, toSecond(Date.parse(updatedAfter)));
  }
  if (sort !== 'windowClosesAt') return;
  // Indexes have the minutes in which windows end; the instant decides.
  conditions.range.push('t.window_minute is not null');
  conditions.inRange(minute => `t.window_minute >= ${minute}::bigint`, toMinute(now));
  if (windowClosesBefore === undefined) return addOpenWindow(conditions, now);
  const end = toMinute(Date.parse(windowClosesBefore));
  conditions.inRange(minute => `t.window_minute <= ${minute}::bigint`, end);
}

/**
 * The statement of a page.
 *
 * @param choice which threads are found first, as `findFew` has chosen
 */
export function threadStatement(listing: ThreadListing, choice?: Choice): ScanStatement {
  const { projectId, environmentId, after, limit, order = 'desc', sort } = listing;
  const { second, instant }: Order = orders[sort];
  const conditions = new ScanConditions(
    [projectId, environmentId],
    ['t.project_id = $1', 't.environment_id = $2'],
  );
  const { table, isPart, ...served } = describeTable(conditions, listing, choice);
  addOrderConditions(conditions, listing);
  addFilters(conditions, listing, served);
  if (after !== undefined) {
    const sorted = [...(second === undefined ? [] : [second]), `t.${instant}`, 't.thread_id'];
    const ends = [...(second === undefined ? [] : [after.second]), new Date(after.at), after.threadId];
    conditions.beyond(sorted, ends, order);
  }
  const { values, range, filters } = conditions;
  const text = buildScanStatement({
    table,
    rows: 'threads',
    as: 't',
    columns: `${record}, t.${instant} as "sortedAt", ${second ?? 0} as "sortedSecond"`,
    by: [...(second === undefined ? [] : ['sorted_second']), instant, 'thread_id'],
    ...(second === undefined ? {} : { computed: { sorted_second: second } }),
    order,
    key: ['thread_id'],
    range,
    filters,
    limit,
  });
  return { text, values, isScan: isPart || filters.length > 0 };
}

/** Whether rows are left out one by one, though an index has the order. */
function leavesOut(listing: ThreadListing): boolean {
  if (listing.participant !== undefined) return false;
  const conditions = new ScanConditions([listing.projectId, listing.environmentId], []);
  addFilters(conditions, listing, describeTable(conditions, listing, undefined));
  return conditions.filters.length > 0;
}

/** The statement of a page, by what few threads have where that is better. */
export async function chooseStatement(
  db: Pick<Database, 'scan'>,
  listing: ThreadListing,
): Promise<ScanStatement> {
  return threadStatement(listing, leavesOut(listing) ? await findFew(db, listing) : undefined);
}

/** A page of one environment's threads. */
export async function threadPage(
  db: Pick<Database, 'query' | 'scan'>,
  listing: ThreadListing,
): Promise<PageRows<ListedThread>> {
  return readScanPage(db, listing.projectId, await chooseStatement(db, listing), listing.limit);
}
