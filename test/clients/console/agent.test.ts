/** The agent beside the operator: what it writes, what it suggests, and that of two operators one decides. */
import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { Receiver } from '../../support/receiver.ts';
import { startAgent, suggested } from './agent-setting.ts';
import { addOperator, expectInReach, findBarriers, openConsole, phone, receive } from './console-page.ts';

const { setting, model, loomId } = await startAgent(t);
const { skein, owner, projectId, environmentId } = setting;
const colleague = await addOperator(setting);
const browser = await startChromium(t);

/** Asked all at once: a run waits until its thread has been quiet for a while. */
const [twoId, editedId, keptId, discardedId, takenId, outdatedId, expiredId, phoneId, handoffId] =
  await Promise.all([
    ...['two', 'edited', 'kept', 'discarded', 'taken', 'outdated', 'expired', 'phone'].map(from =>
      receive(setting, from, 'Your hours?'),
    ),
    receive(setting, 'handoff', 'A human, please.'),
  ]);

const toPath = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;
const openAs = (
  t: Parameters<typeof openConsole>[0],
  operator: typeof owner,
  threadId: string,
): Promise<Page> => openConsole(t, browser, setting, operator, { path: toPath(threadId) });
const getCard = (page: Page) => page.getByRole('region', { name: 'Suggestion' });
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });

t.test('of two operators who approve at once one wins, and the other is told who', async t => {
  const threadId = twoId ?? '';
  const pages = await Promise.all([owner, colleague].map(operator => openAs(t, operator, threadId)));
  const [one, other] = pages as [Page, Page];
  for (const page of pages) await getCard(page).getByText(suggested).waitFor();
  t.match(await getCard(one).textContent(), /Front desk suggests/);
  t.strictSame(await findBarriers(one), []);
  // Neither request leaves before both operators have clicked.
  let clicks = 0;
  const bothClicked = Promise.withResolvers<undefined>();
  for (const page of pages) {
    await page.route(/resolve-suggestion/, async route => {
      if (++clicks === pages.length) bothClicked.resolve(undefined);
      await bothClicked.promise;
      await route.continue();
    });
  }
  await Promise.all(pages.map(page => getCard(page).getByRole('button', { name: 'Approve' }).click()));
  await Promise.all(pages.map(page => getLog(page).getByText(suggested, { exact: true }).waitFor()));
  for (const page of pages) await getCard(page).waitFor({ state: 'detached' });
  const sent = (await skein.messages.list(threadId).toArray()).filter(
    ({ direction }) => direction === 'outbound',
  );
  t.equal(sent.length, 1);
  const loser = sent[0]?.actor?.id === owner.userId ? other : one;
  await loser.getByText(/approved the suggestion$/).waitFor();
});

t.test('is edited, with what was changed shown, and sent as the operator’s', async t => {
  const threadId = editedId ?? '';
  const page = await openAs(t, owner, threadId);
  const card = getCard(page);
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByRole('textbox', { name: 'Edited suggestion' }).fill('We open at ten and close at five.');
  const changes = card.getByRole('group', { name: 'Your changes' });
  t.equal(await changes.locator('del').textContent(), 'nine');
  t.equal(await changes.locator('ins').textContent(), 'ten');
  t.strictSame(await findBarriers(page), []);
  await card.getByRole('button', { name: 'Send edited' }).click();
  await getLog(page).getByText('We open at ten and close at five.').waitFor();
  const message = (await skein.messages.list(threadId, { order: 'desc', limit: 1 })).data[0];
  t.match(message, { actor: { type: 'user', id: owner.userId } });
});

t.test(
  'on a phone it is read beside the message, edited, explained and approved, with all in reach',
  async t => {
    const threadId = phoneId ?? '';
    const page = await openConsole(t, browser, setting, owner, { ...phone, path: toPath(threadId) });
    const [card, log] = [getCard(page), getLog(page)];
    const look = async (name: string): Promise<void> => {
      if (process.env['PICTURES'] !== undefined)
        await page.screenshot({ path: `${process.env['PICTURES']}/phone-${name}.png` });
    };
    const button = (name: string): Locator => card.getByRole('button', { name });
    await button('Approve').waitFor();
    await look('suggestion');
    const written = log.getByText('Your hours?');
    const decisions = ['Approve', 'Edit', 'Discard', 'Take over'].map(button);
    await expectInReach(t, page, written, ...decisions, page.getByRole('textbox', { name: 'Reply' }));
    t.strictSame(await findBarriers(page), []);

    await button('Details of the run').tap();
    const run = page.getByRole('dialog', { name: 'Run of the agent' });
    await run.getByText('Step 1').waitFor();
    await look('run');
    await expectInReach(t, page, run.getByText('gpt-4o-mini'), run.getByRole('button', { name: 'Close' }));
    t.strictSame(await findBarriers(page), []);
    await run.getByRole('button', { name: 'Close' }).tap();
    await run.waitFor({ state: 'detached' });

    const details = page.getByRole('button', { name: 'Participant and details' });
    const panel = page.getByRole('complementary', { name: 'Participant and details' });
    await details.tap();
    await panel.getByRole('heading', { name: 'Tags' }).waitFor();
    await look('details');
    await expectInReach(t, page, panel.getByRole('button', { name: 'Close the panel' }));
    t.strictSame(await findBarriers(page), []);
    await panel.getByRole('button', { name: 'Close the panel' }).tap();
    await panel.waitFor({ state: 'detached' });

    await button('Edit').tap();
    const editor = card.getByRole('textbox', { name: 'Edited suggestion' });
    const long = 'We open at ten, and close at five. '.repeat(12);
    await editor.fill(long);
    await card.getByRole('group', { name: 'Your changes' }).waitFor();
    await look('edit');
    await expectInReach(t, page, editor, button('Send edited'), button('Do not edit'));
    await button('Do not edit').tap();
    await button('Approve').tap();
    await log.getByText(suggested).waitFor();
    const [message] = await skein.messages.list(threadId, { order: 'desc', limit: 1 }).toArray(1);
    t.equal(message?.body, suggested);
  },
);

t.test('what is written into it stays, and goes on as a reply where it ends meanwhile', async t => {
  const threadId = keptId ?? '';
  const page = await openAs(t, owner, threadId);
  const reply = page.getByRole('textbox', { name: 'Reply' });
  await reply.fill('Hello Kay.');
  await getCard(page).getByRole('button', { name: 'Edit' }).click();
  const editor = getCard(page).getByRole('textbox', { name: 'Edited suggestion' });
  const told = page.waitForRequest(/\/typing$/);
  await editor.fill('We open at ten');
  t.match((await told).postDataJSON(), { state: 'started' });

  await page.goto(`${setting.baseUrl}${toPath(takenId ?? '')}`);
  await getCard(page).getByRole('button', { name: 'Edit' }).waitFor();
  await page.goBack();
  t.equal(await editor.inputValue(), 'We open at ten');

  await editor.focus();
  const [run] = await skein.agentRuns.list({ threadId }).toArray();
  await colleague.api.agentRuns.resolveSuggestion(run?.agentRunId ?? '', { projectId, action: 'discard' });
  await editor.waitFor({ state: 'detached' });
  // Keys of the sentence that is being written, and of shortcuts.
  await page.keyboard.type(', each day');
  t.equal(await reply.inputValue(), 'Hello Kay.\n\nWe open at ten, each day');
  t.match(await skein.threads.get(threadId), { status: 'open', assigneeUserId: null });
});

t.test('is discarded, and why is kept with it, and read in the history and with the run', async t => {
  const threadId = discardedId ?? '';
  const page = await openAs(t, owner, threadId);
  await getCard(page).getByRole('button', { name: 'Discard' }).click();
  await page.keyboard.type('The hours have changed');
  t.strictSame(await findBarriers(page), []);
  const reason = getCard(page).getByRole('textbox', { name: 'Why' });
  // Out of the text, and out of the conversation.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await getCard(page).waitFor({ state: 'detached' });
  await page.goto(`${setting.baseUrl}${toPath(threadId)}`);
  t.equal(await reason.inputValue(), 'The hours have changed', 'what was begun is still there');
  await getCard(page).getByRole('button', { name: 'Discard it' }).click();
  await getCard(page).waitFor({ state: 'detached' });
  const said = getLog(page).getByText(/ discarded a suggestion: The hours have changed$/);
  await said.waitFor();
  await page.reload();
  await said.waitFor();
  t.equal((await skein.notes.list(threadId).toArray()).length, 0);
  const [run] = await skein.agentRuns.list({ threadId }).toArray();
  t.match(run?.trace.suggestion, { status: 'discarded', discardReason: 'The hours have changed' });

  const message = getLog(page).getByRole('article').first();
  await message.hover();
  await message.getByRole('button', { name: 'What to do with this message' }).click();
  await page.getByRole('menuitem', { name: 'What became of it' }).click();
  await page.getByRole('button', { name: 'Details of the run' }).click();
  const resolution = page.getByRole('dialog').getByRole('group', { name: 'Suggestion' });
  await resolution.getByText(/^Discarded by operator-/).waitFor();
  await resolution.getByText('The hours have changed').waitFor();
  t.strictSame(await findBarriers(page), []);
});

t.test('is taken over: the text is the operator’s, and so is the conversation', async t => {
  const threadId = takenId ?? '';
  const page = await openAs(t, owner, threadId);
  const takeOver = getCard(page).getByRole('button', { name: 'Take over' });
  const reply = page.getByRole('textbox', { name: 'Reply' });
  await takeOver.waitFor();
  // A first try fails, and a second one is slow.
  const [refused, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const unavailable = { error: 'svc/runtime/internal_error', message: 'No.', requestId: 'req_1' };
  let tries = 0;
  await page.route(new RegExp(`/threads/${threadId}$`), async route => {
    if (route.request().method() === 'GET') return route.continue();
    tries++;
    await (tries === 1 ? refused : held).promise;
    await (tries === 1 ? route.fulfill({ status: 501, json: unavailable }) : route.continue());
  });
  await takeOver.click();
  t.ok(await takeOver.isDisabled(), 'once is enough');
  t.equal(await reply.inputValue(), '');
  refused.resolve(undefined);
  await page.getByText(/report this number: req_1$/).waitFor();
  t.equal(await reply.inputValue(), '', 'nothing has happened');
  await takeOver.click();
  held.resolve(undefined);
  await getCard(page).waitFor({ state: 'detached' });
  t.equal(await reply.inputValue(), suggested);
  t.equal(tries, 2);
  await page.getByRole('button', { name: /^Assigned to/ }).waitFor();
  t.match(await skein.threads.get(threadId), { agentMode: 'paused', assigneeUserId: owner.userId });
});

t.test('one that a message has overtaken says so, and none that ended with its conversation', async t => {
  const [overtakenId, closedId] = await Promise.all(
    ['overtaken', 'closed'].map(from => receive(setting, from, 'Your hours?')),
  );
  const page = await openAs(t, owner, overtakenId ?? '');
  const told = page.getByText('The conversation has moved on without the suggestion');
  await getCard(page).getByText(suggested).waitFor();
  await skein.messages.create(overtakenId ?? '', { body: 'At ten.' });
  await told.waitFor();

  await page.goto(`${setting.baseUrl}${toPath(closedId ?? '')}`);
  await getCard(page).getByText(suggested).waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await getCard(page).waitFor({ state: 'detached' });
  t.equal(await told.count(), 0);
  await skein.messages.create(closedId ?? '', { body: 'At ten.' });
  await getLog(page).getByText('At ten.').waitFor();
  t.equal(await told.count(), 0, 'what comes later has not ended it');
});

t.test('what was not seen stops an approval', async t => {
  const threadId = outdatedId ?? '';
  const page = await openAs(t, owner, threadId);
  await getCard(page).getByText(suggested).waitFor();
  // What happens meanwhile does not come to this page.
  await page.route(/resolve-suggestion$/, async route => {
    await skein.threads.update(threadId, { tags: ['urgent'] });
    await route.continue();
  });
  await getCard(page).getByRole('button', { name: 'Approve' }).click();
  await getCard(page)
    .getByText(/Something has happened in the conversation/)
    .waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  t.equal((await skein.messages.list(threadId).toArray()).length, 1);
  await getCard(page).getByRole('button', { name: 'Approve' }).click();
  await getLog(page).getByText(suggested).waitFor();
});

t.test('where only a template may be sent, that is what an approval is told', async t => {
  const threadId = expiredId ?? '';
  const page = await openAs(t, owner, threadId);
  await getCard(page).getByText(suggested).waitFor();
  // Closes before the approval arrives.
  await page.route(/resolve-suggestion$/, async route => {
    await skein.channels.simulate(setting.channelId, { event: 'window_expired', threadId });
    const { sequence } = await skein.threads.get(threadId);
    await route.continue({
      postData: { ...(route.request().postDataJSON() as object), expectedSequence: sequence },
    });
  });
  await getCard(page).getByRole('button', { name: 'Approve' }).click();
  await getCard(page)
    .getByRole('alert')
    .getByText(/send a template\.$/)
    .waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

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
  await message.getByRole('button', { name: 'What to do with this message' }).click();
  await page.getByRole('menuitem', { name: 'What became of it' }).click();
  const timeline = page.getByRole('dialog', { name: 'What became of the message' });
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
  const threadId = handoffId ?? '';
  const page = await openAs(t, owner, threadId);
  await page.getByText('The agent asks for a person: Asks for a person').waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Let the agent go on' }).click();
  await page.getByText('The agent asks for a person').waitFor({ state: 'detached' });
  // Shown before the server has answered.
  await eventually(
    'agent that goes on',
    async () => (await skein.threads.get(threadId)).agentMode === 'suggest',
  );
});

t.test('by keyboard: a suggestion that comes is read out, discarded, and the next one approved', async t => {
  const threadId = await receive(setting, 'by-keys', 'Your hours?');
  await eventually(
    'suggestion',
    async () => typeof (await skein.threads.get(threadId)).pendingSuggestion === 'string',
  );
  const page = await openAs(t, owner, threadId);
  await getCard(page).getByText(suggested).waitFor();
  const told = page
    .locator('[aria-live=polite]')
    .getByText('a suggestion of Front desk waits for your decision');
  t.equal(await told.count(), 0, 'what was there is no news');
  await page.keyboard.press('q');
  await page.keyboard.type('Not now');
  await page.keyboard.press('Escape');
  await getCard(page).getByRole('button', { name: 'Discard it' }).press('Enter');
  await getCard(page).waitFor({ state: 'detached' });
  await receive(setting, 'by-keys', 'And your hours?');
  await getCard(page).getByText(suggested).waitFor();
  await told.waitFor({ state: 'attached' });
  await page.getByRole('log', { name: 'Messages' }).focus();
  await page.keyboard.press('w');
  await getCard(page).getByRole('textbox', { name: 'Edited suggestion' }).waitFor();
  await page.keyboard.press('Escape');
  await getCard(page).getByRole('button', { name: 'Do not edit' }).press('Enter');
  await page.getByRole('log', { name: 'Messages' }).focus();
  await page.keyboard.press('y');
  await getLog(page).getByText(suggested, { exact: true }).waitFor();
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
  await card.getByRole('button', { name: 'Do not refuse' }).click();
  await reason.waitFor({ state: 'detached' });
  await page.reload();
  await card.getByText('A17').waitFor();
  t.equal(await reason.count(), 0, 'until it is given up');
  await page.keyboard.press('p');
  await getCard(page).getByText('You have your money back.').waitFor();
  await card.waitFor({ state: 'detached' });
});
