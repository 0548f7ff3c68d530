/** What an operator does with a list: which filters it has, all results of a search, snoozing, and what is written and not sent. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, startConsole } from './console-page.ts';

const setting = await startConsole(t);
const browser = await startChromium(t);
const operator = await addOperator(setting);
const { projectId, environmentId, skein } = setting;
const place = `/console/${projectId}/${environmentId}`;
const ada = await receive(setting, 'ada', 'Where is my parcel?', 'Ada Byron');
const grace = await receive(setting, 'grace', 'Hello', 'Grace Hopper');
await skein.threads.update(ada, { subject: 'Order 4711' });
await skein.threads.assign(ada, { userId: operator.userId });

async function shows(page: Page, names: readonly string[]): Promise<void> {
  const shown = page.getByRole('option').locator('bdi[class*=name]');
  await eventually(`list of ${names.join(', ')}`, async () => {
    return (await shown.allTextContents()).join('|') === names.join('|');
  });
}

t.test('a queue has no filter that it has set itself, though its address may', async t => {
  const other = encodeURIComponent(JSON.stringify([setting.owner.userId]));
  const page = await openConsole(t, browser, setting, operator, {
    path: `${place}/mine?assigneeUserId=${other}`,
  });
  await shows(page, ['Ada Byron']);
  t.equal(await page.getByRole('button', { name: 'Remove this filter' }).count(), 0);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Agent mode').first().waitFor();
  t.equal(await page.getByLabel('Assigned to', { exact: true }).count(), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Agent paused' }).click();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Assigned to', { exact: true }).first().waitFor();
  t.equal(await page.getByLabel('Agent mode', { exact: true }).count(), 0);
});

t.test('a subject is shown in the list and above the conversation', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: `${place}/all` });
  await page.getByRole('option', { name: /Order 4711/ }).click();
  await page.getByRole('main').getByText('Order 4711').waitFor();
});

t.test('what is written, waits or was refused is marked in the list, and counted above', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: `${place}/all` });
  await page.getByRole('option', { name: /Ada Byron/ }).click();
  const composer = page.getByRole('textbox', { name: /reply/i });
  await composer.fill('One moment');
  t.equal(await page.getByRole('option', { name: /Draft/ }).count(), 0, 'it can be seen in the open thread');
  await page.getByRole('option', { name: /Grace Hopper/ }).click();
  await page.getByRole('option', { name: /Ada Byron.*Draft/ }).waitFor();

  await page.route('**/v1/threads/*/messages*', route =>
    route.request().method() === 'POST' ? route.abort('connectionrefused') : route.fallback(),
  );
  await page.getByRole('textbox', { name: /reply/i }).fill('Good morning');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: /Grace Hopper.*Waiting to send/ }).waitFor();
  await page.getByRole('status').filter({ hasText: '1 waits to be sent' }).waitFor();
  await page.unroute('**/v1/threads/*/messages*');
  await page.getByRole('status').filter({ hasText: '1 waits to be sent' }).waitFor({ state: 'detached' });
  t.match((await skein.messages.list(grace, { limit: 1, order: 'desc' })).data, [{ body: 'Good morning' }]);
});

t.test('a conversation is snoozed until a date and a time', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: `${place}/all/${ada}` });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Until a date and time …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Snooze until' });
  await dialog.getByLabel('Date and time').fill('2020-01-01T10:00');
  await dialog.getByRole('button', { name: 'Snooze' }).click();
  await dialog.getByText('Choose a time in the future, within a year.').waitFor();
  t.strictSame(await findBarriers(page), []);
  const year = new Date().getUTCFullYear();
  const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  await dialog.getByLabel('Date and time').fill(`${day}T09:30`);
  await dialog.getByRole('button', { name: 'Snooze' }).click();
  await dialog.waitFor({ state: 'detached' });
  await eventually('snoozed', async () => {
    const { snoozedUntil } = await skein.threads.get(ada);
    return snoozedUntil != null && new Date(snoozedUntil).getUTCFullYear() >= year;
  });
  await skein.threads.update(ada, { snoozedUntil: null });
});

t.test('several conversations are snoozed at once, and woken', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: `${place}/all` });
  await shows(page, ['Grace Hopper', 'Ada Byron']);
  for (const name of [/Ada Byron/, /Grace Hopper/]) {
    await page.getByRole('option', { name }).click({ modifiers: ['Control'] });
  }
  const bar = page.getByRole('toolbar', { name: 'Chosen conversations' });
  await bar.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: 'For a week' }).click();
  // Over the list no row would move.
  await page.mouse.move(0, 0);
  await page.getByText('No open conversations.').waitFor();
  await page.getByRole('link', { name: 'Snoozed' }).click();
  const sleeping = page.getByRole('option');
  await eventually('both sleep', async () => (await sleeping.count()) === 2);
  await page.getByRole('option', { name: /Ada Byron/ }).click({ modifiers: ['Control'] });
  await bar.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: 'Wake' }).click();
  await page.mouse.move(0, 0);
  await shows(page, ['Grace Hopper']);
  t.equal((await skein.threads.get(ada)).snoozedUntil, null);
});

t.test('all results of a search are a list with an address', async t => {
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => receive(setting, `guest-${n}`, `A question about invoices, ${n}`)),
  );
  const page = await openConsole(t, browser, setting, operator, { path: `${place}/all` });
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search' });
  await field.fill('invoices');
  const all = page.getByRole('option', { name: 'All results for “invoices”' });
  await eventually('the words of all messages', async () => {
    if ((await all.count()) > 0) return true;
    // What was found so far is asked for again by other words.
    await field.fill('');
    await field.fill('invoices ');
    return false;
  });
  await all.click();
  await page.getByRole('heading', { name: 'Results for “invoices”' }).waitFor();
  await eventually('all of them', async () => (await page.getByRole('option').count()) === 20);
  t.match(page.url(), /\/search\?q=invoices/);
  await page.getByRole('option').locator('mark').first().waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('option').first().click();
  await page
    .getByRole('main')
    .getByText(/A question about invoices/)
    .first()
    .waitFor();
  t.match(page.url(), /q=invoices/, 'the list stays');
  t.equal(await page.getByRole('option').count(), 20);
});
