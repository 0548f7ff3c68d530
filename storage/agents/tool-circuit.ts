/**
 * The circuit of a tool (decisions, section 4), kept in its row, so that all nodes have the same.
 *
 *   active -> error    5 calls in a row have failed; it is not called for 60 s
 *   error  -> error    one caller probes it: for another 60 s nobody else does. The probe fails: 60 s from then
 *   error  -> active   a call has succeeded
 *
 * What a user has disabled stays so, whatever calls that were out may say.
 */
import { LockMode } from '@mikro-orm/core';
import type { Database } from '../database.ts';
import { Tool } from '../entities/agents.ts';
import { appendEvents } from '../events.ts';
import type { Place } from '../reads/place.ts';
import { toolResource } from './tools.ts';

const mostFailures = 5;
const restMs = 60_000;

export interface ToolKey extends Place {
  readonly toolId: string;
}

const claim = `
  update tools set probe_at = $5
  where tool_id = $1 and project_id = $2 and environment_id = $3 and status = 'error'
    and (probe_at is null or probe_at <= $4)
  returning tool_id`;

export class ToolCircuit {
  readonly #db: Pick<Database, 'query' | 'em'>;

  constructor(db: Pick<Database, 'query' | 'em'>) {
    this.#db = db;
  }

  /** Whether the caller may probe a tool in error: one in 60 s may. `now` in epoch milliseconds. */
  async mayProbe({ toolId, projectId, environmentId }: ToolKey, now: number): Promise<boolean> {
    const values = [toolId, projectId, environmentId, new Date(now), new Date(now + restMs)];
    return (await this.#db.query(claim, values, 'tools.probe')).length > 0;
  }

  /** Notes what came of a call, and tells of a change of status in the same transaction. */
  async note(key: ToolKey, outcome: 'succeeded' | 'failed', now: number): Promise<void> {
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
        if (row.failures >= mostFailures) row.status = 'error';
        if (row.status === 'error') row.probeAt = new Date(now + restMs);
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
