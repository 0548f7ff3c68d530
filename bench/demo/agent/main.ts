/**
 * `npm run demo:agent`: an agent at work, against a local server that plays the three model providers. A question, a tool call and an
 * answer by each of them; a suggestion that an operator edits and approves; and a node that is killed in the middle of a
 * tool call, after which the run goes on.
 */
import { randomBytes } from 'node:crypto';
import type { Endings } from '../../support/endings.ts';
import { createChannel, signUp } from '../account.ts';
import type { Api, Message, Page } from '../api.ts';
import { ConsoleStream, type StreamEvent } from '../console-stream.ts';
import { display, since } from '../display.ts';
import { OrderSystem, orderTools } from '../order-system.ts';
import { perform, startNode } from '../perform.ts';
import { startScriptedModel } from '../scripted-model.ts';
import type { Server } from '../server.ts';

const providers = [
  { provider: 'llm_provider_1', model: 'gpt-4o-mini' },
  { provider: 'llm_provider_2', model: 'claude-sonnet-4-5' },
  { provider: 'llm_provider_3', model: 'gemini-2.5-flash' },
] as const;

const script = `
where is my order = Order A17 is on its way and arrives tomorrow.
refund = I can refund order A17 in full. Shall I?
cancel my order = Order B42 was still in the warehouse: it is cancelled.`;
const toolCalls = {
  'where is my order': { name: 'lookup_order', arguments: { orderId: 'A17' } },
  'cancel my order': { name: 'lookup_order', arguments: { orderId: 'B42' } },
};

interface Run {
  readonly agentRunId: string;
  readonly status: string;
  readonly errorCode: string | null;
  readonly toolCallCount: number;
  readonly totalTokens: number | null;
  readonly estimatedCostMicros: number | null;
  readonly trace: { readonly suggestion?: { readonly status: string; readonly body: string } };
}

interface Setting {
  readonly server: Server;
  readonly tool: OrderSystem;
  readonly stream: ConsoleStream;
  readonly api: Api;
  readonly projectId: string;
  readonly channelId: string;
  readonly loomId: string;
  readonly toolId: string;
}

const key = (): string => randomBytes(8).toString('hex');

async function setUp(endings: Endings): Promise<Setting> {
  display.title('An agent, from nothing');
  const models = await startScriptedModel(script, toolCalls);
  endings.teardown(() => models.stop());
  const tool = new OrderSystem();
  endings.teardown(() => tool.close());
  const { server } = await startNode(endings, {
    LLM_PROVIDER_1_URL: `${models.url}/v1`,
    LLM_PROVIDER_2_URL: `${models.url}/v1`,
    LLM_PROVIDER_3_URL: `${models.url}/v1beta`,
  });
  const { accessToken, api, projectId, environmentId } = await signUp(server.url);
  for (const { provider } of providers) {
    const secret = `key-${key()}`;
    await api.post('/byok-credentials', { projectId, provider, displayName: `Demo ${provider}`, secret });
  }
  display.hop('three provider keys registered: sealed, never shown again');

  const [lookup] = orderTools;
  const url = `${await tool.listen()}/${lookup.name}`;
  const definition = { projectId, ...lookup, url, retryMaxAttempts: 2 };
  const made = await api.post<{ toolId: string; signingSecret: string }>('/tools', definition);
  tool.trust(lookup.name, made.signingSecret);
  display.hop('tool registered; its secret lets it verify who calls', undefined, made.toolId);

  const { loomId } = await api.post<{ loomId: string }>('/looms', {
    projectId,
    name: 'Orders',
    systemPrompt: 'You answer questions about orders, shortly and kindly.',
    rules: ['Look an order up before you say anything about it.'],
    ...providers[0],
    toolIds: [made.toolId],
  });
  const agent = await api.post<{ agentId: string }>('/agents', {
    projectId,
    name: 'Order desk',
    mode: 'auto',
    loomId,
  });
  display.hop('loom and agent made', undefined, agent.agentId);

  const channelId = await createChannel(api, { projectId, environmentId }, 'Demo channel');
  await api.patch(`/channels/${channelId}`, { projectId, defaultAgentId: agent.agentId });
  display.hop('custom channel made; the agent answers its threads by default', undefined, channelId);
  const stream = new ConsoleStream(server.url, projectId, accessToken);
  endings.teardown(() => Promise.resolve(stream.close()));
  await stream.open();
  return { server, tool, stream, api, projectId, channelId, loomId, toolId: made.toolId };
}

/** A participant writes. */
async function say(setting: Setting, who: string, body: string): Promise<Message> {
  const { api, channelId, projectId } = setting;
  const path = `/channels/${channelId}/inbound-messages`;
  const message = await api.post<Message>(path, { projectId, externalParticipantRef: who, body }, key());
  display.note(`${who}: ${body}`);
  return message;
}

/** The next event of that name on the thread, after `from`. */
async function next(setting: Setting, name: string, threadId: string, from: number): Promise<StreamEvent> {
  return await setting.stream.find(
    ({ at, event }) => at >= from && event.eventName === name && event.data['threadId'] === threadId,
  );
}

const getRun = ({ event }: StreamEvent): Run => event.data['agentRun'] as Run;

async function answered(setting: Setting): Promise<void> {
  const { api, projectId, loomId, toolId, stream } = setting;
  for (const { provider, model } of providers) {
    display.title(`A question, a tool call and an answer: ${provider}, ${model}`);
    const version = await api.post<{ loomVersionId: string; version: number }>(`/looms/${loomId}/versions`, {
      projectId,
      systemPrompt: 'You answer questions about orders, shortly and kindly.',
      provider,
      model,
      toolIds: [toolId],
    });
    display.hop(`loom version ${version.version} published and active`, undefined, version.loomVersionId);
    const from = performance.now();
    const { threadId } = await say(setting, `ada-${provider}`, 'Where is my order?');
    const started = await next(setting, 'agent.run.started', threadId, from);
    display.hop('run started, after 1.5 s of quiet on the thread', started.at - from);
    const called = await next(setting, 'agent.tool.completed', threadId, from);
    display.hop('tool called over HTTP, signature verified', called.at - from, setting.tool.calls.at(-1));
    const sent = await next(setting, 'thread.message.created', threadId, from);
    const done = await next(setting, 'agent.run.succeeded', threadId, from);
    const { totalTokens, estimatedCostMicros } = getRun(done);
    const cost =
      estimatedCostMicros === null ? 'price not known' : `${estimatedCostMicros} millionths of a dollar`;
    display.hop('answer sent by the agent', sent.at - from, `${totalTokens ?? 0} tokens, ${cost}`);
    display.note(`agent: ${(sent.event.data['message'] as Message).body}`);
    const deltas = stream.ephemeral.filter(
      ({ eventName, data }) => eventName === 'agent.output.delta' && data['threadId'] === threadId,
    );
    display.hop('the Console stream showed it while it was written', undefined, `${deltas.length} pieces`);
  }
}

async function suggested(setting: Setting): Promise<void> {
  const { api, projectId } = setting;
  display.title('Suggest mode: an operator edits and approves');
  const greeting = await say(setting, 'grace', 'Where is my order?');
  const { threadId } = greeting;
  await api.patch(`/threads/${threadId}`, { projectId, agentMode: 'suggest' });
  const from = performance.now();
  await say(setting, 'grace', 'I want a refund.');
  const created = await next(setting, 'agent.suggestion.created', threadId, from);
  const { agentRunId, suggestion } = created.event.data as unknown as {
    agentRunId: string;
    suggestion: { body: string };
  };
  display.hop('the agent suggests, and nothing is sent', created.at - from, suggestion.body);
  const resolved = await api.post<Run>(`/agent-runs/${agentRunId}/resolve-suggestion`, {
    projectId,
    action: 'approve',
    body: 'You will have your money back by Friday.',
  });
  display.hop(`approved with another text: the suggestion is ${resolved.trace.suggestion?.status ?? ''}`);
  const sent = await next(setting, 'thread.message.created', threadId, from);
  display.note(`operator, with the agent: ${(sent.event.data['message'] as Message).body}`);
}

async function killed(setting: Setting): Promise<void> {
  const { server, tool, stream } = setting;
  display.title('SIGKILL in the middle of a tool call');
  const before = tool.calls.length;
  tool.holds = true;
  const from = performance.now();
  const { threadId } = await say(setting, 'linus', 'Cancel my order, please.');
  await tool.called(before + 1);
  display.hop('the tool has been called, and takes its time', since(from), tool.calls.at(-1));
  await server.kill();
  stream.close();
  display.hop('node killed');
  tool.holds = false;
  display.hop('node started again on the same data', await server.start());
  await stream.open();
  const resumed = performance.now();
  const done = await next(setting, 'agent.run.succeeded', threadId, from);
  const [first, second] = tool.calls.slice(before);
  display.hop('the run went on where it was, and has ended', done.at - resumed);
  if (tool.calls.length !== before + 2 || first !== second)
    throw new Error('the tool call was not repeated by its rule');
  display.hop(
    'the lost call was made again, by the tool’s own retry rule',
    undefined,
    `the same key: ${second ?? ''}`,
  );
  const sent = await next(setting, 'thread.message.created', threadId, from);
  display.note(`agent: ${(sent.event.data['message'] as Message).body}`);
  const { data } = await setting.api.get<Page<{ direction: string }>>(
    `/threads/${threadId}/messages?projectId=${setting.projectId}`,
  );
  const answers = data.filter(message => message.direction === 'outbound');
  if (answers.length !== 1) throw new Error(`${answers.length} answers instead of one`);
  display.hop('one answer, once');
  if (tool.refused > 0) throw new Error(`${tool.refused} calls of the tool had a wrong signature`);
}

await perform(async endings => {
  const setting = await setUp(endings);
  await answered(setting);
  await suggested(setting);
  await killed(setting);
  display.title('Done');
  display.note('docs/guide/agents.md shows the same with curl and with your own keys.');
});
