/**
 * A channel of the chat provider, from an app to a number that is ready: by a sign-up at the provider of the demonstration and by a token, what
 * goes wrong on the way, what a template says, and how an app is left.
 */
import t, { type Test } from 'tap';
import type { Page } from 'playwright-core';
import { startDemoProvider } from '../../../bench/demo/chatapp/serve.ts';
import { startChromium } from '../../support/chromium.ts';
import {
  expectNoBarriers,
  openConsole,
  type Operator,
  phone,
  startConsole,
  verifyOwner,
} from '../console/console-page.ts';

interface Business {
  readonly appId: string;
  readonly appSecret: string;
  readonly wabaId: string;
  readonly phoneNumberId: string;
  readonly displayPhoneNumber: string;
  readonly accessToken: string;
}

const provider = await startDemoProvider(0, () => undefined);
t.teardown(() => provider.stop());
const setting = await startConsole(t, { CHATAPP_GRAPH_URL: provider.url });
const { owner, baseUrl, projectId, environmentId } = setting;
// Only who has proved their address connects channels.
await verifyOwner(setting);
const { workspaceId } = await owner.api.projects.get(projectId);
const business = (await (await fetch(`${provider.url}/demo/business`)).json()) as Business;
const app = provider.accounts.findApp(business.appId);
if (app === undefined) throw new Error('the provider has no app');
app.redirectUris = [`${baseUrl}/studio/chatapp`];
const number = provider.accounts.findNumber(business.phoneNumberId);
if (number === undefined) throw new Error('the provider has no number');
const browser = await startChromium(t);
const scope = { projectId, environmentId };
const channels = `/studio/${projectId}/${environmentId}/channels`;
const apps = `/studio/workspace/${workspaceId}/partner-apps`;

const open = (t: Test, path: string, operator: Pick<Operator, 'email'> = owner, more: object = {}) =>
  openConsole(t, browser, setting, operator, { path, ...more });

const newChannel = async (name: string): Promise<string> =>
  (await owner.api.channels.create({ ...scope, name, kind: 'chatapp' })).channelId;

const getStatus = (channelId: string) => owner.api.chatapp.getStatus(channelId);

/** From the page of a channel to the provider's. */
async function leaveForProvider(page: Page, name: RegExp = /^Connect/): Promise<void> {
  await page.getByRole('main').getByRole('button', { name }).click();
  await page.getByRole('button', { name: 'Continue at the provider' }).click();
  await page.getByRole('heading', { name: 'Connect your business' }).waitFor();
}

async function submitName(page: Page, name: string, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(name);
  await dialog.getByRole('button', { name: action }).click();
}

async function disconnect(page: Page, name: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Disconnect' }).click();
  await submitName(page, name, 'Disconnect');
  await page.getByText('This channel is not connected yet').waitFor();
}

t.test('an app is registered, somebody signs up at the provider, and the channel is ready', async t => {
  const page = await open(t, channels);
  const main = page.getByRole('main');
  await main.getByRole('button', { name: 'Create channel' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await page.getByRole('radio', { name: 'Chat app' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create channel' }).click();
  await main.getByText('This channel is not connected yet').waitFor();
  const channelPath = new URL(page.url()).pathname;
  const channelId = channelPath.split('/').at(-1) ?? '';
  await expectNoBarriers(t, page, 'not connected');

  await main.getByRole('button', { name: 'Connect' }).click();
  await page.getByText('There is no app yet').waitFor();
  await page.getByRole('dialog').getByRole('link', { name: 'Partner apps' }).click();
  await page.getByText('No app yet').waitFor();
  await main.getByRole('button', { name: 'Register app' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('My <b>app</b>');
  await page.getByRole('textbox', { name: 'App id' }).fill(business.appId);
  await page.getByRole('textbox', { name: 'App secret' }).fill(business.appSecret);
  await page.getByRole('textbox', { name: /^Configuration id/ }).fill('4711');
  await expectNoBarriers(t, page, 'an app is registered');
  await page.getByRole('dialog').getByRole('button', { name: 'Register app' }).click();
  const verifyToken =
    (await page.getByRole('dialog').getByRole('status').locator('code').textContent()) ?? '';
  t.match(verifyToken, /^[\w-]{43}$/);
  await expectNoBarriers(t, page, 'its verify token');
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await main.getByRole('cell', { name: 'My <b>app</b>', exact: true }).waitFor();
  for (const secret of [verifyToken, business.appSecret]) t.notMatch(await page.content(), secret);

  await page.goto(`${baseUrl}${channelPath}`);
  await main.getByRole('button', { name: 'Connect' }).click();
  t.equal(await page.getByRole('textbox', { name: 'Configuration id' }).inputValue(), '4711');
  await expectNoBarriers(t, page, 'how it is connected');
  await page.keyboard.press('Escape');
  await leaveForProvider(page);
  t.equal(new URL(page.url()).searchParams.get('config_id'), '4711');
  await page.getByRole('link', { name: /^Continue as/ }).click();

  await main.getByText(business.displayPhoneNumber).waitFor();
  await main.getByText('Connected', { exact: true }).first().waitFor();
  t.equal(new URL(page.url()).pathname + new URL(page.url()).search, channelPath, 'the code is nowhere');
  t.strictSame(
    await page.evaluate(`Object.keys(sessionStorage).filter(key => key.startsWith('skein-chatapp'))`),
    [],
  );
  t.match(await getStatus(channelId), { status: 'connected', phoneNumberId: business.phoneNumberId });
  await main.getByText('Does not expire').waitFor();
  await main.getByRole('link', { name: 'My <b>app</b>' }).waitFor();
  await main.getByText('Everything is in order').waitFor();
  t.ok((await main.locator('[data-check]').count()) >= 20, 'each check is told');
  await expectNoBarriers(t, page, 'connected');

  const templates = main.getByRole('table', { name: 'Templates' });
  await templates.getByRole('row', { name: /autumn_sale.*In review/ }).waitFor();
  await templates.getByRole('button', { name: 'order_sent' }).click();
  const preview = page.getByRole('dialog');
  await preview.getByText('is on its way.').waitFor();
  t.strictSame(await preview.locator('mark').allTextContents(), ['{{1}}', '{{2}}']);
  await expectNoBarriers(t, page, 'a template');
  await page.reload();
  await preview.getByText('is on its way.').waitFor();
  await page.keyboard.press('Escape');
  await preview.waitFor({ state: 'detached' });
  await main.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'In review' }).click();
  await templates.getByRole('button', { name: 'order_sent' }).waitFor({ state: 'detached' });
  await templates.getByRole('button', { name: 'autumn_sale' }).waitFor();
  t.equal(new URL(page.url()).searchParams.get('status'), 'PENDING');

  const history = main.getByRole('table', { name: 'Status over time' });
  await history.getByText('Connecting → Connected').waitFor();
  await history.getByText('Not connected → Connecting').waitFor();
  await history.getByRole('row', { name: /Created/ }).waitFor();

  await page.setViewportSize(phone.viewport);
  t.notOk(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), 'it fits a phone');
  await page.setViewportSize({ width: 1_280, height: 800 });
  await disconnect(page, 'Shop');
  t.match(await getStatus(channelId), { status: 'disconnected', wabaId: null });
});

t.test('who cancels at the provider, or comes with an answer of elsewhere, changes nothing', async t => {
  const channelId = await newChannel('Cancelled');
  const page = await open(t, `${channels}/${channelId}`);
  await leaveForProvider(page);
  const state = new URL(page.url()).searchParams.get('state') ?? '';
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByText('You have cancelled the sign-up').waitFor();
  await page.getByText('Permissions error').waitFor();
  await expectNoBarriers(t, page, 'cancelled');
  await page.getByRole('link', { name: 'Back to the channel' }).click();
  await page.getByText('This channel is not connected yet').waitFor();

  // The name of the sign-up was used up by the answer before.
  await page.goto(`${baseUrl}/studio/chatapp?code=AQforged&state=${state}`);
  await page.getByText('This sign-up was started in another tab').waitFor();
  t.notMatch(page.url(), /code/);
  const asked = provider.requests.filter(request => request.includes('oauth/access_token')).length;
  t.match(await getStatus(channelId), { status: 'disconnected', error: null });
  await page.reload();
  await page.getByText('This sign-up was started in another tab').waitFor();
  t.equal(provider.requests.filter(request => request.includes('oauth/access_token')).length, asked);
});

t.test('where no answer comes, the status of the channel tells, and the code is sent once', async t => {
  const channelId = await newChannel('Unheard');
  const page = await open(t, `${channels}/${channelId}`);
  let arrives = false;
  const keys: (string | undefined)[] = [];
  await page.route('**/chatapp/connect', async route => {
    const key = route.request().headers()['idempotency-key'];
    if (!keys.includes(key)) {
      keys.push(key);
      if (arrives) await route.fetch();
    }
    await route.abort();
  });
  await leaveForProvider(page);
  await page.getByRole('link', { name: /^Continue as/ }).click();
  await page.getByText('The channel could not be connected').waitFor();
  t.match(await getStatus(channelId), { status: 'disconnected' });
  t.equal(keys.length, 1);
  await expectNoBarriers(t, page, 'the server cannot be reached');
  await page.getByRole('link', { name: 'Back to the channel' }).click();
  arrives = true;
  await leaveForProvider(page);
  await page.getByRole('link', { name: /^Continue as/ }).click();
  await page.getByRole('main').getByText(business.displayPhoneNumber).waitFor();
  t.match(await getStatus(channelId), { status: 'connected' });
  t.equal(keys.length, 2);
  t.notOk(keys.includes(undefined));
  await disconnect(page, 'Unheard');
});

t.test('a number with a PIN: a wrong one is told with what to do, and the right one connects', async t => {
  const channelId = await newChannel('Pinned');
  number.pin = '246810';
  number.status = 'PENDING';
  const page = await open(t, `${channels}/${channelId}`);
  let sent = 0;
  page.on('request', request => {
    if (request.method() === 'POST' && request.url().endsWith('/chatapp/connect')) sent++;
  });
  const comeBackWith = async (pin: string): Promise<void> => {
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Connect/ })
      .click();
    await page.getByRole('checkbox', { name: /two-step verification/ }).check();
    await page.getByRole('button', { name: 'Continue at the provider' }).click();
    await page.getByRole('link', { name: /^Continue as/ }).click();
    await page.getByRole('textbox', { name: 'PIN of the number' }).fill(pin);
    await page.getByRole('button', { name: 'Connect' }).click();
  };
  await comeBackWith('111111');
  await page.getByText('Error code of the provider: 133005.').waitFor();
  await page.getByText('The PIN is not that of the number').waitFor();
  await page.getByText(/^Request req_/).waitFor();
  await expectNoBarriers(t, page, 'a PIN that is wrong');
  await page.context().setOffline(true);
  await page.waitForFunction('!navigator.onLine');
  await page.context().setOffline(false);
  await page.waitForFunction('navigator.onLine');
  await page.evaluate(`fetch('/healthz').then(answer => answer.text())`);
  t.equal(sent, 1, 'a network that is back sends no code again');
  await page.getByText('Error code of the provider: 133005.').waitFor();
  await page.getByRole('link', { name: 'Back to the channel' }).click();
  await page.getByText('It failed at this step: registering the number.').waitFor();
  await comeBackWith('246810');
  await page.getByRole('main').getByText(business.displayPhoneNumber).waitFor();
  t.match(await getStatus(channelId), { status: 'connected' });
  await disconnect(page, 'Pinned');
});

t.test('by a token: what is wrong with it is told, and where it ends the channel says so', async t => {
  const channelId = await newChannel('By token');
  const page = await open(t, `${channels}/${channelId}`);
  const main = page.getByRole('main');
  const dialog = page.getByRole('dialog');
  await main.getByRole('button', { name: 'Connect' }).click();
  await dialog.getByText('Use an access token').click();
  const tokenField = dialog.getByRole('textbox', { name: 'Access token' });
  const connect = dialog.getByRole('button', { name: 'Connect', exact: true });
  await tokenField.fill('EAAnothing');
  await connect.click();
  await dialog.getByText('checking the access token').waitFor();
  await dialog.getByText('Use a token of this very app').waitFor();
  await dialog.getByText(/^Request req_/).waitFor();
  t.equal(await tokenField.inputValue(), 'EAAnothing', 'what was typed stays');
  const { accessToken } = (await (await fetch(`${provider.url}/demo/business`)).json()) as Business;
  const token = provider.accounts.findToken(accessToken) as {
    expiresAt: number;
    type: string;
  };
  token.expiresAt = Math.floor(Date.now() / 1_000) + 3 * 86_400;
  // That of a system user would be renewed at once.
  token.type = 'USER';
  await tokenField.fill(accessToken);
  await connect.click();
  await dialog.waitFor({ state: 'detached' });
  await main.getByText('Expires soon', { exact: true }).waitFor();
  await main.getByText('The token of a system user is renewed automatically').waitFor();
  t.notMatch(await page.content(), accessToken);

  // Asked for what it needs, the provider refuses the token: the channel learns of it.
  for (const each of provider.accounts.listTokens()) each.revoked = 463;
  await main.getByRole('button', { name: 'Check again' }).click();
  const check = main.locator('[data-check="token_valid"][data-is="fails"]');
  await check.getByText('What to do:').waitFor();
  t.equal(
    await main.locator('[data-check]').first().getAttribute('data-is'),
    'fails',
    'what is in the way is first',
  );
  await main.getByText('The connection was lost').waitFor();
  await main.getByText('Refused by the provider').waitFor();
  await main.getByText('Needs attention').first().waitFor();
  const lost = main.getByRole('row', { name: /Connected → Needs attention/ });
  await lost.getByText('System', { exact: true }).waitFor();
  await lost.getByText('provider’s code 190').waitFor();
  await expectNoBarriers(t, page, 'the token is refused');
  await leaveForProvider(page, /^Connect again/);
  await page.getByRole('link', { name: /^Continue as/ }).click();
  await main.getByText('Does not expire').waitFor();
  t.match(await getStatus(channelId), { status: 'connected', error: null });
});

t.test('an app gets a new secret, and is revoked once no channel uses it', async t => {
  const page = await open(t, apps);
  const main = page.getByRole('main');
  const row = main.getByRole('row', { name: 'My <b>app</b>' });
  const before = await row.getByRole('cell').nth(3).innerText();
  const choose = async (act: string): Promise<void> => {
    await row.getByRole('button', { name: 'Change My <b>app</b>' }).click();
    await page.getByRole('menuitem', { name: act }).click();
  };
  await choose('New secret');
  await page.getByRole('textbox', { name: 'App secret' }).fill('another secret of the app');
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
  await page
    .getByRole('timer')
    .getByText(/old secret works for 2[34]:/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.not(await row.getByRole('cell').nth(3).innerText(), before);
  t.notMatch(await page.content(), 'another secret of the app');

  await choose('Revoke');
  await submitName(page, 'My <b>app</b>', 'Revoke');
  await page.getByText('Channels still use this partner app.').waitFor();
  await page.getByText(/^Request req_/).waitFor();
  await expectNoBarriers(t, page, 'an app that is in use');
  await page.getByRole('dialog').getByRole('link', { name: 'By token' }).click();
  await page.getByRole('heading', { name: 'By token' }).waitFor();
  await disconnect(page, 'By token');
  await page.goto(`${baseUrl}${apps}`);
  await choose('Revoke');
  await submitName(page, 'My <b>app</b>', 'Revoke');
  await row.getByText('Revoked', { exact: true }).waitFor();
  t.equal(await row.getByRole('button').count(), 0);
});
