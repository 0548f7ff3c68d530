/** Lists of many pages, which columns are shown, and what strangers write into them. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { startChromium } from '../../support/chromium.ts';
import { findBarriers, openConsole, phone, receive, shareConsole } from '../console/console-page.ts';

const setting = await shareConsole(t);
const { owner, skein, projectId, environmentId } = setting;
const browser = await startChromium(t);
const at = (rest: string): string => `/studio/${projectId}/${environmentId}${rest}`;
const rows = (page: Page) => page.getByRole('main').getByRole('table').first().getByRole('row');
const more = (page: Page) => page.getByRole('button', { name: 'Show more' });
const isWiderThanScreen = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');

/** As long as a name can be, with neither a space nor a hyphen. */
const longNames = Array.from(
  { length: 104 },
  (_, index) => `${String(index).padStart(3, '0')}${'x'.repeat(253)}`,
);

t.test('a hundred long names: page after page, each once, with the columns that are chosen', async t => {
  for (const name of longNames) await skein.channels.create({ name, kind: 'sandbox' });
  const page = await openConsole(t, browser, setting, owner, { path: at('/channels') });
  await rows(page).nth(50).waitFor();
  t.equal(await rows(page).count(), 51, 'a head, and one page');
  await more(page).click();
  await rows(page).nth(100).waitFor();
  await more(page).click();
  await rows(page).nth(105).waitFor();
  t.equal(await more(page).count(), 0);
  const shown = await page.getByRole('main').getByRole('link').allInnerTexts();
  t.strictSame(
    shown.filter(name => longNames.includes(name)),
    longNames.toReversed(),
  );
  t.notOk(await isWiderThanScreen(page));
  t.strictSame(await findBarriers(page), []);

  const heads = page.getByRole('columnheader');
  const before = await heads.allInnerTexts();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'ID' }).check();
  await page.getByRole('checkbox', { name: 'Kind' }).uncheck();
  t.ok(await page.getByRole('checkbox', { name: 'Name' }).isDisabled(), 'what a row is known by stays');
  const after = [...before.filter(head => head !== 'Kind'), 'ID'];
  t.strictSame(await heads.allInnerTexts(), after);
  await page.reload();
  await rows(page).nth(50).waitFor();
  t.strictSame(await heads.allInnerTexts(), after, 'in this browser they are kept');
  await page.setViewportSize(phone.viewport);
  t.notOk(await isWiderThanScreen(page), 'it fits a phone');
});

t.test('a list that renews itself asks for its first page alone, and loses none of the others', async t => {
  const events = 120;
  for (let index = 0; index < events; index++) await receive(setting, 'ada', `Message ${index}`);
  const page = await openConsole(t, browser, setting, owner, {
    path: at('/events?name=thread.message.received'),
  });
  for (const shown of [50, 100]) {
    await rows(page).nth(shown).waitFor();
    await more(page).click();
  }
  await rows(page).nth(events).waitFor();
  const asked: URL[] = [];
  page.on('request', request => {
    const url = new URL(request.url());
    if (url.pathname === '/v1/events') asked.push(url);
  });
  await receive(setting, 'ada', 'One more');
  await rows(page)
    .nth(events + 1)
    .waitFor();
  t.equal(await rows(page).count(), events + 2, 'a head, those that were there, and the new one');
  const isRenewal = (response: { url: () => string }) => new URL(response.url()).pathname === '/v1/events';
  await page.waitForResponse(isRenewal);
  t.ok(asked.length > 0);
  t.notOk(asked.some(url => url.searchParams.has('cursor')));
});

t.test('what strangers write is text, wherever it is shown', async t => {
  const hostile = `</script><img src=x onerror="window.taken=1"><svg onload="window.taken=1"> {{7*7}} \u202egnp.exe`;
  const name = hostile.slice(0, 120);
  const { channelId } = await skein.channels.create({ name, kind: 'custom' });
  await skein.stitches.create({ name, webhookUrl: 'https://example.com/hook' });
  await skein.looms.create({
    name,
    systemPrompt: hostile,
    provider: 'llm_provider_1',
    model: 'gpt-4o-mini" onload="',
  });
  const threadId = await receive({ skein, channelId }, hostile.slice(0, 100), hostile, name);
  const [message] = await skein.messages.list(threadId, { limit: 1 }).toArray(1);
  const [event] = await skein.events.list({ threadId, limit: 1 }).toArray(1);
  const page = await openConsole(t, browser, setting, owner, { path: at('/channels') });
  for (const [path, text] of [
    ['/channels', '</script><img'],
    [`/channels/${channelId}`, '</script><img'],
    ['/webhooks', '</script><img'],
    ['/instructions', '</script><img'],
    ['/providers', 'gpt-4o-mini" onload="'],
    [`/messages?q=${threadId}&message=${message?.messageId ?? ''}`, '</script><img'],
    [`/events?event=${event?.eventId ?? ''}`, '</script><img'],
    ['/audit', 'channel.created'],
  ] as const) {
    await page.goto(`${setting.baseUrl}${at(path)}`);
    await page.getByText(text).first().waitFor();
    t.equal(await page.evaluate(`'taken' in window`), false, path);
    t.equal(await page.locator('img[src=x]').count(), 0, path);
    t.notOk(await isWiderThanScreen(page), path);
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to …' }).fill('</script>');
  await page.getByRole('option').first().waitFor();
  t.equal(await page.evaluate(`'taken' in window`), false, 'the palette');
  t.strictSame(await findBarriers(page), []);
});

t.test('where a page finds nothing and more follows, it is said, and asked for', async t => {
  const { workspaceId } = await owner.api.projects.get(projectId);
  const ids = Array.from({ length: 2_100 }, () => newId('audit'));
  await setting.database.query(
    `insert into audit_logs (audit_log_id, workspace_id, actor_type, actor_id, action, target_id, created_at)
     select id, $2, 'user', $3, 'workspace.updated', $2, now() from unnest($1::text[]) as id`,
    [ids, workspaceId, owner.userId],
  );
  const page = await openConsole(t, browser, setting, owner, {
    path: at(`/audit?actor=${owner.userId}&action=workspace.created`),
  });
  const nothingYet = page.getByText('Nothing found so far');
  await nothingYet.waitFor();
  t.strictSame(await findBarriers(page), []);
  await more(page).click();
  await page.getByRole('button', { name: 'workspace.created' }).waitFor();
  t.equal(await nothingYet.count(), 0);
  t.equal(await more(page).count(), 0);
});
