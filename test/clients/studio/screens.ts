/** Every page of Studio, with what shows that it is there: for the test that nobody is kept out, and for the bench that counts it. */
import type { Locator, Page } from 'playwright-core';
import type { Skein } from '../../../clients/sdk/index.ts';
import type { ConsoleAccount } from '../console/console-page.ts';

export interface StudioScreen {
  readonly path: string;
  /** A text of the page's own part. */
  readonly shown: string;
}

export interface StudioStage {
  readonly workspaceId: string;
  readonly stitchId: string;
  readonly screens: readonly StudioScreen[];
  /** What those who only read do not get to. */
  readonly ofAdministrators: readonly string[];
}

/** Makes one of everything that has a page. */
export async function setStudioStage({
  owner,
  skein,
  projectId,
  environmentId,
  channelId,
}: ConsoleAccount): Promise<StudioStage> {
  const { stitchId, loomId, toolId, agentId, chatappId } = await createThings(skein);
  const { threadId } = await skein.channels.receive(channelId, {
    externalParticipantRef: 'ada',
    body: 'Hello?',
  });
  const { workspaceId } = await owner.api.projects.get(projectId);
  const caller = await owner.api.caller.get();
  const at = (rest: string): string => `/studio/${projectId}/${environmentId}${rest}`;
  const screens = [
    [at(''), 'of 6 done'],
    [at('/channels'), 'Sandbox'],
    [at(`/channels/${channelId}`), 'Kind'],
    [at(`/channels/${chatappId}`), 'This channel is not connected yet'],
    [at('/webhooks'), 'Shop'],
    [at(`/webhooks/${stitchId}`), 'Deliveries'],
    [at('/messages'), 'Messages'],
    [at(`/messages?q=${threadId}`), 'Hello?'],
    [at('/events'), 'Events'],
    [at('/keys'), 'Test'],
    [at('/agents'), 'Ava'],
    [at(`/agents/${agentId}`), 'Front desk'],
    [at('/instructions'), 'Front desk'],
    [at(`/instructions/${loomId}`), 'Version 1, in use'],
    [at('/tools'), 'find_order'],
    [at(`/tools/${toolId}`), 'find_order'],
    [at('/runs'), 'Runs'],
    [at('/providers'), 'Model providers'],
    [at('/usage'), 'Budgets'],
    [at('/team'), 'Team'],
    [at('/audit'), 'Audit log'],
    [`/studio/workspace/${workspaceId}`, 'Projects'],
    [`/studio/workspace/${workspaceId}/partner-apps`, 'No app yet'],
    ['/studio/account', 'Your account'],
    ...(caller.user?.instanceAdmin === true ? [['/studio/system', 'Database and NATS'] as const] : []),
  ] as const;
  return {
    workspaceId,
    stitchId,
    screens: screens.map(([path, shown]) => ({ path, shown })),
    ofAdministrators: [at('/usage'), at('/audit'), '/studio/system'],
  };
}

async function createThings(skein: Skein) {
  const { stitch } = await skein.stitches.create({ name: 'Shop', webhookUrl: 'https://example.com/hook' });
  const { loomId } = await skein.looms.create({
    name: 'Front desk',
    systemPrompt: 'Answer.',
    provider: 'llm_provider_1',
    model: 'gpt-4o-mini',
  });
  const { toolId } = await skein.tools.create({ name: 'find_order', url: 'https://example.com/orders' });
  const { agentId } = await skein.agents.create({ name: 'Ava', mode: 'paused', loomId });
  const { channelId: chatappId } = await skein.channels.create({ name: 'Chat', kind: 'chatapp' });
  return { stitchId: stitch.stitchId, loomId, toolId, agentId, chatappId };
}

export async function openScreen(
  page: Page,
  baseUrl: string,
  { path, shown }: StudioScreen,
): Promise<Locator> {
  await page.goto(`${baseUrl}${path}`);
  const text = page.getByRole('main').getByText(shown).first();
  await text.waitFor();
  return text;
}
