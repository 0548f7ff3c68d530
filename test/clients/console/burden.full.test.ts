/** What an operator's day brings along: thousands that nobody has read, a slow network, and a connection that is gone for a minute. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const { skein, owner, channelId, projectId, environmentId } = setting;
const browser = await startChromium(t);

const toPath = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });
const seeState = (page: Page, state: string | RegExp): Promise<void> =>
  page.getByRole('banner').getByRole('status').filter({ hasText: state }).waitFor();

t.test('3,000 unread messages: counted, the list still at hand, and read from where they begin', async t => {
  const busy = 1_200;
  const others = 60;
  const each = 30;
  const first = await receive(setting, 'busy', 'the first of many', 'Busy');
  const { sequence = 0 } = await owner.api.threads.get(first);
  const operator = await addOperator(setting);
  await operator.api.threads.moveReadCursor(first, { projectId, sequence });
  const write = async (from: string, count: number): Promise<void> => {
    for (let number = 1; number <= count; number++)
      await skein.channels.receive(channelId, { externalParticipantRef: from, body: `${from}: ${number}` });
  };
  const page = await openConsole(t, browser, setting, operator);
  await seeState(page, 'Online');
  await page.evaluate('globalThis.isSamePage = true');
  await Promise.all([
    write('busy', busy),
    ...Array.from({ length: others }, (_none, index) => write(`other-${index}`, each)),
  ]);
  await page.getByRole('link', { name: new RegExp(`^All open ${others + 1}$`) }).waitFor();
  const row = page.getByRole('option', { name: 'Busy' });
  const list = page.getByRole('listbox', { name: 'Conversations' });
  // Rows that are not in view are not in the page.
  await eventually('list that is drawn in part', async () => (await page.getByRole('option').count()) > 5);
  t.ok((await page.getByRole('option').count()) < others);
  for (let turn = 0; turn < 60 && !(await row.isVisible()); turn++) {
    await list.hover();
    await page.mouse.wheel(0, 400);
    await page.evaluate('new Promise(resolve => requestAnimationFrame(resolve))');
  }
  await row.getByLabel('100 or more unread').waitFor();
  await row.click();
  // The newest is at hand, and what is unread far above is not drawn.
  await getLog(page).getByText(`busy: ${busy}`, { exact: true }).waitFor();
  t.ok((await getLog(page).locator('[data-message]').count()) < 200);
  await row.getByLabel('100 or more unread').waitFor({ state: 'detached' });
  const { unreadCount } = await operator.api.threads.get(first);
  t.equal(unreadCount, 0);
  t.strictSame(await findBarriers(page), []);
  t.equal(await page.evaluate('globalThis.isSamePage'), true);
});

t.test('on a slow network nothing is written twice or out of order, and what waits is shown', async t => {
  const threadId = await receive(setting, 'slow', 'Hello', 'Slow');
  const page = await openConsole(t, browser, setting, owner, { path: toPath(threadId) });
  await getLog(page).getByText('Hello', { exact: true }).waitFor();
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 600,
    downloadThroughput: 20_000,
    uploadThroughput: 10_000,
  });
  const seen = Promise.withResolvers<undefined>();
  await page.route(/\/messages$/, async route => {
    if (route.request().method() === 'POST') await seen.promise;
    await route.continue();
  });
  const input = page.getByRole('textbox', { name: 'Reply' });
  const texts = ['one', 'two', 'three'].map(word => `reply ${word}`);
  for (const text of texts) {
    await input.fill(text);
    await page.keyboard.press('Enter');
    // Before the server can have answered.
    await getLog(page).getByText(text, { exact: true }).waitFor();
  }
  await getLog(page).getByRole('article', { name: 'Sending' }).first().waitFor();
  seen.resolve(undefined);
  await receive(setting, 'slow', 'Are you there?');
  await getLog(page).getByText('Are you there?', { exact: true }).waitFor();
  await getLog(page).getByRole('article', { name: 'Sending' }).first().waitFor({ state: 'detached' });
  await eventually('replies', async () => {
    const { data } = await skein.messages.list(threadId);
    return data.filter(({ direction }) => direction === 'outbound').length === texts.length;
  });
  const { data } = await skein.messages.list(threadId);
  const sent = data.filter(({ direction }) => direction === 'outbound').map(({ body }) => body);
  t.strictSame(sent, texts);
  for (const text of texts)
    t.equal(await getLog(page).getByText(text, { exact: true }).count(), 1, `${text}, once`);
});

t.test('a stream that is cut for a minute: it is said, and then all is there once and in order', async t => {
  const threadId = await receive(setting, 'cut', 'before', 'Cut');
  const page = await openConsole(t, browser, setting, owner, {
    path: '/console/settings',
    // All messages at once.
    viewport: { width: 1_280, height: 4_000 },
  });
  await page.clock.install();
  let isCut = false;
  const cuts: (() => unknown)[] = [];
  let refused = 0;
  await page.routeWebSocket(/events\/stream/, socket => {
    if (isCut) {
      refused++;
      void socket.close({ code: 1012, reason: 'cut' });
      return;
    }
    socket.connectToServer();
    cuts.push(() => socket.close({ code: 1012, reason: 'cut' }));
  });
  await page.goto(`${setting.baseUrl}${toPath(threadId)}`);
  await getLog(page).getByText('before', { exact: true }).waitFor();
  await seeState(page, 'Online');
  await page.evaluate('globalThis.isSamePage = true');
  isCut = true;
  for (const cut of cuts) await cut();
  await seeState(page, /^Reconnecting/);
  const bodies = Array.from({ length: 30 }, (_none, index) => `missed ${index}`);
  for (const [index, body] of bodies.entries()) {
    await receive(setting, 'cut', body);
    // Two seconds for each of them: a minute in all.
    if (index % 5 === 4) await page.clock.runFor(10_000);
  }
  t.ok(refused > 1, `it was tried ${refused} times`);
  // REST is not cut.
  await seeState(page, /^No live updates/);
  isCut = false;
  await seeState(page, 'Online');
  await getLog(page).getByText('missed 29', { exact: true }).waitFor();
  const shown = getLog(page).locator('[data-message] [dir=auto]');
  await shown.nth(bodies.length).waitFor();
  t.strictSame(await shown.allTextContents(), ['before', ...bodies]);
  t.equal(await page.evaluate('globalThis.isSamePage'), true, 'the page was not loaded anew');
});
