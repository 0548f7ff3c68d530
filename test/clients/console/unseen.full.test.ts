/** A message comes at the moment in which an operator puts its conversation away: it stays, and they are told. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const { skein, owner, projectId, environmentId } = setting;
const browser = await startChromium(t);

type Options = Parameters<typeof openConsole>[4];
const open = (t: Parameters<typeof openConsole>[0], threadId: string, options: Options = {}): Promise<Page> =>
  openConsole(t, browser, setting, owner, {
    path: `/console/${projectId}/${environmentId}/all/${threadId}`,
    ...options,
  });
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });
const readStatus = async (threadId: string) => (await skein.threads.get(threadId)).status;

/** Holds the next request of that kind back until what happens meanwhile is committed. */
async function holdOnce(page: Page, method: string, path: RegExp, meanwhile: () => Promise<unknown>) {
  let wasHeld = false;
  await page.route(path, async route => {
    if (route.request().method() !== method || wasHeld) return route.continue();
    wasHeld = true;
    await meanwhile();
    await route.continue();
  });
}
const patch = ['PATCH', /\/v1\/threads\/thread_[^/?]+$/] as const;

t.test('closing stops at a message that came after the click, and goes on where that is wanted', async t => {
  const threadId = await receive(setting, 'ada', 'Thank you!', 'Ada Byron');
  const page = await open(t, threadId);
  await getLog(page).getByText('Thank you!').waitFor();
  await page.getByText('Online').waitFor();
  await holdOnce(page, ...patch, () => receive(setting, 'ada', 'But where is it?', 'Ada Byron'));
  const close = page.getByRole('button', { name: 'Close', exact: true });
  await close.click();
  const notice = page.getByRole('alert').filter({ hasText: 'A new message has arrived. Read it first.' });
  await notice.waitFor();
  t.equal(await readStatus(threadId), 'open');
  await getLog(page).getByText('But where is it?').waitFor();
  await close.waitFor();
  await page.getByRole('option', { name: 'Ada Byron' }).getByText('But where is it?').waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.emulateMedia({ colorScheme: 'dark' });
  t.strictSame(await findBarriers(page), [], 'in the dark');

  await notice.getByRole('button', { name: 'Close anyway' }).click();
  await notice.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Reopen' }).waitFor();
  await page.getByText('No open conversations.').waitFor();
  t.equal(await readStatus(threadId), 'closed');
});

t.test('so does snoozing; what was read meanwhile is in the way of nobody', async t => {
  const threadId = await receive(setting, 'grace', 'Tomorrow, please', 'Grace Hopper');
  const page = await open(t, threadId);
  await getLog(page).getByText('Tomorrow, please').waitFor();
  await page.getByText('Online').waitFor();
  await holdOnce(page, ...patch, () => receive(setting, 'grace', 'No: today!', 'Grace Hopper'));
  const snooze = async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'For an hour' }).click();
  };
  await snooze();
  const notice = page.getByRole('alert').filter({ hasText: 'A new message has arrived. Read it first.' });
  await notice.getByRole('button', { name: 'Snooze anyway' }).waitFor();
  await getLog(page).getByText('No: today!').waitFor();
  t.equal((await skein.threads.get(threadId)).snoozedUntil, null);
  await notice.getByRole('button', { name: 'Dismiss' }).click();
  await notice.waitFor({ state: 'detached' });
  await snooze();
  await page.getByText(/^Snoozed until/).waitFor();
  t.type((await skein.threads.get(threadId)).snoozedUntil, 'string');
  await skein.threads.update(threadId, { status: 'closed' });
});

t.test('whoever has gone on to the next conversation is told there', async t => {
  const ada = await receive(setting, 'ada', 'Good bye', 'Ada Byron');
  await receive(setting, 'alan', 'Hello', 'Alan Turing');
  const page = await open(t, ada);
  await getLog(page).getByText('Good bye').waitFor();
  await page.getByText('Online').waitFor();
  const { promise: hasGone, resolve: go } = Promise.withResolvers<void>();
  await holdOnce(page, ...patch, async () => {
    await hasGone;
    await receive(setting, 'ada', 'Wait!', 'Ada Byron');
  });
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'Reopen' }).waitFor();
  await page.getByRole('option', { name: 'Alan Turing' }).click();
  await getLog(page).getByText('Hello').waitFor();
  go();
  const told = page.getByText('Ada Byron has just written: the conversation is still open.');
  await told.waitFor();
  t.equal(await told.locator('bdi').textContent(), 'Ada Byron', 'the sentence has its own direction');
  t.strictSame(await findBarriers(page), []);
  t.equal(await page.getByRole('alert').filter({ hasText: 'Read it first' }).count(), 0, 'not in the other');
  await page.getByRole('button', { name: 'Read it' }).click();
  await getLog(page).getByText('Wait!').waitFor();
  await told.waitFor({ state: 'detached' });
  const notice = page.getByRole('alert').filter({ hasText: 'A new message has arrived. Read it first.' });
  await notice.getByRole('button', { name: 'Close anyway' }).waitFor();
  await page.getByRole('option', { name: 'Alan Turing' }).click();
  await getLog(page).getByText('Hello').waitFor();
  t.equal(await told.count(), 0, 'once they were told in the conversation, they are not told again');
  await page.getByRole('option', { name: 'Ada Byron' }).click();
  await notice.getByRole('button', { name: 'Close anyway' }).waitFor();
  // A colleague is faster: there is nothing to decide any more.
  await skein.threads.update(ada, { status: 'closed' });
  await notice.waitFor({ state: 'detached' });
});

t.test('of several at once, those stay, and stay chosen', async t => {
  await receive(setting, 'ada', 'Done', 'Ada Byron');
  const page = await openConsole(t, browser, setting, owner);
  const getRow = (name: string) => page.getByRole('option', { name });
  await getRow('Alan Turing').waitFor();
  await page.getByText('Online').waitFor();
  await getRow('Ada Byron').click({ modifiers: ['Control'] });
  await getRow('Alan Turing').click({ modifiers: ['Control'] });
  await page.getByText('2 selected').waitFor();
  await holdOnce(page, 'POST', /\/v1\/threads\/bulk$/, () =>
    receive(setting, 'alan', 'One more', 'Alan Turing'),
  );
  const toolbar = page.getByRole('toolbar', { name: 'Selected conversations' });
  await toolbar.getByRole('button', { name: 'Close', exact: true }).click();
  await toolbar.getByText('1 could not be changed').waitFor();
  await toolbar.getByText('A new message has arrived. Read it first.').waitFor();
  await getRow('Alan Turing').getByText('One more').waitFor();
  await getRow('Ada Byron').waitFor({ state: 'detached' });
  t.equal(await page.locator('[role=option][data-chosen]').count(), 1);
  t.strictSame(await findBarriers(page), []);
  await toolbar.getByRole('button', { name: 'Close anyway' }).click();
  await page.getByText('No open conversations.').waitFor();
  await eventually('all closed', async () => {
    const { data } = await skein.threads.list({ status: ['open'] });
    return data.length === 0;
  });
});

t.test('what has left the list is not chosen any more', async t => {
  const bob = await receive(setting, 'bob', 'One', 'Bob');
  const cleo = await receive(setting, 'cleo', 'Two', 'Cleo');
  const page = await openConsole(t, browser, setting, owner);
  const getRow = (name: string) => page.getByRole('option', { name });
  await getRow('Bob').waitFor();
  await page.getByText('Online').waitFor();
  for (const name of ['Bob', 'Cleo']) await getRow(name).click({ modifiers: ['Control'] });
  await page.getByText('2 selected').waitFor();
  // Over the list no row would move.
  await page.mouse.move(0, 0);
  await skein.threads.update(cleo, { status: 'closed' });
  await getRow('Cleo').waitFor({ state: 'detached' });
  await page.getByText('1 selected').waitFor();
  await skein.threads.update(cleo, { status: 'open' });
  await getRow('Cleo').waitFor();
  t.equal(await page.getByRole('option', { checked: true }).count(), 1, 'nor when it comes back');
  for (const threadId of [bob, cleo]) await skein.threads.update(threadId, { status: 'closed' });
});
