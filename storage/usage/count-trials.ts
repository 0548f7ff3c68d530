/**
 * What trials of loom versions use. A trial has no row of its own: each answer of its model is added to the day at once, where the usage of
 * removed runs is kept as well, under no agent and as no run.
 */
import type { Provider } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';

export interface TrialUsage extends TenantScope {
  readonly provider: Provider;
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

const addUsage = `
  insert into usage_runs as u (project_id, environment_id, day, agent_id, model, provider, runs, tool_calls, prompt_tokens,
    completion_tokens, total_tokens, cost_micros)
  values ($1, $2, ($3::timestamptz at time zone 'UTC')::date, '', $4, $5, 0, 0, $6::bigint, $7::bigint, $6::bigint + $7::bigint, $8)
  on conflict (project_id, environment_id, day, agent_id, model, provider) do update set
    prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = u.completion_tokens + excluded.completion_tokens,
    total_tokens = u.total_tokens + excluded.total_tokens, cost_micros = u.cost_micros + excluded.cost_micros`;

/** Resolves when it is committed. */
export async function addTrialUsage(db: Queries, usage: TrialUsage): Promise<void> {
  const { projectId, environmentId, provider, model, promptTokens, completionTokens, costMicros, at } = usage;
  await db.query(
    addUsage,
    [projectId, environmentId, new Date(at), model, provider, promptTokens, completionTokens, costMicros],
    'usage.trial',
  );
}
