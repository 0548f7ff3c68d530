/** Queues and filters that few threads fit, which are older than all that one page of the server looks at. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const browser = await startChromium(t);
const operator = await addOperator(setting);
const { database, projectId, environmentId } = setting;
const ada = await receive(setting, 'ada', 'Where is my parcel?', 'Ada Byron');
const grace = await receive(setting, 'grace', 'Good morning', 'Grace Hopper');
const mary = await receive(setting, 'mary', 'Hello', 'Mary Somerville');
const model = await receive(setting, 'model', 'Nothing new here');
const hourMs = 3_600_000;

/** What two pages look at and more, all of it newer: read by everybody, with windows that close tomorrow. */
await database.query(
  `insert into threads
   select (jsonb_populate_record(t, jsonb_build_object('thread_id', 'thread_' || lpad(n::text, 26, '0'), 'external_ref', 'copy ' || n,
     'last_message_at', t.last_message_at + n * interval '1 ms', 'window_minute', $2::bigint / 60000 + 1440,
     'state', t.state || jsonb_build_object('inbound', 0, 'window', jsonb_build_object('phase', 'open', 'expiresAt', $2::bigint + 86400000))))).*
   from threads t, generate_series(1, 4500) n where t.thread_id = $1`,
  [model, Date.now()],
);
await database.query(`update threads set state = state - 'inbound' where thread_id <> all ($1)`, [[ada]]);
const closesAt = Date.now() + hourMs;
await database.query(
  `update threads set window_minute = $2::bigint / 60000,
     state = state || jsonb_build_object('window', jsonb_build_object('phase', 'open', 'expiresAt', $2::bigint)) where thread_id = any ($1)`,
  [[grace], closesAt],
);
await database.query(`update threads set snoozed_until = $2 where thread_id = $1`, [
  mary,
  new Date(Date.now() + hourMs),
]);

async function shows(page: Page, names: readonly string[]): Promise<void> {
  const shown = page.getByRole('option').locator('bdi[title]');
  await eventually(`list of ${names.join(', ')}`, async () => {
    return (await shown.allTextContents()).join('|') === names.join('|');
  });
}
const open = (queue: string): Promise<Page> =>
  openConsole(t, browser, setting, operator, { path: `/console/${projectId}/${environmentId}/${queue}` });

t.test('the windows that close soon are listed, however many threads have newer messages', async () => {
  await shows(await open('closing'), ['Grace Hopper']);
});

t.test('snoozed conversations are listed, however old they are', async () => {
  await shows(await open('snoozed'), ['Mary Somerville']);
});

t.test('a filter that no index has is looked for page by page', async () => {
  await shows(await open('all?unread=true'), ['Ada Byron']);
});

t.test(
  'the list names the open conversation while its row is drawn, and no element that is not there',
  async t => {
    const page = await open('all');
    const list = page.getByRole('listbox', { name: 'Conversations' });
    await list.getByRole('option').first().click();
    const active = page.locator('[role=listbox][aria-activedescendant]');
    await active.waitFor();
    t.equal(await list.getByRole('option', { selected: true }).count(), 1);
    const scrollTo = (top: number): Promise<void> =>
      list.evaluate(
        (element, top) => (element as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, top),
        top,
      );
    await scrollTo(3_000);
    await active.waitFor({ state: 'detached' });
    t.equal(await list.getByRole('option', { selected: true }).count(), 0);
    t.strictSame(await findBarriers(page), []);
    await scrollTo(0);
    await active.waitFor();
  },
);

t.test('hundreds of unread messages are counted, drawn in part, and read by one click', async t => {
  const [busy, others, each] = [250, 40, 3];
  const setting = await shareConsole(t);
  const { skein, owner, channelId, projectId } = setting;
  const operator = await addOperator(setting);
  const first = await receive(setting, 'busy', 'the first of many', 'Busy');
  const { sequence = 0 } = await owner.api.threads.get(first);
  await operator.api.threads.moveReadCursor(first, { projectId, sequence });
  const write = async (from: string, count: number): Promise<void> => {
    for (let number = 1; number <= count; number++)
      await skein.channels.receive(channelId, { externalParticipantRef: from, body: `${from}: ${number}` });
  };
  const page = await openConsole(t, browser, setting, operator);
  await page.getByText('Online').waitFor();
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
  const log = page.getByRole('log', { name: 'Messages' });
  await log.getByText(`busy: ${busy}`, { exact: true }).waitFor();
  t.ok((await log.locator('[data-message]').count()) < 200);
  await row.getByLabel('100 or more unread').waitFor({ state: 'detached' });
  const { unreadCount } = await operator.api.threads.get(first);
  t.equal(unreadCount, 0);
  t.strictSame(await findBarriers(page), []);
  t.equal(await page.evaluate('globalThis.isSamePage'), true);
});
