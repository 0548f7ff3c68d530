/** Suggestions that something overtakes: a colleague, a message, the end of the conversation, or of its window. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { getCard, getLog, startAgent, suggested } from './agent-setting.ts';
import { addOperator, findBarriers, openConsole, receive } from './console-page.ts';

const { setting } = await startAgent(t);
const { skein, owner, projectId, environmentId } = setting;
const colleague = await addOperator(setting);
const browser = await startChromium(t);

/** Asked all at once: a run waits until its thread has been quiet for a while. */
const [twoId, keptId, outdatedId, expiredId] = await Promise.all(
  ['two', 'kept', 'outdated', 'expired'].map(from => receive(setting, from, 'Your hours?')),
);

const toPath = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;
const openAs = (
  t: Parameters<typeof openConsole>[0],
  operator: typeof owner,
  threadId: string,
): Promise<Page> => openConsole(t, browser, setting, operator, { path: toPath(threadId) });

t.test('of two operators who approve at once one wins, and the other is told who', async t => {
  const threadId = twoId ?? '';
  const pages = await Promise.all([owner, colleague].map(operator => openAs(t, operator, threadId)));
  const [one, other] = pages as [Page, Page];
  for (const page of pages) await getCard(page).getByText(suggested).waitFor();
  t.match(await getCard(one).textContent(), /Front desk suggests/);
  t.equal(
    await getCard(one).locator('header bdi').textContent(),
    'Front desk',
    'the name alone is set apart',
  );
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

  await page.goto(`${setting.baseUrl}${toPath(outdatedId ?? '')}`);
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
    .getByText(/The conversation has changed since this was suggested/)
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
