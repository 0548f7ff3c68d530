/** What the tests of examples ask for agents with: a channel whose threads an agent answers, with one tool. */
import type { Api } from '../../bench/demo/api.ts';

export interface AgentChannel {
  readonly projectId: string;
  readonly environmentId: string;
  readonly name: string;
  readonly systemPrompt: string;
  readonly provider: string;
  readonly model: string;
  readonly toolId: string;
  /** The key of the provider. */
  readonly secret: string;
}

/** Resolves with its id. */
export async function makeAgentChannel(
  api: Api,
  { projectId, environmentId, name, systemPrompt, provider, model, toolId, secret }: AgentChannel,
): Promise<string> {
  await api.post('/byok-credentials', { projectId, provider, displayName: name, secret });
  const loom = { projectId, name, systemPrompt, provider, model, toolIds: [toolId] };
  const { loomId } = await api.post<{ loomId: string }>('/looms', loom);
  const agent = { projectId, name, mode: 'auto', loomId };
  const { agentId } = await api.post<{ agentId: string }>('/agents', agent);
  const { channelId } = await api.post<{ channelId: string }>('/channels', {
    projectId,
    environmentId,
    name: 'Custom',
    kind: 'custom',
  });
  await api.patch(`/channels/${channelId}`, { projectId, defaultAgentId: agentId });
  return channelId;
}
