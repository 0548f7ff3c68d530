/** The agent beside the operator: what it writes, that it waits while somebody else does, asks for a person, and for tools. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { Receiver } from '../../support/receiver.ts';
import { getCard, getLog, startAgent, suggested } from './agent-setting.ts';
import { addOperator, findBarriers, openConsole, receive } from './console-page.ts';

const { setting, model, loomId } = await startAgent(t);
const { skein, owner, projectId, environmentId } = setting;
const colleague = await addOperator(setting);
const browser = await startChromium(t);

const toPath = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;
const openAs = (
  t: Parameters<typeof openConsole>[0],
  operator: typeof owner,
  threadId: string,
): Promise<Page> => openConsole(t, browser, setting, operator, { path: toPath(threadId) });

t.test('what an agent writes is seen while it writes, and afterwards how it came to it', async t => {
  await skein.stitches.create({ name: 'Order desk', webhookUrl: 'https://example.com/hook' });
  const threadId = await receive(setting, 'story', 'Hello');
  await skein.threads.update(threadId, { agentMode: 'auto' });
  const page = await openAs(t, owner, threadId);
  await getLog(page).getByText('Hello').waitFor();
  await receive(setting, 'story', 'Tell me a story.');
  await page.getByText('The agent is writing').waitFor();
  await getLog(page)
    .getByText('Once upon a time there was a parcel that nobody had ordered.', { exact: true })
    .waitFor();
  await page.getByText('The agent is writing').waitFor({ state: 'detached' });
  const message = getLog(page).getByRole('article', { name: 'Front desk' });
  await message.getByText('v1').waitFor();

  await message.hover();
  await message.getByRole('button', { name: 'Message actions' }).click();
  await page.getByRole('menuitem', { name: 'Message timeline' }).click();
  const timeline = page.getByRole('dialog', { name: 'Message timeline' });
  await timeline.getByText('Written', { exact: true }).waitFor();
  await timeline.getByRole('list', { name: 'Webhook deliveries' }).getByText('Order desk').first().waitFor();
  t.strictSame(await findBarriers(page), []);
  await timeline.getByRole('button', { name: 'Details of the run' }).click();
  const run = page.getByRole('dialog', { name: 'Run of the agent' });
  await run.getByText('Step 1').waitFor();
  await run.getByText('gpt-4o-mini').waitFor();
  t.strictSame(await findBarriers(page), []);
});

t.test('while an operator writes it sends nothing by itself, and a colleague sees who writes', async t => {
  const threadId = await receive(setting, 'parked', 'Hello');
  await skein.threads.update(threadId, { agentMode: 'auto' });
  const pages = await Promise.all([owner, colleague].map(operator => openAs(t, operator, threadId)));
  const [page, other] = pages as [Page, Page];
  for (const each of pages) {
    await getLog(each).getByText('Hello').waitFor();
    // Who writes is told once, to those who listen.
    await each.getByRole('banner').getByText('Online', { exact: true }).waitFor();
  }
  const reply = page.getByRole('textbox', { name: 'Reply' });
  const writing = (each: Page) => each.getByRole('status').getByText(/^operator-.* is writing$/);
  const told = page.waitForResponse(/\/typing$/);
  await reply.pressSequentially('Let me');
  await told;
  await writing(other).waitFor();
  t.equal(await writing(page).count(), 0, 'nobody is told of themselves');
  await receive(setting, 'parked', 'Your hours?');
  await eventually('suggestion while the operator goes on', async () => {
    await reply.press('.');
    return getCard(page).isVisible();
  });
  for (const each of pages) await getCard(each).getByText(suggested).waitFor();
  const isOutbound = ({ direction }: { readonly direction: string }): boolean => direction === 'outbound';
  t.strictSame((await skein.messages.list(threadId).toArray()).filter(isOutbound), [], 'nothing was sent');
  t.match(await skein.threads.get(threadId), { agentMode: 'auto' }, 'the agent is not switched off');

  await reply.fill('From ten today.');
  await page.keyboard.press('Enter');
  await getLog(other).getByText('From ten today.').waitFor();
  await writing(other).waitFor({ state: 'detached' });
  for (const each of pages) await getCard(each).waitFor({ state: 'detached' });
  t.match((await skein.messages.list(threadId).toArray()).filter(isOutbound), [{ body: 'From ten today.' }]);
});

t.test('asks for a person, who lets it go on', async t => {
  const threadId = await receive(setting, 'handoff', 'A human, please.');
  const page = await openAs(t, owner, threadId);
  await page.getByText('The agent asks for a person: Asks for a person').waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Resume the agent' }).click();
  await page.getByText('The agent asks for a person').waitFor({ state: 'detached' });
  // Shown before the server has answered.
  await eventually('agent that goes on', async () => (await skein.threads.get(threadId)).agentMode === null);
});

t.test('a tool that needs approval waits for the operator', async t => {
  const tool = await Receiver.start();
  t.teardown(() => tool.stop());
  const { toolId } = await skein.tools.create({
    name: 'refund_order',
    description: 'Refunds an order.',
    url: tool.url(),
    requiresApproval: true,
    inputSchema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
  });
  await skein.looms.createVersion(loomId, {
    systemPrompt: 'Refund.',
    provider: 'llm_provider_1',
    model: 'gpt-4o-mini',
    toolIds: [toolId],
  });
  model.on(
    { userMessage: /refund/, hasToolResult: false },
    { toolCalls: [{ id: 'call_2', name: 'refund_order', arguments: '{"orderId":"A17"}' }] },
  );
  model.on({ userMessage: /refund/ }, { content: 'You have your money back.' });
  const threadId = await receive(setting, 'refund', 'A refund, please.');
  const page = await openAs(t, owner, threadId);
  const card = page.getByRole('region', { name: 'The agent wants to use a tool' });
  await card.getByText('refund_order').waitFor();
  await card.getByText('A17').waitFor();
  t.strictSame(await findBarriers(page), []);
  const viewer = await openAs(t, await addOperator(setting, 'viewer'), threadId);
  const shown = viewer.getByRole('region', { name: 'The agent wants to use a tool' });
  await shown.getByText('refund_order').waitFor();
  for (const name of ['Allow', 'Refuse']) t.equal(await shown.getByRole('button', { name }).count(), 0, name);
  await card.getByRole('button', { name: 'Refuse' }).click();
  const reason = card.getByRole('textbox');
  await reason.fill('It was refunded');
  await page.reload();
  t.equal(await reason.inputValue(), 'It was refunded', 'what was begun is still there');
  t.equal(await reason.getAttribute('maxlength'), '1000', 'as long as the server takes');
  // Whoever walks through the list does not write into it, and what is being refused is not allowed by a key.
  await page.getByRole('option', { selected: true }).waitFor();
  const answers: string[] = [];
  page.on('request', request => {
    if (request.method() === 'POST' && request.url().includes(`/agent-runs/`)) answers.push(request.url());
  });
  await page.keyboard.press('j');
  await page.waitForURL(url => !url.pathname.endsWith(threadId));
  await page.keyboard.press('k');
  await page.waitForURL(url => url.pathname.endsWith(threadId));
  t.equal(await reason.inputValue(), 'It was refunded');
  const takesKey = (key: string) => card.locator(`[aria-keyshortcuts="${key}"]`).waitFor();
  await takesKey('Shift+P');
  await page.keyboard.press('p');
  await page.keyboard.press('Shift+P');
  await reason.and(page.locator(':focus')).waitFor();
  t.strictSame(answers, []);
  await card.getByRole('button', { name: 'Back' }).click();
  await reason.waitFor({ state: 'detached' });
  await page.reload();
  await card.getByText('A17').waitFor();
  t.equal(await reason.count(), 0, 'until it is given up');
  await takesKey('P');
  await page.keyboard.press('p');
  await getCard(page).getByText('You have your money back.').waitFor();
  await card.waitFor({ state: 'detached' });
});
