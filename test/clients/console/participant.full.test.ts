/** The panel beside a conversation: who the participant is, and what is known of them. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const { skein, owner, projectId, environmentId } = setting;
const browser = await startChromium(t);

const threadId = await receive(setting, 'ada', 'Hello', 'Ada');
await skein.threads.update(threadId, { customFields: { plan: 'gold' }, tags: ['vip'] });
const path = `/console/${projectId}/${environmentId}/all/${threadId}`;

t.test('the name can be corrected, tags come and go, and other conversations are a click away', async t => {
  const createChannel = async (name: string): Promise<string> =>
    (await skein.channels.create({ name, kind: 'custom' })).channelId;
  await receive({ skein, channelId: await createChannel('First') }, 'ada', 'Before');
  const otherId = await receive({ skein, channelId: await createChannel('Other') }, 'ada', 'Elsewhere');
  const page = await openConsole(t, browser, setting, owner, { path });
  // Listed by pages of one.
  await page.route(/participantRef=/, route =>
    route.continue({ url: route.request().url().replace('limit=20', 'limit=1') }),
  );
  await page.getByRole('button', { name: 'Participant and details' }).click();
  const panel = page.getByRole('complementary', { name: 'Participant and details' });
  await panel.getByText('gold').waitFor();
  t.strictSame(await findBarriers(page), []);

  await panel.getByRole('button', { name: 'Edit the name' }).click();
  await panel.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
  t.match((await skein.threads.get(threadId)).participant, { displayName: 'Ada Lovelace' });

  const input = panel.getByRole('textbox', { name: 'Add a tag' });
  await input.fill('not a tag');
  await panel.getByText('Letters, digits, _ and - only').waitFor();
  await input.fill('urgent');
  await page.keyboard.press('Enter');
  await panel.getByRole('button', { name: 'Remove urgent' }).waitFor();
  await panel.getByRole('button', { name: 'Remove vip' }).click();
  await panel.getByRole('button', { name: 'Remove vip' }).waitFor({ state: 'detached' });
  await eventually('tags', async () => (await skein.threads.get(threadId)).tags?.join() === 'urgent');
  // A colleague does so, too, before the request arrives.
  await page.route(/\/threads\/(bulk|thread_[^/]*)$/, async route => {
    if (route.request().method() !== 'GET')
      await skein.threads.update(threadId, { tags: ['theirs', 'urgent'] });
    await route.continue();
  });
  await input.fill('ours');
  await page.keyboard.press('Enter');
  const readTags = async (): Promise<string> => ((await skein.threads.get(threadId)).tags ?? []).join();
  await eventually('both tags', async () => (await readTags()) === 'theirs,urgent,ours');
  await panel.getByRole('button', { name: 'Remove theirs' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });

  // Each says when it was, whether it is open, its channel, and how it ended.
  const other = panel.getByRole('link', { name: /Elsewhere$/ });
  t.match(await other.textContent(), /Open · Other\s*Elsewhere$/);
  t.equal(await panel.getByRole('link', { name: /Before$/ }).count(), 0);
  const more = panel.getByRole('button', { name: 'More conversations' });
  await more.click();
  await panel.getByRole('link', { name: /Before$/ }).waitFor();
  await other.click();
  await page.waitForURL(new RegExp(otherId));
  await page.getByRole('log', { name: 'Messages' }).getByText('Elsewhere').waitFor();
  // The panel stays open for the next conversation.
  await panel.waitFor();
});

t.test('fields are added, changed and removed, each for itself', async t => {
  const page = await openConsole(t, browser, setting, owner, { path });
  await page.getByRole('button', { name: 'Participant and details' }).click();
  const panel = page.getByRole('complementary', { name: 'Participant and details' });
  const readFields = async () => (await skein.threads.get(threadId)).customFields;

  await panel.getByRole('button', { name: 'Add a field' }).click();
  await panel.getByRole('textbox', { name: 'Name of the field' }).fill('plan');
  await panel.getByText('There is a field of that name.').waitFor();
  await panel.getByRole('textbox', { name: 'Name of the field' }).fill('orders');
  await panel.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Number' }).click();
  await panel.getByRole('spinbutton', { name: 'Value' }).fill('2.5');
  t.strictSame(await findBarriers(page), []);
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('2.5').waitFor();
  t.strictSame(await readFields(), { plan: 'gold', orders: 2.5 });

  // While one is edited, a colleague changes it, and another one.
  await panel.getByRole('button', { name: 'Edit plan' }).click();
  await panel.getByRole('textbox', { name: 'plan' }).fill('platinum');
  await skein.threads.update(threadId, { customFields: { plan: 'silver', vip: true } });
  await panel.getByText('Somebody has changed it to “silver” in the meantime.').waitFor();
  await page.keyboard.press('Enter');
  await panel.getByText('platinum').waitFor();
  t.strictSame(await readFields(), { plan: 'platinum', orders: 2.5, vip: true });

  await panel.getByRole('button', { name: 'Remove orders' }).click();
  await panel.getByText('2.5').waitFor({ state: 'detached' });
  t.strictSame(await readFields(), { plan: 'platinum', vip: true });
  await panel.getByText('Yes', { exact: true }).waitFor();

  await page.route(/\/threads\/[^/]+$/, route =>
    route.fulfill({
      status: 422,
      json: { error: 'svc/validation/invalid_request', message: 'Too much.', requestId: 'req_1' },
    }),
  );
  await panel.getByRole('button', { name: 'Edit plan' }).click();
  await panel.getByRole('textbox', { name: 'plan' }).fill('much');
  await page.keyboard.press('Enter');
  await panel.getByRole('alert').getByText('Too much.').waitFor();
  t.equal(await panel.getByRole('textbox', { name: 'plan' }).inputValue(), 'much', 'nothing is lost');
  await page.unrouteAll({ behavior: 'wait' });
  await skein.threads.update(threadId, { customFields: { plan: 'gold', vip: null } });
});
