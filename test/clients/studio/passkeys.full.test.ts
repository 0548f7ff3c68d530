/** Passkeys in Studio and the Console, with the virtual authenticator of a real browser: added, used alone and after the password, removed. */
import type { CDPSession, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { Skein } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { expectNoBarriers, findBarriers, openConsole, shareConsole, watch } from '../console/console-page.ts';

const setting = await shareConsole(t);
/** Browsers have no passkeys for an IP address. */
const baseUrl = setting.baseUrl.replace('127.0.0.1', 'localhost');
const browser = await startChromium(t);
const password = 'correct horse battery';
const anonymous = new Skein({ apiKey: null, baseUrl: setting.baseUrl });

let people = 0;
async function signUp() {
  const email = `passkey-${++people}@example.com`;
  await anonymous.auth.signUp({ email, password });
  await setting.database.query('update users set email_verified_at = now() where email = $1', [email]);
  return { email };
}

const open = (t: Test, person: { readonly email: string }, options: { readonly locale?: string } = {}) =>
  openConsole(t, browser, { ...setting, baseUrl }, person, { path: '/studio/account', ...options });
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A keychain that knows its user, and asks nobody. */
async function plugIn(page: Page): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

/** Adds a passkey; gives the recovery codes that came with it. */
async function add(page: Page, name: string): Promise<readonly string[]> {
  const part = section(page, 'Passkeys');
  await part.getByRole('button', { name: 'Add a passkey' }).click();
  await part.getByRole('textbox', { name: 'Name' }).fill(name);
  await part.getByRole('textbox', { name: 'Current password' }).fill(password);
  await part.getByRole('button', { name: 'Add a passkey' }).click();
  await part.getByRole('listitem').getByText(name).waitFor();
  return part.getByRole('list', { name: 'Your recovery codes' }).getByRole('listitem').allTextContents();
}

async function signOut(page: Page): Promise<void> {
  await section(page, 'Where you are signed in').getByRole('listitem').first().getByRole('button').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

t.test('it is added, renamed, signs in without a password, and is refused once removed', async t => {
  const person = await signUp();
  const page = await open(t, person);
  await plugIn(page);
  const codes = await add(page, 'Laptop');
  t.equal(codes.length, 10);
  await expectNoBarriers(t, page);
  const part = section(page, 'Passkeys');
  await part.getByRole('button', { name: 'I have saved them' }).click();
  await section(page, 'Second factor').getByText('10 recovery codes are left.').waitFor();
  t.notOk((await page.content()).includes(codes[0] ?? '-'));
  await part.getByRole('button', { name: 'Rename the passkey: Laptop' }).click();
  await part.getByRole('textbox', { name: 'Name' }).fill('<b>Keychain</b>');
  await part.getByRole('button', { name: 'Save the name' }).click();
  await part.getByText('<b>Keychain</b>').waitFor();
  await part.getByText('not used yet').waitFor();

  // The same keychain has one of the account already.
  await part.getByRole('button', { name: 'Add a passkey' }).click();
  await part.getByRole('textbox', { name: 'Name' }).fill('Twice');
  await part.getByRole('textbox', { name: 'Current password' }).fill(password);
  await part.getByRole('button', { name: 'Add a passkey' }).click();
  await part.getByRole('alert').getByText('already has a passkey for your account').waitFor();
  await part.getByRole('button', { name: 'Cancel' }).click();

  await signOut(page);
  t.strictSame(await findBarriers(page), []);
  const sent = page.waitForRequest(request => request.url().endsWith('/auth/login/passkey'));
  await button(page, 'Sign in with a passkey').click();
  await page.getByText('of 6 done').waitFor();
  const answer = (await sent).postDataJSON() as { response: Record<string, unknown> };
  await t.rejects(anonymous.auth.loginWithPasskey(answer), { code: 'svc/auth/invalid_token' }, 'replayed');

  await page.goto(`${baseUrl}/studio/account`);
  await part.getByText('last used').waitFor();
  await part.getByRole('button', { name: 'Remove the passkey: <b>Keychain</b>' }).click();
  await part.getByRole('textbox', { name: 'Current password' }).fill('something else');
  await part.getByRole('button', { name: 'Remove', exact: true }).click();
  await part.getByRole('alert').getByText('That is not the password of your account.').waitFor();
  await part.getByRole('textbox', { name: 'Current password' }).fill(password);
  await part.getByRole('button', { name: 'Remove', exact: true }).click();
  await part.getByRole('listitem').waitFor({ state: 'detached' });
  await signOut(page);
  await button(page, 'Sign in with a passkey').click();
  await page.getByRole('alert').getByText('This passkey does not work here.').waitFor();
});

t.test('after the password it is the second step, in Studio and in the Console', async t => {
  const person = await signUp();
  const page = await open(t, person);
  await plugIn(page);
  const [code = ''] = await add(page, 'Laptop');
  for (const app of ['studio', 'console']) {
    await page.context().clearCookies();
    await page.goto(`${baseUrl}/${app}/sign-in`);
    await page.getByRole('textbox', { name: 'E-mail' }).fill(person.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    t.strictSame(await findBarriers(page), [], app);
    await button(page, 'Use a passkey').click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor({ state: 'detached' });
    await page.goto(`${baseUrl}/${app}/account`);
    await section(page, 'Passkeys').getByText('last used').waitFor();
  }
  // Without the device a recovery code does.
  const context = await browser.newContext({ locale: 'en-GB' });
  const tab = await context.newPage();
  watch(t, tab);
  await tab.goto(`${baseUrl}/studio/account`);
  await tab.getByRole('textbox', { name: 'E-mail' }).fill(person.email);
  await tab.getByRole('textbox', { name: 'Password' }).fill(password);
  await button(tab, 'Sign in').click();
  await tab.getByRole('textbox', { name: 'Or a recovery code' }).fill(code);
  await button(tab, 'Sign in').click();
  await section(tab, 'Second factor').getByText('9 recovery codes are left.').waitFor();
});

t.test('an authenticator that does not know its user is none, and whoever gives up can go on', async t => {
  const person = await signUp();
  const page = await open(t, person);
  const { cdp, authenticatorId } = await plugIn(page);
  await add(page, 'Laptop');
  await signOut(page);
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await button(page, 'Sign in with a passkey').click();
  await page.getByRole('alert').getByText('No passkey was used.').waitFor();
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await button(page, 'Sign in with a passkey').click();
  await page.getByText('of 6 done').waitFor();
});

t.test('at an IP address the page says where passkeys are', async t => {
  const person = await signUp();
  const page = await openConsole(t, browser, setting, person, { path: '/studio/account' });
  await section(page, 'Passkeys').getByText('Passkeys work at this address only:').waitFor();
  const link = section(page, 'Passkeys').getByRole('link', { name: baseUrl });
  t.equal(await link.getAttribute('href'), `${baseUrl}/studio/account`);
  await signOut(page);
  t.equal(await button(page, 'Sign in with a passkey').count(), 0);
  const german = await open(t, person, { locale: 'de-DE' });
  await section(german, 'Passkeys').getByRole('button', { name: 'Passkey hinzufügen' }).waitFor();
});
