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

export interface ThreadFilter extends TenantScope {
  readonly status?: string | undefined;
  readonly agentMode?: string | undefined;
  readonly channelId?: string | undefined;
  readonly tag?: string | undefined;
  readonly assigneeUserId?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly updatedAfter?: string | undefined;
  readonly sort: 'lastMessageAt' | 'createdAt';
  /** Where the previous page ended: the instant that it is sorted by, in epoch milliseconds, and the id. */
  readonly after?: { readonly at: number; readonly threadId: string } | undefined;
  readonly limit: number;
}

/** A row of a page, with the instant that it is sorted by. */
export interface ListedThread extends ThreadRecord, ScanRow {
  readonly sortedAt: Date;
}

/**
 * What a list is sorted by, the instant last. For sorting by activity the index has only the whole second, and the server sorts within
 * it. So a busy thread's row keeps its index entries for as long as the second lasts, and its updates stay on its page (HOT).
 */
const sortColumns = {
  lastMessageAt: ['active_second', 'last_message_at'],
  createdAt: ['created_at'],
} as const;

/**
 * The filter that an index by activity serves, because few threads fit it: threads that are not open, have a mode of their own, an
 * assignee, or tags. Every other filter is applied on a scan.
 */
function findIndexedFilter({
  sort,
  status,
  agentMode,
  assigneeUserId,
  tag,
}: ThreadFilter): 'assigneeUserId' | 'agentMode' | 'status' | 'tag' | undefined {
  if (sort !== 'lastMessageAt') return undefined;
  if (assigneeUserId !== undefined) return 'assigneeUserId';
  if (agentMode !== undefined) return 'agentMode';
  if (status !== undefined && status !== 'open') return 'status';
  return tag === undefined ? undefined : 'tag';
}

/** The statement of a page. */
export function threadStatement(filter: ThreadFilter): ScanStatement {
  const { projectId, environmentId, after, limit } = filter;
  const columns = sortColumns[filter.sort];
  const by = [...columns, 'thread_id'];
  const conditions = new ScanConditions(
    [projectId, environmentId],
    ['t.project_id = $1', 't.environment_id = $2'],
  );
  const indexed = findIndexedFilter(filter);
  const narrow = (name: keyof ThreadFilter, condition: (parameter: string) => string): void => {
    if (filter[name] === undefined) return;
    if (indexed === name && name === 'tag') conditions.range.push(`t.tags <> '{}'`);
    if (indexed === name && name !== 'tag') conditions.inRange(condition, filter[name]);
    else conditions.filter(condition, filter[name]);
  };
  narrow('status', status => `t.status = ${status}`);
  narrow('agentMode', mode => `t.agent_mode = ${mode}`);
  narrow('channelId', id => `t.channel_id = ${id}`);
  narrow('tag', tag => `${tag} = any (t.tags)`);
  narrow('assigneeUserId', id => `t.assignee_user_id = ${id}`);
  narrow('updatedAfter', at => `t.updated_at > ${at}`);
  if (after !== undefined) {
    const { at, threadId } = after;
    const ends = columns.length === 1 ? [new Date(at)] : [Math.floor(at / 1_000), new Date(at)];
    conditions.below(
      by.map(column => `t.${column}`),
      [...ends, threadId],
    );
  }
  const { values, range, filters } = conditions;
  const text = buildScanStatement({
    table: 'threads',
    as: 't',
    columns: `${record}, t.${columns.at(-1) ?? ''} as "sortedAt"`,
    by,
    key: ['thread_id'],
    range,
    filters,
    limit,
  });
  return { text, values, isScan: indexed !== undefined || filters.length > 0 };
}

/** A page of one environment's threads, newest first. */
export function threadPage(
  db: Pick<Database, 'query' | 'scan'>,
  filter: ThreadFilter,
): Promise<ScanPage<ListedThread>> {
  return readScanPage(db, filter.projectId, threadStatement(filter), filter.limit);
}
