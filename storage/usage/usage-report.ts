/** The report of usage: the counted days, the events beyond them, and the agent runs of the time, those that were removed included. */
import type { UsageGrouping, UsageRow } from '../../protocol/resources/index.ts';
import type { Queries } from '../database/index.ts';
import { messageCounts } from './count-usage.ts';

export interface UsageSpan {
  readonly projectId: string;
  readonly environmentId: string;
  /** Days of UTC, `2026-11-20`, both inclusive. */
  readonly from: string;
  readonly to: string;
  readonly groupBy: UsageGrouping;
  /** The last group of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** A group and its sums. `key` is empty for what has no such value. */
export type UsageRecord = Omit<UsageRow, 'day' | 'agentId' | 'channelId' | 'model' | 'provider'> & {
  readonly key: string;
};

/** By the grouping, of rows of `agent_runs` and of `usage_runs`. */
const groupKeys: Readonly<Record<UsageGrouping, string>> = {
  day: `(r.created_at at time zone 'UTC')::date::text`,
  agent: `coalesce(r.agent_id, '')`,
  channel: `coalesce((select t.channel_id from threads t where t.thread_id = r.thread_id and t.project_id = r.project_id), '')`,
  model: `r.model`,
  provider: `r.provider`,
};

const removedKeys: Readonly<Record<UsageGrouping, string>> = {
  day: `u.day::text`,
  agent: `u.agent_id`,
  // Their threads are gone as well.
  channel: `''`,
  model: `u.model`,
  provider: `u.provider`,
};

/** The instants of the days $3 to $4. */
const within = (column: string): string =>
  `${column} >= $3::date::timestamp at time zone 'UTC' and ${column} < ($4::date + 1)::timestamp at time zone 'UTC'`;

const runs = (grouping: UsageGrouping): string => `
  select ${groupKeys[grouping]} as key, 0 as inbound, 0 as outbound, 0 as deliveries, 0 as attempts, count(*) as runs, sum(r.tool_call_count) as tools,
    sum(r.prompt_tokens) as prompt, sum(r.completion_tokens) as completion, sum(r.total_tokens) as total,
    sum(r.estimated_cost_micros) as cost
  from agent_runs r where r.project_id = $1 and r.environment_id = $2 and ${within('r.created_at')} group by 1
  union all
  select ${removedKeys[grouping]}, 0, 0, 0, 0, u.runs, u.tool_calls, u.prompt_tokens, u.completion_tokens, u.total_tokens, u.cost_micros
  from usage_runs u where u.project_id = $1 and u.environment_id = $2 and u.day between $3::date and $4::date`;

const noRuns = '0 as runs, 0 as tools, 0 as prompt, 0 as completion, 0 as total, 0 as cost';

/** The messages that are not counted yet, by that key. */
const uncounted = (key: string): string => `
  select ${key} as key, ${messageCounts}, 0 as deliveries, 0 as attempts, ${noRuns}
  from events e where e.project_id = $1 and e.environment_id = $2 and ${within('e.occurred_at')}
    and e.seq > coalesce((select m.seq from usage_marks m where m.project_id = $1), 0)
    and e.event_name in ('thread.message.received', 'thread.message.created') group by 1`;

// One statement reads counted days and uncounted events, so every event is in exactly one of them; and so it is with the hours of stitches.
const ofDays = `
  select u.day::text as key, u.messages_inbound as inbound, u.messages_outbound as outbound, u.deliveries, u.delivery_attempts as attempts,
    ${noRuns}
  from usage_days u where u.project_id = $1 and u.environment_id = $2 and u.day between $3::date and $4::date
  union all ${uncounted(`(e.occurred_at at time zone 'UTC')::date::text`)}
  union all
  select (h.hour at time zone 'UTC')::date::text, 0, 0, sum(h.succeeded), sum(h.succeeded + h.failed), ${noRuns}
  from stitches s join stitch_hours h on h.stitch_id = s.stitch_id
  where s.project_id = $1 and s.environment_id = $2 and ${within('h.hour')} group by 1
  union all`;

// What was counted before channels were, or by a node that does not know them, belongs to none.
const ofChannels = `
  select c.channel_id as key, c.messages_inbound as inbound, c.messages_outbound as outbound, 0 as deliveries, 0 as attempts, ${noRuns}
  from usage_channel_days c where c.project_id = $1 and c.environment_id = $2 and c.day between $3::date and $4::date
  union all
  select '', rest.inbound, rest.outbound, 0, 0, ${noRuns} from (
    select sum(u.messages_inbound - coalesce(c.inbound, 0)) as inbound, sum(u.messages_outbound - coalesce(c.outbound, 0)) as outbound
    from usage_days u left join (
      select day, sum(messages_inbound) as inbound, sum(messages_outbound) as outbound from usage_channel_days
      where project_id = $1 and environment_id = $2 and day between $3::date and $4::date group by day
    ) c on c.day = u.day
    where u.project_id = $1 and u.environment_id = $2 and u.day between $3::date and $4::date
  ) rest where rest.inbound > 0 or rest.outbound > 0
  union all ${uncounted(`coalesce(e.channel_id, '')`)}
  union all`;

/** What is counted beside runs. */
const others: Readonly<Partial<Record<UsageGrouping, string>>> = { day: ofDays, channel: ofChannels };

const toSum = (column: string): string => `coalesce(sum(${column}), 0)::float8`;

const selectPage = (grouping: UsageGrouping): string => `
  select key, ${toSum('inbound')} as "messagesInbound", ${toSum('outbound')} as "messagesOutbound",
    ${toSum('deliveries')} as deliveries, ${toSum('attempts')} as "deliveryAttempts", ${toSum('runs')} as "agentRuns",
    ${toSum('tools')} as "toolCalls", ${toSum('prompt')} as "promptTokens", ${toSum('completion')} as "completionTokens",
    ${toSum('total')} as "totalTokens", ${toSum('cost')} as "estimatedCostMicros"
  from (${others[grouping] ?? ''} ${runs(grouping)}) as parts
  where $5::text is null or key collate "C" > $5
  group by key order by key collate "C" limit $6`;

const pages: Readonly<Record<UsageGrouping, string>> = {
  day: selectPage('day'),
  agent: selectPage('agent'),
  channel: selectPage('channel'),
  model: selectPage('model'),
  provider: selectPage('provider'),
};

export function usagePage(db: Queries, span: UsageSpan): Promise<UsageRecord[]> {
  const { projectId, environmentId, from, to, groupBy, after, limit } = span;
  return db.query<UsageRecord>(pages[groupBy], [projectId, environmentId, from, to, after ?? null, limit]);
}
