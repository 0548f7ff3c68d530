/** A channel as REST and events show it (specification, "Channel"). */
import type { Channel } from '../../protocol/resources/channel.ts';
import type { ChannelState } from './state.ts';

/** The resource of a channel that exists; the fields of its state are ISO 8601 already. */
export function channelView(state: ChannelState, channelId: string): Channel {
  const { projectId, environmentId, name, kind, status, defaultAgentId, metadata, createdAt, updatedAt } =
    state;
  return {
    channelId,
    projectId,
    environmentId,
    name,
    kind,
    status,
    defaultAgentId,
    metadata,
    createdAt,
    updatedAt,
  };
}
