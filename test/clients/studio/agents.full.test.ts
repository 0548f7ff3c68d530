/** From the key of a model provider to an answered conversation, and what is seen of how the answer came about: in the browser alone. */
import { LLMock } from '@copilotkit/aimock';
import t from 'tap';
import type { AgentRun } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, Receiver } from '../../support/receiver.ts';
import { findBarriers, openConsole, shareConsole } from '../console/console-page.ts';

const model = new LLMock({ port: 0, strict: true, logLevel: 'silent' });
model.on(
  { userMessage: /order A17/, hasToolResult: false },
  { toolCalls: [{ id: 'call_1', name: 'find_order', arguments: '{"number":"A17"}' }] },
);
model.on({ userMessage: /order A17/ }, { content: 'Order A17 is on its way.' });
await model.start();
t.teardown(() => model.stop());

const shop = await Receiver.start();
t.teardown(() => shop.stop());
shop.behaviour = answer(200, { 'content-type': 'application/json' }, '{"status":"on its way"}');

const setting = await shareConsole(t);
const modelSecret = setting.models.register(`${model.url}/v1`);
const { owner, projectId, environmentId, channelId } = setting;
const browser = await startChromium(t);

const schema = JSON.stringify({
  type: 'object',
  properties: { number: { type: 'string', description: 'As the customer has it.' } },
  required: ['number'],
});

t.test('from the key of a provider to an answer, and how it came about', async t => {
  const path = `/studio/${projectId}/${environmentId}/providers`;
  const page = await openConsole(t, browser, setting, owner, { path });
  const go = (name: string): Promise<void> =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

  await page.getByRole('button', { name: 'Add a key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Our key');
  await dialog.getByLabel('Key').fill(modelSecret);
  for (const model of ['gpt-4o-mini', 'our-own-model']) {
    await dialog.getByLabel('Models').fill(model);
    await page.keyboard.press('Enter');
  }
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Add a key' }).click();
  await page.getByRole('cell', { name: 'Our key', exact: true }).waitFor();
  await page.getByRole('cell', { name: 'gpt-4o-mini, our-own-model', exact: true }).waitFor();
  t.notOk((await page.content()).includes(modelSecret));
  await page.getByRole('button', { name: 'Change Our key' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await dialog.getByLabel('Models').fill('another-model');
  await page.keyboard.press('Enter');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'gpt-4o-mini, our-own-model, another-model', exact: true }).waitFor();

  await go('Tools');
  await page.getByRole('button', { name: 'Create tool' }).first().click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('find_order');
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Where an order is.');
  await dialog.getByRole('textbox', { name: 'Address' }).fill(shop.url('/orders'));
  const editor = dialog.getByRole('textbox', { name: 'Arguments' });
  await editor.click();
  await editor.press('Control+a');
  await editor.press('Delete');
  await page.keyboard.insertText(schema);
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Create tool' }).click();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('heading', { name: 'find_order' }).waitFor();
  await page.getByRole('textbox', { name: 'number' }).fill('A17');
  await page.getByRole('button', { name: 'Call it' }).click();
  await page.getByText('It responded').waitFor();
  t.strictSame(await findBarriers(page), []);

  await go('Instructions');
  await page.getByRole('button', { name: 'Create instructions' }).first().click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Front desk');
  await dialog.getByRole('textbox', { name: 'Prompt' }).click();
  await page.keyboard.insertText('You work for a shop.');
  await dialog.getByRole('textbox', { name: 'Model' }).fill('gpt-4o-mini');
  await dialog.getByLabel('Tools').click();
  await page.getByRole('option', { name: 'find_order' }).click();
  await page.keyboard.press('Tab');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Create instructions' }).click();
  await page.getByRole('heading', { name: 'Version 1, in use' }).waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Next version' }).click();
  await page.getByRole('textbox', { name: 'Prompt' }).press('Control+End');
  await page.keyboard.insertText(' Be brief.');
  // A link by the way, or a step back, takes nothing away: whoever drives the browser says no where it asks.
  const asked: string[] = [];
  page.on('dialog', question => {
    asked.push(question.message());
    void question.dismiss();
  });
  await page.getByRole('link', { name: 'Channels' }).click();
  await page.goBack();
  await page.getByRole('textbox', { name: 'Prompt' }).getByText('You work for a shop. Be brief.').waitFor();
  t.strictSame(asked, Array(2).fill('What you have written here is not saved. Leave it?'));
  await page.getByRole('button', { name: 'Compare and publish' }).click();
  await page.locator('.cm-changedLine').getByText('You work for a shop. Be brief.').waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('textbox', { name: 'Why' }).fill('Customers want short answers.');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('heading', { name: 'Version 2, in use' }).waitFor();
  await page.getByRole('button', { name: 'Go back to version 1' }).click();
  await page.getByRole('heading', { name: 'Version 1, in use' }).waitFor();
  await page.getByRole('button', { name: 'Use version 2' }).click();
  await dialog.getByRole('textbox', { name: 'Why' }).fill('Measured again.');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Use version 2' }).click();
  await page.getByRole('heading', { name: 'Version 2, in use' }).waitFor();
  await page.getByRole('button', { name: 'Go back to version 1' }).click();
  await page.getByRole('heading', { name: 'Version 1, in use' }).waitFor();
  const history = page.getByRole('table', { name: 'History' });
  await history.getByRole('row').nth(5).waitFor();
  t.same(
    (await history.getByRole('row').allInnerTexts()).slice(1).map(row => /Version \d/.exec(row)?.[0]),
    ['Version 1', 'Version 2', 'Version 1', 'Version 2', 'Version 1'],
  );
  await history.getByRole('cell', { name: 'Customers want short answers.' }).waitFor();
  await history.getByRole('cell', { name: 'Measured again.' }).waitFor();
  t.strictSame(await findBarriers(page), []);

  await go('Agents');
  await page.getByRole('button', { name: 'Create agent' }).first().click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ava');
  await dialog.getByRole('combobox', { name: 'Instructions' }).click();
  await page.getByRole('option', { name: 'Front desk' }).click();
  await dialog.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: 'Answers automatically' }).click();
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Create agent' }).click();
  await page.getByRole('cell', { name: 'Ava', exact: true }).waitFor();

  await page.goto(`${setting.baseUrl}/studio/${projectId}/${environmentId}/channels/${channelId}`);
  await page.getByRole('combobox', { name: 'Agent' }).click();
  await page.getByRole('option', { name: 'Ava' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('Where is order A17?');
  await page.getByRole('button', { name: 'Send as participant' }).click();
  await page.getByRole('log').getByText('Order A17 is on its way.').waitFor();

  await go('Runs');
  await page.getByRole('cell', { name: 'Succeeded' }).waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('table').getByRole('button').first().click();
  await dialog.getByText('find_order').click();
  await dialog.getByText('"on its way"').waitFor();
  t.strictSame(await findBarriers(page), []);

  const [message] = await setting.skein.threads
    .list({ limit: 1 })
    .then(({ data }) => setting.skein.messages.list(data[0]?.threadId ?? '', { limit: 1 }).toArray(1));
  await page.goto(
    `${setting.baseUrl}/studio/${projectId}/${environmentId}/messages?message=${message?.messageId ?? ''}`,
  );
  const timeline = dialog.getByRole('list', { name: 'Message timeline' });
  await timeline.getByText('Received', { exact: true }).waitFor();
  await timeline.getByText('Succeeded').waitFor();
  await timeline.getByText('Tool called').waitFor();
  await timeline.getByRole('link', { name: 'Show its steps' }).click();
  await dialog.getByText('find_order').waitFor();
});

t.test('a version is tried: on a conversation, whose calls are known, and on what is typed', async t => {
  const page = await openConsole(t, browser, setting, owner, {
    path: `/studio/${projectId}/${environmentId}/instructions`,
  });
  const called = shop.received.length;
  await page.getByRole('link', { name: 'Front desk' }).click();
  await page.getByRole('button', { name: 'Version 2', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const form = dialog.getByRole('form', { name: 'Try it' });
  await form.getByRole('combobox', { name: 'Conversation' }).click();
  await page.getByRole('option', { name: /order A17/i }).click();
  await form.getByRole('textbox', { name: 'Customer message' }).fill('Where is order A17 now?');
  await form.getByRole('button', { name: 'Ask the model' }).click();
  await form.getByText('As recorded in this conversation').waitFor();
  await form.getByRole('status').getByText('Order A17 is on its way.').waitFor();
  t.strictSame(await findBarriers(page), []);

  await form.getByRole('combobox', { name: 'Conversation' }).click();
  // What is chosen once more is chosen no more.
  await page.getByRole('option', { name: /order A17/i }).click();
  await form.getByRole('textbox', { name: 'Result of find_order, as JSON' }).fill('{"status":');
  await form.getByRole('button', { name: 'Ask the model' }).click();
  await form.getByRole('alert').waitFor();
  await form.getByRole('textbox', { name: 'Result of find_order, as JSON' }).fill('{"status":"lost"}');
  await form.getByRole('button', { name: 'Ask the model' }).click();
  await form.getByText('As given above').waitFor();
  t.strictSame(await findBarriers(page), []);
  t.equal(shop.received.length, called, 'the tool was not called');
});

t.test(
  'some conversations are answered by another version, and what became of suggestions is counted',
  async t => {
    const { skein } = setting;
    const page = await openConsole(t, browser, setting, owner, {
      path: `/studio/${projectId}/${environmentId}/agents`,
    });
    await page.getByRole('link', { name: 'Ava', exact: true }).click();
    await page.getByText('Version 1 answers all conversations.').waitFor();
    await page.getByText('It has not suggested anything.').waitFor();
    t.strictSame(await findBarriers(page), []);
    const form = page.getByRole('form', { name: 'Which version answers' });
    await form.getByRole('combobox', { name: 'Another version' }).click();
    await page.getByRole('option', { name: 'Version 2' }).click();
    await form.getByRole('textbox', { name: 'Share of the conversations' }).fill('100');
    await form.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('Version 2 answers 100 % of the conversations').waitFor();
    t.strictSame(await findBarriers(page), []);

    const [agent] = await skein.agents.list({ limit: 1 }).toArray(1);
    const { agentId = '' } = agent ?? {};
    t.match(agent, { name: 'Ava', split: { percent: 100 } });
    await skein.agents.update(agentId, { mode: 'suggest' });
    const { threadId } = await skein.channels.receive(channelId, {
      externalParticipantRef: 'customer-2',
      body: 'Where is order A17?',
    });
    const found = await eventualRun(threadId);
    t.equal(found.loomVersionId, agent?.split?.loomVersionId, 'the run says which version it was');
    await skein.agentRuns.resolveSuggestion(found.agentRunId, { action: 'discard' });
    await page.reload();
    const row = page.getByRole('row', { name: /^Version 2/ });
    await row.waitFor();
    t.same((await row.getByRole('cell').allInnerTexts()).slice(0, 4), ['Version 2', '0', '0', '1']);
    t.strictSame(await findBarriers(page), []);

    await form.getByRole('button', { name: 'End the split' }).click();
    await page.getByText('Version 1 answers all conversations.').waitFor();
  },
);

/** The run that has suggested something for the thread. */
async function eventualRun(threadId: string): Promise<AgentRun> {
  let found: AgentRun | undefined;
  await eventually('suggestion', async () => {
    [found] = await setting.skein.agentRuns.list({ threadId, limit: 1 }).toArray(1);
    return found?.trace.suggestion?.status === 'pending';
  });
  if (found === undefined) throw new Error('there is no run');
  return found;
}

t.test('what was made is changed: a tool, instructions, an agent, the key of a provider', async t => {
  const { skein } = setting;
  const page = await openConsole(t, browser, setting, owner, {
    path: `/studio/${projectId}/${environmentId}/tools`,
  });
  const dialog = page.getByRole('dialog');
  const go = (name: string): Promise<void> =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('link', { name: 'find_order' }).click();
  await page.getByRole('button', { name: 'Add a header' }).click();
  await page.getByRole('textbox', { name: 'Name of header 1' }).fill('x-shop');
  await page.getByRole('textbox', { name: 'Value of header 1' }).fill('secret-of-the-shop');
  t.strictSame(await findBarriers(page), []);
  // What a colleague changes meanwhile stays.
  const [{ toolId = '' } = {}] = await skein.tools.list({ limit: 1 }).toArray(1);
  await skein.tools.update(toolId, { description: 'Where an order is by now.' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('input[value="[redacted]"]').waitFor();
  const description = page.getByRole('textbox', { name: 'Description' });
  t.equal(await description.inputValue(), 'Where an order is by now.');
  t.equal((await skein.tools.get(toolId)).description, 'Where an order is by now.');

  // What is half written outlives the button beside it, and a link asks before it leaves it.
  const editor = page.getByRole('textbox', { name: 'Arguments' });
  await editor.press('Control+End');
  await page.keyboard.insertText('half written');
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).waitFor();
  const question = page.waitForEvent('dialog').then(asked => asked.dismiss());
  await page.getByRole('link', { name: 'Channels' }).click();
  await question;
  await editor.getByText('half written').waitFor();
  await editor.press('Control+z');
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  await page.getByRole('textbox', { name: 'number' }).fill('A17');
  await page.getByRole('button', { name: 'Call it' }).click();
  await page.getByText('It responded').waitFor();
  t.equal(shop.received.at(-1)?.headers['x-shop'], 'secret-of-the-shop');
  await page.getByRole('button', { name: 'New secret' }).click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  await dialog
    .getByRole('timer')
    .getByText(/59:\d\d/)
    .waitFor();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();

  await go('Instructions');
  await page.getByRole('link', { name: 'Front desk' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Night desk');
  // A click beside a dialog takes nothing away of what is typed in it.
  await page.mouse.click(4, 4);
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Night desk' }).waitFor();
  const archive = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Archive' }).click();
    await dialog.getByRole('textbox').fill('Night desk');
    await dialog.getByRole('button', { name: 'Archive' }).click();
  };
  await archive();
  await dialog.getByRole('alert').waitFor();
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const address = page.url();

  await go('Agents');
  await page.getByRole('button', { name: 'Change Ava' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ben');
  t.strictSame(await findBarriers(page), []);
  // A colleague stops it meanwhile.
  const [{ agentId = '' } = {}] = await skein.agents.list({ limit: 1 }).toArray(1);
  await skein.agents.update(agentId, { mode: 'paused' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Change Ben' }).click();
  t.match(await skein.agents.get(agentId), { name: 'Ben', mode: 'paused' });
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await dialog.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('No agent yet').waitFor();

  await page.goto(address);
  await archive();
  await page.getByText('These instructions are archived').waitFor();
  t.equal(await page.getByRole('button', { name: 'Next version' }).count(), 0);
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('button', { name: 'Next version' }).waitFor();
  const [loom] = await skein.looms.list({ limit: 1 }).toArray(1);
  t.match(loom, { name: 'Night desk', status: 'active', archivedAt: null });

  await go('Model providers');
  await page.getByRole('button', { name: 'Change Our key' }).click();
  await page.getByRole('menuitem', { name: 'Replace' }).click();
  await dialog.getByLabel('Key').fill('sk-9876543210');
  await dialog.getByRole('combobox', { name: 'The old secret works for' }).click();
  await page.getByRole('option', { name: '24 hours' }).click();
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: /Our key/ })
    .getByRole('timer')
    .getByText(/23:59:\d\d/)
    .waitFor();
  t.notOk((await page.content()).includes('sk-9876543210'));
  await page.getByRole('button', { name: 'Change Our key' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await dialog.getByRole('textbox').fill('Our key');
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('cell', { name: 'Revoked' }).waitFor();
});
