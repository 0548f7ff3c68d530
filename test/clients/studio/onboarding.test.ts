/** From sign-up to a delivered webhook, in the browser alone: as a stranger does it, and what they see on the way. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import type { Page } from 'playwright-core';
import { Skein } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { readMailedToken } from '../../support/mailbox.ts';
import { Receiver } from '../../support/receiver.ts';
import { shareSkein } from '../../support/skein.ts';
import { findBarriers, openPage, password } from '../console/console-page.ts';
import {
  closeSecret,
  makeAccount,
  makeChannel,
  makeKey,
  makeWebhook,
  readSecret,
  sendTest,
  writeMessage,
} from './first-steps.ts';

const run = promisify(execFile);
const { url: baseUrl, log } = await shareSkein(t);
const browser = await startChromium(t);
const receiver = await Receiver.start();
t.teardown(() => receiver.stop());

/** The page, its address, and what it keeps in the browser. */
const readAll = async (page: Page): Promise<string> =>
  `${await page.content()} ${page.url()} ${await page.evaluate<string>(
    'JSON.stringify([localStorage, sessionStorage])',
  )}`;

t.test('from sign-up to a webhook that arrives', async t => {
  const page = await openPage(t, browser, `${baseUrl}/studio`);
  const asked: string[] = [];
  page.on('request', request => asked.push(request.url()));
  const look = async (): Promise<void> => {
    t.strictSame(await findBarriers(page), []);
  };
  await makeAccount(page, 'founder@example.com', password);
  await look();
  await makeChannel(page, look);
  await writeMessage(page);
  await look();

  await page.getByRole('link', { name: 'Start' }).click();
  await page.getByText('2 of 6 done').waitFor();
  await makeKey(page, look);
  // The secret stays, though its step is done.
  const keySecret = await readSecret(page);
  // The call below it works as it is.
  const call = (await page.getByRole('tabpanel').locator('code').textContent()) ?? '';
  const { stdout } = await run('bash', ['-c', call], { env: { ...process.env, SKEIN_API_KEY: keySecret } });
  t.match(JSON.parse(stdout), { data: [{ preview: { text: 'Is anybody there?' } }] });
  await closeSecret(page);

  await page.getByText('3 of 6 done').waitFor();
  t.notOk((await readAll(page)).includes(keySecret), 'nothing is left of the secret');
  await makeWebhook(page, receiver.url('/events'), look);
  const webhookSecret = await readSecret(page);
  await closeSecret(page);

  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Shop events' }).waitFor();
  t.notOk((await readAll(page)).includes(webhookSecret), 'nor of this one');
  await sendTest(page);
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
  const token = await readMailedToken(log, 'founder@example.com', 'verify');
  await new Skein({ apiKey: null, baseUrl }).auth.verifyEmail({ token });
  // It ticks itself off.
  await page.getByText('Everything works').waitFor();
  await page.getByRole('link', { name: 'Events' }).click();
  await page.getByRole('button', { name: 'thread.message.received' }).click();
  await page.getByText('"Is anybody there?"').waitFor();
  for (const secret of [keySecret, webhookSecret, password])
    t.notOk(
      asked.some(url => url.includes(encodeURIComponent(secret)) || url.includes(secret)),
      'no secret is in an address',
    );
  t.strictSame(await findBarriers(page), []);
});
