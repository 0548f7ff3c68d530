/** The shop of the demonstration: two operators, canned replies, an agent with tools, and the channels that customers write over. */
import { Skein } from '../../../clients/sdk/index.ts';
import { readMailedToken } from '../account.ts';
import type { ChatNumber } from './chat.ts';
import type { AgentModel } from './models.ts';
import { type OrderSystem, orderTools } from '../order-system.ts';

export const password = 'demonstration';
const owner = { email: 'ines@skein.example', displayName: 'Ines Moreau', avatarColor: 'teal' } as const;
const colleague = { email: 'tom@skein.example', displayName: 'Tom Bakker', avatarColor: 'orange' } as const;
export const operators = [owner, colleague] as const;

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

/** Somebody who works in the Console, and whose conversations the demonstration begins. */
export interface ShopOperator {
  readonly userId: string;
  readonly displayName: string;
  /** With the key of the shop, on their behalf. */
  readonly skein: Skein;
}

export interface Shop {
  readonly projectId: string;
  readonly environmentId: string;
  /** With an API key of the sandbox, which outlives every sign-in. */
  readonly skein: Skein;
  /** The app of the shop, a custom channel. */
  readonly channelId: string;
  readonly ines: ShopOperator;
  readonly tom: ShopOperator;
}

export interface ShopParts {
  readonly baseUrl: string;
  /** The node writes its mail there. */
  readonly dataFolder: string;
  readonly model: AgentModel;
  readonly orders: OrderSystem;
  readonly chat: ChatNumber;
}

export async function openShop(parts: ShopParts): Promise<Shop> {
  const { baseUrl, chat } = parts;
  const studio = await signUp(parts);
  const [project] = await studio.projects.list().toArray(1);
  if (project === undefined) throw new Error('sign-up made no project');
  const { projectId } = project;
  await studio.projects.update(projectId, { name: 'Harbour Goods' });
  const [sandbox] = await studio.environments.list({ projectId }).toArray(1);
  if (sandbox === undefined) throw new Error('sign-up made no environment');
  const { environmentId } = sandbox;
  const { userId: inesId } = await studio.auth.me();
  const tomId = await addColleague(studio, projectId, parts);
  for (const reply of cannedReplies) await studio.cannedReplies.create({ projectId, ...reply });
  const { secret: apiKey } = await studio.apiKeys.create({
    projectId,
    name: 'Simulator',
    environment: 'test',
    scopes: ['*'],
  });
  const skein = new Skein({ baseUrl, apiKey });
  const defaultAgentId = await createAgent(studio, skein, projectId, parts);
  const { channelId } = await skein.channels.create({ name: 'Shop app', kind: 'custom' });
  const chatId = await chat.connect(studio, { projectId, environmentId });
  for (const each of [channelId, chatId]) await skein.channels.update(each, { defaultAgentId });
  const act = (userId: string, displayName: string): ShopOperator => ({
    userId,
    displayName,
    skein: new Skein({ baseUrl, apiKey, actingUser: userId }),
  });
  const [ines, tom] = [act(inesId, owner.displayName), act(tomId, colleague.displayName)];
  return { projectId, environmentId, skein, channelId, ines, tom };
}

async function signUp({ baseUrl, dataFolder }: ShopParts): Promise<Skein> {
  const { email, displayName, avatarColor } = owner;
  const { accessToken } = await new Skein({ baseUrl, apiKey: null }).auth.signUp({
    email,
    password,
    workspaceName: 'Harbour Goods',
  });
  const studio = new Skein({ baseUrl, apiKey: () => accessToken });
  const token = await readMailedToken(dataFolder, email, 'verify');
  await studio.auth.verifyEmail({ token });
  await studio.profile.update({ displayName, avatarColor });
  return studio;
}

/** Invited, and made an operator of the project. */
async function addColleague(
  studio: Skein,
  projectId: string,
  { baseUrl, dataFolder }: ShopParts,
): Promise<string> {
  const { email, displayName, avatarColor } = colleague;
  const { workspaceId } = await studio.auth.me();
  await studio.invitations.create(workspaceId, { email, studioRole: 'viewer' });
  const token = await readMailedToken(dataFolder, email, 'join');
  const { accessToken } = await new Skein({ baseUrl, apiKey: null }).auth.acceptInvitation({
    token,
    password,
  });
  const own = new Skein({ baseUrl, apiKey: () => accessToken });
  await own.profile.update({ displayName, avatarColor });
  const { userId } = await own.auth.me();
  const member = { userId, role: 'agent' } as const;
  await studio.request('upsertConsoleMember', { params: { projectId }, body: member });
  return userId;
}

/** It suggests; in some conversations it answers by itself. */
async function createAgent(
  studio: Skein,
  skein: Skein,
  projectId: string,
  { model: { model, secret }, orders }: ShopParts,
): Promise<string> {
  const provider = 'llm_provider_1';
  await studio.byokCredentials.create({ projectId, provider, displayName: 'Model', secret });
  const address = await orders.listen();
  const toolIds: string[] = [];
  for (const tool of orderTools) {
    const { toolId, signingSecret } = await skein.tools.create({ ...tool, url: `${address}/${tool.name}` });
    orders.trust(tool.name, signingSecret);
    toolIds.push(toolId);
  }
  const { loomId } = await skein.looms.create({
    name: 'Front desk',
    systemPrompt: 'You answer customers of Harbour Goods, a shop, shortly and kindly.',
    rules: [
      'Look an order up before you say anything about it.',
      'Ask for a person where somebody wants one, or complains.',
    ],
    provider,
    model,
    toolIds,
  });
  return (await skein.agents.create({ name: 'Front desk', mode: 'suggest', loomId })).agentId;
}
