/**
 * Tools for those who call them, and the circuit of each (docs/contract-decisions.md, "States"), kept in its row so that all nodes share
 * it:
 *
 *   active -> error    5 consecutive calls have failed; the tool is not called for 60 s
 *   error  -> error    one caller probes it, and for another 60 s nobody else does; a probe that fails starts the 60 s again
 *   error  -> active   a call has succeeded
 *
 * A tool that a user has disabled stays disabled, whatever becomes of calls in flight.
 */
import type { EnvironmentKind, ToolMethod, ToolStatus } from '../../protocol/resources/index.ts';
import { LockMode } from '@mikro-orm/core';
import type { Database, Queries, TenantScope } from '../database/index.ts';
import { type FormerSecret, Tool } from '../entities/index.ts';
import { appendEvents } from '../events/index.ts';
import { toolResource } from './tools.ts';

/** A tool with its secrets, sealed. */
export interface CallableTool {
  readonly toolId: string;
  readonly url: string | null;
  readonly method: ToolMethod;
  readonly sealedHeaders: string | null;
  readonly signingSecret: string;
  /** They sign, too, each until its time. */
  readonly formerSecrets: readonly FormerSecret[];
  readonly inputSchema: Readonly<Record<string, unknown>> | null;
  readonly timeoutMs: number;
  readonly retryMaxAttempts: number;
  readonly retryBackoffMs: number;
  readonly requiresApproval: boolean;
  readonly status: ToolStatus;
  readonly updatedAt: Date;
  /** Consecutive failed calls. */
  readonly failures: number;
  readonly environmentKind: EnvironmentKind;
}

const selectCallable = `
  select t.tool_id as "toolId", t.url, t.method, t.sealed_headers as "sealedHeaders", t.signing_secret as "signingSecret",
    t.former_secrets as "formerSecrets",
    t.input_schema as "inputSchema", t.timeout_ms as "timeoutMs", t.retry_max_attempts as "retryMaxAttempts",
    t.retry_backoff_ms as "retryBackoffMs", t.requires_approval as "requiresApproval", t.status, t.failures, t.updated_at as "updatedAt",
    e.kind as "environmentKind"
  from tools t join environments e on e.environment_id = t.environment_id and e.project_id = t.project_id
  where t.tool_id = $1 and t.project_id = $2 and t.environment_id = $3`;

/** Undefined where the environment has no such tool. */
export async function findCallableTool(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  toolId: string,
): Promise<CallableTool | undefined> {
  const [row] = await db.query<CallableTool>(
    selectCallable,
    [toolId, projectId, environmentId],
    'tools.callable',
  );
  return row;
}

/** Consecutive failures that open the circuit. */
const maxFailures = 5;
/** Milliseconds that an open circuit waits before the next probe. */
const probeIntervalMs = 60_000;

export interface ToolKey extends TenantScope {
  readonly toolId: string;
}

const claimProbe = `
  update tools set probe_at = $5
  where tool_id = $1 and project_id = $2 and environment_id = $3 and status = 'error'
    and (probe_at is null or probe_at <= $4)
  returning tool_id`;

export class ToolCircuit {
  readonly #db: Pick<Database, 'query' | 'em'>;

  constructor(db: Pick<Database, 'query' | 'em'>) {
    this.#db = db;
  }

  /** Whether the caller may probe a tool in error: one caller in 60 s may. `now` in epoch milliseconds. */
  async claimProbe({ toolId, projectId, environmentId }: ToolKey, now: number): Promise<boolean> {
    const values = [toolId, projectId, environmentId, new Date(now), new Date(now + probeIntervalMs)];
    return (await this.#db.query(claimProbe, values, 'tools.probe')).length > 0;
  }

  /** Records the outcome of a call; a change of the status is an event in the same transaction. */
  async recordOutcome(key: ToolKey, outcome: 'succeeded' | 'failed', now: number): Promise<void> {
    const { toolId, projectId, environmentId } = key;
    await this.#db.em().transactional(async em => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const row = await em.findOne(Tool, { toolId, projectId, environmentId }, lock);
      if (row === null || row.status === 'disabled') return;
      const before = row.status;
      if (outcome === 'succeeded') {
        Object.assign(row, { status: 'active', failures: 0, probeAt: null });
      } else {
        row.failures++;
        if (row.failures >= maxFailures) row.status = 'error';
        if (row.status === 'error') row.probeAt = new Date(now + probeIntervalMs);
      }
      if (row.status === before) return;
      row.updatedAt = new Date(now);
      await em.flush();
      const actor = { type: 'system', id: null };
      const data = { actor, tool: toolResource(row) };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'tool.status.changed', data }]);
    });
  }
}
