/** The pages that mailed links lead to: what a node sends, and how people use them in a browser. */
import type { Page, Request } from 'playwright-core';
import t, { type Test } from 'tap';
import { mailText } from '../../../gateway/mail/messages.ts';
import { Client, Line } from '../../node/client.ts';
import { signUp, type Tenant } from '../../node/tenant.ts';
import { startChromium } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type MailedPage, readMail } from '../../support/mailbox.ts';
import { NodeProcess } from '../../support/node-process.ts';

const { url: databaseUrl, database } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: databaseUrl, LOG_LEVEL: 'info' });
await node.start();
const line = new Line(node.url, t);
const pages = ['verify', 'reject', 'reset', 'join'] as const;

/** The link to the page in the newest mail to the address. */
async function readLink(to: string, page: MailedPage): Promise<string> {
  const mail = await readMail(node, to, page);
  return new RegExp(`http\\S+/studio/${page}#token=[\\w-]+`).exec(mail)?.[0] ?? '';
}

async function readResetLink({ email }: Pick<Tenant, 'email'>): Promise<string> {
  await new Client(line).get('forgotPassword', { body: { email } });
  return readLink(email, 'reset');
}

async function inviteFor({ person, userId, workspaceId }: Tenant, email: string): Promise<string> {
  await database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
  // What is known of a session is held for a second.
  await eventually('invitation', async () => {
    const asked = { params: { workspaceId }, body: { email } };
    return (await person.ask('createInvitation', asked)).status === 201;
  });
  return readLink(email, 'join');
}

const isVerified = async ({ person }: Tenant): Promise<boolean> =>
  (await person.get<{ emailVerified: boolean }>('me')).emailVerified;

t.test('every link of a mail leads to a page that loads nothing from elsewhere', async t => {
  const invitation = JSON.stringify({ token: 'T', workspace: 'W', inviter: 'I' });
  const mails = [
    mailText('verify_email', 'T', node.url),
    mailText('reset_password', 'T', node.url),
    mailText('invitation', invitation, node.url),
  ];
  const links = new Set(mails.flatMap(({ text }) => text.match(/http\S+\/studio\/\S+/g) ?? []));
  t.same(
    [...links].sort(),
    pages.map(page => `${node.url}/studio/${page}#token=T`).sort(),
    'each page is linked to',
  );
  const stopped = { stitchId: 'stitch_1', name: 'N', webhookUrl: null, status: 'disabled' };
  const lost = { channelId: 'channel_1', name: 'N', reason: 'expired', expiresAt: null, message: 'No.' };
  for (const { link } of [
    mailText('stitch_stopped', JSON.stringify(stopped), node.url),
    mailText('channel_credential', JSON.stringify(lost), node.url),
  ]) {
    const notice = await fetch(link);
    t.match([notice.status, notice.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  }
  for (const link of links) {
    const answer = await fetch(link);
    const text = await answer.text();
    t.equal(answer.status, 200);
    t.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    t.equal(answer.headers.get('referrer-policy'), 'no-referrer');
    t.equal(answer.headers.get('x-frame-options'), 'DENY');
    const policy = answer.headers.get('content-security-policy') ?? '';
    t.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
    t.notMatch(policy, /unsafe|https?:|\*|data:/);
    t.notMatch(text, /(?:src|href)="(?:https?:)?\/\//);
    t.notMatch(text, /<script>|<style|style="|onclick/, 'nothing that the policy forbids');
    for (const [, asset = ''] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      t.equal((await fetch(new URL(asset, link))).status, 200, asset);
    }
  }
});

/** A page, what it has sent, and what the browser complains of: broken policies, scripts that throw. */
interface Tab {
  readonly page: Page;
  readonly requests: Request[];
  readonly complaints: string[];
}

t.test('in a browser', async t => {
  const browser = await startChromium(t);

  /** The page at the link, on a phone: nothing has been sent to the API. */
  async function open(t: Test, link: string): Promise<Tab> {
    const phone = { viewport: { width: 320, height: 640 }, deviceScaleFactor: 2, isMobile: true };
    const page = await browser.newPage(phone);
    const tab: Tab = { page, requests: [], complaints: [] };
    page.on('request', request => tab.requests.push(request));
    page.on('pageerror', error => tab.complaints.push(String(error)));
    page.on('console', message => {
      // The browser tells of every answer that is no success.
      if (!message.text().startsWith('Failed to load resource')) tab.complaints.push(message.text());
    });
    await page.goto(link);
    t.notOk(sentToApi(tab), 'the token is still with its reader');
    const wide = 'document.documentElement.scrollWidth > innerWidth';
    t.equal(await page.evaluate(wide), false, 'it fits the screen of a phone');
    const unnamed = `[...document.querySelectorAll('input')].filter(input => !input.labels.length).length`;
    t.equal(await page.evaluate(unnamed), 0, 'every field has a label');
    t.ok((await page.evaluate<number>(`document.querySelector('button').offsetHeight`)) >= 44);
    return tab;
  }

  const sentToApi = ({ requests }: Tab): boolean => requests.some(request => request.url().includes('/v1/'));
  const shows = ({ page }: Tab, text: string): Promise<void> =>
    page.getByText(text).filter({ visible: true }).first().waitFor();

  /** What was sent, and what the browser has to say of it. */
  async function checkSent(t: Test, tab: Tab): Promise<void> {
    t.ok(sentToApi(tab));
    for (const request of tab.requests) {
      t.ok(request.url().startsWith(`${node.url}/`), 'to this server alone');
      const headers = JSON.stringify(await request.allHeaders());
      t.notMatch(headers, /token=|studio\/\w+#/i, 'no header names the token');
    }
    t.same(tab.complaints, []);
  }

  /** By keyboard alone, from the top of the page: fills the fields and presses the button. */
  async function fill({ page }: Tab, ...texts: string[]): Promise<void> {
    await page.evaluate(`document.querySelector('h1').tabIndex = -1, document.querySelector('h1').focus()`);
    for (const text of texts) {
      await page.keyboard.press('Tab');
      await page.evaluate('document.activeElement.select()');
      await page.keyboard.insertText(text);
    }
    await page.keyboard.press('Enter');
  }

  /** Submits a form without visible fields by keyboard. */
  async function pressButton({ page }: Tab): Promise<void> {
    await page.locator('button').focus();
    await page.keyboard.press('Enter');
  }

  t.test('an address is confirmed, once', async t => {
    const tenant = await signUp(line);
    const link = await readLink(tenant.email, 'verify');
    const tab = await open(t, link);
    await pressButton(tab);
    await shows(tab, 'Your e-mail address is confirmed.');
    t.equal(await tab.page.evaluate('location.hash'), '', 'the token does not stay in the address');
    t.equal(await tab.page.evaluate('document.activeElement.id'), 'done', 'readers of the screen are told');
    t.equal(await isVerified(tenant), true);
    await checkSent(t, tab);

    const again = await open(t, link);
    await pressButton(again);
    await shows(again, 'This link is not valid. It may have been used already');
    t.equal(await again.page.evaluate(`document.getElementById('problem').getAttribute('role')`), 'alert');
  });

  t.test('somebody removes the account that a stranger has made', async t => {
    const tenant = await signUp(line);
    const verify = await readLink(tenant.email, 'verify');
    const tab = await open(t, verify.replace('/studio/verify', '/studio/reject'));
    await pressButton(tab);
    await shows(tab, 'The account is removed.');
    await checkSent(t, tab);
    t.equal((await tenant.person.ask('me')).status, 401);
  });

  t.test('a password is set, typed twice and long enough', async t => {
    const tenant = await signUp(line);
    const tab = await open(t, await readResetLink(tenant));
    await fill(tab, 'short', 'short');
    await shows(tab, 'The password needs 8 characters or more.');
    t.equal(
      await tab.page.evaluate('document.activeElement.name'),
      'password',
      'the focus is where the mistake is',
    );
    await fill(tab, 'a new password', 'another one');
    await shows(tab, 'The two passwords are not the same.');
    t.equal(await tab.page.evaluate('document.activeElement.name'), 'repeated');
    t.equal(await tab.page.evaluate('document.activeElement.getAttribute("aria-invalid")'), 'true');
    t.notOk(sentToApi(tab));
    await fill(tab, 'a new password', 'a new password');
    await shows(tab, 'Your new password is set.');
    await checkSent(t, tab);
    const login = { body: { email: tenant.email, password: 'a new password' } };
    t.equal((await new Client(line).ask('login', login)).status, 200);
  });

  t.test('a link that has expired, one that was cut, and a server that is away', async t => {
    const tenant = await signUp(line);
    const link = await readResetLink(tenant);
    await database.query(
      `update email_tokens set expires_at = now() - interval '1 minute' where user_id = $1`,
      [tenant.userId],
    );
    const tab = await open(t, link);
    await tab.page.context().setOffline(true);
    await fill(tab, 'a new password', 'a new password');
    await shows(tab, 'The server cannot be reached.');
    await tab.page.context().setOffline(false);
    await fill(tab, 'a new password', 'a new password');
    await shows(tab, 'This link has expired.');

    const cut = await open(t, link.split('#')[0] ?? '');
    await shows(cut, 'The address of this page is not complete.');
    await fill(cut, 'a new password', 'a new password');
    await shows(cut, 'The address of this page is not complete.');
    t.notOk(sentToApi(cut));
  });

  t.test('an invited person without an account chooses a password, and joins', async t => {
    const owner = await signUp(line);
    const email = `guest-${owner.userId}@example.com`.toLowerCase();
    const tab = await open(t, await inviteFor(owner, email));
    await pressButton(tab);
    await shows(tab, 'Your address has no account here yet.');
    t.equal(await tab.page.evaluate('document.activeElement.name'), 'password');
    await fill(tab, 'guest password', 'guest passw0rd');
    await shows(tab, 'The two passwords are not the same.');
    await fill(tab, 'guest password', 'guest password');
    await shows(tab, 'You are a member of the workspace now.');
    t.equal(
      await tab.page.getByRole('link', { name: 'Open the Console' }).getAttribute('href'),
      '../console',
    );
    await checkSent(t, tab);
    const login = { body: { email, password: 'guest password' } };
    const { accessToken } = await new Client(line).get<{ accessToken: string }>('login', login);
    t.match(await new Client(line, accessToken).get('me'), { workspaceId: owner.workspaceId });
  });

  t.test('an invited person with an account joins with its password', async t => {
    const owner = await signUp(line);
    const guest = await signUp(line);
    const reset = await open(t, await readResetLink(guest));
    await fill(reset, 'known password', 'known password');
    await shows(reset, 'Your new password is set.');
    const tab = await open(t, await inviteFor(owner, guest.email));
    await pressButton(tab);
    await shows(tab, 'Your address has an account here.');
    await fill(tab, 'wrong password');
    await shows(tab, 'That is not the password of your account.');
    await fill(tab, 'known password');
    await shows(tab, 'You are a member of the workspace now.');
    await checkSent(t, tab);
  });
});
