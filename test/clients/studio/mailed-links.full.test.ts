/** The pages that mailed links lead to: nothing is done before the button is pressed, and the token goes to this server alone. */
import type { Page, Request } from 'playwright-core';
import t, { type Test } from 'tap';
import { mailText } from '../../../gateway/mail/messages.ts';
import { type ApiError, Skein } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { readMailedToken } from '../../support/mailbox.ts';
import { shareSkein } from '../../support/skein.ts';
import { findBarriers, watch } from '../console/console-page.ts';

const { url: baseUrl, log } = await shareSkein(t);
const browser = await startChromium(t);
const anonymous = new Skein({ apiKey: null, baseUrl });
const pages = ['verify', 'reject', 'reset', 'join', 'email'] as const;

let accounts = 0;
async function signUp() {
  const email = `person-${++accounts}@example.com`;
  const { accessToken } = await anonymous.auth.signUp({ email, password: 'correct horse battery' });
  return { email, api: new Skein({ apiKey: () => accessToken, baseUrl }) };
}

interface Tab {
  readonly page: Page;
  readonly requests: Request[];
}

const isAsked = ({ requests }: Tab): boolean => requests.some(each => /\/v1\/(?!.*refresh)/.test(each.url()));

/** The page at the link, on a phone: nothing has been asked of the server with its token. */
async function open(t: Test, page: (typeof pages)[number], token: string): Promise<Tab> {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 320, height: 640 },
    isMobile: true,
    reducedMotion: 'reduce',
  });
  const tab: Tab = { page: await context.newPage(), requests: [] };
  watch(t, tab.page);
  tab.page.on('request', request => tab.requests.push(request));
  await tab.page.goto(`${baseUrl}/studio/${page}#token=${token}`);
  await tab.page.getByRole('heading', { level: 1 }).waitFor();
  t.notOk(isAsked(tab), 'the token is still with its reader');
  t.equal(
    await tab.page.evaluate('document.documentElement.scrollWidth > innerWidth'),
    false,
    'it fits a phone',
  );
  t.strictSame(await findBarriers(tab.page), []);
  return tab;
}

async function checkSent(t: Test, tab: Tab, token: string): Promise<void> {
  t.ok(isAsked(tab));
  for (const request of tab.requests) {
    t.ok(request.url().startsWith(`${baseUrl}/`), 'to this server alone');
    t.notOk(request.url().includes(token), 'no address names the token');
    t.notOk(JSON.stringify(await request.allHeaders()).includes(token), 'nor does a header');
  }
}

t.test('every link of a mail leads to a page', async t => {
  const invitation = JSON.stringify({ token: 'T', workspace: 'W', inviter: 'I' });
  const mails = [
    mailText('verify_email', 'T', baseUrl, 'ada@example.com'),
    mailText('reset_password', 'T', baseUrl, 'ada@example.com'),
    mailText('invitation', invitation, baseUrl, 'ada@example.com'),
    mailText('change_email', 'T', baseUrl, 'ada@example.com'),
  ];
  const links = new Set(mails.flatMap(({ text }) => text.match(/http\S+\/studio\/\S+/g) ?? []));
  t.same([...links].sort(), pages.map(page => `${baseUrl}/studio/${page}#token=T`).sort());
  const stopped = { stitchId: 'stitch_1', name: 'N', webhookUrl: null, status: 'disabled' };
  const lost = { channelId: 'channel_1', name: 'N', reason: 'expired', expiresAt: null, message: 'No.' };
  const notices = [
    mailText('stitch_stopped', JSON.stringify(stopped), baseUrl, 'ada@example.com'),
    mailText('channel_credential', JSON.stringify(lost), baseUrl, 'ada@example.com'),
  ];
  for (const link of [...links, ...notices.map(each => each.link)]) {
    const answer = await fetch(link);
    t.match([answer.status, answer.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    t.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  }
});

t.test('an address is confirmed, once', async t => {
  const { email, api } = await signUp();
  const token = await readMailedToken(log, email, 'verify');
  const tab = await open(t, 'verify', token);
  await tab.page.getByRole('button', { name: 'Confirm the address' }).press('Enter');
  await tab.page.getByRole('status').getByText('Your e-mail address is confirmed.').waitFor();
  t.notOk(tab.page.url().includes(token), 'the token does not stay in the address');
  t.match(await api.auth.me(), { emailVerified: true });
  await checkSent(t, tab, token);
  const again = await open(t, 'verify', token);
  await again.page.getByRole('button', { name: 'Confirm the address' }).click();
  await again.page.getByRole('alert').getByText('This link is not valid.').waitFor();
  const cut = await open(t, 'verify', '');
  await cut.page.getByRole('alert').getByText('This link is incomplete.').waitFor();
});

t.test('somebody removes the account that a stranger has made', async t => {
  const { email, api } = await signUp();
  const token = await readMailedToken(log, email, 'verify');
  const tab = await open(t, 'reject', token);
  await tab.page.getByRole('button', { name: 'Remove the account' }).press('Enter');
  await tab.page.getByRole('status').getByText('The account is removed.').waitFor();
  await checkSent(t, tab, token);
  const status = await api.auth.me().then(
    () => 200,
    (error: ApiError) => error.status,
  );
  t.equal(status, 401);
});

t.test(
  'a new address is confirmed with the password, and found in the mailbox without a terminal',
  async t => {
    const { email, api } = await signUp();
    await anonymous.auth.verifyEmail({ token: await readMailedToken(log, email, 'verify') });
    const newEmail = `new-${email}`;
    await api.account.changeEmail({ newEmail, password: 'correct horse battery' });
    const token = await readMailedToken(log, newEmail, 'email');
    const tab = await open(t, 'email', token);
    const field = tab.page.getByRole('textbox', { name: 'Password' });
    await field.fill('something else');
    await field.press('Enter');
    await tab.page.getByRole('alert').getByText('That is not the password of your account.').waitFor();
    await field.fill('correct horse battery');
    await field.press('Enter');
    await tab.page.getByRole('status').getByText('Your e-mail address is changed.').waitFor();
    await checkSent(t, tab, token);
    t.match(await api.auth.me(), { email: newEmail, emailVerified: true });

    const page = await (await browser.newContext()).newPage();
    await page.goto(`${baseUrl}/studio/sign-up`);
    const mailbox = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the mailbox' }).click();
    const opened = await mailbox;
    await opened.getByRole('link', { name: 'Your e-mail address was changed' }).click();
    await opened.getByText(`The e-mail address of your account is now ${newEmail}.`).waitFor();
    t.strictSame(await findBarriers(opened), []);
  },
);
