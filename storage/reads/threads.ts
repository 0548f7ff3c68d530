/**
 * Reads of threads. Lists name the project and the environment; `placeOfThread` alone does not, because it is how a Studio user's
 * request for a thread by its id finds out whose thread it is, before anything is shown.
 */
import type { Database } from '../database.ts';
import { Gathered } from './gathered.ts';
import type { Place } from './place.ts';
import { stretchOf, walkStatement, type Step, type Stretch } from './walk.ts';

type Queries = Pick<Database, 'query'>;

/** Whose a thread is: see `PlaceOf`. */
export async function placeOfThread(db: Queries, threadId: string): Promise<Place | undefined> {
  const [row] = await db.query<Place>(
    `select project_id as "projectId", environment_id as "environmentId" from threads where thread_id = $1`,
    [threadId],
    'threads.place',
  );
  return row;
}

/** A thread as its snapshot's row in JSON, which the actor's own code can read. */
export interface ThreadRecord {
  readonly threadId: string;
  readonly row: unknown;
}

const record = `t.thread_id as "threadId", to_jsonb(t) as row`;

const selectThreads = `
  select k.n::int - 1 as place, ${record}
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k(thread_id, project_id, environment_id, n)
  join threads t on t.thread_id = k.thread_id and t.project_id = k.project_id and t.environment_id = k.environment_id`;

/** A thread's id, and where it is looked for. */
export interface ThreadKey extends Place {
  readonly threadId: string;
}

/** Finds single threads; undefined where the place has no such thread. */
export function threadReader(db: Queries): Gathered<ThreadKey, ThreadRecord> {
  return new Gathered<ThreadKey, ThreadRecord>(async keys => {
    const rows = await db.query<ThreadRecord & { readonly place: number }>(
      selectThreads,
      [keys.map(key => key.threadId), keys.map(key => key.projectId), keys.map(key => key.environmentId)],
      'threads.find',
    );
    return new Map(rows.map(row => [row.place, row]));
  });
}

/** Undefined where the place has no such thread. */
export function findThread(db: Queries, place: Place, threadId: string): Promise<ThreadRecord | undefined> {
  return threadReader(db).read({ ...place, threadId });
}

const selectAssigned = `
  select t.thread_id as "threadId", t.project_id as "projectId", t.environment_id as "environmentId"
  from threads t join projects p on p.project_id = t.project_id
  where t.assignee_user_id = $1 and t.thread_id > $2 and p.workspace_id = $3 order by t.thread_id limit $4`;

/** A page of the threads in all projects of a workspace that a user is assigned to, by id, from after `after`. */
export function assignedThreads(
  db: Queries,
  asked: {
    readonly workspaceId: string;
    readonly userId: string;
    readonly after: string;
    readonly limit: number;
  },
): Promise<ThreadKey[]> {
  const { workspaceId, userId, after, limit } = asked;
  return db.query<ThreadKey>(selectAssigned, [userId, after, workspaceId, limit], 'threads.assigned');
}

export interface ThreadFilter extends Place {
  readonly status?: string | undefined;
  readonly agentMode?: string | undefined;
  readonly channelId?: string | undefined;
  readonly tag?: string | undefined;
  readonly assigneeUserId?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly updatedAfter?: string | undefined;
  readonly sort: 'lastMessageAt' | 'createdAt';
  /** Where the page before ended: the instant it sorts by, in epoch milliseconds, and the id. */
  readonly after?: { readonly at: number; readonly threadId: string } | undefined;
  readonly limit: number;
}

/** A row of a page with the instant it is sorted by. */
export interface ListedThread extends ThreadRecord, Step {
  readonly sortedAt: Date;
}

/**
 * What a list is sorted by, the instant last. By activity, the index has the whole second only: within it the server sorts. A busy
 * thread's row then keeps its index entries for as long as the second lasts, and its updates stay on its page (HOT).
 */
const sortColumns = {
  lastMessageAt: ['active_second', 'last_message_at'],
  createdAt: ['created_at'],
} as const;

/**
 * Filters that an index by activity has, where they are rare: threads that are not open, have a mode of their own, an assignee, or
 * tags. What is looked for among all the others is looked for on a walk.
 */
function indexed({
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

/** The statement of a page, and whether it looks through rows that were not asked for. */
export function threadStatement(filter: ThreadFilter): {
  readonly text: string;
  readonly values: unknown[];
  readonly walks: boolean;
} {
  const columns = sortColumns[filter.sort];
  const by = [...columns, 'thread_id'];
  const values: unknown[] = [filter.projectId, filter.environmentId];
  const within = ['t.project_id = $1', 't.environment_id = $2'];
  const wanted: string[] = [];
  const lead = indexed(filter);
  const narrow = (name: keyof ThreadFilter, condition: string): void => {
    if (filter[name] === undefined) return;
    const narrowed = condition.replace('?', `$${values.push(filter[name])}`);
    if (lead === name && name === 'tag') within.push(`t.tags <> '{}'`);
    if (lead === name && name !== 'tag') within.push(narrowed);
    else wanted.push(narrowed);
  };
  narrow('status', 't.status = ?');
  narrow('agentMode', 't.agent_mode = ?');
  narrow('channelId', 't.channel_id = ?');
  narrow('tag', '? = any (t.tags)');
  narrow('assigneeUserId', 't.assignee_user_id = ?');
  narrow('updatedAfter', 't.updated_at > ?');
  if (filter.after !== undefined) {
    const { at, threadId } = filter.after;
    const ends = columns.length === 1 ? [new Date(at)] : [Math.floor(at / 1_000), new Date(at)];
    const places = [...ends, threadId].map(value => `$${values.push(value)}`);
    within.push(`(${by.map(column => `t.${column}`).join(', ')}) < (${places.join(', ')})`);
  }
  const text = walkStatement({
    ...{ table: 'threads', as: 't', by, key: ['thread_id'], within, wanted, limit: filter.limit },
    columns: `${record}, t.${columns.at(-1) ?? ''} as "sortedAt"`,
  });
  return { text, values, walks: lead !== undefined || wanted.length > 0 };
}

/** A page of one environment's threads, newest first. */
export async function threadPage(
  db: Pick<Database, 'query' | 'walk'>,
  filter: ThreadFilter,
): Promise<Stretch<ListedThread>> {
  const { text, values, walks } = threadStatement(filter);
  const rows = walks
    ? await db.walk<ListedThread>(filter.projectId, text, values)
    : await db.query<ListedThread>(text, values);
  return stretchOf(rows, filter.limit);
}
