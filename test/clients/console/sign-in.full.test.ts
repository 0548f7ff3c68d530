/** Who gets into the Console, how, and when they are out of it again. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestDatabase } from '../../support/database.ts';
import { readMailedLink } from '../../support/mailbox.ts';
import { startSkeinOn } from '../../support/skein.ts';
import {
  expectNoBarriers,
  openConsole,
  openPage,
  password,
  receive,
  shareConsole,
  verifyOwner,
} from './console-page.ts';

const tokenMs = 900_000;

async function fillIn(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: /password/i }).fill(secret);
}

const seeQueues = (page: Page): Promise<void> => page.getByRole('navigation', { name: 'Queues' }).waitFor();
const seeSignIn = (page: Page): Promise<void> => page.getByRole('heading', { name: 'Sign in' }).waitFor();

const setting = await shareConsole(t);
const { baseUrl, owner, projectId, environmentId, database, log } = setting;
const browser = await startChromium(t);
const closedQueue = `${baseUrl}/console/${projectId}/${environmentId}/closed`;

t.test('says what is wrong, and then leads to the address that was asked for', async t => {
  const page = await openPage(t, browser, closedQueue);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This is not an e-mail address.').waitFor();
  await expectNoBarriers(t, page, 'sign-in');
  await fillIn(page, owner.email, 'wrong battery');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('password is wrong').waitFor();
  await fillIn(page, owner.email);
  // By keyboard alone.
  await page.keyboard.press('Enter');
  await seeQueues(page);
  t.equal(page.url(), closedQueue);
});

t.test('two tabs: one session, renewed by both at once, that ends in both', async t => {
  const first = await openConsole(t, browser, setting, owner);
  // For all pages of the context; a page takes its clock when it is loaded.
  await first.clock.install();
  const second = await first.context().newPage();
  await Promise.all([first.reload(), second.goto(closedQueue)]);
  await Promise.all([seeQueues(first), seeQueues(second)]);
  const refused: string[] = [];
  for (const page of [first, second]) {
    page.on('response', answer => answer.status() === 401 && refused.push(answer.url()));
  }
  const renewed = [first, second].map(page =>
    page.waitForResponse(answer => answer.url().endsWith('/auth/refresh') && answer.ok()),
  );
  // Waited for already: the moved clock renews by itself, before any click.
  await first.clock.fastForward(tokenMs);
  for (const page of [first, second]) await page.getByRole('link', { name: 'Mine' }).click();
  await Promise.all(renewed);
  await Promise.all([first, second].map(page => page.getByRole('heading', { name: 'Mine' }).waitFor()));
  t.strictSame(refused, [], 'neither tab spoilt the cookie of the other');
  await second.evaluate(`sessionStorage.setItem('skein-written:test', 'what somebody wrote')`);
  await first.getByRole('button', { name: /settings and sign out/ }).click();
  await first.getByRole('menuitem', { name: 'Sign out' }).click();
  await Promise.all([seeSignIn(first), seeSignIn(second)]);
  t.equal(await second.evaluate('sessionStorage.length'), 0, 'nothing is left of what was written');
  // And in again, in both.
  await fillIn(first, owner.email);
  await first.getByRole('button', { name: 'Sign in' }).click();
  await Promise.all([seeQueues(first), seeQueues(second)]);
});

t.test('somebody who is invited joins, with a password for their new account', async t => {
  await verifyOwner(setting);
  const { workspaceId } = await owner.api.auth.me();
  const email = `guest-of-${owner.email}`;
  await owner.api.invitations.create(workspaceId, { email, studioRole: 'viewer', consoleRole: 'agent' });
  const page = await openPage(t, browser, await readMailedLink(log, email, 'join'));
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByText('Choose a password for it.').waitFor();
  await expectNoBarriers(t, page, 'join');
  await page.getByRole('textbox', { name: 'New password' }).fill(password);
  await page.getByRole('button', { name: 'Join' }).click();
  await seeQueues(page);
  t.match(page.url(), new RegExp(`/console/${projectId}/`), 'in the project of whoever invited them');
  await owner.api.invitations.create(workspaceId, { email: `builder-${email}` });
  const other = await readMailedLink(log, `builder-${email}`, 'join');
  t.ok(other.startsWith(`${baseUrl}/studio/join#`), 'whoever administers works in Studio');
});

t.test(
  'a forgotten password is replaced by a mailed link, which works once and ends the other sessions',
  async t => {
    const elsewhere = await openConsole(t, browser, setting, owner, {
      path: new URL(closedQueue).pathname,
    });
    await seeQueues(elsewhere);
    const page = await openPage(t, browser, `${baseUrl}/console/sign-in`);
    await page.getByRole('link', { name: 'Forgotten your password?' }).click();
    await page.getByRole('heading', { name: 'Forgotten your password?' }).waitFor();
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('status').getByText(owner.email).waitFor();
    await expectNoBarriers(t, page, 'forgot');
    const link = await readMailedLink(log, owner.email, 'reset');
    t.ok(link.startsWith(`${baseUrl}/console/reset#`), 'to the app that asked');
    await page.goto(link);
    await page.getByRole('textbox', { name: 'New password' }).fill('short');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('A password has 8 to 256 characters.').waitFor();
    await expectNoBarriers(t, page, 'reset');
    await page.getByRole('textbox', { name: 'New password' }).fill(password);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Your new password is set.').waitFor();
    t.equal(new URL(page.url()).hash, '', 'the token does not stay in the address');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await fillIn(page, owner.email);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await seeQueues(page);
    // Within 10 s by itself, with the next click at once; and back to where it was.
    await elsewhere.evaluate(`document.querySelector('a[href$="/waiting"]')?.click()`);
    await seeSignIn(elsewhere);
    await fillIn(elsewhere, owner.email);
    await elsewhere.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.waitForURL(/\/(closed|waiting)$/);
    const again = await openPage(t, browser, link);
    await again.getByRole('textbox', { name: 'New password' }).fill(password);
    await again.getByRole('button', { name: 'Set the password' }).click();
    await again.getByText('This link is not valid.').waitFor();
  },
);

t.test('a session that ends by itself while somebody writes: they sign in again and go on', async t => {
  const threadId = await receive(setting, 'ada', 'Where is my parcel?');
  const path = `/console/${projectId}/${environmentId}/all/${threadId}`;
  const page = await openConsole(t, browser, setting, owner, { path });
  await page.clock.install();
  await page.reload();
  const input = page.getByRole('textbox', { name: 'Reply' });
  await input.fill('It is on its');
  await database.query('update sessions set expires_at = now() where user_id = $1', [owner.userId]);
  await page.clock.fastForward(tokenMs);
  await seeSignIn(page);
  t.equal(await page.getByText('Where is my parcel?').count(), 0, 'nothing is shown any more');
  await fillIn(page, owner.email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('log', { name: 'Messages' }).getByText('Where is my parcel?').waitFor();
  t.equal(new URL(page.url()).pathname, path);
  t.equal(await input.inputValue(), 'It is on its');
});

t.test(
  'while the server cannot be reached, whoever is signed in works on, however long it takes',
  async t => {
    const threadId = await receive(setting, 'ada', 'Where is my parcel?');
    await receive(setting, 'bob', 'And mine?');
    const path = `/console/${projectId}/${environmentId}/all/${threadId}`;
    const page = await openConsole(t, browser, setting, owner, { path });
    await page.clock.install();
    await page.reload();
    const input = page.getByRole('textbox', { name: 'Reply' });
    await input.waitFor();
    await page.getByRole('option').filter({ hasText: 'And mine?' }).waitFor();
    await page.context().setOffline(true);
    await page.clock.fastForward(tokenMs);
    await input.fill('On its way');
    await input.press('Control+Enter');
    await page.getByText('Waiting for the connection', { exact: true }).waitFor();
    await page.getByRole('option').filter({ hasText: 'And mine?' }).click();
    await page.waitForURL(url => !url.pathname.endsWith(threadId));
    t.equal(await page.getByText('Something went wrong').count(), 0);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.context().setOffline(false);
    // Timers of the page run by themselves again.
    await page.clock.resume();
    await page.getByRole('log', { name: 'Messages' }).getByText('And mine?').waitFor();
    await page.goBack();
    const sent = page.getByRole('log', { name: 'Messages' }).getByText('On its way', { exact: true });
    await sent.waitFor();
    await page.getByText('Waiting for the connection', { exact: true }).waitFor({ state: 'detached' });
    t.equal(await sent.count(), 1);
  },
);

t.test('whoever belongs to no workspace any more is asked before what they have written goes', async t => {
  const threadId = await receive(setting, 'dora', 'And mine?');
  const path = `/console/${projectId}/${environmentId}/all/${threadId}`;
  const page = await openConsole(t, browser, setting, owner, { path });
  await page.route(/\/messages$/, route =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.getByRole('textbox', { name: 'Reply' }).fill('On its way');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Waiting for the connection', { exact: true }).waitFor();
  const asked: string[] = [];
  let goesOn = true;
  page.on('dialog', async dialog => {
    asked.push(dialog.type() === 'beforeunload' ? 'leave' : dialog.message());
    await (goesOn ? dialog.accept() : dialog.dismiss());
  });
  await page.goto(`${baseUrl}/console/no-workspace`);
  await page.getByRole('heading', { name: 'You are not a member of any workspace' }).waitFor();
  goesOn = false;
  await page.getByRole('button', { name: 'Sign out' }).click();
  await eventually('question', async () => asked.some(text => text !== 'leave'));
  t.match(asked.at(-1), /^Some of what you wrote has not been sent yet/);
  t.ok(await page.evaluate<number>('sessionStorage.length'), 'it is still there');
  goesOn = true;
  // The session ends here also where the server does not answer. Its cookie is good for nothing to whoever belongs to no workspace.
  await page.route(/\/auth\/logout$/, route => route.abort());
  const expired = { error: 'svc/auth/expired_token', message: 'No.', requestId: 'req_1' };
  await page.route(/\/auth\/refresh$/, route => route.fulfill({ status: 401, json: expired }));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await seeSignIn(page);
  t.equal(await page.evaluate('sessionStorage.length'), 0);
});

t.test('a page that is opened while the server cannot be reached shows itself when it can', async t => {
  await receive(setting, 'cleo', 'Is anybody there?');
  const page = await openConsole(t, browser, setting, owner, { path: '/console/settings' });
  const refresh = /auth\/refresh/;
  await page.route(refresh, route => route.abort());
  await page.goto(`${setting.baseUrl}/console/${projectId}/${environmentId}/all`);
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
  await page.unroute(refresh);
  await page.getByText('Is anybody there?').waitFor();
  await page.goto(`${setting.baseUrl}/console/nonsense`);
  await page.getByText('There is nothing at this address.').waitFor();
  await page.getByRole('link', { name: 'Go to Skein Console' }).click();
  await seeQueues(page);
});

t.test('signing up, where addresses have to be proved', async t => {
  const { url } = await startTestDatabase(t);
  const { url: baseUrl, log } = await startSkeinOn(t, url, { EMAIL_DOMAINS: 'example.com' });
  const page = await openPage(t, browser, `${baseUrl}/console/sign-in`);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  await fillIn(page, 'ines@elsewhere.example');
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByRole('alert').getByText('does not accept accounts with addresses like yours').waitFor();
  await expectNoBarriers(t, page, 'sign-up');
  await page.getByLabel('E-mail').fill('ines@example.com');
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByRole('heading', { name: 'Confirm your e-mail address first' }).waitFor();
  const readVerifying = (): Promise<string> => readMailedLink(log, 'ines@example.com', 'verify');
  const first = await readVerifying();
  t.ok(new URL(first).pathname.startsWith('/console/'), 'the mail leads back to where the account was made');
  await page.getByRole('button', { name: 'Send the mail again' }).click();
  await page.getByText('A mail is on its way.').waitFor();
  await expectNoBarriers(t, page, 'unverified');
  await eventually('second mail', async () => (await readVerifying()) !== first);
  // It cannot be pressed again while it is being sent. Five have been mailed before the last.
  for (let sent = 2; sent <= 5; sent++)
    await page.getByRole('button', { name: 'Send the mail again' }).click();
  await page.getByRole('alert').getByText('at most five such mails an hour').waitFor();
  const { pathname, hash } = new URL(await readVerifying());
  await page.goto(`${baseUrl}${pathname}${hash}`);
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await page.getByRole('link', { name: 'Go to Skein Console' }).click();
  await seeQueues(page);
  t.match(page.url(), /\/console\/prj_/);
});

t.test('where strangers may make no accounts, none is offered', async t => {
  const { url } = await startTestDatabase(t);
  const { url: closedUrl } = await startSkeinOn(t, url, { SIGNUP: 'disabled' });
  const offer = { name: 'Create an account' };
  const closed = await openPage(t, browser, `${closedUrl}/console/sign-in`);
  await closed.getByRole('link', { name: 'Forgotten your password?' }).waitFor();
  t.equal(await closed.getByRole('link', offer).count(), 0);
  await expectNoBarriers(t, closed, 'sign-in-closed');
  const open = await openPage(t, browser, `${baseUrl}/console/sign-in`);
  await open.getByRole('link', offer).waitFor();
});
