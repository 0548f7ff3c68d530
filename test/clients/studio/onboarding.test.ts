/** From sign-up to a delivered webhook, in the browser alone: as a stranger does it, and what they see on the way. */
import t, { type Test } from 'tap';
import type { Browser, Page } from 'playwright-core';
import { Skein } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { Receiver } from '../../support/receiver.ts';
import { startSkeinOn } from '../../support/skein-in-process.ts';
import { findBarriers, watch } from '../console/console-page.ts';
import { createMailFolder, readMailedToken } from '../console/mailed.ts';

const folder = await createMailFolder(t);
const { url: databaseUrl } = await startTestDatabase(t);
const { url: baseUrl } = await startSkeinOn(t, databaseUrl, {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  DATA_DIR: folder,
});
const browser = await startChromium(t);
const receiver = await Receiver.start();
t.teardown(() => receiver.stop());

const password = 'correct horse battery';

async function openPage(t: Test, from: Browser, path: string): Promise<Page> {
  const context = await from.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  watch(t, page);
  await page.goto(`${baseUrl}${path}`);
  return page;
}

/** What is shown this once. */
async function readSecret(page: Page): Promise<string> {
  const shown = page.getByRole('dialog').getByRole('status').locator('code');
  const secret = (await shown.textContent()) ?? '';
  if (secret.length < 20) throw new Error(`no secret: ${secret}`);
  return secret;
}

/** The page, its address, and what it keeps in the browser. */
const readAll = async (page: Page): Promise<string> =>
  `${await page.content()} ${page.url()} ${await page.evaluate<string>(
    'JSON.stringify([localStorage, sessionStorage])',
  )}`;

t.test('from sign-up to a webhook that arrives', async t => {
  const page = await openPage(t, browser, '/studio');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  await page.getByLabel('E-mail').fill('founder@example.com');
  await page.getByRole('textbox', { name: 'New password' }).fill(password);
  await page.getByRole('button', { name: 'Create the account' }).click();

  await page.getByText('0 of 6 done').waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Create a channel' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Playground');
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Create channel' }).click();

  await page.getByRole('heading', { name: 'Playground' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('Is anybody there?');
  await page.getByRole('button', { name: 'Send as participant' }).click();
  await page.getByRole('log').getByText('Is anybody there?').waitFor();
  t.strictSame(await findBarriers(page), []);

  await page.getByRole('link', { name: 'Start' }).click();
  await page.getByText('2 of 6 done').waitFor();
  await page.getByRole('button', { name: 'Create an API key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop backend');
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByText('Copy the secret now').waitFor();
  t.strictSame(await findBarriers(page), []);
  // Its step is done by now, and the secret stays.
  await page.getByText('3 of 6 done').waitFor();
  const keySecret = await readSecret(page);
  await page.getByRole('button', { name: 'I have copied it' }).click();

  await page.getByText('3 of 6 done').waitFor();
  t.notOk((await readAll(page)).includes(keySecret), 'nothing is left of the secret');
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop events');
  await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url('/events'));
  await page.getByText('Chosen events').click();
  await page.getByRole('checkbox', { name: 'Everything about thread' }).check();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('4 of 6 done').waitFor();
  const webhookSecret = await readSecret(page);
  await page.getByRole('button', { name: 'I have copied it' }).click();

  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Shop events' }).waitFor();
  t.notOk((await readAll(page)).includes(webhookSecret), 'nor of this one');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('button', { name: 'stitch.test.ping' }).click();
  await page.getByText('Answered 204').waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.keyboard.press('Escape');
  t.match(
    receiver.received.map(({ body }) => JSON.parse(body)),
    [{ eventName: 'stitch.test.ping' }],
  );

  await page.getByRole('link', { name: 'Start' }).click();
  await page.getByText('5 of 6 done').waitFor();
  await page.getByRole('button', { name: 'Send the mail again' }).click();
  await page.getByText('A mail is on its way.').waitFor();
  t.equal(await page.getByRole('link', { name: 'Open the mailbox' }).getAttribute('href'), '/mailbox');
  t.strictSame(await findBarriers(page), []);
  const token = await readMailedToken(folder, 'founder@example.com', 'verify');
  await new Skein({ apiKey: null, baseUrl }).auth.verifyEmail({ token });
  // It ticks itself off.
  await page.getByText('Everything works').waitFor();
  await page.getByRole('link', { name: 'Events' }).click();
  await page.getByRole('button', { name: 'thread.message.received' }).click();
  await page.getByText('"Is anybody there?"').waitFor();
  t.strictSame(await findBarriers(page), []);
});
