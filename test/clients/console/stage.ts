/** One conversation in each state, with a model, tools and a chat provider, for tests and benchmarks of all screens of the Console. */
import { LLMock } from '@copilotkit/aimock';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';
import type { Ending } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, Receiver } from '../../support/receiver.ts';
import { customerFiles } from '../../../bench/demo/console/customers.ts';
import { type ConsoleAccount, receive, type SharedConsole } from './console-page.ts';

export interface StageServices {
  readonly model: LLMock;
  readonly provider: ChatappProvider;
  readonly tool: Receiver;
  /** Secret of the credential for the model. */
  readonly modelSecret: string;
  /** Variables of a node that uses these services. */
  readonly variables: Readonly<Record<string, string>>;
}

const suggested =
  'I have found it: your parcel left our warehouse yesterday evening and arrives tomorrow before noon.';

/** What an agent is asked with, and does. */
const calls = {
  lookup: /A17/,
  refund: /refund/,
  human: /a person/,
} as const;

/** @param shared provider and models of the shared node. Without it, start a node with the variables. */
export async function startStageServices(
  t: Ending,
  shared?: Pick<SharedConsole, 'provider' | 'models'>,
): Promise<StageServices> {
  const model = new LLMock({ port: 0, strict: true, logLevel: 'silent' });
  const call = (name: string, input: object) => ({
    toolCalls: [{ id: `call_${name}`, name, arguments: JSON.stringify(input) }],
    usage: { prompt_tokens: 412, completion_tokens: 38 },
  });
  const order = { orderId: 'A17' };
  model.on({ userMessage: calls.lookup, hasToolResult: false }, call('lookup_order', order));
  model.on({ userMessage: calls.refund, hasToolResult: false }, call('refund_order', { orderId: 'D58' }));
  model.on(
    { userMessage: calls.human, hasToolResult: false },
    call('request_human', { reason: 'A complaint' }),
  );
  model.on(
    { userMessage: /./ },
    { content: suggested, usage: { prompt_tokens: 412, completion_tokens: 38 } },
  );
  await model.start();
  t.teardown(() => model.stop());
  const provider = shared?.provider ?? (await ChatappProvider.start());
  if (shared === undefined) t.teardown(() => provider.stop());
  const modelSecret = shared?.models.register(`${model.url}/v1`) ?? 'sk-0123456789';
  const tool = await Receiver.start();
  tool.behaviour = answer(
    200,
    { 'content-type': 'application/json' },
    JSON.stringify({ orderId: 'A17', status: 'on its way', arrives: 'tomorrow before noon' }),
  );
  t.teardown(() => tool.stop());
  const variables = {
    LLM_PROVIDER_1_URL: `${model.url}/v1`,
    CHATAPP_GRAPH_URL: provider.url,
    ALLOW_PRIVATE_ADDRESSES: 'true',
  };
  return { model, provider, tool, modelSecret, variables };
}

/** The conversations, by the state that each is in. */
export interface Stage {
  readonly account: ConsoleAccount;
  readonly threads: Readonly<
    Record<'full' | 'suggestion' | 'approval' | 'handoff' | 'windowClosed' | 'erased' | 'snoozed', string>
  >;
  /** The address of a queue, or of a conversation in it, below the server's. */
  path(queue: string, threadId?: string): string;
  /** The same of the project's production. */
  readonly productionPath: string;
}

/** @param confirm marks the owner's address as verified */
export async function setStage(
  account: ConsoleAccount,
  { provider, tool, modelSecret }: StageServices,
  confirm: (userId: string) => Promise<unknown>,
): Promise<Stage> {
  const { skein, owner, projectId, environmentId, channelId } = account;
  await confirm(owner.userId);
  const production = await createProduction(account, 'Shop');
  await owner.api.profile.update({ displayName: 'Ines Moreau' });
  const { agentId, windowClosed } = await openChannels(account, provider, tool, modelSecret);
  await skein.channels.update(channelId, { defaultAgentId: agentId });
  const [suggestion, approval, handoff, erased, snoozed] = await Promise.all([
    receive(account, 'maya', 'Where is my order A17? It should have come on Friday.', 'Maya Lindqvist'),
    receive(account, 'jonas', 'I would like a refund for the blue jacket.', 'Jonas Weber'),
    receive(account, 'hugo', 'I would like to speak to a person.', 'Hugo Bernard'),
    receive(account, 'gone', 'Forget me.', 'Gone Soon'),
    receive(account, 'arjun', 'Which of the two routers is better?', 'Arjun Patel'),
  ]);
  const full = await tellFullStory(account);
  await skein.threads.erasePersonalData(erased);
  await skein.threads.update(snoozed, { snoozedUntil: new Date(Date.now() + 86_400_000).toISOString() });
  await eventually('what the agent does', async () => {
    const [one, two] = await Promise.all([skein.threads.get(suggestion), skein.threads.get(handoff)]);
    const [listed] = await skein.agentRuns.list({ threadId: approval }).toArray(1);
    if (listed === undefined) return false;
    // With its steps, which lists leave out.
    const run = await skein.agentRuns.get(listed.agentRunId);
    const waits = run.trace.steps.some(step =>
      step.toolCalls?.some(({ status }) => status === 'awaiting_approval'),
    );
    return typeof one.pendingSuggestion === 'string' && two.agentMode === 'paused' && waits === true;
  });
  return {
    account,
    threads: { full, suggestion, approval, handoff, windowClosed, erased, snoozed },
    path: (queue, threadId) =>
      `/console/${projectId}/${environmentId}/${queue}${threadId === undefined ? '' : `/${threadId}`}`,
    productionPath: `/console/${projectId}/${production}/all`,
  };
}

/** Creates a production environment. The node may take a second to see that the address is verified. */
export async function createProduction(
  { owner, projectId }: Pick<ConsoleAccount, 'owner' | 'projectId'>,
  name: string,
): Promise<string> {
  let made: string | undefined;
  await eventually('production', async () => {
    const created = await owner.api.environments.create({ projectId, name }).catch(() => undefined);
    made = created?.environmentId;
    return made !== undefined;
  });
  return made ?? '';
}

/** An agent with tools, and a conversation over the chat provider. */
async function openChannels(
  { skein, owner, projectId }: ConsoleAccount,
  provider: ChatappProvider,
  tool: Receiver,
  secret: string,
): Promise<{ readonly agentId: string; readonly windowClosed: string }> {
  const model = { provider: 'llm_provider_1', model: 'gpt-4o-mini' } as const;
  await owner.api.byokCredentials.create({
    projectId,
    provider: model.provider,
    displayName: 'Model',
    secret,
  });
  const properties = { orderId: { type: 'string' } };
  const inputSchema = { type: 'object', properties, required: ['orderId'] };
  const toolIds: string[] = [];
  for (const name of ['lookup_order', 'refund_order']) {
    const requiresApproval = name === 'refund_order';
    const made = await skein.tools.create({
      name,
      description: 'Of the shop.',
      url: tool.url(),
      requiresApproval,
      inputSchema,
    });
    toolIds.push(made.toolId);
  }
  const loom = { name: 'Front desk', systemPrompt: 'Answer shortly.', toolIds, ...model };
  const { loomId } = await skein.looms.create(loom);
  const { agentId } = await skein.agents.create({ name: 'Front desk', mode: 'suggest', loomId });
  return { agentId, windowClosed: await openClosedWindow({ skein, owner }, provider) };
}

/** Connects a number of the chat provider with templates, and returns a thread whose service window has ended. */
export async function openClosedWindow(
  { skein, owner }: Pick<ConsoleAccount, 'skein' | 'owner'>,
  provider: ChatappProvider,
): Promise<string> {
  const app = provider.accounts.addApp();
  const business = provider.accounts.addAccount();
  const number = provider.accounts.addNumber(business);
  const { value: accessToken } = provider.accounts.addToken(app, business);
  provider.templates.add(business.id, {
    name: 'order_sent',
    body: 'Hello {{1}}, your order {{2}} is on its way.',
  });
  provider.templates.add(business.id, {
    name: 'autumn_sale',
    header: { format: 'IMAGE' },
    body: 'Dear {{first_name}}, everything is cheaper until Sunday.',
    footer: 'Answer STOP to hear no more of it.',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Not for me' },
      { type: 'URL', text: 'See the offers', url: 'https://shop.example/sale/{{1}}' },
      { type: 'COPY_CODE', text: 'Copy the code' },
    ],
  });
  provider.templates.add(business.id, {
    name: 'find_us',
    header: { format: 'LOCATION' },
    body: 'We have moved.',
  });
  const { workspaceId } = await owner.api.auth.me();
  const { partnerAppCredentialId } = await owner.api.partnerApps.create({
    workspaceId,
    name: 'Agency',
    appId: app.id,
    appSecret: app.secret,
  });
  const { channelId } = await skein.channels.create({ name: 'Chat', kind: 'chatapp' });
  await skein.chatapp.connect(channelId, { partnerAppCredentialId, accessToken });
  const participant = { phone: '15550100', name: 'Tomás Herrera' };
  const timestamp = String(Math.floor(Date.now() / 1_000) - 26 * 3_600);
  await provider.write(number, participant, {
    type: 'text',
    text: { body: 'The courier left my parcel with a neighbour.' },
    timestamp,
  });
  let windowClosed: string | undefined;
  await eventually('conversation over the chat channel', async () => {
    const [thread] = await skein.threads.list({ channelId: [channelId] }).toArray(1);
    windowClosed = thread?.threadId;
    return windowClosed !== undefined;
  });
  return windowClosed ?? '';
}

/** Creates a conversation with files, notes, changes and a failed message. */
async function tellFullStory(account: ConsoleAccount): Promise<string> {
  const { skein, owner, projectId, channelId } = account;
  const { threadId } = await skein.threads.create({ channelId, externalRef: 'yuki' });
  await skein.threads.update(threadId, { agentMode: 'paused' });
  await receive(account, 'yuki', 'My parcel arrived, but one cup is broken.', 'Yuki Tanaka');
  const attachments = [];
  for (const { kind, filename, mimeType, bytes } of Object.values(customerFiles)) {
    const blob = new Blob([bytes], { type: mimeType });
    attachments.push({ kind, attachmentId: await skein.attachments.upload(blob, { filename }) });
  }
  await skein.messages.create(threadId, { direction: 'inbound', body: 'Here is a photo.', attachments });
  await owner.api.threads.assign(threadId, { projectId, userId: owner.userId });
  const read = await owner.api.messages.create(threadId, { projectId, body: 'We send you a new one.' });
  await skein.channels.simulate(channelId, { event: 'read', messageId: read.messageId });
  const failed = await owner.api.messages.create(threadId, { projectId, body: 'Shall it be blue again?' });
  await skein.channels.simulate(channelId, {
    event: 'failed',
    messageId: failed.messageId,
    error: { code: 'unreachable', message: 'The phone is switched off' },
  });
  await owner.api.notes.create(threadId, { projectId, body: '@Ines Moreau the second one this week.' });
  await owner.api.threads.update(threadId, {
    projectId,
    tags: ['broken'],
    customFields: { Plan: 'Gold', Orders: 14, Newsletter: true },
  });
  const reply = { shortcut: '/parcel', title: 'Where a parcel is', body: 'It is on its way.' };
  await owner.api.cannedReplies.create({ projectId, ...reply });
  return threadId;
}
