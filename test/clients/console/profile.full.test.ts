/** What an operator has set for themselves is what they see: their zone, their name, and everybody's colour. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const browser = await startChromium(t);
const operator = await addOperator(setting, 'agent', 'ines.moreau');
const threadId = await receive(setting, 'ada', 'Where is my parcel?', 'Ada Byron');
const { projectId, environmentId } = setting;

t.test('a person has one colour wherever they are shown', async t => {
  const page = await openConsole(t, browser, setting, operator);
  const row = page.getByRole('option', { name: 'Ada Byron' });
  await row.click();
  const details = page.getByRole('button', { name: 'Details' });
  await page.getByRole('log').waitFor();
  if ((await details.getAttribute('aria-pressed')) !== 'true') await details.click();
  const faces = page.locator('[data-initials="AB"]');
  // In the list, above the conversation, and beside it.
  await faces.nth(2).waitFor();
  const colors = await faces.evaluateAll(shown =>
    shown.map(each => (each as unknown as { dataset: { color: string } }).dataset.color),
  );
  t.equal(new Set(colors).size, 1, colors.join());
});

t.test('times are those of the zone that was chosen', async t => {
  const { data } = await setting.skein.messages.list(threadId);
  const at = Date.parse(data[0]?.createdAt ?? '');
  const tell = (timeZone: string): string =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(at);
  const path = `/console/${projectId}/${environmentId}/all/${threadId}`;
  const page = await openConsole(t, browser, setting, operator, { path, timezoneId: 'America/New_York' });
  const time = page.getByRole('log').locator('time').first();
  await time.filter({ hasText: tell('America/New_York') }).waitFor();

  await page.goto(`${setting.baseUrl}/console/settings`);
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  t.equal(await zone.inputValue(), 'The browser’s (America/New_York)');
  await zone.fill('tokyo');
  const answered = page.waitForResponse(
    response => response.url().endsWith('/studio/profile') && response.request().method() === 'PATCH',
  );
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
  t.equal((await answered).status(), 200);
  t.strictSame(await findBarriers(page), []);
  await page.goto(`${setting.baseUrl}${path}`);
  await time.filter({ hasText: tell('Asia/Tokyo') }).waitFor();
  // With seconds, in the row of the list.
  t.match(await page.getByRole('option').locator('time').getAttribute('title'), tell('Asia/Tokyo'));

  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Until tomorrow morning' }).click();
  await page.getByText(/^Snoozed until /).waitFor();
  await eventually(
    'snooze',
    async () => typeof (await setting.skein.threads.get(threadId)).snoozedUntil === 'string',
  );
  const { snoozedUntil } = await setting.skein.threads.get(threadId);
  // Midnight in UTC is nine o'clock in Tokyo.
  t.match(snoozedUntil, /T00:00:00\.000Z$/);
});
