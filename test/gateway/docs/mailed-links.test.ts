/** The pages that mailed links lead to: what a node sends, and how people use them in a browser. */
import t, { type Test } from 'tap';
import { mailText } from '../../../gateway/mail/messages.ts';
import { Client, Line } from '../../node/client.ts';
import { signUp, type Tenant } from '../../node/tenant.ts';
import { Browser, browserAdvice, type BrowserPage, findBrowser } from '../../support/browser.ts';
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

const program = findBrowser();

t.test('in a browser', { skip: program === undefined && browserAdvice }, async t => {
  const browser = await Browser.start(t, program ?? '');

  /** The page at the link, on a phone: nothing has been sent to the API. */
  async function open(t: Test, link: string): Promise<BrowserPage> {
    const page = await browser.open();
    const phone = { width: 320, height: 640, deviceScaleFactor: 2, mobile: true };
    await page.ask('Emulation.setDeviceMetricsOverride', phone);
    await page.go(link);
    t.notOk(sentToApi(page), 'the token is still with its reader');
    const wide = 'document.documentElement.scrollWidth > innerWidth';
    t.equal(await page.evaluate(wide), false, 'it fits the screen of a phone');
    const unnamed = `[...document.querySelectorAll('input')].filter(input => !input.labels.length).length`;
    t.equal(await page.evaluate(unnamed), 0, 'every field has a label');
    t.ok((await page.evaluate<number>(`document.querySelector('button').offsetHeight`)) >= 44);
    return page;
  }

  const sentToApi = ({ requests }: BrowserPage): boolean => requests.some(({ url }) => url.includes('/v1/'));

  /** What was sent, and what the browser has to say of it. */
  function checkSent(t: Test, page: BrowserPage): void {
    t.ok(sentToApi(page));
    for (const { url, headers } of page.requests) {
      t.ok(url.startsWith(`${node.url}/`) || url === 'about:blank', 'to this server alone');
      t.notMatch(JSON.stringify(headers), /token=|studio\/\w+#/i, 'no header names the token');
    }
    t.same(page.complaints, []);
  }

  /** By keyboard alone, from the top of the page: fills the fields and presses the button. */
  async function fill(page: BrowserPage, ...texts: string[]): Promise<void> {
    await page.evaluate(`document.querySelector('h1').tabIndex = -1, document.querySelector('h1').focus()`);
    for (const text of texts) {
      await page.press('Tab');
      await page.evaluate('document.activeElement.select()');
      await page.type(text);
    }
    await page.press('Enter');
  }

  /** Submits a form without visible fields by keyboard. */
  async function pressButton(page: BrowserPage): Promise<void> {
    await page.evaluate(`document.querySelector('button').focus()`);
    await page.press('Enter');
  }

  t.test('an address is confirmed, once', async t => {
    const tenant = await signUp(line);
    const link = await readLink(tenant.email, 'verify');
    const page = await open(t, link);
    await pressButton(page);
    await page.shows('Your e-mail address is confirmed.');
    t.equal(await page.evaluate('location.hash'), '', 'the token does not stay in the address');
    t.equal(await page.evaluate('document.activeElement.id'), 'done', 'readers of the screen are told');
    t.equal(await isVerified(tenant), true);
    checkSent(t, page);

    const again = await open(t, link);
    await pressButton(again);
    await again.shows('This link is not valid. It may have been used already');
    t.equal(await again.evaluate(`document.getElementById('problem').getAttribute('role')`), 'alert');
  });

  t.test('somebody removes the account that a stranger has made', async t => {
    const tenant = await signUp(line);
    const verify = await readLink(tenant.email, 'verify');
    const page = await open(t, verify.replace('/studio/verify', '/studio/reject'));
    await pressButton(page);
    await page.shows('The account is removed.');
    checkSent(t, page);
    t.equal((await tenant.person.ask('me')).status, 401);
  });

  t.test('a password is set, typed twice and long enough', async t => {
    const tenant = await signUp(line);
    const page = await open(t, await readResetLink(tenant));
    await fill(page, 'short', 'short');
    await page.shows('The password needs 8 characters or more.');
    t.equal(
      await page.evaluate('document.activeElement.name'),
      'password',
      'the focus is where the mistake is',
    );
    await fill(page, 'a new password', 'another one');
    await page.shows('The two passwords are not the same.');
    t.equal(await page.evaluate('document.activeElement.name'), 'repeated');
    t.equal(await page.evaluate('document.activeElement.getAttribute("aria-invalid")'), 'true');
    t.notOk(sentToApi(page));
    await fill(page, 'a new password', 'a new password');
    await page.shows('Your new password is set.');
    checkSent(t, page);
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
    const page = await open(t, link);
    const offline = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await page.ask('Network.emulateNetworkConditions', { ...offline, offline: true });
    await fill(page, 'a new password', 'a new password');
    await page.shows('The server cannot be reached.');
    await page.ask('Network.emulateNetworkConditions', { ...offline, offline: false });
    await fill(page, 'a new password', 'a new password');
    await page.shows('This link has expired.');

    const cut = await open(t, link.split('#')[0] ?? '');
    await cut.shows('The address of this page is not complete.');
    await fill(cut, 'a new password', 'a new password');
    await cut.shows('The address of this page is not complete.');
    t.notOk(sentToApi(cut));
  });

  t.test('an invited person without an account chooses a password, and joins', async t => {
    const owner = await signUp(line);
    const email = `guest-${owner.userId}@example.com`.toLowerCase();
    const page = await open(t, await inviteFor(owner, email));
    await pressButton(page);
    await page.shows('Your address has no account here yet.');
    t.equal(await page.evaluate('document.activeElement.name'), 'password');
    await fill(page, 'guest password', 'guest passw0rd');
    await page.shows('The two passwords are not the same.');
    await fill(page, 'guest password', 'guest password');
    await page.shows('You are a member of the workspace now.');
    checkSent(t, page);
    const login = { body: { email, password: 'guest password' } };
    const { accessToken } = await new Client(line).get<{ accessToken: string }>('login', login);
    t.match(await new Client(line, accessToken).get('me'), { workspaceId: owner.workspaceId });
  });

  t.test('an invited person with an account joins with its password', async t => {
    const owner = await signUp(line);
    const guest = await signUp(line);
    const reset = await open(t, await readResetLink(guest));
    await fill(reset, 'known password', 'known password');
    await reset.shows('Your new password is set.');
    const page = await open(t, await inviteFor(owner, guest.email));
    await pressButton(page);
    await page.shows('Your address has an account here.');
    await fill(page, 'wrong password');
    await page.shows('That is not the password of your account.');
    await fill(page, 'known password');
    await page.shows('You are a member of the workspace now.');
    checkSent(t, page);
  });
});
