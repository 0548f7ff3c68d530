/** The System page over a real cluster of two nodes: what is well, what is sick and what to do about it, and who sees it at all. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { freshKey } from '../../support/accounts.ts';
import { startChromium } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { NodeProcess } from '../../support/node-process.ts';
import { startSkeinOn } from '../../support/skein.ts';
import {
  addOperator,
  createConsoleAccount,
  expectNoBarriers,
  findBarriers,
  openConsole,
  phone,
} from '../console/console-page.ts';

const browser = await startChromium(t);
const { url, database } = await startTestDatabase(t);
const nats = await NatsServer.of(t);
/** Known before the nodes start. */
const email = 'operates@example.com';
const shared = {
  DATABASE_URL: url,
  NATS_URL: nats.url,
  SECRET_KEYS: freshKey(),
  TOKEN_KEYS: freshKey(),
  SHARDS: '8',
  INSTANCE_ADMINS: email,
};
const { url: baseUrl } = await startSkeinOn(t, url, { ...shared, NODE_ID: 'one' });
const two = await NodeProcess.make(t, { ...shared, NODE_ID: 'two' });
await two.start();

const setting = { ...(await createConsoleAccount(baseUrl, 'operates')), database };
await database.query('update users set email_verified_at = now() where email = $1', [email]);
const admin = setting.owner;
const verdict = (page: Page) => page.getByRole('region', { name: 'Health' });
const table = (page: Page, name: string) => page.getByRole('table', { name });
const row = (page: Page, of: string, text: string) =>
  table(page, of).getByRole('row').filter({ hasText: text });

t.test(
  'all is well: both nodes, the database and NATS, for everybody’s eyes, screens and languages',
  async t => {
    const page = await openConsole(t, browser, setting, admin, { path: '/studio/system' });
    await verdict(page).getByRole('heading', { name: 'No problems' }).waitFor();
    await verdict(page).getByText('2 nodes, 8 shards.').waitFor();
    for (const node of ['one', 'two']) await row(page, 'Nodes', node).getByText('Serving').waitFor();
    await row(page, 'Nodes', 'serves this page').getByText('one').waitFor();
    const base = page.getByRole('region', { name: 'Database and NATS' });
    await base.getByText('connected', { exact: true }).waitFor();
    await expectNoBarriers(t, page);
    const small = await openConsole(t, browser, setting, admin, {
      path: '/studio/system',
      locale: 'de-DE',
      ...phone,
    });
    await small.getByRole('heading', { name: 'Alles in Ordnung' }).waitFor();
    await small.getByText('2 Knoten, 8 Shards.').waitFor();
    t.notOk(await small.evaluate('document.documentElement.scrollWidth > innerWidth'), 'a phone');
    t.strictSame(await findBarriers(small), [], 'in German, on a phone');
  },
);

t.test('it is a click or a word away, for those who operate the service alone', async t => {
  const { projectId, environmentId } = setting;
  const page = await openConsole(t, browser, setting, admin, {
    path: `/studio/${projectId}/${environmentId}`,
  });
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'System' }).click();
  await verdict(page).waitFor();
  await page.goto(`${baseUrl}/studio/account`);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Go to …' });
  await field.fill('system');
  await page.getByRole('option', { name: 'System' }).waitFor();
  await field.press('Enter');
  await verdict(page).waitFor();

  const other = await addOperator(setting);
  const none = await openConsole(t, browser, setting, other, { path: '/studio/account' });
  await none.getByRole('heading', { name: 'Your account' }).waitFor();
  t.equal(await none.getByRole('link', { name: 'System' }).count(), 0);
  await none.keyboard.press('Control+k');
  await none.getByRole('combobox', { name: 'Go to …' }).fill('system');
  await none.getByText('No results.').waitFor();
  await none.goto(`${baseUrl}/studio/system`);
  await none.getByRole('main').getByRole('alert').waitFor();
  t.equal(await none.getByRole('table').count(), 0, 'and the address leads to nothing');
  t.strictSame(await findBarriers(none), []);
});

t.test(
  'a node that hangs is seen without a reload, with what to do, and its page in the runbook',
  async t => {
    const page = await openConsole(t, browser, setting, admin, { path: '/studio/system' });
    await verdict(page).getByRole('heading', { name: 'No problems' }).waitFor();
    two.pause();
    const fault = verdict(page)
      .getByRole('listitem')
      .filter({ hasText: 'Nodes hang or are cut off from NATS' });
    await fault.getByText('Can wait for the morning').waitFor();
    await fault.getByText('On one').waitFor();
    await page
      .getByRole('region', { name: 'Shards and moves' })
      .getByText('one took 3 shards over from two, which was no member any more')
      .waitFor();
    await row(page, 'Nodes', 'two').waitFor({ state: 'detached' });
    const down = verdict(page).getByRole('listitem').filter({ hasText: 'A node does not answer' });
    await down.getByText('On two').waitFor();
    await expectNoBarriers(t, page);
    await fault.getByRole('link', { name: 'Runbook: SkeinNodesCutOff' }).focus();
    const opened = page.context().waitForEvent('page');
    await page.keyboard.press('Enter');
    const runbook = await opened;
    await runbook.getByRole('heading', { name: 'SkeinNodesCutOff' }).waitFor();
    t.match(runbook.url(), '/docs/runbook#skeinnodescutoff');
    t.strictSame(await findBarriers(runbook), []);
    two.resume();
    await row(page, 'Nodes', 'two').getByText('Serving').waitFor();
    await down.waitFor({ state: 'detached' });
  },
);

t.test('work that was given up is listed without its words, run again and deleted', async t => {
  await database.query(
    `insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
     values ('channel', 'ch_1', 'reopenWebhook', '{"requestId":"secret words"}', 'svc/runtime/conflict: secret words', 3, now()),
       ('thread', 'thr_1', 'remind', '{}', 'no', 3, now())`,
  );
  const page = await openConsole(t, browser, setting, admin, { path: '/studio/system' });
  const act = async (id: string, name: string): Promise<void> => {
    await row(page, 'Dead letters', id).getByRole('button').click();
    await page.getByRole('menuitem', { name }).click();
  };
  await row(page, 'Dead letters', 'ch_1').getByText('svc/runtime/conflict').waitFor();
  t.notMatch(await page.content(), /secret words/);
  await verdict(page).getByText('2 dead letters wait for you.').waitFor();
  await expectNoBarriers(t, page);
  await act('ch_1', 'Run again');
  await row(page, 'Dead letters', 'ch_1').waitFor({ state: 'detached' });
  await act('thr_1', 'Run again');
  await page.getByRole('alert').waitFor();
  await act('thr_1', 'Delete without running');
  await page.getByText('No dead letters.').waitFor();
  t.strictSame(await database.query('select from dead_letters'), []);
});

t.test('where the server does not answer, the page says so and keeps what it knew', async t => {
  const page = await openConsole(t, browser, setting, admin, { path: '/studio/system' });
  await verdict(page).waitFor();
  await page.route('**/v1/studio/system', route => route.abort());
  await page.getByText('This page cannot be refreshed at the moment.').waitFor();
  await page.getByRole('main').getByRole('alert').first().waitFor();
  t.ok(await table(page, 'Nodes').isVisible());
  t.strictSame(await findBarriers(page), []);
});
