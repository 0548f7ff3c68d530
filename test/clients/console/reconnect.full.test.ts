/** Nodes that die while a page catches up, and connections that die without a word. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { NodeProcess } from '../../support/node-process.ts';
import { Proxy } from '../../support/proxy.ts';
import { createConsoleAccount, openConsole, receive, shareConsole } from './console-page.ts';

const browser = await startChromium(t);
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });

t.test(
  'a node that dies while what was missed is read: nothing is missing, twice or out of order',
  async t => {
    const { url, database } = await startTestDatabase(t);
    const node = await NodeProcess.make(t, { DATABASE_URL: url });
    await node.start();
    const account = { ...(await createConsoleAccount(node.url)), database };
    const { skein, projectId, environmentId, owner } = account;
    const threadId = await receive(account, 'ada', 'text 0');
    const page = await openConsole(t, browser, account, owner, {
      path: '/console/settings',
      // All messages at once.
      viewport: { width: 1_280, height: 16_000 },
    });
    // The stream begins when all has been written: what was missed until then is read.
    const mayConnect = Promise.withResolvers<undefined>();
    await page.routeWebSocket(/./, async socket => {
      await mayConnect.promise;
      socket.connectToServer();
    });
    await page.goto(`${node.url}/console/${projectId}/${environmentId}/all/${threadId}`);
    await getLog(page).getByText('text 0', { exact: true }).waitFor();
    // Nor is anything read from time to time while there is no stream.
    await page.route(/\/studio\/me$/, route => route.abort());
    for (let number = 1; number <= 240; number++)
      await skein.messages.create(threadId, { body: `text ${number}`, direction: 'inbound' });
    const dies = Promise.withResolvers<undefined>();
    let pages = 0;
    await page.route(/messages\?.*afterSequence=/, async route => {
      // The second page is never answered.
      if (++pages === 2) {
        await node.kill();
        dies.resolve(undefined);
      }
      await route.continue().catch(() => undefined);
    });
    mayConnect.resolve(undefined);
    await dies.promise;
    await page.unroute(/\/studio\/me$/);
    await node.start();
    await receive(account, 'ada', 'text 241');
    const log = getLog(page);
    await log.getByText('text 241', { exact: true }).waitFor();
    t.ok(pages > 2, 'it was asked for again');
    const texts = log.locator('[data-message] [dir=auto]');
    await texts.nth(241).waitFor();
    t.strictSame(
      await texts.allTextContents(),
      Array.from({ length: 242 }, (_each, number) => `text ${number}`),
    );
  },
);

/** What is shown of a conversation, in its order. */
const readTexts = (page: Page): Promise<string[]> =>
  getLog(page).locator('[data-message] [dir=auto]').allTextContents();

t.test('connections that have died without a word are replaced as soon as something tells of it', async t => {
  const setting = await shareConsole(t);
  const { owner, skein, projectId, environmentId } = setting;
  const proxy = new Proxy({ host: '127.0.0.1', port: Number(new URL(setting.baseUrl).port) });
  const baseUrl = `http://127.0.0.1:${await proxy.listen()}`;
  t.teardown(() => proxy.close());
  const threadId = await receive(setting, 'ada', 'Hello');
  const page = await openConsole(t, browser, { ...setting, baseUrl }, owner, {
    path: '/console/settings',
    viewport: { width: 1_280, height: 4_000 },
  });
  await page.clock.install();
  await page.goto(`${baseUrl}/console/${projectId}/${environmentId}/all/${threadId}`);
  const log = getLog(page);
  const reply = page.getByRole('textbox', { name: 'Reply' });
  await log.getByText('Hello', { exact: true }).waitFor();
  const isOnline = page.getByRole('banner').getByText('Online', { exact: true });
  await isOnline.waitFor();
  await page.evaluate('globalThis.isSamePage = true');
  const sleep = (ms: number) => async (): Promise<void> => {
    await page.clock.fastForward(ms);
    await page.clock.resume();
  };
  const ways: readonly (readonly [name: string, wake: () => Promise<unknown>])[] = [
    ['another network', () => page.evaluate(`dispatchEvent(new Event('online'))`)],
    ['a short sleep', sleep(45_000)],
    ['a night', sleep(9 * 3_600_000)],
  ];
  // Connections that nothing waits on, as many as a browser keeps: whoever asks next gets a dead one.
  const leaveIdle =
    "Promise.all(Array.from({ length: 6 }, async (_none, at) => (await fetch('/healthz?idle=' + at)).text()))";
  for (const [name, wake] of ways) {
    await page.evaluate(leaveIdle);
    t.ok(proxy.silence() > 0, `${name}: there was something to silence`);
    await reply.fill(`Written in ${name}`);
    await reply.press('Enter');
    await receive(setting, 'ada', `Unheard in ${name}`);
    t.equal(await log.getByText(`Unheard in ${name}`).count(), 0, `${name}: nobody has told the page`);
    await wake();
    await log.getByText(`Unheard in ${name}`, { exact: true }).waitFor();
    await log
      .getByRole('article', { name: /^(Sending|Waiting for the connection)$/ })
      .first()
      .waitFor({ state: 'detached' });
    await isOnline.waitFor();
    await receive(setting, 'ada', `After ${name}`);
    await log.getByText(`After ${name}`, { exact: true }).waitFor();
  }
  t.ok(proxy.held > 0, 'something was lost');
  const stored = await skein.messages.list(threadId, { order: 'asc' }).toArray();
  t.equal(stored.length, 1 + 3 * ways.length);
  t.strictSame(
    await readTexts(page),
    stored.map(({ body }) => body),
  );
  t.equal(await page.evaluate('globalThis.isSamePage'), true, 'it is the same page');
});
