/** The frame around everything: where one works, how the connection stands, and what becomes of it when the node goes away. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { freshKey } from '../../support/accounts.ts';
import { startChromium } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { NodeProcess } from '../../support/node-process.ts';
import {
  addOperator,
  createConsoleAccount,
  expectNoBarriers,
  findBarriers,
  openConsole,
  receive,
  shareConsole,
  verifyOwner,
} from './console-page.ts';

const browser = await startChromium(t);

const seeState = (page: Page, state: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: state }).waitFor();

t.test(
  'a node that is killed while two operators write, and comes back: nothing is lost, doubled or loaded anew',
  async t => {
    const { url, database } = await startTestDatabase(t);
    const node = await NodeProcess.make(t, {
      DATABASE_URL: url,
      SECRET_KEYS: freshKey(),
      TOKEN_KEYS: freshKey(),
    });
    await node.start();
    const setting = { ...(await createConsoleAccount(node.url)), database };
    await receive(setting, 'ada', 'Before', 'Ada Byron');
    const page = await openConsole(t, browser, setting, setting.owner);
    await seeState(page, 'Online');
    await page.getByRole('option', { name: 'Ada Byron' }).click();
    await page.getByRole('log').getByText('Before').waitFor();
    // The list holds still under the pointer.
    await page.mouse.move(900, 400);
    await page.evaluate('globalThis.isSamePage = true');
    const colleague = await addOperator(setting);
    const other = await openConsole(t, browser, setting, colleague, {
      path: new URL(page.url()).pathname,
    });
    await seeState(other, 'Online');
    /** Both operators, one message each: the server may be there, or not, or go just then. */
    const write = async (number: number): Promise<void> => {
      for (const [name, each] of [
        ['one', page],
        ['other', other],
      ] as const) {
        await each.getByRole('textbox', { name: 'Reply' }).fill(`${name} ${number}`);
        await each.keyboard.press('Enter');
      }
    };
    await write(1);
    const killed = node.kill();
    await write(2);
    await killed;
    await write(3);
    for (const each of [page, other])
      await each
        .getByText(/waits? for the connection/i)
        .first()
        .waitFor();
    await seeState(page, 'Reconnecting');
    t.strictSame(await findBarriers(page), [], 'nobody is kept out while it is away');
    await page.getByRole('option', { name: 'Ada Byron' }).waitFor();
    await node.start();
    await receive(setting, 'ada', 'Afterwards', 'Ada Byron');
    await receive(setting, 'grace', 'Hello', 'Grace Hopper');
    await seeState(page, 'Online');
    await page.getByRole('option', { name: 'Grace Hopper' }).waitFor();
    await page.getByRole('log').getByText('Afterwards').waitFor();
    t.equal(await page.getByRole('log').getByText('Afterwards').count(), 1);
    t.equal(await page.getByRole('log').getByText('Before').count(), 1);
    t.equal(await page.getByRole('option').count(), 2);
    for (const each of [page, other])
      await eventually('everything sent', async () => {
        const unsent = each.getByRole('article', { name: /^(Sending|Waiting for)/ });
        return (await unsent.count()) === 0;
      });
    const threadId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const bodies = (await setting.skein.messages.list(threadId, { order: 'asc' }).toArray()).map(
      ({ body }) => body,
    );
    for (const name of ['one', 'other'])
      t.strictSame(
        bodies.filter(body => body.startsWith(`${name} `)),
        [1, 2, 3].map(number => `${name} ${number}`),
        `${name}: each once, in order`,
      );
    for (const each of [page, other]) {
      const shown = each.getByRole('log').locator('[data-message] [dir=auto]');
      await shown.nth(bodies.length - 1).waitFor();
      t.strictSame(await shown.allTextContents(), bodies);
    }
    t.equal(await page.evaluate('globalThis.isSamePage'), true, 'it is the same page');
  },
);

t.test('on a running node', async t => {
  const setting = await shareConsole(t);
  await receive(setting, 'ada', 'Hello', 'Ada Byron');

  await t.test('production looks like nothing else, and is chosen by name', async t => {
    // For the verified alone.
    await verifyOwner(setting);
    await setting.owner.api.environments.create({ projectId: setting.projectId, name: 'Shop' });
    const page = await openConsole(t, browser, setting, setting.owner);
    await page.getByRole('option', { name: 'Ada Byron' }).waitFor();
    t.equal(await page.getByText('Production: real customers').count(), 0);
    await page.getByRole('combobox', { name: 'Project and environment' }).click();
    await page.getByRole('option', { name: /Shop/ }).click();
    await page.getByText('Production: real customers').waitFor();
    await page.getByText('No open conversations.').waitFor();
    await expectNoBarriers(t, page);
    const name = page.getByRole('navigation').getByText(/ · Shop$/);
    const field = page.getByRole('combobox', { name: 'Project and environment' });
    // A file of the page does not arrive. The page would reload itself, had it not done so a moment ago.
    await page.evaluate(`sessionStorage.setItem('skein-reloaded-at', String(Date.now()))`);
    let isGone = true;
    await page.route(/\/environment-field-[^/]*\.js/, route => (isGone ? route.abort() : route.continue()));
    await page.goto(`${setting.baseUrl}/console`);
    await page.getByText('No open conversations.').waitFor();
    await name.waitFor();
    const place = await name.locator('..').boundingBox();
    t.equal(await field.count(), 0, 'the page works without the field');
    isGone = false;
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await field.waitFor();
    t.match(await field.inputValue(), / · Shop$/);
    t.strictSame(await field.boundingBox(), place, 'nothing moves when the field appears');
  });

  await t.test('what was missed is counted until all of it has come', async t => {
    const page = await openConsole(t, browser, setting, setting.owner, { path: '/console/settings' });
    // A network that can be cut, and that lets nothing but the beginning of the next connection through until it may.
    let cut: () => void = () => undefined;
    let release: () => void = () => undefined;
    let connections = 0;
    const released = new Promise<void>(resolve => (release = resolve));
    await page.routeWebSocket(/events\/stream/, socket => {
      const server = socket.connectToServer();
      const isSecond = ++connections === 2;
      cut = () => void socket.close({ code: 1012, reason: 'cut' });
      server.onMessage(message => {
        if (!isSecond || String(message).includes('"resumed"')) socket.send(message);
        else void released.then(() => socket.send(message));
      });
    });
    await page.goto(`${setting.baseUrl}/console/${setting.projectId}/${setting.environmentId}/all`);
    await seeState(page, 'Online');
    const before = connections;
    cut();
    for (const body of ['One', 'Two', 'Three']) await receive(setting, 'ada', body, 'Ada Byron');
    await seeState(page, /Catching up \(\d+\)/);
    t.equal(connections, before + 1);
    t.strictSame(await findBarriers(page), []);
    release();
    await seeState(page, 'Online');
    await page.getByRole('option', { name: 'Ada Byron' }).getByText('Three').waitFor();
  });

  await t.test(
    'where files of an older build are gone the page says so, and is loaded anew by its reader',
    async t => {
      const page = await openConsole(t, browser, setting, setting.owner);
      await page.getByRole('option', { name: 'Ada Byron' }).click();
      const reply = page.getByRole('textbox', { name: 'Reply' });
      await reply.fill('Half a sentence');
      // Loaded with what says it.
      await eventually('what says it', () =>
        page.evaluate<boolean>(
          `performance.getEntriesByType('resource').some(({ name }) => name.includes('/en-errors-'))`,
        ),
      );
      await page.evaluate('globalThis.isSamePage = true');
      await page.route(/\/assets\/(shortcuts|settings)-/, route => route.fulfill({ status: 404 }));
      await page.getByRole('log').press('?');
      const notice = page.getByRole('alert').filter({ hasText: 'A part of this page could not be loaded' });
      await notice.waitFor();
      t.equal(await reply.inputValue(), 'Half a sentence', 'what was there stays');
      await expectNoBarriers(t, page);
      const { pathname } = new URL(page.url());
      await page.getByRole('button', { name: /: settings and sign out$/ }).click();
      await page.getByRole('menuitem', { name: 'Settings' }).click();
      await page.getByText('This page could not be shown.').waitFor();
      const again = notice.getByRole('button', { name: 'Reload' });
      await page.context().setOffline(true);
      await again.click();
      await notice.getByText('The server cannot be reached.').waitFor();
      t.equal(await page.evaluate('globalThis.isSamePage'), true, 'it is the same page until then');
      await page.context().setOffline(false);
      await page.unrouteAll({ behavior: 'wait' });
      await again.click();
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      t.equal(await page.evaluate('globalThis.isSamePage'), undefined);
      await page.goto(`${setting.baseUrl}${pathname}`);
      await reply.waitFor();
      t.equal(await reply.inputValue(), 'Half a sentence');
    },
  );
});
