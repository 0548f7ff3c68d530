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

/** A group and its sums. `key` is empty for runs without such a value. */
export type UsageRecord = Omit<UsageRow, 'day' | 'agentId' | 'model' | 'provider'> & { readonly key: string };

/** By the grouping, of rows of `agent_runs` and of `usage_runs`. */
const groupKeys: Readonly<Record<UsageGrouping, string>> = {
  day: `(r.created_at at time zone 'UTC')::date::text`,
  agent: `coalesce(r.agent_id, '')`,
  model: `r.model`,
  provider: `r.provider`,
};

const removedKeys: Readonly<Record<UsageGrouping, string>> = {
  day: `u.day::text`,
  agent: `u.agent_id`,
  model: `u.model`,
  provider: `u.provider`,
};

/** The instants of the days $3 to $4. */
const within = (column: string): string =>
  `${column} >= $3::date::timestamp at time zone 'UTC' and ${column} < ($4::date + 1)::timestamp at time zone 'UTC'`;

const runs = (grouping: UsageGrouping): string => `
  select ${groupKeys[grouping]} as key, 0 as inbound, 0 as outbound, count(*) as runs, sum(r.tool_call_count) as tools,
    sum(r.prompt_tokens) as prompt, sum(r.completion_tokens) as completion, sum(r.total_tokens) as total,
    sum(r.estimated_cost_micros) as cost
  from agent_runs r where r.project_id = $1 and r.environment_id = $2 and ${within('r.created_at')} group by 1
  union all
  select ${removedKeys[grouping]}, 0, 0, u.runs, u.tool_calls, u.prompt_tokens, u.completion_tokens, u.total_tokens, u.cost_micros
  from usage_runs u where u.project_id = $1 and u.environment_id = $2 and u.day between $3::date and $4::date`;

// One statement reads counted days and uncounted events, so every event is in exactly one of them.
const messages = `
  select u.day::text as key, u.messages_inbound as inbound, u.messages_outbound as outbound, 0 as runs, 0 as tools, 0 as prompt,
    0 as completion, 0 as total, 0 as cost
  from usage_days u where u.project_id = $1 and u.environment_id = $2 and u.day between $3::date and $4::date
  union all
  select (e.occurred_at at time zone 'UTC')::date::text, ${messageCounts}, 0, 0, 0, 0, 0, 0
  from events e where e.project_id = $1 and e.environment_id = $2 and ${within('e.occurred_at')}
    and e.seq > coalesce((select m.seq from usage_marks m where m.project_id = $1), 0)
    and e.event_name in ('thread.message.received', 'thread.message.created') group by 1
  union all`;

const toSum = (column: string): string => `coalesce(sum(${column}), 0)::float8`;

const selectPage = (grouping: UsageGrouping): string => `
  select key, ${toSum('inbound')} as "messagesInbound", ${toSum('outbound')} as "messagesOutbound", ${toSum('runs')} as "agentRuns",
    ${toSum('tools')} as "toolCalls", ${toSum('prompt')} as "promptTokens", ${toSum('completion')} as "completionTokens",
    ${toSum('total')} as "totalTokens", ${toSum('cost')} as "estimatedCostMicros"
  from (${grouping === 'day' ? messages : ''} ${runs(grouping)}) as parts
  where $5::text is null or key collate "C" > $5
  group by key order by key collate "C" limit $6`;

const pages: Readonly<Record<UsageGrouping, string>> = {
  day: selectPage('day'),
  agent: selectPage('agent'),
  model: selectPage('model'),
  provider: selectPage('provider'),
};

export function usagePage(db: Queries, span: UsageSpan): Promise<UsageRecord[]> {
  const { projectId, environmentId, from, to, groupBy, after, limit } = span;
  return db.query<UsageRecord>(pages[groupBy], [projectId, environmentId, from, to, after ?? null, limit]);
}
