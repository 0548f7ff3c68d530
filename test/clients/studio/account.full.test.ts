/** The account of who is signed in, in Studio and in the Console: password, e-mail address, second factor, sessions, and its end. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { Skein } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { readMailedToken } from '../../support/mailbox.ts';
import { showCode } from '../../support/totp.ts';
import {
  addOperator,
  expectNoBarriers,
  findBarriers,
  openConsole,
  shareConsole,
  watch,
} from '../console/console-page.ts';

const setting = await shareConsole(t);
const { baseUrl } = setting;
const browser = await startChromium(t);
const password = 'correct horse battery';
/** How long an access token is good. */
const tokenMs = 900_000;
const anonymous = new Skein({ apiKey: null, baseUrl });

let people = 0;
async function signUp() {
  const email = `account-${++people}@example.com`;
  const { accessToken } = await anonymous.auth.signUp({ email, password });
  return { email, api: new Skein({ apiKey: () => accessToken, baseUrl }) };
}

async function verify({ email }: { readonly email: string }): Promise<void> {
  await anonymous.auth.verifyEmail({ token: await readMailedToken(setting.log, email, 'verify') });
}

const open = (t: Test, person: { readonly email: string }, path = '/studio/account', options = {}) =>
  openConsole(t, browser, setting, person, { path, ...options });
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function submitPassword(page: Page, part: string, secret = password): Promise<void> {
  await section(page, part).getByRole('textbox', { name: 'Current password' }).fill(secret);
}

t.test('the page keeps nobody out, light and dark, in both languages and apps, and fits a phone', async t => {
  const person = await signUp();
  for (const path of ['/studio/account', '/console/account']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(t, person, path, { colorScheme, viewport: { width: 360, height: 740 } });
      await section(page, 'Where you are signed in').getByText('This session').waitFor();
      t.strictSame(await findBarriers(page), [], `${path} ${colorScheme}`);
      t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, 'a phone');
    }
    const page = await open(t, person, path, { locale: 'de-DE' });
    await section(page, 'Wo Sie angemeldet sind').getByText('Diese hier').waitFor();
  }
});

t.test('the password changes: a wrong one says so, and other sessions end', async t => {
  const person = await signUp();
  const page = await open(t, person);
  const part = section(page, 'Password');
  await submitPassword(page, 'Password', 'something else');
  await part.getByRole('textbox', { name: 'New password' }).fill('staple of another sort');
  await button(page, 'Change the password').click();
  await part.getByRole('alert').getByText('That is not the password of your account.').waitFor();
  await submitPassword(page, 'Password');
  await button(page, 'Change the password').click();
  await part.getByRole('status').getByText('Your password is changed.').waitFor();
  await t.rejects(person.api.auth.me(), { code: 'svc/auth/invalid_token' }, 'the session of the sign-up');
  t.ok(await anonymous.auth.login({ email: person.email, password: 'staple of another sort' }));
});

t.test('the address changes by the mailed link', async t => {
  const person = await signUp();
  const page = await open(t, person);
  const newEmail = `new-${person.email}`;
  const part = section(page, 'E-mail address');
  await part.getByRole('textbox', { name: 'New e-mail address' }).fill(newEmail);
  await submitPassword(page, 'E-mail address');
  await button(page, 'Send the link').click();
  await part.getByText(`A mail is on its way to ${newEmail}.`).waitFor();
  await part.getByRole('link', { name: 'Open the mailbox' }).waitFor();
  t.ok(await readMailedToken(setting.log, newEmail, 'email'));
  for (const n of [1, 2, 3, 4]) {
    await person.api.account.changeEmail({ newEmail: `${n}-${newEmail}`, password });
  }
  await part.getByRole('textbox', { name: 'New e-mail address' }).fill(`6-${newEmail}`);
  await submitPassword(page, 'E-mail address');
  await button(page, 'Send the link').click();
  await part.getByRole('alert').getByText('At most five links are mailed in an hour').waitFor();
});

t.test('sessions are shown with their device, and ended', async t => {
  const person = await signUp();
  const page = await open(t, person);
  const part = section(page, 'Where you are signed in');
  await part.getByText('Chrome on Linux').first().waitFor();
  t.equal(await part.getByRole('listitem').count(), 2);
  await part.getByRole('listitem').nth(1).getByRole('button').click();
  await part.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
  await t.rejects(person.api.auth.me(), { code: 'svc/auth/invalid_token' });
  await part.getByRole('listitem').first().getByRole('button').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

t.test('a second factor is set up, asked for at sign-in, and nothing of it stays in the page', async t => {
  const person = await signUp();
  const page = await open(t, person);
  const part = section(page, 'Second factor');
  await part.getByRole('button', { name: 'Set up a second factor' }).click();
  await submitPassword(page, 'Second factor');
  await part.getByRole('button', { name: 'Continue' }).click();
  await part.getByRole('alert').getByText('Confirm your e-mail address first').waitFor();
  await verify(person);
  await submitPassword(page, 'Second factor');
  await part.getByRole('button', { name: 'Continue' }).click();
  await part.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  t.strictSame(await findBarriers(page), []);
  const secret = (await part.locator('code').textContent()) ?? '';
  // A clock that is ten minutes off is told; one that is half a minute off does not matter.
  await part
    .getByRole('textbox', { name: 'Code from your app' })
    .fill(showCode(secret, Date.now() + 600_000));
  await part.getByRole('button', { name: 'Turn it on' }).click();
  await part.getByRole('alert').getByText('let your device set its clock automatically').waitFor();
  await part.getByRole('textbox', { name: 'Code from your app' }).fill(showCode(secret, Date.now() + 30_000));
  await part.getByRole('button', { name: 'Turn it on' }).click();
  const codes = part.getByRole('list', { name: 'Your recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  t.equal(await codes.count(), 10);
  const recovery = await codes.allTextContents();
  t.strictSame(await findBarriers(page), []);
  await part.getByRole('button', { name: 'I have saved them' }).click();
  await part.getByText('10 recovery codes are left.').waitFor();
  const left = await page.content();
  for (const shown of [secret, ...recovery]) t.notOk(left.includes(shown));
  t.notOk((await page.evaluate<string>('JSON.stringify({ ...localStorage })')).includes(secret));

  const context = await browser.newContext({ locale: 'en-GB' });
  const tab = await context.newPage();
  watch(t, tab);
  await tab.goto(`${baseUrl}/studio/account`);
  await tab.getByRole('textbox', { name: 'E-mail' }).fill(person.email);
  await tab.getByRole('textbox', { name: 'Password' }).fill(password);
  await button(tab, 'Sign in').click();
  await tab.getByRole('heading', { name: 'Enter your code' }).waitFor();
  t.strictSame(await findBarriers(tab), []);
  const field = tab.getByRole('textbox', { name: 'Code from your app' });
  await field.fill('000000');
  await field.press('Enter');
  await tab.getByRole('alert').getByText('This code is wrong').waitFor();
  await field.fill(recovery[0] ?? '');
  await field.press('Enter');
  await section(tab, 'Second factor').getByText('9 recovery codes are left.').waitFor();

  await section(tab, 'Second factor').getByRole('button', { name: 'Remove the second factor' }).click();
  await submitPassword(tab, 'Second factor');
  await section(tab, 'Second factor')
    .getByRole('textbox', { name: 'Code' })
    .fill(recovery[1] ?? '');
  await section(tab, 'Second factor').getByRole('button', { name: 'Remove the second factor' }).click();
  await section(tab, 'Second factor').getByRole('button', { name: 'Set up a second factor' }).waitFor();
});

t.test(
  'a workspace demands a second factor: its owner needs one, and a member without one is told',
  async t => {
    const { owner, projectId, environmentId } = setting;
    const member = await addOperator(setting);
    const { workspaceId } = await owner.api.projects.get(projectId);
    const page = await open(t, owner, `/studio/workspace/${workspaceId}`);
    const demand = page.getByRole('switch', { name: 'Require a second factor of every member' });
    await demand.click();
    await page.getByRole('alert').getByText('Set up a second factor of your own first').waitFor();
    t.strictSame(await findBarriers(page), []);
    await verify(owner);
    const { secret } = await owner.api.secondFactor.enrol({ password });
    await owner.api.secondFactor.confirm({ code: showCode(secret, Date.now()) });
    await owner.api.workspaces.update(workspaceId, { requiresSecondFactor: true });

    for (const path of ['/studio', '/console', `/studio/${projectId}/${environmentId}`]) {
      const other = await open(t, member, path);
      await other.getByText('You need a second factor for:').waitFor();
      t.strictSame(await findBarriers(other), [], path);
    }
    const other = await open(t, member, '/studio');
    await other.getByRole('link', { name: 'Set it up in your account' }).click();
    await section(other, 'Second factor').getByRole('button', { name: 'Set up a second factor' }).waitFor();
  },
);

t.test('the account is deleted once its workspaces are in other hands', async t => {
  const person = await signUp();
  const { workspaceId } = await person.api.auth.me();
  const page = await open(t, person);
  const part = section(page, 'Delete this account');
  await submitPassword(page, 'Delete this account');
  await part.getByRole('checkbox', { name: 'I want to delete my account.' }).check();
  await button(page, 'Delete the account').click();
  await part.getByRole('alert').getByText('My workspace').waitFor();
  t.strictSame(await findBarriers(page), []);
  await person.api.workspaces.archive(workspaceId);
  await button(page, 'Delete the account').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await t.rejects(anonymous.auth.login({ email: person.email, password }), {
    code: 'svc/auth/invalid_credentials',
  });
});

t.test(
  'a session that expires in the middle of a form takes nothing of it away, and goes on in all tabs',
  async t => {
    const person = await signUp();
    const page = await open(t, person, '/studio');
    await page.getByText('of 6 done').waitFor();
    await page.clock.install();
    const other = await page.context().newPage();
    watch(t, other);
    await Promise.all([page.reload(), other.goto(page.url())]);
    await other.getByText('of 6 done').waitFor();
    await page.getByRole('link', { name: 'API keys' }).click();
    await button(page, 'Create API key').first().click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Backend');

    await setting.database.query(
      `update sessions set expires_at = now() where user_id = (select user_id from users where email = $1)`,
      [person.email],
    );
    await page.clock.fastForward(tokenMs);
    // Not by the mouse: what the page asks for by itself may have been refused before, which is said above the form.
    await form.getByRole('button', { name: 'Create API key' }).dispatchEvent('click');
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.getByRole('textbox', { name: 'Password' }).fill('not this one');
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByText('The e-mail address or the password is wrong.').waitFor();
    await expectNoBarriers(t, page);
    await page.keyboard.press('Escape');
    t.equal(await again.getByRole('textbox', { name: 'E-mail' }).inputValue(), person.email);
    await again.getByRole('textbox', { name: 'Password' }).fill(password);
    const inOther = other.getByRole('dialog', { name: 'Your session has ended' });
    await inOther.waitFor();
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.waitFor({ state: 'detached' });
    await inOther.waitFor({ state: 'detached' });
    t.equal(await form.getByRole('textbox', { name: 'Name' }).inputValue(), 'Backend');
    await form.getByRole('button', { name: 'Create API key' }).click();
    await page.getByText('Copy the secret now').waitFor();
  },
);

t.test('where somebody else signs in instead, nothing of the first is shown any more', async t => {
  const [first, second] = [await signUp(), await signUp()];
  const page = await open(t, first, '/studio');
  await page.getByText('of 6 done').waitFor();
  await page.clock.install();
  await page.reload();
  await page.getByText('of 6 done').waitFor();
  await setting.database.query(
    `update sessions set expires_at = now() where user_id = (select user_id from users where email = $1)`,
    [first.email],
  );
  await page.clock.fastForward(tokenMs);
  const again = page.getByRole('dialog', { name: 'Your session has ended' });
  await again.getByRole('textbox', { name: 'E-mail' }).fill(second.email);
  await again.getByRole('textbox', { name: 'Password' }).fill(password);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'There is no such project or environment.' }).waitFor();
});
