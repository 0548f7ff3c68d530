/**
 * `npm run demo:console`: a node, twenty customers who write, an agent that answers some of them and suggests to others, and the Console to
 * sign in to. Until Ctrl-C; then everything that it has made is removed.
 */
import { rm } from 'node:fs/promises';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { confirmEmail, readMailedToken } from '../account.ts';
import { Api, type Message, type Page } from '../api.ts';
import { ConsoleStream } from '../console-stream.ts';
import { display } from '../display.ts';
import { freePort, Server } from '../server.ts';
import { customers } from './customers.ts';
import { startModels } from './models.ts';
import { Simulator } from './simulator.ts';

const operators = [
  { email: 'ines@skein.example', password: 'demonstration' },
  { email: 'tom@skein.example', password: 'demonstration' },
] as const;

const model = { provider: 'llm_provider_1', model: 'gpt-4o-mini' } as const;

const cannedReplies = [
  {
    shortcut: '/hello',
    title: 'Greeting',
    body: 'Hello {{participant.name}}, this is {{operator.name}}. How can I help?',
  },
  {
    shortcut: '/parcel',
    title: 'Where a parcel is',
    body: 'Your parcel left our warehouse. The carrier needs two to three working days.',
  },
  {
    shortcut: '/refund',
    title: 'How a refund works',
    body: 'Send the goods back within 30 days, and we pay the price back within a week.',
  },
] as const;

interface Setting {
  /** With an API key, which outlives every sign-in. */
  readonly api: Api;
  readonly key: string;
  readonly projectId: string;
  readonly channelId: string;
}

/** An account, a second operator, canned replies, a channel, and an agent on it. */
async function setUp(url: string, dataFolder: string): Promise<Setting> {
  const owner = await signUp(url, dataFolder);
  const [project] = (await owner.get<Page<{ projectId: string }>>('/projects')).data;
  if (project === undefined) throw new Error('sign-up made no project');
  const { projectId } = project;
  await addColleague(url, owner, projectId, dataFolder);
  await writeCannedReplies(owner, projectId);
  const { secret: key } = await owner.post<{ secret: string }>('/api-keys', {
    projectId,
    name: 'Simulator',
    environment: 'test',
    scopes: ['*'],
  });
  const api = new Api(url, key);
  const agentId = await createAgent(owner, projectId);
  const channel = { projectId, name: 'Shop app', kind: 'custom' };
  const { channelId } = await api.post<{ channelId: string }>('/channels', channel);
  await owner.patch(`/channels/${channelId}`, { projectId, defaultAgentId: agentId });
  return { api, key, projectId, channelId };
}

async function signUp(url: string, dataFolder: string): Promise<Api> {
  const [owner] = operators;
  const body = { ...owner, workspaceName: 'Harbour Goods' };
  const { accessToken } = await new Api(url).post<{ accessToken: string }>('/studio/auth/signup', body);
  const api = new Api(url, accessToken);
  await confirmEmail({ api, email: owner.email }, dataFolder);
  return api;
}

/** Invited, and made an operator of the project. */
async function addColleague(url: string, owner: Api, projectId: string, dataFolder: string): Promise<void> {
  const { email, password } = operators[1];
  const { workspaceId } = await owner.get<{ workspaceId: string }>('/studio/me');
  await owner.post(`/workspaces/${workspaceId}/invitations`, { email, studioRole: 'viewer' });
  const token = await readMailedToken(dataFolder, email, 'join');
  const accepted = await new Api(url).post<{ accessToken: string }>('/studio/auth/accept-invitation', {
    token,
    password,
  });
  const { userId } = await new Api(url, accepted.accessToken).get<{ userId: string }>('/studio/me');
  await owner.put(`/console/projects/${projectId}/members`, { userId, role: 'agent' });
}

/** It suggests; in some threads it answers by itself. */
async function createAgent(api: Api, projectId: string): Promise<string> {
  await api.post('/byok-credentials', {
    projectId,
    provider: model.provider,
    displayName: 'Local model',
    secret: 'local-model',
  });
  const { loomId } = await api.post<{ loomId: string }>('/looms', {
    projectId,
    name: 'Front desk',
    systemPrompt: 'You answer customers of a shop, shortly and kindly.',
    ...model,
  });
  const agent = { projectId, name: 'Front desk', mode: 'suggest', loomId };
  return (await api.post<{ agentId: string }>('/agents', agent)).agentId;
}

async function writeCannedReplies(api: Api, projectId: string): Promise<void> {
  for (const reply of cannedReplies) await api.post('/canned-replies', { projectId, ...reply });
}

/** Every fifth thread is left to the agent, every seventh to people alone. */
async function chooseModes({ api, projectId, channelId }: Setting): Promise<void> {
  for (const [index, { ref }] of customers.entries()) {
    const agentMode = index % 5 === 4 ? 'auto' : index % 7 === 6 ? 'paused' : undefined;
    if (agentMode === undefined) continue;
    const thread = { projectId, channelId, externalRef: ref };
    const { threadId } = await api.post<{ threadId: string }>('/threads', thread, `thread-${ref}`);
    await api.patch(`/threads/${threadId}`, { projectId, agentMode });
  }
}

/** Tells the simulator what leaves for whom, until the signal. */
async function follow(
  url: string,
  { key, projectId }: Setting,
  simulator: Simulator,
): Promise<ConsoleStream> {
  const stream = new ConsoleStream(url, projectId, key);
  stream.onEvent = ({ event }) => {
    if (event.eventName !== 'channel.message.requested') return;
    const { message, externalRef } = event.data as { message: Message; externalRef: string | null };
    if (externalRef !== null) simulator.deliver(externalRef, message.messageId);
  };
  await stream.open();
  return stream;
}

const ending = new AbortController();
// npm and the launcher repeat a signal: any but the first changes nothing, and must not end what takes everything away.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort());
const folder = await temporaryFolder('skein-demo-');
const models = await startModels();
const server = new Server(Number(process.env['PORT'] ?? (await freePort())), {
  DATA_DIR: folder,
  LLM_PROVIDER_1_URL: `${models.url}/v1`,
});
let stream: ConsoleStream | undefined;
try {
  display.title('The Console, with a shop whose customers write');
  display.hop('node started, embedded PostgreSQL initialised', await server.start(), server.url);
  const setting = await setUp(server.url, folder);
  await chooseModes(setting);
  display.hop('a shop, two operators, an agent with a model on this machine');
  const simulator = new Simulator({ ...setting, signal: ending.signal });
  stream = await follow(server.url, setting, simulator);
  display.title('Sign in');
  display.note(`${server.url}/console`);
  for (const { email, password } of operators) display.note(`${email}, password: ${password}`);
  display.note('Ctrl-C ends it, and removes everything.');
  await Promise.all(customers.map(customer => simulator.run(customer)));
} catch (error) {
  display.fail(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  ending.abort();
  stream?.close();
  await server.stop();
  await models.stop();
  await rm(folder, { recursive: true, force: true });
}
