/** `npm run pictures`: the main pages of Studio as pictures, in docs/guide/studio; look at them after each change of its looks. */
import { LLMock } from '@copilotkit/aimock';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, Receiver } from '../../support/receiver.ts';
import { openConsole, receive, startConsole, verifyOwner } from '../console/console-page.ts';

const folder = fileURLToPath(new URL('../../../docs/guide/studio/', import.meta.url));
t.setTimeout(0);
await mkdir(folder, { recursive: true });

const model = new LLMock({ port: 0, strict: true, logLevel: 'silent', latency: 400 });
model.on(
  { userMessage: /A17/, hasToolResult: false },
  { toolCalls: [{ id: 'call_1', name: 'find_order', arguments: '{"number":"A17"}' }] },
);
model.on({ userMessage: /A17/ }, { content: 'Your order A17 left our warehouse this morning.' });
await model.start();
t.teardown(() => model.stop());
const shop = await Receiver.start();
t.teardown(() => shop.stop());
shop.behaviour = answer(200, { 'content-type': 'application/json' }, '{"status":"on its way"}');

const setting = await startConsole(t, {
  LLM_PROVIDER_1_URL: `${model.url}/v1`,
  ALLOW_PRIVATE_ADDRESSES: 'true',
  INSTANCE_ADMINS: 'ines.moreau@example.com',
});
const { skein, projectId, environmentId, channelId } = setting;
// A name that people have.
const owner = { ...setting.owner, email: 'ines.moreau@example.com' };
await setting.database.query('update users set email = $1, email_key = $1 where user_id = $2', [
  owner.email,
  owner.userId,
]);
const scope = { projectId, environmentId };
await owner.api.profile.update({ displayName: 'Ines Moreau' });
await owner.api.byokCredentials.create({
  projectId,
  provider: 'llm_provider_1',
  displayName: 'Our key',
  secret: 'sk-0123456789',
});
const { toolId } = await skein.tools.create({
  name: 'find_order',
  description: 'Where an order is.',
  url: shop.url('/orders'),
  inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
});
const prompt =
  'You work at the front desk of a shop.\n\nAnswer in two sentences at most, and in the language of the customer.';
const { loomId } = await skein.looms.create({
  name: 'Front desk',
  systemPrompt: prompt,
  rules: ['Never promise a day of delivery.'],
  provider: 'llm_provider_1',
  model: 'gpt-4o-mini',
  toolIds: [toolId],
});
const { agentId } = await skein.agents.create({ name: 'Ava', mode: 'auto', loomId });
await skein.channels.update(channelId, { defaultAgentId: agentId });
await owner.api.stitches.create({ ...scope, name: 'Shop events', webhookUrl: shop.url('/events') });
await receive(setting, 'maya', 'Where is my order A17?', 'Maya Lindqvist');
await eventually('a run that has ended', async () => {
  const [run] = await skein.agentRuns.list({ limit: 1 }).toArray(1);
  return run?.status === 'succeeded';
});
const [stitch] = await skein.stitches.list({ limit: 1 }).toArray(1);

// The pictures themselves sign in, which is not to be seen in the log.
const until = new Date().toISOString();

const browser = await startChromium(t);

async function take(page: Page, name: string): Promise<void> {
  // Fonts and what fades in have come by then.
  await page.evaluate('document.fonts.ready');
  await page.waitForTimeout(700);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  process.stdout.write(`docs/guide/studio/${name}.png\n`);
}

const open = (rest: string): Promise<Page> =>
  openConsole(t, browser, setting, owner, {
    path: `/studio/${projectId}/${environmentId}${rest}`,
    viewport: { width: 1_280, height: 800 },
  });

const start = await open('');
await start.getByText('of 6 done').waitFor();
await take(start, 'start');
const webhook = await open(`/webhooks/${stitch?.stitchId ?? ''}`);
await webhook.getByRole('cell', { name: 'Delivered' }).first().waitFor();
await take(webhook, 'webhook');
const [asked] = await skein.threads
  .list({ limit: 1 })
  .then(({ data }) => skein.messages.list(data[0]?.threadId ?? '', { limit: 1 }).toArray(1));
const message = await open(`/messages?q=${asked?.threadId ?? ''}&message=${asked?.messageId ?? ''}`);
await message.getByRole('dialog').getByText('Webhook Shop events').click();
await message
  .getByRole('dialog')
  .getByText(/Responded \d+/)
  .waitFor();
await take(message, 'message');
const loom = await open(`/instructions/${loomId}`);
await loom.getByRole('button', { name: 'Next version' }).click();
await loom.getByRole('textbox', { name: 'Prompt' }).press('Control+End');
await loom.keyboard.insertText('\n\nWhere somebody is angry, hand over to a person.');
await loom.getByRole('button', { name: 'Compare and publish' }).click();
await loom.locator('.cm-changedLine').first().waitFor();
await take(loom, 'compare');
const runs = await open('/runs');
await runs.getByRole('table').getByRole('button').first().click();
await runs.getByRole('dialog').getByText('find_order').click();
await take(runs, 'run');

const channel = await open(`/channels/${channelId}`);
await channel.getByRole('textbox', { name: 'Message' }).fill('Hello! Where is my order A17?');
await channel.getByRole('button', { name: 'Send as participant' }).click();
await channel.getByRole('log').getByText('left our warehouse').waitFor();
await channel.getByRole('log').scrollIntoViewIfNeeded();
await take(channel, 'channel');
const creating = await open('/webhooks');
await creating.getByRole('button', { name: 'Create webhook' }).first().click();
await creating.getByRole('dialog').getByText('Selected events').click();
await creating.getByRole('checkbox', { name: 'Everything about thread' }).check();
await take(creating, 'create-webhook');
const keys = await open('/keys');
await keys.getByRole('button', { name: 'Create API key' }).first().click();
await keys.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
await take(keys, 'key');
const { loomVersionId } = await skein.looms.createVersion(loomId, {
  systemPrompt: `${prompt} Be brief.`,
  rules: ['Never promise a day of delivery.'],
  provider: 'llm_provider_1',
  model: 'gpt-4o-mini',
  toolIds: [toolId],
  activate: false,
});
await skein.agents.update(agentId, { split: { loomVersionId, percent: 20 } });
const { workspaceId } = await owner.api.projects.get(projectId);
const pages = [
  ['events', '/events', 'thread.message.received'],
  ['tool', `/tools/${toolId}`, 'Try it'],
  ['agent', `/agents/${agentId}`, 'Version 2 answers 20 %'],
  ['usage', '/usage', 'Budgets'],
  ['team', '/team', 'Ines Moreau'],
  ['audit', `/audit?until=${encodeURIComponent(until)}`, 'agent.created'],
] as const;
for (const [name, path, shown] of pages) {
  const page = await open(path);
  await page.getByRole('main').getByText(shown).first().waitFor();
  await take(page, name);
}
const workspace = await openConsole(t, browser, setting, owner, {
  path: `/studio/workspace/${workspaceId}`,
  viewport: { width: 1_280, height: 800 },
});
await workspace.getByRole('heading', { name: 'Projects' }).waitFor();
await take(workspace, 'workspace');
await verifyOwner(setting);
await eventually('who operates the service', async () => {
  const { user } = await owner.api.caller.get();
  return user?.instanceAdmin === true;
});
await workspace.goto(`${setting.baseUrl}/studio/system`);
await workspace.getByRole('region', { name: 'Health' }).waitFor();
await take(workspace, 'system');
t.end();
