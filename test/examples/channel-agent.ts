/** An agent with one tool that answers the threads of a channel. */
import type { Api } from '../../bench/demo/api.ts';

export interface ChannelAgent {
  readonly projectId: string;
  readonly channelId: string;
  readonly name: string;
  readonly systemPrompt: string;
  readonly provider: string;
  readonly model: string;
  readonly toolId: string;
  /** The key of the provider. */
  readonly secret: string;
}

export async function createChannelAgent(
  api: Api,
  { projectId, channelId, name, systemPrompt, provider, model, toolId, secret }: ChannelAgent,
): Promise<void> {
  await api.post('/byok-credentials', { projectId, provider, displayName: name, secret });
  const loom = { projectId, name, systemPrompt, provider, model, toolIds: [toolId] };
  const { loomId } = await api.post<{ loomId: string }>('/looms', loom);
  const agent = { projectId, name, mode: 'auto', loomId };
  const { agentId } = await api.post<{ agentId: string }>('/agents', agent);
  await api.patch(`/channels/${channelId}`, { projectId, defaultAgentId: agentId });
}
