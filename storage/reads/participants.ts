/** Threads by their participant. A thread's id is made of its channel and participant, so that its messages need no index for it. */
import { deriveThreadId } from '../../protocol/ids.ts';
import type { Queries, TenantScope } from '../database/index.ts';

/** A participant as a request names them. */
export interface AskedParticipant extends TenantScope {
  /** As it was given, and in the chat provider's notation. */
  readonly names: readonly string[];
  /** The only channels to look in; undefined: all of the environment. */
  readonly channelIds: readonly string[] | undefined;
}

/** Threads that may be the participant's: `derived` are, if they still have one of the names; `known` are in any case. */
export interface ParticipantThreads {
  readonly names: readonly string[];
  readonly derived: readonly string[];
  readonly known: readonly string[];
}

const selectChannels = `
  select channel_id as "channelId" from channels
  where project_id = $1 and environment_id = $2 and ($3::text[] is null or channel_id = any ($3))`;

// The first part is served by the aliases' primary key, the second by threads_without_channel.
const selectKnown = `
  select a.thread_id as "threadId" from chatapp_aliases a
  where a.channel_id = any ($3::text[]) and a.alias = any ($4::text[]) and a.project_id = $1 and a.environment_id = $2
  union
  select t.thread_id from threads t
  where t.project_id = $1 and t.environment_id = $2 and t.channel_id is null and t.external_ref = any ($4::text[])`;

export async function findParticipantThreads(
  db: Queries,
  { projectId, environmentId, names, channelIds }: AskedParticipant,
): Promise<ParticipantThreads> {
  const tenant = [projectId, environmentId];
  const channels = await db.query<{ readonly channelId: string }>(
    selectChannels,
    [...tenant, channelIds ?? null],
    'participants.channels',
  );
  const ids = channels.map(({ channelId }) => channelId);
  const known = await db.query<{ readonly threadId: string }>(
    selectKnown,
    [...tenant, ids, names],
    'participants.known',
  );
  return {
    names,
    derived: ids.flatMap(channelId => names.map(name => deriveThreadId(environmentId, channelId, name))),
    known: known.map(({ threadId }) => threadId),
  };
}

// By the primary key of threads.
const selectRef = `
  select external_ref as "externalRef" from threads
  where thread_id = $1 and project_id = $2 and environment_id = $3`;

// By the index agent_runs_thread.
const countSent = `
  select count(*)::int as answers from agent_runs
  where project_id = $1 and environment_id = $2 and thread_id = any ($3::text[]) and thread_id <> $4
    and created_at >= $5 and mode = 'auto' and output_message_id is not null`;

/** Counts the automatic answers of agents since an instant on the other threads of the thread's participant. */
export async function countAnswersElsewhere(
  db: Queries,
  tenant: TenantScope,
  threadId: string,
  since: Date,
): Promise<number> {
  const { projectId, environmentId } = tenant;
  const [thread] = await db.query<{ readonly externalRef: string | null }>(
    selectRef,
    [threadId, projectId, environmentId],
    'participants.ref',
  );
  const name = thread?.externalRef ?? null;
  if (name === null) return 0;
  const { derived, known } = await findParticipantThreads(db, {
    ...tenant,
    names: [name],
    channelIds: undefined,
  });
  const [row] = await db.query<{ readonly answers: number }>(
    countSent,
    [projectId, environmentId, [...derived, ...known], threadId, since],
    'participants.answers',
  );
  return row?.answers ?? 0;
}
