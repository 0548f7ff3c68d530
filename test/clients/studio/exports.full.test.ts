/** What is saved as a file: the audit log, and what is known of a person. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import {
  addOperator,
  expectNoBarriers,
  findBarriers,
  openConsole,
  receive,
  shareConsole,
} from '../console/console-page.ts';

const setting = await shareConsole(t);
const { owner, skein, projectId, environmentId } = setting;
const browser = await startChromium(t);
const at = (rest: string): string => `/studio/${projectId}/${environmentId}${rest}`;

/** The lines of the file that the page saves meanwhile, and its name. */
async function saved(page: Page, save: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent('download'), save()]);
  const text = await readFile(await download.path(), 'utf8');
  const lines = text.split('\n').slice(0, -1);
  return {
    name: download.suggestedFilename(),
    records: lines.map(line => JSON.parse(line) as Readonly<Record<string, unknown>>),
  };
}

t.test('the audit log, as it is narrowed', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at('/audit') });
  await page.getByRole('button', { name: 'channel.created' }).waitFor();
  const click = () => page.getByRole('button', { name: 'Export' }).click();
  const all = await saved(page, click);
  t.equal(all.name, 'audit-log.ndjson');
  const { workspaceId } = await owner.api.projects.get(projectId);
  t.strictSame(all.records, await owner.api.auditLogs.list({ workspaceId, limit: 100 }).toArray(100));

  const action = page.getByRole('textbox', { name: 'Action' });
  await action.fill('channel.created');
  await action.press('Enter');
  await page.waitForURL(/action=channel\.created/);
  const some = await saved(page, click);
  t.match(some.records, [{ action: 'channel.created', targetId: setting.channelId }]);
  t.equal(some.records.length, 1);

  await action.fill('no.such_action');
  await action.press('Enter');
  await page.waitForURL(/no\.such_action/);
  await click();
  await page.getByRole('alert').first().waitFor();
  t.strictSame(await findBarriers(page), []);
});

t.test('what is known of a person, by their name and by a conversation', async t => {
  const threadId = await receive(setting, 'ada', 'Where is my order?', 'Ada');
  const other = await skein.channels.create({ name: 'Another', kind: 'sandbox' });
  await receive({ skein, channelId: other.channelId }, 'ada', 'And on another channel.');
  await receive(setting, 'somebody', 'Nothing of Ada.');
  const page = await openConsole(t, browser, setting, owner, { path: at(`/events?thread=${threadId}`) });
  const dialog = page.getByRole('dialog', { name: 'Export personal data' });
  const field = dialog.getByRole('textbox', { name: 'Person or conversation' });
  const click = () => dialog.getByRole('button', { name: 'Download' }).click();
  await page.getByRole('button', { name: 'Personal data' }).click();
  t.equal(await field.inputValue(), threadId, 'that of the filter is there');
  await expectNoBarriers(t, page);
  const one = await saved(page, click);
  t.match(one, {
    name: 'personal-data.ndjson',
    records: [
      { kind: 'thread', thread: { threadId, participant: { displayName: 'Ada' } } },
      { kind: 'message', message: { body: 'Where is my order?' } },
    ],
  });
  t.equal(one.records.length, 2);

  await field.fill('ada');
  const both = await saved(page, click);
  await dialog.getByText('Saved: 2 conversations.').waitFor();
  t.equal(both.records.length, 4);
  t.notOk(JSON.stringify(both.records).includes('Nothing of Ada.'));

  await field.fill('nobody');
  await click();
  await dialog.getByText('There is no conversation with nobody in this environment.').waitFor();
});

t.test('nobody is led to it who may not have it', async t => {
  const viewer = await addOperator(setting, 'viewer');
  const page = await openConsole(t, browser, setting, viewer, { path: at('/events') });
  await page.getByRole('main').getByRole('heading', { name: 'Events' }).waitFor();
  await page.getByRole('table').waitFor();
  t.equal(await page.getByRole('button', { name: 'Personal data' }).count(), 0);
});
