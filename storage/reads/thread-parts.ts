/**
 * Where the threads of a list are found. By activity there are parts of the table, each with an index in that order, of which a list reads as
 * many as it needs, side by side: one for each value of a filter, and for each status. What no index has in the wanted order is found first
 * and then sorted, where it is few threads.
 *
 * An index costs each message that comes in another second than the one before (test/storage/reads/threads.test.ts), so each serves several
 * reads: threads_by_status all threads, those of a status, and open ones; threads_by_channel, threads_of_user and threads_of_mode any status of theirs.
 */
import { threadStatuses } from '../../protocol/resources/index.ts';
import type { Database } from '../database/index.ts';
import { maxScannedRows, ScanConditions } from '../paging/index.ts';
import {
  changedSecond,
  few,
  type FewName,
  type FilteredColumn,
  filteredColumns,
  type Served,
  type ThreadFilter,
  toMinute,
  toSecond,
  type Wanted,
} from './thread-filters.ts';

/** Conditions of the parts of the table that a list is read from. No thread is in two of them. */
export interface ThreadParts extends Served {
  readonly conditions: readonly string[];
}

const everything: readonly string[] = threadStatuses;
/** Filters by a column that an index has before the status, and what its threads have in common. */
const byColumn: readonly FilteredColumn[] = ['assigneeUserId', 'agentMode', 'channelId'];

const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/** The parts by activity, of which few threads have what is asked for; undefined: the list is read by other means. */
export function findParts(
  conditions: ScanConditions,
  filter: ThreadFilter & { readonly sort: string },
): ThreadParts | undefined {
  const { sort, status, tag } = filter;
  if (sort !== 'lastMessageAt' || filter.participant !== undefined) return undefined;
  for (const name of ['hasPendingSuggestion', 'failedSends'] as const) {
    if (filter[name] === true) return { columns: [], few: [name], conditions: [few[name]] };
  }
  const statuses = unique(status ?? everything);
  const cross = (parts: readonly string[]): readonly string[] =>
    parts.flatMap(part =>
      statuses.map(each => `${part === '' ? '' : `${part} and `}t.status = ${conditions.parameter(each)}`),
    );
  if (filter.assigneeUserId?.includes(null) === true) {
    const owned = filter.assigneeUserId.filter(each => each !== null);
    if (status === undefined || statuses.some(each => each !== 'open')) return toOthers();
    const nobodys = `t.status = 'open' and t.assignee_user_id is null`;
    const theirs = cross(unique(owned).map(each => `t.assignee_user_id = ${conditions.parameter(each)}`));
    return { columns: ['status', 'assigneeUserId'], few: [], conditions: [nobodys, ...theirs] };
  }
  return toOthers();

  function toOthers(): ThreadParts {
    for (const name of byColumn) {
      const values = toValues(filter[name]);
      if (values === undefined) continue;
      const parts = values.map(value => `${filteredColumns[name]} = ${conditions.parameter(value)}`);
      return { columns: ['status', name], few: [], conditions: cross(parts) };
    }
    if (tag !== undefined) return { columns: [], few: [], conditions: [`t.tags <> '{}'`] };
    return { columns: ['status'], few: [], conditions: cross(['']) };
  }
}

/** Values that an index finds: it has none of what there is not. */
function toValues(wanted: Wanted): readonly string[] | undefined {
  if (wanted === undefined || wanted.includes(null)) return undefined;
  return unique(wanted.filter(value => value !== null));
}

/** With which an index finds threads, in whatever order, and what that serves. */
export interface Choice extends Served {
  readonly toCondition: (parameter: (value: unknown) => string) => string;
  /** The order of that index: of tables that it knows little of, the planner would take another. */
  readonly by: string;
}

const orderOfFew: Readonly<Record<FewName, string>> = {
  hasPendingSuggestion: 't.active_second',
  failedSends: 't.active_second',
  awaitingReply: 't.waiting_since',
  snoozed: 't.snoozed_until',
};

function listChoices(filter: ThreadFilter): readonly Choice[] {
  const { windowClosesBefore, updatedAfter, now } = filter;
  const choices: Choice[] = [];
  for (const name of Object.keys(few) as FewName[]) {
    if (filter[name] === true)
      choices.push({ toCondition: () => few[name], by: orderOfFew[name], columns: [], few: [name] });
  }
  for (const name of [...byColumn, 'status'] as const) {
    const values = toValues(filter[name]);
    if (values === undefined) continue;
    choices.push({
      toCondition: parameter => `${filteredColumns[name]} = any (${parameter(values)}::text[])`,
      by: name === 'status' ? 't.status, t.active_second' : `${filteredColumns[name]}, t.status`,
      columns: [name],
      few: [],
    });
  }
  if (windowClosesBefore !== undefined) {
    const minutes = [toMinute(now), toMinute(Date.parse(windowClosesBefore))];
    choices.push({
      toCondition: parameter =>
        `t.window_minute between ${minutes.map(each => `${parameter(each)}::bigint`).join(' and ')}`,
      by: 't.window_minute',
      columns: [],
      few: [],
    });
  }
  if (updatedAfter !== undefined) {
    const second = toSecond(Date.parse(updatedAfter));
    choices.push({
      toCondition: parameter => `${changedSecond} >= ${parameter(second)}::bigint`,
      by: changedSecond,
      columns: [],
      few: [],
    });
  }
  return choices;
}

/**
 * What fewest threads have of that which is asked for, if they are no more than a page may read: found first, they make a page that is
 * full. Each is counted by an index, up to this number: a millisecond for what is too many. Undefined where they are more.
 */
export async function findFew(db: Pick<Database, 'scan'>, filter: ThreadFilter): Promise<Choice | undefined> {
  const { projectId, environmentId } = filter;
  const conditions = new ScanConditions([projectId, environmentId], []);
  const choices = listChoices(filter);
  if (choices.length === 0) return undefined;
  const counts = choices.map(
    ({ toCondition, by }) => `(select count(*)::int from (select from threads t
      where t.project_id = $1 and t.environment_id = $2 and ${toCondition(value => conditions.parameter(value))}
      order by ${by} limit ${maxScannedRows + 1}) found)`,
  );
  const count = `select array[${counts.join(', ')}] as counts`;
  const [row] = await db.scan<{ counts: readonly number[] }>(projectId, count, conditions.values);
  const found = row?.counts ?? [];
  const least = Math.min(...found);
  return least > maxScannedRows ? undefined : choices[found.indexOf(least)];
}
