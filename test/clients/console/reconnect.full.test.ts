/** Connections that die without a word. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { Proxy } from '../../support/proxy.ts';
import { openConsole, receive, shareConsole } from './console-page.ts';

const browser = await startChromium(t);
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });

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
