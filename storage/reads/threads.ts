/** Reads of single threads. For lists see thread-lists.ts. */
import { BatchLoader } from '../../runtime/time/index.ts';
import { createFindTenant, type Queries, type TenantScope } from '../database/index.ts';

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

/** What is selected of `threads t`. An agent that the environment does not have reads as none. Most threads name none, and are spared the look. */
export const record = `t.thread_id as "threadId", case when t.agent_id is null then to_jsonb(t) else
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
