/**
 * Reads for the timeline of a message. No index is by message: the events of its thread are searched from its creation on, or from that
 * of the run which wrote it.
 */
import { derivedId, numberedId } from '../../protocol/ids.ts';
import type { AgentRun, TimelineDelivery, TimelineEvent } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { deliveryColumns, type DeliveryRecord, toDelivery, unrecordedOfEvents } from '../deliveries/index.ts';
import type { StoredMessage } from './messages.ts';
import type { ThreadKey } from './threads.ts';

/** Most events of the thread that are searched: bounds the cost of a busy thread. */
const maxSearched = 5_000;
/** Most entries of each list. */
const maxListed = 200;

type RunRow = {
  readonly [Name in keyof AgentRun]: Name extends `${string}At` ? Date | null : AgentRun[Name];
} & { readonly loomVersionId: string | null };

// The columns in the order of the resource.
const selectRuns = `
  select agent_run_id as "agentRunId", project_id as "projectId", environment_id as "environmentId", agent_id as "agentId",
    loom_id as "loomId", loom_version_id as "loomVersionId", thread_id as "threadId", input_message_id as "inputMessageId",
    output_message_id as "outputMessageId", status, provider, model, mode, prompt_tokens as "promptTokens",
    completion_tokens as "completionTokens", total_tokens as "totalTokens", estimated_cost_micros as "estimatedCostMicros",
    error_code as "errorCode", error_message as "errorMessage", tool_call_count as "toolCallCount", trace, metadata,
    started_at as "startedAt", completed_at as "completedAt", created_at as "createdAt", updated_at as "updatedAt"
  from agent_runs
  where thread_id = $1 and project_id = $2 and environment_id = $3 and $4 in (input_message_id, output_message_id)
  order by created_at, agent_run_id limit ${maxListed}`;

/** The runs that a message of the thread started, or that wrote it, oldest first. */
export async function listMessageRuns(db: Queries, key: ThreadKey, messageId: string): Promise<AgentRun[]> {
  const { threadId, projectId, environmentId } = key;
  const values = [threadId, projectId, environmentId, messageId];
  const rows = await db.query<RunRow>(selectRuns, values, 'timeline.runs');
  return rows.map(({ loomVersionId, startedAt, completedAt, createdAt, updatedAt, ...rest }) => ({
    ...rest,
    ...(loomVersionId === null ? {} : { loomVersionId }),
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: completedAt?.toISOString() ?? null,
    createdAt: (createdAt ?? new Date(0)).toISOString(),
    updatedAt: (updatedAt ?? new Date(0)).toISOString(),
  }));
}

interface EventRow {
  readonly eventId: string;
  readonly eventName: string;
  readonly occurredAt: Date;
  readonly sequence: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

// A text search first, which costs a fraction of parsing; the parsed fields exclude false matches in metadata.
const selectEvents = `
  select event_id as "eventId", event_name as "eventName", occurred_at as "occurredAt", sequence, data
  from (
    select e.event_id, e.event_name, e.occurred_at, e.sequence, e.seq,
      case when e.event_name in ('thread.message.received', 'thread.message.created', 'thread.message.updated',
          'channel.message.requested', 'channel.message.sent', 'channel.message.delivered', 'channel.message.read',
          'channel.message.delivery_failed') and strpos(e.body, $5) > 0
        or e.event_name in ('agent.tool.completed', 'agent.tool.failed')
      then e.body::jsonb -> 'data' end as data
    from events e
    where e.thread_id = $1 and e.project_id = $2 and e.environment_id = $3 and e.occurred_at >= $4
      and e.seq >= coalesce((
        select min(c.seq) from events c where c.event_id = any ($8::text[]) and c.occurred_at = any ($9::timestamptz[])
          and c.project_id = $2 and c.environment_id = $3), 0)
    order by e.seq limit ${maxSearched}
  ) as searched
  where data #>> '{message,messageId}' = $6 or data ->> 'agentRunId' = any ($7::text[])
  order by seq limit ${maxListed}`;

/** The events that are about the message, and the tool calls of its runs, in the order of the thread. */
export async function listMessageEvents(
  db: Queries,
  message: StoredMessage,
  environmentId: string,
  runs: readonly Pick<AgentRun, 'agentRunId' | 'createdAt'>[],
): Promise<TimelineEvent[]> {
  const { messageId, threadId, projectId, createdAt } = message;
  // The ids of the events that brought them, as decision-builder.ts of threads and of runs makes them: where the search begins.
  const starts = [
    { at: createdAt, eventId: numberedId('event', Date.parse(createdAt), threadId, message.sequence) },
    ...runs.map(({ agentRunId, createdAt: at }) => ({
      at,
      eventId: numberedId('event', Date.parse(at), derivedId('event', agentRunId), 1),
    })),
  ];
  const instants = starts.map(({ at }) => at);
  const rows = await db.query<EventRow>(
    selectEvents,
    [
      // ISO 8601 in UTC sorts by time.
      threadId,
      projectId,
      environmentId,
      [...instants].sort()[0],
      `"messageId":"${messageId}"`,
      messageId,
      runs.map(({ agentRunId }) => agentRunId),
      starts.map(({ eventId }) => eventId),
      instants,
    ],
    'timeline.events',
  );
  return rows.map(({ eventId, eventName, occurredAt, sequence, data }) => {
    const { actor, occurredAt: reportedAt, error, agentRunId, toolId, durationMs } = data;
    const found = { actor, reportedAt, error, agentRunId, toolId, durationMs };
    const present = Object.entries(found).filter(([, value]) => value !== undefined && value !== null);
    return {
      eventId,
      eventName,
      occurredAt: occurredAt.toISOString(),
      sequence,
      ...(Object.fromEntries(present) as Partial<TimelineEvent>),
    };
  });
}

// The delivery of an event to a stitch has a computed id and the instant of the event, so its whole key is known. What has no row yet is
// in the log.
const selectDeliveries = `
  select ${deliveryColumns}, s.name as "stitchName"
  from rows from (unnest($3::text[]), unnest($4::timestamptz[])) as e(event_id, occurred_at)
  join stitches s on s.project_id = $1 and s.environment_id = $2
  join webhook_deliveries d on d.delivery_id = skein_delivery_id(e.event_id, s.stitch_id) and d.created_at = e.occurred_at
  where d.project_id = $1 and d.environment_id = $2
  order by d.created_at, d.event_seq, d.delivery_id limit ${maxListed}`;

const selectNames = `
  select stitch_id as "stitchId", name from stitches where stitch_id = any ($3::text[]) and project_id = $1 and environment_id = $2`;

/** The deliveries that the events have caused, oldest first. */
export async function listEventDeliveries(
  db: Queries,
  { projectId, environmentId }: Pick<ThreadKey, 'projectId' | 'environmentId'>,
  events: readonly Pick<TimelineEvent, 'eventId' | 'occurredAt'>[],
): Promise<TimelineDelivery[]> {
  if (events.length === 0) return [];
  const ids = events.map(({ eventId }) => eventId);
  const instants = events.map(({ occurredAt }) => occurredAt);
  const values = [projectId, environmentId, ids, instants];
  const recorded = await db.query<DeliveryRecord & { readonly stitchName: string }>(
    selectDeliveries,
    values,
    'timeline.deliveries',
  );
  const unrecorded = await unrecordedOfEvents(db, { projectId, environmentId }, ids);
  const stitchIds = unrecorded.flatMap(({ delivery: { stitchId } }) => stitchId ?? []);
  const names = await readNames(db, { projectId, environmentId }, stitchIds);
  return [
    ...recorded.map(({ stitchName, ...row }) => ({
      seq: row.eventSeq,
      delivery: { ...toDelivery(row), stitchName },
    })),
    ...unrecorded.map(({ eventSeq, delivery }) => ({
      seq: eventSeq,
      delivery: { ...delivery, stitchName: names.get(delivery.stitchId ?? '') ?? null },
    })),
  ]
    .sort((a, b) => a.seq - b.seq || (a.delivery.deliveryId < b.delivery.deliveryId ? -1 : 1))
    .slice(0, maxListed)
    .map(({ delivery }) => delivery);
}

async function readNames(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  stitchIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (stitchIds.length === 0) return new Map();
  const rows = await db.query<{ readonly stitchId: string; readonly name: string }>(
    selectNames,
    [projectId, environmentId, [...new Set(stitchIds)]],
    'timeline.names',
  );
  return new Map(rows.map(({ stitchId, name }) => [stitchId, name]));
}
