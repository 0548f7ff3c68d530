/**
 * Lists of an environment's threads. Each is read in the order of an index, or of a part of one: what few threads fit has a partial index
 * of its own. Filters that the index does not serve are looked at row by row, on a bounded scan.
 */
import type { Database, TenantScope } from '../database/index.ts';
import {
  buildScanStatement,
  readScanPage,
  ScanConditions,
  type ScanPage,
  type ScanRow,
  type ScanStatement,
} from '../paging/index.ts';
import type { ParticipantThreads } from './participants.ts';
import { record, type ThreadRecord } from './threads.ts';

/** A filter takes several values, of which a thread has one; null among them stands for threads that have none. */
type Wanted = readonly (string | null)[] | undefined;

export interface ThreadFilter extends TenantScope {
  readonly status?: Wanted;
  readonly agentMode?: Wanted;
  readonly channelId?: Wanted;
  readonly tag?: readonly string[] | undefined;
  readonly assigneeUserId?: Wanted;
  /** The threads of one participant. */
  readonly participant?: ParticipantThreads | undefined;
  /** ISO 8601, exclusive. */
  readonly updatedAfter?: string | undefined;
  readonly hasPendingSuggestion?: boolean | undefined;
  readonly awaitingReply?: boolean | undefined;
  readonly failedSends?: boolean | undefined;
  readonly snoozed?: boolean | undefined;
  /** Whether that user has messages to read. */
  readonly unread?: { readonly userId: string; readonly is: boolean } | undefined;
  /** Threads whose window is open, and ends before; ISO 8601. */
  readonly windowClosesBefore?: string | undefined;
  /** Epoch milliseconds; decides which windows are open. */
  readonly now: number;
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

/**
 * What a list is sorted by. For what messages change the index has only the whole second, or minute, and the server sorts within it. So a
 * busy thread's row keeps its index entries for as long as the second lasts, and its updates stay on its page (HOT). The last two lists
 * have the threads alone that wait, and whose window is open.
 */
const orders = {
  lastMessageAt: { second: 't.active_second', instant: 'last_message_at' },
  updatedAt: { second: 'greatest(t.active_second, t.updated_second)', instant: 'updated_at' },
  createdAt: { second: undefined, instant: 'created_at' },
  waitingSince: { second: undefined, instant: 'waiting_since', only: 't.waiting_since is not null' },
  windowClosesAt: { second: 't.window_minute', instant: 'created_at', only: 't.window_minute is not null' },
} as const;

const filteredColumns = {
  status: 't.status',
  agentMode: 't.agent_mode',
  channelId: 't.channel_id',
  assigneeUserId: 't.assignee_user_id',
} as const;
type FilteredColumn = keyof typeof filteredColumns;

/** The part of an index by activity that a list is read from. */
interface IndexedPart {
  /** Filters that it serves by their one value, which may be none. */
  readonly filters: readonly FilteredColumn[];
  /** What else its threads have in common. */
  readonly only?: string;
}

/**
 * The part that few threads are in. An index has one value in order, so that several values are looked for on a scan, as is every filter
 * that no part serves.
 */
function findIndexedPart(filter: ThreadFilter): IndexedPart | undefined {
  const { sort, status, agentMode, assigneeUserId, tag } = filter;
  const isOne = (wanted: Wanted): boolean => wanted?.length === 1 && wanted[0] !== null;
  if (sort !== 'lastMessageAt' || filter.participant !== undefined) return undefined;
  if (filter.hasPendingSuggestion === true) return { filters: [], only: 't.pending_suggestion is not null' };
  if (filter.failedSends === true) return { filters: [], only: 't.failed_sends is not null' };
  const opens: readonly FilteredColumn[] = status?.length === 1 && status[0] === 'open' ? ['status'] : [];
  if (isOne(assigneeUserId)) return { filters: ['assigneeUserId', ...opens] };
  if (opens.length > 0 && assigneeUserId?.length === 1) return { filters: ['assigneeUserId', ...opens] };
  if (isOne(agentMode)) return { filters: ['agentMode', ...opens] };
  if (isOne(status)) return { filters: ['status'] };
  return tag === undefined ? undefined : { filters: [], only: `t.tags <> '{}'` };
}

function addColumnFilters(conditions: ScanConditions, filter: ThreadFilter, part?: IndexedPart): void {
  for (const name of Object.keys(filteredColumns) as FilteredColumn[]) {
    const wanted = filter[name];
    if (wanted === undefined) continue;
    const column = filteredColumns[name];
    if (part?.filters.includes(name) === true) {
      if (wanted[0] === null) conditions.range.push(`${column} is null`);
      else conditions.inRange(value => `${column} = ${value}`, wanted[0]);
    } else {
      const orNone = wanted.includes(null) ? ` or ${column} is null` : '';
      const values = wanted.filter(value => value !== null);
      conditions.filter(parameter => `(${column} = any (${parameter}::text[])${orNone})`, values);
    }
  }
}

/** Adds the condition, or that it is not met; not at all where it is undefined. */
function addChoice(conditions: ScanConditions, condition: string, isWanted: boolean | undefined): void {
  if (isWanted !== undefined) conditions.filters.push(`(${condition}) = ${isWanted}`);
}

/** When the window of `threads t` ends, in epoch milliseconds. */
export const windowEnd = `(t.state #>> '{window,expiresAt}')::bigint`;

/** The index has the minutes in which windows end; the instant decides. */
function addWindowFilters(conditions: ScanConditions, filter: ThreadFilter): void {
  const { sort, windowClosesBefore, now } = filter;
  const isSorted = sort === 'windowClosesAt';
  const toMinute = (at: number): number => Math.floor(at / 60_000);
  if (isSorted) conditions.inRange(minute => `t.window_minute >= ${minute}::bigint`, toMinute(now));
  if (isSorted || windowClosesBefore !== undefined) {
    conditions.filter(at => `t.window_minute is not null and ${windowEnd} > ${at}::bigint`, now);
  }
  if (windowClosesBefore === undefined) return;
  const end = Date.parse(windowClosesBefore);
  if (isSorted) conditions.inRange(minute => `t.window_minute <= ${minute}::bigint`, toMinute(end));
  conditions.filter(at => `${windowEnd} < ${at}::bigint`, end);
}

function addFilters(conditions: ScanConditions, filter: ThreadFilter, part?: IndexedPart): void {
  const { tag, updatedAfter, sort, unread } = filter;
  addColumnFilters(conditions, filter, part);
  conditions.filter(tags => `t.tags && ${tags}::text[]`, tag);
  conditions.filter(at => `t.updated_at > ${at}`, updatedAfter);
  if (sort === 'updatedAt' && updatedAfter !== undefined) {
    const second = Math.floor(Date.parse(updatedAfter) / 1_000);
    conditions.inRange(from => `${orders.updatedAt.second} >= ${from}::bigint`, second);
  }
  if (part?.only !== 't.pending_suggestion is not null') {
    addChoice(conditions, 't.pending_suggestion is not null', filter.hasPendingSuggestion);
  }
  if (part?.only !== 't.failed_sends is not null') {
    addChoice(conditions, 't.failed_sends is not null', filter.failedSends);
  }
  if (sort !== 'waitingSince' || filter.awaitingReply === false) {
    addChoice(conditions, 't.waiting_since is not null', filter.awaitingReply);
  }
  addChoice(conditions, 't.snoozed_until is not null', filter.snoozed);
  addWindowFilters(conditions, filter);
  if (unread !== undefined) {
    const user = conditions.parameter(unread.userId);
    addChoice(conditions, isUnread(user), unread.is);
  }
}

/** @param user the parameter of a user's id */
function isUnread(user: string): string {
  return `coalesce((t.state ->> 'inbound')::bigint, 0) > coalesce((select c.inbound_count from read_cursors c
    where c.thread_id = t.thread_id and c.user_id = ${user} and c.project_id = $1 and c.environment_id = $2), 0)`;
}

/** Adds all filters as conditions on each row of `threads t`, for who reads the threads by other means than lists. */
export function addThreadFilters(
  conditions: ScanConditions,
  filter: Omit<ThreadFilter, 'sort' | 'order' | 'after'>,
): void {
  addFilters(conditions, { ...filter, sort: 'createdAt' });
  const { participant } = filter;
  if (participant !== undefined) conditions.filters.push(isOfParticipant(conditions, participant));
}

function isOfParticipant(conditions: ScanConditions, { derived, known, names }: ParticipantThreads): string {
  const isNamed = `external_ref = any (${conditions.parameter(names)}::text[])`;
  const isDerived = `thread_id = any (${conditions.parameter(derived)}::text[]) and ${isNamed}`;
  return `(${isDerived} or thread_id = any (${conditions.parameter(known)}::text[]))`;
}

/** The threads that a list is of. Those of a participant are few: they are found first, and then sorted. */
function describeTable(conditions: ScanConditions, { participant }: ThreadFilter): string {
  if (participant === undefined) return 'threads';
  return `(select * from threads where ${isOfParticipant(conditions, participant)} offset 0)`;
}

/** The statement of a page. */
export function threadStatement(filter: ThreadFilter): ScanStatement {
  const { projectId, environmentId, after, limit, order = 'desc' } = filter;
  const { second, instant, ...rest } = orders[filter.sort];
  const conditions = new ScanConditions(
    [projectId, environmentId],
    ['t.project_id = $1', 't.environment_id = $2'],
  );
  const part = findIndexedPart(filter);
  const table = describeTable(conditions, filter);
  if ('only' in rest) conditions.range.push(rest.only);
  if (part?.only !== undefined) conditions.range.push(part.only);
  addFilters(conditions, filter, part);
  if (after !== undefined) {
    const sorted = [...(second === undefined ? [] : [second]), `t.${instant}`, 't.thread_id'];
    const ends = [...(second === undefined ? [] : [after.second]), new Date(after.at), after.threadId];
    conditions.beyond(sorted, ends, order);
  }
  const { values, range, filters } = conditions;
  const text = buildScanStatement({
    table,
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
  return { text, values, isScan: part !== undefined || filters.length > 0 };
}

/** A page of one environment's threads. */
export function threadPage(
  db: Pick<Database, 'query' | 'scan'>,
  filter: ThreadFilter,
): Promise<ScanPage<ListedThread>> {
  return readScanPage(db, filter.projectId, threadStatement(filter), filter.limit);
}
