/** Everything by keyboard: what Escape leaves, what keys do to the open conversation, and what the palette offers, by role. */
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const browser = await startChromium(t);
const { skein, owner, projectId, environmentId } = setting;
const colleague = await addOperator(setting, 'agent', 'tom.wild');
const names = ['Ada Byron', 'Grace Hopper', 'Alan Turing'];
const threadIds: string[] = [];
for (const name of names)
  threadIds.push(await receive(setting, name.toLowerCase().slice(0, 3), 'Hello', name));
const threadId = threadIds[0] ?? '';
const path = `/console/${projectId}/${environmentId}/all`;

async function open(t: Test, options: Parameters<typeof openConsole>[4] = {}): Promise<Page> {
  const page = await openConsole(t, browser, setting, owner, { path: `${path}/${threadId}`, ...options });
  await page.getByRole('log', { name: 'Messages' }).getByText('Hello').waitFor();
  await page.getByRole('option').nth(2).waitFor();
  await page.getByText('Online').waitFor();
  return page;
}

/** A conversation that no other test changes. */
const openAt = (t: Test, threadId: string): Promise<Page> =>
  openConsole(t, browser, setting, owner, { path: `${path}/${threadId}` });

const isFocused = (page: Page, selector: string): Promise<void> =>
  eventually(`focus in ${selector}`, () =>
    page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)}) === true`),
  );

/** Chooses the first that the palette offers for what is written. */
async function take(page: Page, key: string, written: string, option: RegExp): Promise<void> {
  await page.keyboard.press(key);
  // Its focus comes a moment after it.
  await page.getByRole('combobox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type(written);
  await page.getByRole('option', { name: option, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

t.test(
  'Escape leaves the text, the choice, the details and the conversation, one after the other',
  async t => {
    const page = await open(t);
    await page.keyboard.press('r');
    await page.keyboard.type('It is on its');
    await page.keyboard.press('Escape');
    await isFocused(page, '[role=log]');
    await page.keyboard.press('d');
    const details = page.getByRole('complementary', { name: 'Participant and details' });
    await details.waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('1 selected').waitFor({ state: 'detached' });
    await details.waitFor();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByText('No conversation selected').waitFor();
    t.equal(new URL(page.url()).pathname, path);
    await page.goBack();
    const reply = page.getByRole('textbox', { name: 'Reply' });
    await reply.waitFor();
    t.equal(await reply.inputValue(), 'It is on its', 'what was written is still there');
  },
);

t.test('a range is chosen, and the list is filtered', async t => {
  const page = await open(t, { path: `${path}/${threadIds[2] ?? ''}` });
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.waitForURL(url => url.pathname.endsWith(threadId));
  await page.getByRole('option', { name: 'Ada Byron', selected: true }).waitFor();
  await page.keyboard.press('Shift+X');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('f');
  await page.getByRole('checkbox', { name: 'Unread only' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox', { name: 'Unread only' }).waitFor({ state: 'detached' });
  t.ok(await page.getByText('3 selected').isVisible(), 'the key was for the menu alone');
});

t.test('the open conversation is changed by keys and by what the palette offers', async t => {
  const page = await open(t);
  const has = (what: string, expected: object): Promise<void> =>
    eventually(what, async () => {
      const thread = (await skein.threads.get(threadId)) as unknown as Record<string, unknown>;
      return Object.entries(expected).every(
        ([name, value]) => JSON.stringify(thread[name]) === JSON.stringify(value),
      );
    });
  await page.keyboard.press('a');
  await has('own assignment', { assigneeUserId: owner.userId });
  await take(page, 'm', 'pau', /^Agent mode: Paused/);
  await has('mode', { agentMode: 'paused' });
  await take(page, 'i', 'tom', /^Assign: Tom Wild/);
  await has('assignee', { assigneeUserId: colleague.userId });
  await take(page, 's', 'week', /^Snooze: For a week/);
  await page
    .getByText(/^Snoozed until/)
    .first()
    .waitFor();
  const told = page.getByRole('log', { name: 'Messages' }).getByText(/ snoozed the conversation until /);
  await told.waitFor();
  t.equal(await told.locator('..').locator('time').count(), 0, 'it names one time');
  await take(page, 'Control+k', '> wake', /^Wake/);
  await has('wake', { snoozedUntil: null });
  await page.keyboard.press('l');
  const field = page.getByRole('textbox', { name: 'Add a tag' });
  await field.waitFor();
  await isFocused(page, 'input');
  await page.keyboard.type('vip');
  await page.keyboard.press('Enter');
  await has('tag', { tags: ['vip'] });
  await page.keyboard.press('Escape');
  await take(page, 'Control+k', '> remove vip', /^Remove vip/);
  await has('no tag', { tags: [] });
  await page.keyboard.press('Shift+E');
  await has('archive', { status: 'archived' });
  await page.getByText('Archived conversations take no messages.').waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('> ');
  await page.getByRole('option', { name: /^Restore from the archive/ }).waitFor();
  t.equal(await page.getByRole('option', { name: /^Write a reply/ }).count(), 0, 'nothing that it refuses');
  t.strictSame(await findBarriers(page), []);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+E');
  await has('restore', { status: 'open' });
});

t.test('who may only read is offered no command that changes anything', async t => {
  const viewer = await addOperator(setting, 'viewer');
  const page = await openConsole(t, browser, setting, viewer, { path: `${path}/${threadId}` });
  await page.getByText('Your role lets you read these conversations').waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('> ');
  await page.getByRole('option', { name: /^Copy link/ }).waitFor();
  for (const name of [/^Close\b/, /^Archive/, /^Assign/, /^Agent mode/, /^Snooze\b/, /^Write/, /^Add a tag/])
    t.equal(await page.getByRole('option', { name }).count(), 0, String(name));
});

t.test('the list of keys names those of the keyboard that one has', async t => {
  const mac =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36';
  for (const [userAgent, modifier] of [
    [undefined, 'Ctrl'],
    [mac, '⌘'],
  ] as const) {
    const page = await open(t, userAgent === undefined ? {} : { userAgent });
    await page.keyboard.press('?');
    const row = page.getByRole('dialog').getByRole('row').filter({ hasText: 'go anywhere' });
    await row.waitFor();
    t.match(await row.textContent(), `${modifier}K`);
    t.strictSame(await findBarriers(page), []);
  }
});

t.test('keys and clicks that are not meant for the conversation change nothing in it', async t => {
  const threadId = await receive(setting, 'not-meant', 'Hello', 'Ada');
  const page = await openAt(t, threadId);
  const { updatedAt } = await skein.threads.get(threadId);
  await page.getByRole('button', { name: 'More' }).click();
  const menu = page.getByRole('menu');
  await menu.waitFor();
  await page.keyboard.press('e');
  await page.keyboard.press('a');
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await page.keyboard.press('e');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('each');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  t.equal((await skein.threads.get(threadId)).updatedAt, updatedAt);
  // Held down, a key acts once; and the second of two quick clicks is none of the button that stands there by then.
  for (let times = 0; times < 5; times++) await page.keyboard.down('e');
  await page.keyboard.up('e');
  const reopen = page.getByRole('button', { name: 'Reopen' });
  await reopen.waitFor();
  await eventually('close', async () => (await skein.threads.get(threadId)).status === 'closed');
  await reopen.click();
  const close = page.getByRole('button', { name: 'Close', exact: true });
  await close.dblclick();
  await reopen.waitFor();
  await eventually('close', async () => (await skein.threads.get(threadId)).status === 'closed');
});

/** How many colours there are in the outermost pixels of the area, all around. */
async function countEdgeColours(page: Page, target: Locator): Promise<number> {
  const { x, y, width, height } = (await target.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const [left, top] = [Math.ceil(x), Math.ceil(y)];
  const clip = { x: left, y: top, width: Math.floor(x + width) - left, height: Math.floor(y + height) - top };
  const picture = (await page.screenshot({ clip })).toString('base64');
  // Where no policy keeps it from being read.
  const reader = await page.context().newPage();
  const colours = await reader.evaluate<number>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture}';
    await image.decode();
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    const colours = new Set();
    for (let x = 0; x < width; x++)
      for (let y = 0; y < height; y++)
        if (x === 0 || y === 0 || x === width - 1 || y === height - 1)
          colours.add(context.getImageData(x, y, 1, 1).data.join());
    return colours.size;
  })()`);
  await reader.close();
  return colours;
}

t.test('where the keys are in the list is shown by a ring that nothing breaks', async t => {
  const page = await openConsole(t, browser, setting, owner, { path });
  await page.getByRole('option').nth(2).waitFor();
  await page.mouse.move(900, 400);
  const list = page.getByRole('listbox', { name: 'Conversations' });
  // By a key: what is focused by a click has no ring.
  await page.getByRole('button', { name: 'Filter', exact: true }).focus();
  await page.keyboard.press('Tab');
  await list.and(page.locator(':focus-visible')).waitFor();
  t.equal(await countEdgeColours(page, list), 1, 'around the list, where no row is chosen');
  await page.keyboard.press('ArrowDown');
  const row = page.getByRole('option', { selected: true });
  await row.waitFor();
  await list.and(page.locator(':focus-visible')).waitFor();
  t.equal(await countEdgeColours(page, row), 1, 'around the row that is open');
});
