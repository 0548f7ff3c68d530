/** The past of a conversation: what happened to it, its earlier messages, page by page and far back, and notes that change. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const { skein, owner, projectId, environmentId } = setting;
const browser = await startChromium(t);
const colleague = await addOperator(setting);

const toPath = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;
const openAs = (t: Parameters<typeof openConsole>[0], operator: typeof owner, path: string): Promise<Page> =>
  openConsole(t, browser, setting, operator, { path });
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });

t.test(
  'what happened stands among the messages, also after a reload, and for whoever only answers',
  async t => {
    const threadId = await receive(setting, 'happened', 'before');
    await skein.threads.update(threadId, { tags: ['vip', 'late'] });
    await skein.threads.update(threadId, { tags: ['vip'], agentMode: 'paused' });
    await receive(setting, 'happened', 'between');
    await skein.threads.assign(threadId, { userId: colleague.userId });
    await skein.threads.update(threadId, { status: 'closed' });
    const page = await openAs(t, colleague, toPath(threadId));
    const log = getLog(page);
    const readRows = async (): Promise<string> =>
      (await log.locator('[data-index]').allTextContents()).join(' | ');
    const expected =
      /before.* tagged the conversation vip, late.* paused the agent.* removed the tag late.*between.* assigned the conversation to .* closed the conversation/;
    await log.getByText('closed the conversation').waitFor();
    t.match(await readRows(), expected);
    t.strictSame(await findBarriers(page), []);
    await skein.threads.update(threadId, { status: 'open' });
    await log.getByText('reopened the conversation').waitFor();
    await page.reload();
    await log.getByText('reopened the conversation').waitFor();
    t.match(await readRows(), expected);
    t.equal(await log.getByText('closed the conversation').count(), 1, 'once');
  },
);

const settled = (page: Page): Promise<void> => page.locator('[role=log][aria-busy=false]').waitFor();

t.test('an older page moves nothing that is in view', async t => {
  const threadId = await receive(setting, 'anchor', 'message 0');
  for (let index = 0; index < 12; index++)
    await Promise.all(
      Array.from({ length: 10 }, () =>
        skein.messages.create(threadId, { body: `text ${index}`, direction: 'inbound' }),
      ),
    );
  const page = await openAs(t, owner, toPath(await receive(setting, 'before', 'Hello')));
  let release = (): void => undefined;
  const held = new Promise<void>(resolve => (release = resolve));
  await page.route(/messages\?.*beforeSequence=/, async route => {
    await held;
    await route.continue();
  });
  await page.goto(`${setting.baseUrl}${toPath(threadId)}`);
  const log = getLog(page);
  await log.getByText('text 11').first().waitFor();
  // The upper edge of the newest page, while the older one is held back.
  // Again until it is seen: a list that is still on its way to the newest message goes there first.
  await eventually('reading of the older page', async () => {
    await log.evaluate(element =>
      (element as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 150),
    );
    return (await log.getAttribute('aria-busy')) === 'true';
  });
  await log.getByText('text 7').first().waitFor();
  // A message in view, once rows that were never seen have been measured.
  const anchor = log.locator('[data-message]').nth(8);
  const id = (await anchor.getAttribute('data-message')) ?? '';
  const measure = async (): Promise<number> => {
    for (let before = NaN; ;) {
      const top = (await log.locator(`[data-message="${id}"]`).boundingBox())?.y ?? NaN;
      if (top === before) return top;
      before = top;
      await page.evaluate(
        'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
      );
    }
  };
  const before = await measure();
  release();
  await settled(page);
  const after = await measure();
  t.ok(Math.abs(after - before) < 2, `${before} and ${after}`);
});

t.test('a message far back is read with those around it, and the way back is one click', async t => {
  const threadId = await receive(setting, 'far', 'message 0');
  for (let index = 1; index < 400; index += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_each, at) =>
        skein.messages.create(threadId, { body: `text ${index + at}`, direction: 'inbound' }),
      ),
    );
  const all = await skein.messages.list(threadId, { limit: 100 }).toArray();
  const found = all[100];
  const page = await openAs(t, owner, `${toPath(threadId)}?message=${found?.messageId}`);
  const read = new Set<string>();
  page.on('response', async response => {
    if (!/\/messages\?/.test(response.url()) || response.request().method() !== 'GET') return;
    const { data } = (await response.json()) as { data: { messageId: string }[] };
    for (const { messageId } of data) read.add(messageId);
  });
  await page.reload();
  const log = getLog(page);
  const target = log.getByText(found?.body ?? '', { exact: true });
  await target.waitFor();
  await log.locator('[data-found]').waitFor();
  t.ok(read.has(found?.messageId ?? ''));
  t.notOk(read.has(all[250]?.messageId ?? ''), 'not all that are between');
  // Onward by the wheel: the next messages come, and the found one does not jump.
  await log.hover();
  const later = log.getByText(all[140]?.body ?? '', { exact: true });
  for (let turn = 0; turn < 60 && !(await later.isVisible()); turn++) {
    await page.mouse.wheel(0, 400);
    await page.locator('[role=log][aria-busy=false]').waitFor();
  }
  t.ok(await later.isVisible());
  await receive(setting, 'far', 'and now');
  await page.getByRole('button', { name: '1 new message' }).click();
  await log.getByText('and now', { exact: true }).waitFor();
  await page.waitForURL(url => !url.search.includes('message='));
  await receive(setting, 'far', 'and then');
  await log.getByText('and then', { exact: true }).waitFor();

  // What a message answers is a click away, too; and once more, when one has looked elsewhere.
  await skein.messages.create(threadId, {
    body: 'As said',
    replyTo: { messageId: all[60]?.messageId ?? '' },
  });
  for (let turn = 0; turn < 2; turn++) {
    await log.getByRole('blockquote').getByRole('button').click();
    await log.getByText(all[60]?.body ?? '', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Jump to the newest message' }).click();
    await log.getByText('As said').waitFor();
  }
  // Whoever comes back later is at the newest.
  await log.getByRole('blockquote').getByRole('button').click();
  await log.getByText(all[60]?.body ?? '', { exact: true }).waitFor();
  await page.getByRole('option').nth(1).click();
  await log.getByText('before', { exact: true }).waitFor();
  await page.getByRole('option').first().click();
  await log.getByText('As said').waitFor();
});

t.test('a note is changed and deleted by its author, and colleagues see it at once', async t => {
  const threadId = await receive(setting, 'noted', 'Hello');
  await owner.api.notes.create(threadId, { projectId, body: 'The hord is late.' });
  await colleague.api.notes.create(threadId, { projectId, body: 'Somebody else’s.' });
  const [page, other] = (await Promise.all(
    [owner, colleague].map(operator => openAs(t, operator, toPath(threadId))),
  )) as [Page, Page];
  const note = getLog(page).getByRole('article', { name: /^Note/ }).filter({ hasText: 'late' });
  await note.hover();
  const foreign = getLog(page).getByRole('article', { name: /^Note/ }).filter({ hasText: 'else' });
  await foreign.waitFor();
  t.equal(await foreign.getByRole('button').count(), 0, 'only its author');
  await note.getByRole('button', { name: 'Edit the note' }).click();
  const input = getLog(page).getByRole('textbox', { name: 'Edit the note' });
  await input.fill('The hoard is late.');
  await input.press('Escape');
  await page.locator('[role=log]:focus').waitFor();
  t.equal(await input.inputValue(), 'The hoard is late.', 'Escape leaves the field, not the text');
  t.strictSame(await findBarriers(page), []);
  await page.reload();
  t.equal(await input.inputValue(), 'The hoard is late.', 'what was begun is not lost');
  await input.press('Control+Enter');
  const seen = getLog(other).getByRole('article', { name: /^Note/ }).filter({ hasText: 'hoard' });
  await seen.getByText('edited').waitFor();
  await input.waitFor({ state: 'detached' });

  await note.hover();
  await note.getByRole('button', { name: 'Delete the note' }).click();
  t.strictSame(await findBarriers(page), []);
  await note.getByRole('button', { name: 'Delete it' }).click();
  await note.waitFor({ state: 'detached' });
  await seen.waitFor({ state: 'detached' });
  t.equal((await skein.notes.list(threadId).toArray()).length, 1);
});
