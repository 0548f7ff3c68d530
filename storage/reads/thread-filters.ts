/** What a list of threads, or a search, is narrowed down to: as conditions on each row. */
import type { TenantScope } from '../database/index.ts';
import type { ScanConditions } from '../paging/index.ts';
import type { ParticipantThreads } from './participants.ts';

/** A filter takes several values, of which a thread has one; null among them stands for threads that have none. */
export type Wanted = readonly (string | null)[] | undefined;

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
}

export const filteredColumns = {
  status: 't.status',
  agentMode: 't.agent_mode',
  channelId: 't.channel_id',
  assigneeUserId: 't.assignee_user_id',
} as const;
export type FilteredColumn = keyof typeof filteredColumns;

/** Conditions with a partial index of their own. */
export const few = {
  hasPendingSuggestion: 't.pending_suggestion is not null',
  failedSends: 't.failed_sends is not null',
  awaitingReply: 't.waiting_since is not null',
  snoozed: 't.snoozed_until is not null',
} as const;
export type FewName = keyof typeof few;

/** What the rows that are read have in common already. */
export interface Served {
  readonly columns: readonly FilteredColumn[];
  readonly few: readonly FewName[];
}

/** When the window of `threads t` ends, in epoch milliseconds. */
export const windowEnd = `(t.state #>> '{window,expiresAt}')::bigint`;

/** The second of a thread's last change. */
export const changedSecond = 'greatest(t.active_second, t.updated_second)';

export const toMinute = (at: number): number => Math.floor(at / 60_000);
export const toSecond = (at: number): number => Math.floor(at / 1_000);

/** Adds all filters but the participant as conditions on each row of `threads t`, without those that are `served`. */
export function addFilters(conditions: ScanConditions, filter: ThreadFilter, served: Served): void {
  const { tag, updatedAfter, unread } = filter;
  for (const name of Object.keys(filteredColumns) as FilteredColumn[]) {
    if (!served.columns.includes(name)) addColumnFilter(conditions, filteredColumns[name], filter[name]);
  }
  for (const name of Object.keys(few) as FewName[]) {
    if (filter[name] === true && served.few.includes(name)) continue;
    addChoice(conditions, few[name], filter[name]);
  }
  conditions.filter(tags => `t.tags && ${tags}::text[]`, tag);
  conditions.filter(at => `t.updated_at > ${at}`, updatedAfter);
  addWindowFilter(conditions, filter);
  if (unread !== undefined) {
    const user = conditions.parameter(unread.userId);
    addChoice(conditions, isUnread(user), unread.is);
  }
}

function addColumnFilter(conditions: ScanConditions, column: string, wanted: Wanted): void {
  if (wanted === undefined) return;
  const orNone = wanted.includes(null) ? ` or ${column} is null` : '';
  const values = wanted.filter(value => value !== null);
  conditions.filter(parameter => `(${column} = any (${parameter}::text[])${orNone})`, values);
}

/** Adds the condition, or that it is not met; not at all where it is undefined. */
function addChoice(conditions: ScanConditions, condition: string, isWanted: boolean | undefined): void {
  if (isWanted !== undefined) conditions.filters.push(`(${condition}) = ${isWanted}`);
}

/** Indexes have the minutes in which windows end; the instant decides. */
function addWindowFilter(conditions: ScanConditions, { windowClosesBefore, now }: ThreadFilter): void {
  if (windowClosesBefore === undefined) return;
  addOpenWindow(conditions, now);
  conditions.filter(at => `${windowEnd} < ${at}::bigint`, Date.parse(windowClosesBefore));
}

/** That the window is open. */
export function addOpenWindow(conditions: ScanConditions, now: number): void {
  conditions.filter(at => `t.window_minute is not null and ${windowEnd} > ${at}::bigint`, now);
}

/** @param user the parameter of a user's id */
function isUnread(user: string): string {
  return `coalesce((t.state ->> 'inbound')::bigint, 0) > coalesce((select c.inbound_count from read_cursors c
    where c.thread_id = t.thread_id and c.user_id = ${user} and c.project_id = $1 and c.environment_id = $2), 0)`;
}

export function isOfParticipant(
  conditions: ScanConditions,
  { derived, known, names }: ParticipantThreads,
): string {
  const isNamed = `external_ref = any (${conditions.parameter(names)}::text[])`;
  const isDerived = `thread_id = any (${conditions.parameter(derived)}::text[]) and ${isNamed}`;
  return `(${isDerived} or thread_id = any (${conditions.parameter(known)}::text[]))`;
}

/** Adds all filters as conditions on each row of `threads t`, for who reads the threads by other means than lists. */
export function addThreadFilters(conditions: ScanConditions, filter: ThreadFilter): void {
  addFilters(conditions, filter, { columns: [], few: [] });
  const { participant } = filter;
  if (participant !== undefined) conditions.filters.push(isOfParticipant(conditions, participant));
}
