/** The list of conversations as an operator has it: live, in order, and still under the pointer. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const browser = await startChromium(t);
const operator = await addOperator(setting);

const listNames = (page: Page): Promise<string[]> =>
  page.getByRole('option').locator('bdi[title]').allInnerTexts();

/** Resolves when the list shows just these, in this order. */
async function shows(page: Page, names: readonly string[]): Promise<void> {
  const shown = page.getByRole('option').locator('bdi[title]');
  await eventually(`list of ${names.join(', ')}`, async () => {
    return (await shown.allTextContents()).join('|') === names.join('|');
  });
}

t.test('a message is shown at once, on top, and counted until it is read', async t => {
  await receive(setting, 'ada', 'Where is my parcel?', 'Ada Byron');
  const page = await openConsole(t, browser, setting, operator);
  await shows(page, ['Ada Byron']);
  await page.getByText('Online').waitFor();
  await receive(setting, 'grace', 'Hello', 'Grace Hopper');
  await shows(page, ['Grace Hopper', 'Ada Byron']);
  await receive(setting, 'ada', 'Hello?', 'Ada Byron');
  await shows(page, ['Ada Byron', 'Grace Hopper']);
  const ada = page.getByRole('option', { name: 'Ada Byron' });
  await ada.getByLabel('2 unread').waitFor();
  await ada.getByText('Hello?').waitFor();
  await ada.click();
  await page.waitForURL(/\/all\/thread_/);
  await ada.getByLabel('2 unread').waitFor({ state: 'detached' });
});

t.test('the row under the pointer stays, and what has moved waits', async t => {
  const page = await openConsole(t, browser, setting, operator);
  await shows(page, ['Ada Byron', 'Grace Hopper']);
  await page.getByText('Online').waitFor();
  await page.getByRole('option', { name: 'Ada Byron' }).hover();
  await receive(setting, 'grace', 'Are you there?', 'Grace Hopper');
  await page.getByRole('button', { name: '1 has moved' }).waitFor();
  t.strictSame(await listNames(page), ['Ada Byron', 'Grace Hopper']);
  await page.getByRole('option', { name: 'Grace Hopper' }).getByText('Are you there?').waitFor();
  await page.mouse.move(900, 400);
  await shows(page, ['Grace Hopper', 'Ada Byron']);
});

t.test('queues: what is assigned, closed and waited for is where it belongs', async t => {
  const page = await openConsole(t, browser, setting, operator);
  const threadId = await receive(setting, 'alan', 'A question', 'Alan Turing');
  await shows(page, ['Alan Turing', 'Grace Hopper', 'Ada Byron']);
  await page.getByRole('link', { name: /^Unassigned/ }).click();
  await shows(page, ['Alan Turing', 'Grace Hopper', 'Ada Byron']);
  await operator.api.threads.assign(threadId, { projectId: setting.projectId, userId: operator.userId });
  await shows(page, ['Grace Hopper', 'Ada Byron']);
  await page.getByRole('link', { name: /^Mine/ }).click();
  await shows(page, ['Alan Turing']);
  await page.getByRole('link', { name: /^Mine 1/ }).waitFor();
  await setting.skein.threads.update(threadId, { status: 'closed' });
  await page.getByText('Nothing is assigned to you.').waitFor();
  await page.getByRole('link', { name: /^Closed/ }).click();
  await shows(page, ['Alan Turing']);
  await page.getByRole('link', { name: /^Waiting longest/ }).click();
  await shows(page, ['Ada Byron', 'Grace Hopper']);
});

t.test('several are changed at once, by keyboard', async t => {
  const page = await openConsole(t, browser, setting, operator);
  await shows(page, ['Grace Hopper', 'Ada Byron']);
  await page.keyboard.press('j');
  await page.getByRole('option', { name: 'Grace Hopper', selected: true }).waitFor();
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('j');
  await page.getByRole('option', { name: 'Ada Byron', selected: true }).waitFor();
  await page.keyboard.press('x');
  await page.getByText('2 selected').waitFor();
  await page
    .getByRole('toolbar', { name: 'Selected conversations' })
    .getByRole('button', { name: 'Close' })
    .click();
  await page.getByText('No open conversations.').waitFor();
  const { data } = await setting.skein.threads.list({ status: ['closed'] });
  t.equal(data.length, 3);
});

t.test('a snoozed conversation is in a queue of its own, until it wakes', async t => {
  const threadId = await receive(setting, 'alan', 'Call me tomorrow', 'Alan Turing');
  const page = await openConsole(t, browser, setting, operator);
  await shows(page, ['Alan Turing']);
  const snoozedUntil = new Date(Date.now() + 7_500_000).toISOString();
  await setting.skein.threads.update(threadId, { snoozedUntil });
  await page.getByText('No open conversations.').waitFor();
  await page.getByRole('link', { name: /^Snoozed/ }).click();
  await shows(page, ['Alan Turing']);
  await page.getByRole('option').getByText('wakes in 2h').waitFor();
  await page
    .getByRole('link', { name: /^Snoozed/ })
    .getByText('1', { exact: true })
    .waitFor();
  await page.getByRole('button', { name: 'Save these filters' }).waitFor();
  await setting.skein.threads.update(threadId, { snoozedUntil: null });
  await page.getByText('No conversation is snoozed.').waitFor();
  await setting.skein.threads.update(threadId, { status: 'closed' });
});

const getFace = (page: Page, name: string) => page.getByRole('option', { name }).locator('[data-check]');
const chosenNames = (page: Page): Promise<string[]> =>
  page.locator('[role=option][data-chosen] bdi[title]').allTextContents();

t.test('several are chosen by their faces, from one to another, and all at once', async t => {
  const names = ['Fay', 'Eve', 'Dan', 'Cleo', 'Bob', 'Amy'];
  for (const name of [...names].reverse()) await receive(setting, name, 'Hello', name);
  const page = await openConsole(t, browser, setting, operator);
  await shows(page, names);
  const drawn = () =>
    page.evaluate<number>(
      `[...document.querySelectorAll('[data-check]')].filter(each => getComputedStyle(each, '::before').display !== 'none').length`,
    );
  t.equal(await drawn(), 0, 'faces');
  await page.getByRole('option', { name: 'Eve' }).hover();
  t.equal(await drawn(), 1, 'the check mark of the row under the pointer');
  await getFace(page, 'Eve').click();
  await page.getByText('1 selected').waitFor();
  t.match(page.url(), /\/all$/, 'it is not opened');
  t.equal(await drawn(), 6, 'check marks of all rows');
  await page.getByRole('option', { name: 'Bob' }).click({ modifiers: ['Shift'] });
  await page.getByText('4 selected').waitFor();
  t.strictSame(await chosenNames(page), ['Eve', 'Dan', 'Cleo', 'Bob']);
  t.equal(await page.evaluate('String(getSelection())'), '', 'no text is selected by it');
  await getFace(page, 'Dan').click();
  await page.getByRole('option', { name: 'Amy' }).click({ modifiers: ['Control'] });
  await page.getByRole('option', { name: 'Fay' }).click({ modifiers: ['Shift'] });
  await page.getByText('6 selected').waitFor();
  const toolbar = page.getByRole('toolbar', { name: 'Selected conversations' });
  t.equal(await toolbar.getByRole('button', { name: 'Select all shown' }).count(), 0, 'all are');
  await getFace(page, 'Cleo').click();
  await page.getByText('5 selected').waitFor();
  t.strictSame(await findBarriers(page), []);
  await toolbar.getByRole('button', { name: 'Select all shown' }).click();
  await page.getByText('6 selected').waitFor();
  await toolbar.getByRole('button', { name: 'Clear selection' }).click();
  await toolbar.waitFor({ state: 'detached' });
  await page.getByRole('option', { name: 'Amy' }).click();
  await page.waitForURL(/\/all\/thread_/);
});

t.test('on a phone faces are tapped', async t => {
  const page = await openConsole(t, browser, setting, operator, {
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    isMobile: true,
  });
  await getFace(page, 'Fay').tap();
  await page.getByText('1 selected').waitFor();
  await getFace(page, 'Eve').tap();
  await page.getByText('2 selected').waitFor();
  t.strictSame(await chosenNames(page), ['Fay', 'Eve']);
  t.equal(
    await page.evaluate('document.documentElement.scrollWidth'),
    390,
    'nothing is wider than the phone',
  );
  const toolbar = page.getByRole('toolbar', { name: 'Selected conversations' });
  await toolbar.getByRole('button', { name: 'Select all shown' }).tap();
  await page.getByText('6 selected').waitFor();
  await toolbar.getByRole('button', { name: 'Close', exact: true }).tap();
  await page.getByText('No open conversations.').waitFor();
});

t.test('names of others show what they are, and break nothing', async t => {
  const names = [
    '<img src=x onerror=alert(1)>',
    '\u202eevil\u2066gpj.exe',
    `Z${'\u0301\u0327'.repeat(60)}algo`,
    '👩🏽‍🚒 Firefighter',
  ];
  for (const [index, name] of names.entries()) await receive(setting, `odd-${index}`, `<b>${name}</b>`, name);
  const page = await openConsole(t, browser, setting, operator);
  const seen = names.map(name => name.replaceAll(/[\u202e\u2066]/g, ''));
  await shows(page, [...seen].reverse());
  t.equal(await page.getByTitle('evilgpj.exe', { exact: true }).count(), 1, 'nothing turns its direction');
  t.equal(await page.locator('[role=option] img').count(), 0);
  const heights = await page
    .getByRole('option')
    .evaluateAll(rows => rows.map(row => (row as unknown as { offsetHeight: number }).offsetHeight));
  t.strictSame(new Set(heights), new Set([68]), 'one row is as high as another');
});

t.test('on a phone there is one thing at a time', async t => {
  const page = await openConsole(t, browser, setting, operator, { viewport: { width: 390, height: 780 } });
  await page.getByRole('option').first().click();
  await page.getByRole('textbox').waitFor();
  t.equal(await page.getByRole('listbox').isVisible(), false);
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.getByRole('listbox').waitFor();
  await page.getByRole('button', { name: 'Queues and projects' }).click();
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /^Closed/ })
    .click();
  await page.getByRole('heading', { name: 'Closed' }).waitFor();
});

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`no barriers, ${colorScheme}`, async t => {
    const page = await openConsole(t, browser, setting, operator, { colorScheme });
    await page.getByRole('option').first().waitFor();
    t.strictSame(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    t.strictSame(await findBarriers(page), [], 'with the filters');
    await page.keyboard.press('Escape');
    // Keys rest while it is in front.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    t.strictSame(await findBarriers(page), [], 'with the keyboard');
  });
}
