/** What an operator decides about a suggestion: approved, edited, discarded or taken over; by the mouse and by keyboard. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { getCard, getLog, startAgent, suggested } from './agent-setting.ts';
import { findBarriers, openConsole, receive } from './console-page.ts';

const { setting } = await startAgent(t);
const { skein, owner, projectId, environmentId } = setting;
const browser = await startChromium(t);

/** Asked all at once: a run waits until its thread has been quiet for a while. */
const [editedId, discardedId, takenId] = await Promise.all(
  ['edited', 'discarded', 'taken'].map(from => receive(setting, from, 'Your hours?')),
);

const toPath = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;
const openAs = (
  t: Parameters<typeof openConsole>[0],
  operator: typeof owner,
  threadId: string,
): Promise<Page> => openConsole(t, browser, setting, operator, { path: toPath(threadId) });

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
  // Whoever walks through the list does not write into it.
  await page.getByRole('option', { selected: true }).waitFor();
  await page.keyboard.press('k');
  await page.waitForURL(url => !url.pathname.endsWith(threadId));
  await page.keyboard.press('j');
  await page.waitForURL(url => url.pathname.endsWith(threadId));
  t.equal(await reason.inputValue(), 'The hours have changed');
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
  await message.getByRole('button', { name: 'Message actions' }).click();
  await page.getByRole('menuitem', { name: 'Message timeline' }).click();
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
  await getCard(page).getByRole('button', { name: 'Cancel editing' }).press('Enter');
  await page.getByRole('log', { name: 'Messages' }).focus();
  await page.keyboard.press('y');
  await getLog(page).getByText(suggested, { exact: true }).waitFor();
});
