/** What every request needs of the channel or environment that it names. By the id alone: whose it is, is for the caller to check. */
import type { ChannelKind, ChannelStatus, EnvironmentKind } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';

export interface ChannelHead extends TenantScope {
  readonly channelId: string;
  readonly kind: ChannelKind;
  readonly status: ChannelStatus;
  /** Answers on threads that name no agent. */
  readonly defaultAgentId: string | null;
}

/** Undefined where there is no such channel. */
export async function findChannelHead(db: Queries, channelId: string): Promise<ChannelHead | undefined> {
  const [row] = await db.query<ChannelHead>(
    `select channel_id as "channelId", project_id as "projectId", environment_id as "environmentId", kind, status,
       default_agent_id as "defaultAgentId"
     from channels where channel_id = $1`,
    [channelId],
    'channels.head',
  );
  return row;
}

export interface EnvironmentHead {
  readonly projectId: string;
  readonly kind: EnvironmentKind;
  /** Whether the project or its workspace is archived. */
  readonly isArchived: boolean;
}

/** Undefined where there is no such environment. */
export async function findEnvironmentHead(
  db: Queries,
  environmentId: string,
): Promise<EnvironmentHead | undefined> {
  const [row] = await db.query<EnvironmentHead>(
    `select e.project_id as "projectId", e.kind, coalesce(p.archived_at, w.archived_at) is not null as "isArchived"
     from environments e left join projects p on p.project_id = e.project_id left join workspaces w on w.workspace_id = p.workspace_id
     where e.environment_id = $1`,
    [environmentId],
    'environments.head',
  );
  return row;
}
