/** Nodes that die while a page catches up, and a cluster of which two operators use a node each. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { freshKey } from '../../support/accounts.ts';
import { startChromium } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { NodeProcess } from '../../support/node-process.ts';
import { startSkeinOn } from '../../support/skein-in-process.ts';
import { addOperator, createConsoleAccount, openConsole, receive } from './console-page.ts';

const browser = await startChromium(t);
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });

t.test(
  'a node that dies while what was missed is read: nothing is missing, twice or out of order',
  async t => {
    const { url, database } = await startTestDatabase(t);
    const node = await NodeProcess.make(t, { DATABASE_URL: url });
    await node.start();
    const account = { ...(await createConsoleAccount(node.url)), databaseUrl: url, database };
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

t.test('two operators at two nodes assign one thread at once: one wins, and the other is told', async t => {
  const { url, database } = await startTestDatabase(t);
  const nats = await NatsServer.of(t);
  const shared = { NATS_URL: nats.url, SECRET_KEYS: freshKey(), TOKEN_KEYS: freshKey() };
  const [one, other] = await Promise.all([startSkeinOn(t, url, shared), startSkeinOn(t, url, shared)]);
  const account = { ...(await createConsoleAccount(one.url)), databaseUrl: url, database };
  const colleague = await addOperator(account);
  const { skein, projectId, environmentId, owner } = account;
  const threadId = await receive(account, 'ada', 'Hello');
  const path = `/console/${projectId}/${environmentId}/all/${threadId}`;
  const pages = await Promise.all([
    openConsole(t, browser, account, owner, { path }),
    openConsole(t, browser, { ...account, baseUrl: other.url }, colleague, { path }),
  ]);
  // Neither request leaves before both operators have clicked.
  let clicks = 0;
  const bothClicked = Promise.withResolvers<undefined>();
  for (const page of pages) {
    await getLog(page).getByText('Hello').waitFor();
    await page.route(/\/assignment$/, async route => {
      if (++clicks === pages.length) bothClicked.resolve(undefined);
      await bothClicked.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Assign', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Assign to me' }).click();
  }
  await bothClicked.promise;
  for (const page of pages) await page.getByRole('button', { name: /^Assigned to/ }).waitFor();
  const told = pages.map(page => page.getByText(/has taken this conversation/));
  await Promise.race(told.map(each => each.waitFor()));
  const { assigneeUserId } = await skein.threads.get(threadId);
  const loser = assigneeUserId === owner.userId ? 1 : 0;
  await told[loser]?.waitFor();
  const [name, otherName] = await Promise.all(
    pages.map(page => page.getByRole('button', { name: /^Assigned to/ }).getAttribute('aria-label')),
  );
  t.equal(name, otherName);
});
