/** Single sign-on in a real browser, by a real identity provider and a real name server: set up in Studio, and used from both apps. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { Skein } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { NameServer } from '../../support/name-server.ts';
import { clientId, clientSecret, startOidcProvider } from '../../support/oidc-provider/index.ts';
import { expectNoBarriers, findBarriers, openConsole, startConsole, watch } from '../console/console-page.ts';

const records = new Map<string, string>();
const nameServer = await NameServer.start({}, name => [records.get(name) ?? []].flat());
t.teardown(() => nameServer.stop());
const setting = await startConsole(t, {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  NAME_SERVERS: nameServer.address,
});
const { baseUrl, owner, projectId } = setting;
const provider = await startOidcProvider(t, `${baseUrl}/studio/sso`);
const browser = await startChromium(t);
const password = 'correct horse battery';
const anonymous = new Skein({ apiKey: null, baseUrl });
const { workspaceId } = await owner.api.projects.get(projectId);
const verify = (userId: string) =>
  setting.database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
await verify(owner.userId);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Somebody who is not signed in. */
async function arrive(t: Test, path: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  watch(t, page);
  await page.goto(`${baseUrl}${path}`);
  return page;
}

/** From the sign-in page to the provider. */
async function leave(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Single sign-on' }).click();
  await page.getByRole('heading', { name: 'Single sign-on' }).waitFor();
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await button(page, 'Continue').click();
}

async function vouch(page: Page, email: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Address' }).fill(email);
  await button(page, 'Sign me in').click();
}

t.test('it is set up: provider, domain, proof', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: `/studio/workspace/${workspaceId}` });
  const part = page.getByRole('region', { name: 'Single sign-on' });
  await part.getByRole('textbox', { name: 'Issuer' }).fill(`${provider.issuer}/nothing`);
  await part.getByRole('textbox', { name: 'Client ID' }).fill(clientId);
  await part.getByRole('textbox', { name: 'Client secret' }).fill(clientSecret);
  await part.getByRole('button', { name: 'Save the provider' }).click();
  await part.getByRole('alert').first().waitFor();
  await part.getByRole('textbox', { name: 'Issuer' }).fill(provider.issuer);
  await part.getByRole('button', { name: 'Save the provider' }).click();
  await part.getByRole('textbox', { name: 'Domain' }).fill('acme.test');
  t.notOk((await page.content()).includes(clientSecret));
  await part.getByRole('button', { name: 'Add domain' }).click();
  const domain = part.getByRole('region', { name: 'acme.test' });
  await domain.getByText('_skein-sso.acme.test').waitFor();
  await domain.getByRole('button', { name: 'Verify domain' }).click();
  await domain.getByRole('alert').waitFor();
  await expectNoBarriers(t, page);
  records.set('_skein-sso.acme.test', (await domain.locator('code').nth(1).textContent()) ?? '');
  await domain.getByRole('button', { name: 'Verify domain' }).click();
  await domain.getByText('Verified', { exact: true }).waitFor();
  t.strictSame(await findBarriers(page), []);
  // What a colleague saves while somebody types in the form stays, and so does what is typed.
  await part.getByRole('textbox', { name: 'Client secret' }).fill('another secret');
  const { issuer } = provider;
  await owner.api.singleSignOn.set(workspaceId, { issuer, clientId: 'of a colleague' });
  await part.getByRole('button', { name: 'Save the provider' }).click();
  await part.locator('input[value="of a colleague"]').waitFor();
  t.match(await owner.api.singleSignOn.get(workspaceId), { issuer, clientId: 'of a colleague' });
  // A proof is bound to issuer and client.
  const { domains } = await owner.api.singleSignOn.set(workspaceId, { issuer, clientId, clientSecret });
  for (const { domain, record } of domains) {
    records.set(record.name, record.value);
    await owner.api.singleSignOn.proveDomain(workspaceId, domain);
  }
});

t.test('somebody new signs in by the provider, as a viewer; nothing of it stays in the address', async t => {
  const page = await arrive(t, '/studio');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  t.strictSame(await findBarriers(page), []);
  await leave(page, 'ann@acme.test');
  await page.getByRole('heading', { name: 'Sign in at the provider' }).waitFor();
  const asked = new URL(page.url());
  t.notMatch(asked.href, clientSecret);
  await vouch(page, 'ann@acme.test');
  await page.getByText('ann@acme.test').or(page.getByRole('navigation')).first().waitFor();
  await page.waitForURL(url => url.pathname.startsWith('/studio') && !url.pathname.endsWith('/sso'));
  t.equal(new URL(page.url()).search.includes('code='), false);
  t.notOk(await page.evaluate("sessionStorage.getItem('skein-sso')"));
  await page.goto(`${baseUrl}/studio/account`);
  await page.getByRole('region', { name: 'E-mail address' }).getByText('ann@acme.test').waitFor();
  const members = await owner.api.members.list(workspaceId).toArray(10);
  t.match(
    members.find(({ email }) => email === 'ann@acme.test'),
    { role: 'viewer' },
  );
});

t.test('from the Console it leads back to the Console', async t => {
  const page = await arrive(t, '/console/account');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await leave(page, 'ann@acme.test');
  await vouch(page, 'ann@acme.test');
  await page.getByRole('region', { name: 'E-mail address' }).getByText('ann@acme.test').waitFor();
  t.equal(new URL(page.url()).pathname, '/console/account');
});

t.test('what does not sign in says so, and lets go on', async t => {
  const page = await arrive(t, '/studio/sign-in');
  await leave(page, 'ann@unproven.test');
  await page.getByRole('alert').getByText('There is no single sign-on for this domain.').waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('textbox', { name: 'E-mail' }).fill('ann@acme.test');
  await button(page, 'Continue').click();
  await button(page, 'Refuse').click();
  await page.getByRole('alert').getByText('Your organisation did not sign you in').waitFor();
  await page.getByRole('textbox', { name: 'E-mail' }).fill('ann@acme.test');
  await button(page, 'Continue').click();
  await vouch(page, 'eve@other.test');
  await page.getByRole('alert').getByText('Your organisation did not sign you in').waitFor();
  // An address that somebody else has got hold of is of no use in another browser, nor with another state.
  const { flow, url } = await anonymous.auth.beginSingleSignOn({ email: 'ann@acme.test' });
  const back = await provider.signIn(url, 'ann@acme.test');
  await page.goto(back.href);
  await page.getByRole('alert').getByText('This sign-in has expired, or was started elsewhere.').waitFor();
  t.equal(new URL(page.url()).search, '');
  await page.evaluate(
    kept => sessionStorage.setItem('skein-sso', kept),
    JSON.stringify({ flow, to: '/studio' }),
  );
  back.searchParams.set('state', 'another');
  await page.goto(back.href);
  await page.getByRole('alert').getByText('Your organisation did not sign you in').waitFor();
});

t.test('where it is demanded, the password is refused, and the way is shown; owners keep theirs', async t => {
  const email = 'bob@acme.test';
  await anonymous.auth.signUp({ email, password });
  const page = await openConsole(t, browser, setting, owner, { path: `/studio/workspace/${workspaceId}` });
  const domain = page.getByRole('region', { name: 'acme.test' });
  await domain.getByRole('switch').click();
  await domain.getByRole('switch', { checked: true }).waitFor();
  const tab = await arrive(t, '/studio/sign-in');
  await tab.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await tab.getByRole('textbox', { name: 'Password' }).fill(password);
  await button(tab, 'Sign in').click();
  await tab.getByRole('alert').getByText('Your organisation requires single sign-on.').waitFor();
  await leave(tab, email);
  await vouch(tab, email);
  await tab.waitForURL(url => url.pathname.startsWith('/studio') && !/\/(?:sso|sign-in)$/.test(url.pathname));
  t.ok(await anonymous.auth.login({ email: owner.email, password }));
});

t.test('an admin who would be signed out by it is warned first', async t => {
  const email = 'adam@acme.test';
  const path = `/studio/workspace/${workspaceId}`;
  await owner.api.singleSignOn.updateDomain(workspaceId, 'acme.test', { required: false });
  const { accessToken } = await anonymous.auth.signUp({ email, password, workspaceName: 'Of Adam' });
  const { userId } = await new Skein({ apiKey: () => accessToken, baseUrl }).auth.me();
  await setting.database.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, 'admin', now(), now())`,
    [workspaceId, userId],
  );
  await verify(userId);
  const page = await openConsole(t, browser, setting, { email }, { path });
  const required = page.getByRole('region', { name: 'acme.test' }).getByRole('switch');
  const warning = page.getByRole('dialog', { name: 'Require single sign-on for acme.test' });
  await required.click();
  await warning.getByText('you are not an owner').waitFor();
  t.strictSame(await findBarriers(page), []);
  await warning.getByRole('button', { name: 'Cancel' }).click();
  await warning.waitFor({ state: 'detached' });
  t.equal(await required.isChecked(), false);
  t.match((await owner.api.singleSignOn.get(workspaceId)).domains, [{ required: false }]);
  await required.click();
  await warning.getByRole('button', { name: 'Require it' }).click();
  await page.getByRole('switch', { checked: true }).waitFor();
  t.match((await owner.api.singleSignOn.get(workspaceId)).domains, [{ required: true }]);
});

t.test('a viewer sees no settings, in German it is German, and it takes a verified address', async t => {
  const { accessToken } = await anonymous.auth.signUp({ email: 'viewer@example.com', password });
  const viewer = new Skein({ apiKey: () => accessToken, baseUrl });
  const { userId, workspaceId: own } = await viewer.auth.me();
  await setting.database.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, 'viewer', now(), now())`,
    [workspaceId, userId],
  );
  const page = await openConsole(
    t,
    browser,
    setting,
    { email: 'viewer@example.com' },
    {
      path: `/studio/workspace/${workspaceId}`,
      locale: 'de-DE',
    },
  );
  const part = page.getByRole('region', { name: 'Single Sign-on' });
  await part.getByText('Inhaber und Administratoren').waitFor();
  t.equal(await part.getByRole('button').count(), 0);
  await page.goto(`${baseUrl}/studio/workspace/${own}`);
  await part.getByRole('textbox', { name: 'Aussteller' }).fill(provider.issuer);
  await part.getByRole('textbox', { name: 'Client-ID' }).fill(clientId);
  await part.getByRole('textbox', { name: 'Client-Secret' }).fill(clientSecret);
  await part.getByRole('button', { name: 'Anbieter speichern' }).click();
  await part.getByRole('alert').getByText('Bestätigen Sie zuerst Ihre E-Mail-Adresse.').waitFor();
});
