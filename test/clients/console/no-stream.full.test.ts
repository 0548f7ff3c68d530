/** Where no live connection can be had: a proxy that lets no websockets through, and a browser without a network. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { Proxy } from '../../support/proxy.ts';
import { expectNoBarriers, findBarriers, openConsole, phone, receive, shareConsole } from './console-page.ts';

const browser = await startChromium(t);
const getState = (page: Page) => page.getByRole('banner').getByRole('status');
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });

/** Closes the conversation in the moment in which a message comes: before it can be closed all the same, the message is here. */
async function closeBlindly(t: Test, page: Page, receiveOne: () => Promise<unknown>): Promise<void> {
  let wasHeld = false;
  await page.route(/\/v1\/threads\/thread_[^/?]+$/, async route => {
    if (route.request().method() === 'PATCH' && !wasHeld) {
      wasHeld = true;
      await receiveOne();
    }
    await route.continue();
  });
  const { promise: maySee, resolve: see } = Promise.withResolvers<void>();
  await page.route(/\/messages\?/, async route => {
    await maySee;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'A new message has arrived. Read it first.' });
  await notice.waitFor();
  const anyway = notice.getByRole('button', { name: 'Close anyway' });
  t.equal(await anyway.count(), 0, 'of what is not shown nothing can be decided');
  t.equal(await getLog(page).getByText('One more thing', { exact: true }).count(), 0);
  see();
  await anyway.waitFor();
  t.equal(await getLog(page).getByText('One more thing', { exact: true }).count(), 1);
  await notice.getByRole('button', { name: 'Dismiss' }).click();
  await page.unrouteAll({ behavior: 'wait' });
}

t.test('behind a proxy that lets no websockets through one works on, and is told', async t => {
  const setting = await shareConsole(t);
  const { owner, skein, projectId, environmentId } = setting;
  const proxy = new Proxy({ host: '127.0.0.1', port: Number(new URL(setting.baseUrl).port) });
  const baseUrl = `http://127.0.0.1:${await proxy.listen()}`;
  t.teardown(() => proxy.close());
  proxy.breakAt('Upgrade: websocket');
  const threadId = await receive(setting, 'ada', 'Where is my parcel?', 'Ada Byron');
  const other = await receive(setting, 'grace', 'Hello', 'Grace Hopper');
  const page = await openConsole(t, browser, { ...setting, baseUrl }, owner, { path: '/console/settings' });
  await page.clock.install();
  await page.goto(`${baseUrl}/console/${projectId}/${environmentId}/all/${other}`);
  await getLog(page).getByText('Hello', { exact: true }).waitFor();
  await page.getByRole('option', { name: 'Ada Byron' }).click();
  await getLog(page).getByText('Where is my parcel?', { exact: true }).waitFor();
  // The list holds still under the pointer.
  await page.mouse.move(900, 300);

  const reply = page.getByRole('textbox', { name: 'Reply' });
  await reply.fill('On its way');
  await reply.press('Enter');
  await getLog(page).locator('[data-message]').getByText('On its way', { exact: true }).waitFor();
  const stored = await skein.messages.list(threadId, { order: 'asc' }).toArray();
  t.strictSame(
    stored.map(({ body }) => body),
    ['Where is my parcel?', 'On its way'],
  );
  t.ok(proxy.held > 0, 'the proxy has refused websockets');

  await receive(setting, 'ada', 'Thank you', 'Ada Byron');
  await receive(setting, 'grace', 'Are you there?', 'Grace Hopper');
  await receive(setting, 'alan', 'A third one', 'Alan Turing');
  await eventually('what came without a stream', async () => {
    await page.clock.runFor(1_000);
    return (await getLog(page).getByText('Thank you', { exact: true }).count()) === 1;
  });
  await page.getByRole('option', { name: 'Alan Turing' }).waitFor();
  await eventually('that it is said', async () => {
    await page.clock.runFor(1_000);
    return /^No live updates: refreshed every 10 s/.test((await getState(page).textContent()) ?? '');
  });
  await expectNoBarriers(t, page);
  await page.setViewportSize(phone.viewport);
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), phone.viewport.width);
  await page.setViewportSize({ width: 1_280, height: 720 });

  // It was opened before, and nothing has told of what came since.
  await page.getByRole('option', { name: 'Grace Hopper' }).click();
  await getLog(page).getByText('Are you there?', { exact: true }).waitFor();
  await page.goBack();
  await page.mouse.move(900, 300);
  await closeBlindly(t, page, () => receive(setting, 'ada', 'One more thing', 'Ada Byron'));

  proxy.breakAt(undefined);
  await page.clock.runFor(5_000);
  await getState(page).getByText('Online', { exact: true }).waitFor();
  await receive(setting, 'ada', 'Live again', 'Ada Byron');
  await getLog(page).getByText('Live again', { exact: true }).waitFor();
  t.strictSame(await getLog(page).locator('[data-message] [dir=auto]').allTextContents(), [
    'Where is my parcel?',
    'On its way',
    'Thank you',
    'One more thing',
    'Live again',
  ]);
});

t.test('a browser without a network says so at once, though its socket has not noticed', async t => {
  const setting = await shareConsole(t);
  await receive(setting, 'ada', 'Hello', 'Ada Byron');
  const page = await openConsole(t, browser, setting, setting.owner);
  await getState(page).getByText('Online', { exact: true }).waitFor();
  await page.context().setOffline(true);
  await getState(page).getByText('Offline: no network', { exact: true }).waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.context().setOffline(false);
  await getState(page).getByText('Online', { exact: true }).waitFor();
});
