/** Two operators at two nodes of a cluster: in one thread at once, and while the nodes are replaced one after the other. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { freshKey } from '../../support/accounts.ts';
import { startChromium } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { NodeProcess } from '../../support/node-process.ts';
import { Proxy } from '../../support/proxy.ts';
import { addOperator, createConsoleAccount, openConsole, receive } from './console-page.ts';

const browser = await startChromium(t);
const { url, database } = await startTestDatabase(t);
const nats = await NatsServer.of(t);
const shared = { DATABASE_URL: url, NATS_URL: nats.url, SECRET_KEYS: freshKey(), TOKEN_KEYS: freshKey() };
const nodes = await Promise.all([NodeProcess.make(t, shared), NodeProcess.make(t, shared)]);
await Promise.all(nodes.map(node => node.start()));

const at = ({ port }: NodeProcess) => ({ host: '127.0.0.1', port });
/** What stands before the nodes: each operator is led to one of them. */
const balancers = nodes.map(node => new Proxy(at(node)));
const addresses = await Promise.all(
  balancers.map(async balancer => `http://127.0.0.1:${await balancer.listen()}`),
);
for (const balancer of balancers) t.teardown(() => balancer.close());

const account = { ...(await createConsoleAccount(addresses[0] ?? '')), database };
const { skein, projectId, environmentId, owner } = account;
const operators = [owner, await addOperator(account)];

const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });
const openBoth = (threadId: string): Promise<Page[]> =>
  Promise.all(
    operators.map((operator, index) =>
      openConsole(t, browser, { ...account, baseUrl: addresses[index] ?? '' }, operator, {
        path: `/console/${projectId}/${environmentId}/all/${threadId}`,
        // All messages at once.
        viewport: { width: 1_280, height: 16_000 },
      }),
    ),
  );

t.test(
  'two operators in one thread: of two who assign it one wins, and what one does the other is told',
  async t => {
    const threadId = await receive(account, 'ada', 'Hello');
    const pages = await openBoth(threadId);
    // Neither request leaves before both operators have clicked.
    let clicks = 0;
    const bothClicked = Promise.withResolvers<undefined>();
    for (const page of pages) {
      await getLog(page).getByText('Hello').waitFor();
      await page
        .getByRole('status')
        .getByText(/^\S+ is viewing$/)
        .waitFor();
      await page
        .getByRole('option')
        .getByRole('img', { name: /is viewing$/ })
        .waitFor();
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

    const [one, other] = pages as [Page, Page];
    await one.getByRole('button', { name: 'Close', exact: true }).click();
    await other.getByText(/has closed this conversation/).waitFor();
    await other.getByRole('button', { name: 'Reopen' }).waitFor();
    await one.getByRole('textbox', { name: 'Reply' }).pressSequentially('I am');
    await other.getByText(/is writing$/).waitFor();
    await one.close();
    await other
      .getByRole('status')
      .getByText(/is (viewing|writing)$/)
      .waitFor({ state: 'detached' });
    for (const page of pages) await page.context().close();
  },
);

t.test(
  'a rolling upgrade while both write: nothing is lost, twice or out of order, and no page loads anew',
  async t => {
    const threadId = await receive(account, 'grace', 'Hello');
    const pages = await openBoth(threadId);
    for (const page of pages) {
      await getLog(page).getByText('Hello').waitFor();
      await page.getByRole('banner').getByText('Online', { exact: true }).waitFor();
      await page.evaluate('globalThis.isSamePage = true');
    }
    let streams = 0;
    for (const page of pages) page.on('websocket', () => streams++);
    let written = 0;
    /** Both operators and the participant, so many messages each. */
    const write = async (count: number): Promise<void> => {
      for (const end = written + count; written < end;) {
        written++;
        for (const [index, page] of pages.entries()) {
          await page.getByRole('textbox', { name: 'Reply' }).fill(`operator ${index}: ${written}`);
          await page.keyboard.press('Enter');
        }
        await receive(account, 'grace', `participant: ${written}`);
      }
    };
    await write(3);
    for (const [index, node] of nodes.entries()) {
      const other = nodes[1 - index] ?? node;
      for (const balancer of balancers) balancer.directNext(at(other));
      const stopped = node.stop();
      await write(6);
      t.same(await stopped, { code: 0, signal: null }, 'it was drained');
      await write(2);
      // The last one has no use for a successor.
      if (other === nodes[0]) break;
      await node.start();
    }
    for (const page of pages) {
      await getLog(page).getByText(`participant: ${written}`, { exact: true }).waitFor();
      const unsent = getLog(page).getByRole('article', { name: /^(Sending|Waiting for)/ });
      await eventually('everything sent', async () => (await unsent.count()) === 0);
    }
    t.ok(streams >= 3, `the streams have moved ${streams} times`);
    const stored = await skein.messages.list(threadId, { order: 'asc' }).toArray();
    const bodies = stored.map(({ body }) => body);
    for (const writer of ['operator 0', 'operator 1', 'participant'])
      t.strictSame(
        bodies.filter(body => body.startsWith(`${writer}: `)),
        Array.from({ length: written }, (_each, index) => `${writer}: ${index + 1}`),
        `${writer}: each once, in order`,
      );
    for (const page of pages) {
      const shown = getLog(page).locator('[data-message] [dir=auto]');
      await shown.nth(bodies.length - 1).waitFor();
      t.strictSame(await shown.allTextContents(), bodies, 'the page shows what is stored');
      t.equal(await page.evaluate('globalThis.isSamePage'), true, 'it is the same page');
    }
  },
);
