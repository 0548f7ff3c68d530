/** Reads of threads. Lists name the project and the environment. */
import { BatchLoader } from '../../runtime/time/index.ts';
import { createFindTenant, type Database, type Queries, type TenantScope } from '../database/index.ts';
import {
  buildScanStatement,
  readScanPage,
  ScanConditions,
  type ScanPage,
  type ScanRow,
  type ScanStatement,
} from '../paging/index.ts';
import type { ParticipantThreads } from './participants.ts';

export const findThreadTenant = createFindTenant('threads', 'thread_id');

/** A thread, and the tenant that it must belong to. */
export interface ThreadKey extends TenantScope {
  readonly threadId: string;
}

/** A thread as its snapshot's row in JSON, which the actor's code decodes. */
export interface ThreadRecord {
  readonly threadId: string;
  readonly row: unknown;
}

// An agent that the environment does not have reads as none. Most threads name none, and are spared the look.
const record = `t.thread_id as "threadId", case when t.agent_id is null then to_jsonb(t) else
    to_jsonb(t) || jsonb_build_object('agent_id', (select a.agent_id from agents a
      where a.agent_id = t.agent_id and a.project_id = t.project_id and a.environment_id = t.environment_id)) end as row`;

const selectThreads = `
  select k.n::int - 1 as position, ${record}
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k(thread_id, project_id, environment_id, n)
  join threads t on t.thread_id = k.thread_id and t.project_id = k.project_id and t.environment_id = k.environment_id`;

/** Most threads of one query. */
const maxLoaded = 500;

/** Finds single threads, all of one turn of the event loop by one query; undefined where the environment has no such thread. */
export function createThreadLoader(db: Queries): BatchLoader<ThreadKey, ThreadRecord | undefined> {
  return new BatchLoader<ThreadKey, ThreadRecord | undefined>(async keys => {
    const rows = await db.query<ThreadRecord & { readonly position: number }>(
      selectThreads,
      [keys.map(key => key.threadId), keys.map(key => key.projectId), keys.map(key => key.environmentId)],
      'threads.find',
    );
    const found = new Map(rows.map(row => [row.position, row]));
    return keys.map((_, position) => found.get(position));
  }, maxLoaded);
}

/** Undefined where the environment has no such thread. */
export function findThread(
  db: Queries,
  tenant: TenantScope,
  threadId: string,
): Promise<ThreadRecord | undefined> {
  return createThreadLoader(db).load({ ...tenant, threadId });
}

/** How the participant of a thread is named in its channel; null where nobody knows, or it was erased. */
export async function findParticipantRef(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  threadId: string,
): Promise<string | null> {
  const [row] = await db.query<{ ref: string | null }>(
    'select external_ref as ref from threads where thread_id = $1 and project_id = $2 and environment_id = $3',
    [threadId, projectId, environmentId],
    'threads.participant',
  );
  return row?.ref ?? null;
}

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
 * What a list is sorted by. For what messages change the index has only the whole second, and the server sorts within it. So a busy thread's
 * row keeps its index entries for as long as the second lasts, and its updates stay on its page (HOT).
 */
const orders = {
  lastMessageAt: { second: 't.active_second', instant: 'last_message_at' },
  updatedAt: { second: 'greatest(t.active_second, t.updated_second)', instant: 'updated_at' },
  createdAt: { second: undefined, instant: 'created_at' },
} as const;

/**
 * The filter that an index by activity serves, because few threads fit it: threads that are not open, have a mode of their own, an
 * assignee, or tags. An index has one value in order, so that several values, and the lack of one, are looked for on a scan, as is every
 * other filter.
 */
function findIndexedFilter(
  filter: ThreadFilter,
): 'assigneeUserId' | 'agentMode' | 'status' | 'tag' | undefined {
  const { sort, status, agentMode, assigneeUserId, tag } = filter;
  const isOne = (wanted: Wanted): boolean => wanted?.length === 1 && wanted[0] !== null;
  if (sort !== 'lastMessageAt' || filter.participant !== undefined) return undefined;
  if (isOne(assigneeUserId)) return 'assigneeUserId';
  if (isOne(agentMode)) return 'agentMode';
  if (isOne(status) && status?.[0] !== 'open') return 'status';
  return tag === undefined ? undefined : 'tag';
}

const filteredColumns = {
  status: 't.status',
  agentMode: 't.agent_mode',
  channelId: 't.channel_id',
  assigneeUserId: 't.assignee_user_id',
} as const;

function addFilters(conditions: ScanConditions, filter: ThreadFilter): void {
  const indexed = findIndexedFilter(filter);
  const { tag, updatedAfter, sort } = filter;
  for (const [name, column] of Object.entries(filteredColumns)) {
    const wanted = filter[name as keyof typeof filteredColumns];
    if (wanted === undefined) continue;
    if (indexed === name) conditions.inRange(value => `${column} = ${value}`, wanted[0]);
    else {
      const orNone = wanted.includes(null) ? ` or ${column} is null` : '';
      const values = wanted.filter(value => value !== null);
      conditions.filter(parameter => `(${column} = any (${parameter}::text[])${orNone})`, values);
    }
  }
  if (indexed === 'tag') conditions.range.push(`t.tags <> '{}'`);
  conditions.filter(tags => `t.tags && ${tags}::text[]`, tag);
  conditions.filter(at => `t.updated_at > ${at}`, updatedAfter);
  if (sort === 'updatedAt' && updatedAfter !== undefined) {
    const second = Math.floor(Date.parse(updatedAfter) / 1_000);
    conditions.inRange(from => `${orders.updatedAt.second} >= ${from}::bigint`, second);
  }
}

/** The threads that a list is of. Those of a participant are few: they are found first, and then sorted. */
function describeTable(conditions: ScanConditions, participant: ParticipantThreads | undefined): string {
  if (participant === undefined) return 'threads';
  const { derived, known, names } = participant;
  const isNamed = `external_ref = any (${conditions.parameter(names)}::text[])`;
  const isDerived = `thread_id = any (${conditions.parameter(derived)}::text[]) and ${isNamed}`;
  const isKnown = `thread_id = any (${conditions.parameter(known)}::text[])`;
  return `(select * from threads where ${isDerived} or ${isKnown} offset 0)`;
}

/** The statement of a page. */
export function threadStatement(filter: ThreadFilter): ScanStatement {
  const { projectId, environmentId, participant, after, limit, order = 'desc' } = filter;
  const { second, instant } = orders[filter.sort];
  const conditions = new ScanConditions(
    [projectId, environmentId],
    ['t.project_id = $1', 't.environment_id = $2'],
  );
  const table = describeTable(conditions, participant);
  addFilters(conditions, filter);
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
  return { text, values, isScan: findIndexedFilter(filter) !== undefined || filters.length > 0 };
}

/** A page of one environment's threads. */
export function threadPage(
  db: Pick<Database, 'query' | 'scan'>,
  filter: ThreadFilter,
): Promise<ScanPage<ListedThread>> {
  return readScanPage(db, filter.projectId, threadStatement(filter), filter.limit);
}
