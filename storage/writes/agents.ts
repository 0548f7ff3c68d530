/** What a commit requires of an agent: a message that an agent sends by itself stands on what was decided about the agent. */
import { statement, type Write } from '../statements/index.ts';
import { answeringVersion } from './agent-splits.ts';

// The rows that are found stay locked until the commit: whoever changes one of them waits for it, and is then later than the message. A row
// that was changed in the meantime is looked at again, as it is by then. They are locked by id, and before any snapshot: whoever waits here
// for a channel that another batch changes holds nothing but shared locks. Only two batches, each of which changes a channel that the other
// requires, end in a deadlock, and are repeated.
const requirement = statement(
  'agent.require',
  8,
  {
    agent_run_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    agent_id: 'text',
    thread_id: 'text',
    mode: 'text',
    channel_id: 'text',
  },
  input => `
    with rows as materialized (select * from ${input}), answering as materialized (
      select r.agent_run_id
      from rows r
      join agents a on a.agent_id = r.agent_id and a.project_id = r.project_id and a.environment_id = r.environment_id
      join looms l on l.loom_id = a.loom_id and l.project_id = a.project_id and l.environment_id = a.environment_id
      join loom_versions v on v.loom_version_id = ${answeringVersion('r.thread_id')} and v.loom_id = l.loom_id
        and v.project_id = l.project_id and v.environment_id = l.environment_id
      where a.archived_at is null and l.status = 'active'
        and (r.mode is null or coalesce(a.mode, v.mode, 'paused') = r.mode)
      order by a.agent_id, l.loom_id
      for share of a, l
    ), appointed as materialized (
      select r.agent_run_id
      from rows r
      join channels c on c.channel_id = r.channel_id and c.project_id = r.project_id and c.environment_id = r.environment_id
        and c.default_agent_id = r.agent_id
      order by c.channel_id
      for share of c
    )
    select skein_fence('agent', array(
      select r.agent_run_id from rows r
      where r.agent_run_id not in (select agent_run_id from answering)
        or (r.channel_id is not null and r.agent_run_id not in (select agent_run_id from appointed))))`,
);

export interface RequiredAgent {
  /** The run that sends. */
  readonly agentRunId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly agentId: string;
  /** The thread that it answers. */
  readonly threadId: string;
  /** The mode that the agent must have, of its own or by the version that answers the thread; null: any, since the thread's own goes before it. */
  readonly mode: string | null;
  /** The channel whose default agent it must be; null: the thread has named it, or a request. */
  readonly channelId: string | null;
}

/** An agent that cannot answer any more, or not like this, makes the commit fail with `Duplicate('agent', agentRunId)`. */
export function requireAgent(row: RequiredAgent): Write {
  return {
    statement: requirement,
    key: row.agentRunId,
    unique: true,
    values: [
      row.agentRunId,
      row.projectId,
      row.environmentId,
      row.agentId,
      row.threadId,
      row.mode,
      row.channelId,
    ],
  };
}
