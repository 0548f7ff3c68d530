/** The provider that tests build on behaves as the real one is known to. */
import { createHash, createHmac } from 'node:crypto';
import t, { type Test } from 'tap';
import { answer, Receiver, type Received } from '../receiver.ts';
import { ChatappProvider, createPayload, type Json, writeJson } from './index.ts';

/** A provider whose time passes only when the test says so. */
async function start(t: Test) {
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const provider = await ChatappProvider.start({ now: () => clock.now });
  t.teardown(() => provider.stop());
  const { accounts } = provider;
  const app = accounts.addApp();
  const account = accounts.addAccount();
  const number = accounts.addNumber(account, { status: 'CONNECTED' });
  const token = accounts.addToken(app, account);
  const call = async (
    method: string,
    path: string,
    body?: Json,
    bearer = token.value,
  ): Promise<{ status: number; body: Json; code: unknown }> => {
    const response = await fetch(`${provider.url}/v25.0/${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answered = (await response.json()) as Json;
    const error = answered['error'] as Json | undefined;
    return { status: response.status, body: answered, code: error?.['code'] };
  };
  const send = (message: Json, to = '+15550100') =>
    call('POST', `${number.id}/messages`, { messaging_product: 'whatsapp', to, ...message });
  return { clock, provider, accounts, app, account, number, token, call, send };
}

const text = { type: 'text', text: { body: 'Hello' } };

/** An endpoint that answers challenges, and webhooks as the test says. */
async function startCallback(t: Test): Promise<Receiver> {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  receiver.behaviour = (request, response) => {
    const query = new URL(request.path, 'http://callback').searchParams;
    answer(200, {}, query.get('hub.challenge') ?? '')(request, response);
  };
  return receiver;
}

const webhooks = ({ received }: Receiver): Received[] => received.filter(({ body }) => body !== '');

t.test('a code is exchanged once, within 30 seconds, by its own app', async t => {
  const { clock, provider, accounts, app, token, call } = await start(t);
  const exchange = (code: string, secret = app.secret, more = '') =>
    call('GET', `oauth/access_token?client_id=${app.id}&client_secret=${secret}&code=${code}${more}`);
  const code = accounts.addCode(token);
  t.equal((await exchange(code)).body['access_token'], token.value);
  t.equal((await exchange(code)).code, 100);
  const late = accounts.addCode(token);
  clock.now += 30_000;
  t.equal((await exchange(late)).code, 100);
  t.equal((await exchange(accounts.addCode(token), 'wrong')).status, 500);
  const redirected = accounts.addCode(token, 'https://app.example/');
  t.equal((await exchange(redirected)).code, 100, 'the redirect address has to be the same');
  const again = accounts.addCode(token, 'https://app.example/');
  t.equal((await exchange(again, app.secret, '&redirect_uri=https://app.example/')).status, 200);
  t.equal(provider.requests.at(-1), 'GET /oauth/access_token');
});

t.test('a sign-up leads back to the app, with a code for its address or with a refusal', async t => {
  const { provider, accounts, app, account, call } = await start(t);
  const redirectUri = 'https://agency.example/done';
  app.redirectUris = [redirectUri];
  const fields = { client_id: app.id, redirect_uri: redirectUri, response_type: 'code', config_id: '1' };
  const open = (more: Readonly<Record<string, string>>) =>
    fetch(`${provider.url}/v25.0/dialog/oauth?${new URLSearchParams({ ...fields, state: 'a&b', ...more })}`, {
      redirect: 'manual',
    });
  t.match(await (await open({})).text(), `account=${account.id}`);
  const location = new URL((await open({ account: account.id })).headers.get('location') ?? '');
  t.equal(location.origin + location.pathname, redirectUri);
  t.equal(location.searchParams.get('state'), 'a&b');
  const code = location.searchParams.get('code') ?? '';
  const exchange = (uri: string) =>
    call(
      'GET',
      `oauth/access_token?client_id=${app.id}&client_secret=${app.secret}&code=${code}&redirect_uri=${encodeURIComponent(uri)}`,
    );
  t.match(await exchange(redirectUri), { status: 200, body: { access_token: /^EAA/ } });
  t.ok(accounts.listTokens().length > 1);
  t.match((await open({ account: 'none' })).headers.get('location'), /[?]error=access_denied&/);
  for (const wrong of [{ redirect_uri: 'https://other.example/' }, { config_id: '' }, { client_id: '7' }]) {
    t.equal((await open(wrong)).status, 400, JSON.stringify(wrong));
  }
});

t.test('a token is inspected by its app, and ends', async t => {
  const { clock, accounts, app, account, call } = await start(t);
  const expiresAt = clock.now / 1_000 + 60;
  const token = accounts.addToken(app, account, { expiresAt });
  const inspect = async (by = app) => {
    const { body } = await call(
      'GET',
      `debug_token?input_token=${token.value}`,
      undefined,
      `${by.id}|${by.secret}`,
    );
    return body['data'] as Json;
  };
  const { is_valid, app_id, expires_at, granular_scopes } = await inspect();
  t.same([is_valid, app_id, expires_at], [true, app.id, expiresAt]);
  t.same((granular_scopes as readonly Json[])[0]?.['target_ids'], [account.id]);
  t.equal((await inspect(accounts.addApp()))['is_valid'], false);
  clock.now += 60_000;
  t.equal((await inspect())['is_valid'], false);
  const refused = await call('GET', `${account.id}/phone_numbers`, undefined, token.value);
  t.same([refused.status, refused.code, (refused.body['error'] as Json)['error_subcode']], [401, 190, 463]);
});

t.test('a number is registered with its PIN, at most ten times in 72 hours', async t => {
  const { clock, accounts, account, number, call } = await start(t);
  const fresh = accounts.addNumber(account);
  const register = (pin: string) =>
    call('POST', `${fresh.id}/register`, { messaging_product: 'whatsapp', pin });
  t.equal(
    (await call('POST', `${fresh.id}/messages`, { messaging_product: 'whatsapp', ...text })).code,
    133010,
  );
  t.same((await register('123456')).body, { success: true });
  t.equal(fresh.status, 'CONNECTED');
  t.equal((await register('654321')).code, 133005);
  for (let times = 2; times < 10; times++) await register('123456');
  t.equal((await register('123456')).code, 133016);
  clock.now += 72 * 3_600_000;
  t.equal((await register('123456')).status, 200);
  const listed = (await call('GET', `${account.id}/phone_numbers`)).body['data'] as readonly Json[];
  t.same(
    listed.map(({ id }) => id),
    [number.id, fresh.id],
  );
});

t.test('what the token does not reach reads as absent: 400, code 100, subcode 33', async t => {
  const { accounts, call } = await start(t);
  const { id } = accounts.addNumber(accounts.addAccount());
  const { status, body } = await call('GET', id);
  const { code, error_subcode } = body['error'] as Json;
  t.same([status, code, error_subcode], [400, 100, 33]);
});

t.test('a callback is challenged before it is taken, and that of the number goes before others', async t => {
  const { provider, app, account, number, call } = await start(t);
  const receiver = await startCallback(t);
  const override = (path: string) => ({
    webhook_configuration: { override_callback_uri: receiver.url(path), verify_token: 'v 1' },
  });
  await provider.setCallback(app.id, { url: receiver.url('/app'), verifyToken: 'v' });
  await call('POST', `${account.id}/subscribed_apps`);
  await call('POST', number.id, override('/number'));
  const challenged = new URL(receiver.received.at(-1)?.path ?? '', 'http://callback').searchParams;
  t.same([challenged.get('hub.mode'), challenged.get('hub.verify_token')], ['subscribe', 'v 1']);

  await provider.write(number, { phone: '15550100' }, text);
  t.equal(webhooks(receiver).at(-1)?.path, '/number');
  await call('POST', number.id, { webhook_configuration: { override_callback_uri: '' } });
  await provider.write(number, { phone: '15550100' }, text);
  t.equal(webhooks(receiver).at(-1)?.path, '/app');

  receiver.behaviour = answer(200, {}, 'something else');
  t.equal((await call('POST', number.id, override('/number'))).code, 100);
});

t.test('a webhook is signed over its bytes, in a style that no other writer has', async t => {
  const { provider, app, account, number, call } = await start(t);
  const receiver = await startCallback(t);
  await provider.setCallback(app.id, { url: receiver.url(), verifyToken: 'v' });
  await call('POST', `${account.id}/subscribed_apps`);
  await provider.write(
    number,
    { phone: '15550100', name: 'Zoë' },
    { type: 'text', text: { body: 'a/b 😀' } },
  );
  const [{ body = '', headers } = {}] = webhooks(receiver);
  t.match(body, /Zo\\u00eb/);
  t.match(body, /a\\\/b \\ud83d\\ude00/);
  const hash = (text: string): string =>
    `sha256=${createHmac('sha256', app.secret).update(text).digest('hex')}`;
  t.equal(headers?.['x-hub-signature-256'], hash(body));
  const parsed = JSON.parse(body) as Json;
  t.not(headers?.['x-hub-signature-256'], hash(JSON.stringify(parsed)));
  t.match(parsed, {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: account.id,
        changes: [
          {
            field: 'messages',
            value: {
              metadata: { phone_number_id: number.id },
              contacts: [{ wa_id: '15550100', profile: { name: 'Zoë' } }],
              messages: [{ from: '15550100', type: 'text', text: { body: 'a/b 😀' }, id: /^wamid\./ }],
            },
          },
        ],
      },
    ],
  });
});

t.test('any answer but 200 is repeated, with the same bytes, and then given up', async t => {
  const { provider, app, account, number, call } = await start(t);
  const receiver = await startCallback(t);
  await provider.setCallback(app.id, { url: receiver.url(), verifyToken: 'v' });
  await call('POST', `${account.id}/subscribed_apps`);
  const statuses = [500, 429, 204];
  receiver.behaviour = (request, response) => answer(statuses.shift() ?? 200)(request, response);
  const taken = await provider.write(number, { phone: '15550100' }, text);
  t.same(
    taken.deliveries[0]?.attempts.map(({ status }) => status),
    [500, 429, 204, 200],
  );
  t.equal(new Set(taken.deliveries[0]?.attempts.map(({ body }) => body)).size, 1);
  receiver.behaviour = answer(503);
  provider.deliveries.retryMs = [0, 0];
  const dropped = await provider.write(number, { phone: '15550100' }, text);
  t.equal(dropped.deliveries[0]?.delivered, false);
  t.equal(dropped.deliveries[0]?.attempts.length, 3);
});

t.test('a free-form message needs a participant who wrote within 24 hours', async t => {
  const { clock, provider, number, send } = await start(t);
  t.equal((await send(text)).code, 131047);
  provider.compose(number, { phone: '15550100' }, text);
  const { status, body } = await send(text);
  t.equal(status, 200);
  t.match(body, { contacts: [{ wa_id: '15550100' }], messages: [{ id: /^wamid\./ }] });
  clock.now += 24 * 3_600_000;
  t.equal((await send(text)).code, 131047);
  provider.messages.rules.refusesOutsideWindow = 'later';
  t.equal((await send(text)).status, 200);
});

t.test('what is wrong with a message', async t => {
  const { provider, account, number, send } = await start(t);
  provider.compose(number, { phone: '15550100' }, text);
  const expect = async (code: number, message: Json, to?: string): Promise<void> =>
    t.equal((await send(message, to)).code, code, JSON.stringify(message).slice(0, 80)) as unknown as void;
  await expect(100, { type: 'text', text: { body: 'x'.repeat(4_097) } });
  await expect(131008, { type: 'text', text: { body: '' } });
  await expect(131021, text, number.displayPhoneNumber.replace(/\D/g, ''));
  await expect(131051, { type: 'hologram', hologram: {} });
  await expect(131009, { type: 'image', image: { id: 'unknown' } });
  provider.templates.add(account.id, { name: 'order', body: 'Order {{1}} of {{2}}' });
  provider.templates.add(account.id, { name: 'paused', status: 'PAUSED' });
  const template = (name: string, ...parameters: readonly Json[]) => ({
    type: 'template',
    template: { name, language: { code: 'en_US' }, components: [{ type: 'body', parameters }] },
  });
  await expect(132001, template('missing'));
  await expect(132015, template('paused'));
  await expect(132000, template('order', { type: 'text', text: '7' }));
  await expect(132012, template('order', { type: 'text', text: '7' }, { type: 'text' }));
  const buttons = [{ type: 'URL', text: 'Follow it', url: 'https://shop.example/{{1}}' }];
  provider.templates.add(account.id, { name: 'sale', header: { format: 'IMAGE' }, buttons });
  const sale = (...components: readonly Json[]) => ({
    type: 'template',
    template: { name: 'sale', language: { code: 'en_US' }, components },
  });
  await expect(132012, sale());
  const picture = { type: 'image', image: { link: 'https://shop.example/cup.png' } };
  await expect(131008, sale({ type: 'header', parameters: [picture] }));
  provider.messages.rules.blocked.add('15550100');
  await expect(130403, text);
  provider.messages.rules.allowedRecipients = new Set();
  await expect(131030, text);
  t.equal(provider.messages.sent.length, 0);
});

t.test(
  'a number sends 80 messages in a second, and to one recipient 45 at once, then one in six seconds',
  async t => {
    const { clock, provider, number, send } = await start(t);
    provider.compose(number, { phone: '15550100' }, text);
    for (let sent = 0; sent < 45; sent++) t.equal((await send(text)).status, 200);
    t.equal((await send(text)).code, 131056);
    clock.now += 6_000;
    t.equal((await send(text)).status, 200);
    t.equal((await send(text)).code, 131056);
    provider.messages.rules.throughput = 1;
    provider.messages.rules.pairBurst = 1_000;
    t.equal((await send(text)).code, 130429);
  },
);

t.test('a message is marked as read, with typing or without', async t => {
  const { provider, number, call } = await start(t);
  const [{ id } = {}] = provider.compose(number, { phone: '15550100' }, text);
  const mark = (more: Json) =>
    call('POST', `${number.id}/messages`, { messaging_product: 'whatsapp', status: 'read', ...more });
  t.same((await mark({ message_id: id })).body, { success: true });
  await mark({ message_id: id, typing_indicator: { type: 'text' } });
  t.same(
    provider.messages.marked.map(({ typing }) => typing),
    [false, true],
  );
  t.equal((await mark({ message_id: 'wamid.unknown' })).code, 131009);
});

t.test('a file has an address for five minutes, which wants the token', async t => {
  const { clock, provider, token, call } = await start(t);
  const bytes = Buffer.from('a picture');
  const { id, sha256 } = provider.media.add(bytes, 'image/jpeg');
  t.equal(sha256, createHash('sha256').update(bytes).digest('base64'));
  const { url, file_size } = (await call('GET', id)).body;
  t.equal(file_size, bytes.length);
  const download = (bearer?: string) =>
    fetch(String(url), bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } });
  t.same(Buffer.from(await (await download(token.value)).arrayBuffer()), bytes);
  t.equal((await download()).headers.get('content-type'), 'text/html');
  clock.now += 5 * 60_000;
  t.equal((await download(token.value)).status, 404);
  clock.now += 7 * 86_400_000;
  t.equal((await call('GET', id)).code, 100);
});

t.test('an upload is sent by its id, where its type and size fit', async t => {
  const { provider, number, token, send } = await start(t);
  provider.compose(number, { phone: '15550100' }, text);
  const upload = async (type: string): Promise<string> => {
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('type', type);
    form.set('file', new Blob(['bytes'], { type }), 'file');
    const headers = { authorization: `Bearer ${token.value}` };
    const response = await fetch(`${provider.url}/v25.0/${number.id}/media`, {
      method: 'POST',
      headers,
      body: form,
    });
    return ((await response.json()) as { id: string }).id;
  };
  t.equal((await send({ type: 'image', image: { id: await upload('image/png') } })).status, 200);
  t.equal((await send({ type: 'image', image: { id: await upload('image/gif') } })).code, 131053);
});

t.test('templates come in pages', async t => {
  const { provider, account, call } = await start(t);
  for (const name of ['a', 'b', 'c']) provider.templates.add(account.id, { name });
  provider.templates.add(account.id, { name: 'd', status: 'PENDING' });
  const page = async (after?: unknown) => {
    const more = after === undefined ? '' : `&after=${String(after)}`;
    const path = `${account.id}/message_templates?limit=2&status=APPROVED${more}`;
    return (await call('GET', path)).body as { data: Json[]; paging: { cursors: Json; next?: string } };
  };
  const first = await page();
  const second = await page(first.paging.cursors['after']);
  t.same(
    [...first.data, ...second.data].map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  t.same([first.paging.next !== undefined, second.paging.next], [true, undefined]);
});

t.test('every fault that a test scripts happens once', async t => {
  const { provider, number, call, send } = await start(t);
  provider.compose(number, { phone: '15550100' }, text);
  provider.faults.script(
    'messages',
    { kind: 'error', code: 131000 },
    { kind: 'status', status: 500 },
    { kind: 'html' },
    { kind: 'lost' },
  );
  t.match(await send(text), { status: 500, code: 131000 });
  await t.rejects(send(text), 'no JSON');
  await t.rejects(send(text), 'no JSON');
  await t.rejects(send(text), 'no answer');
  t.equal(provider.messages.sent.length, 1, 'whose answer was lost');
  t.equal(provider.faults.happened, 4);
  t.equal((await send(text)).status, 200);
  provider.faults.script(number.id, { kind: 'hang' });
  await t.rejects(fetch(`${provider.url}/v25.0/${number.id}`, { signal: AbortSignal.timeout(50) }));
  t.equal((await call('GET', number.id)).status, 200);
});

t.test('a payload may hold a thousand messages, in any order, and one of them twice', async t => {
  const { provider, number } = await start(t);
  const texts = Array.from({ length: 1_000 }, () => text);
  const messages = provider.compose(number, { phone: '15550100' }, ...texts);
  const payload = createPayload(number, { messages: [...messages.toReversed(), messages[0] ?? {}] });
  const parsed = JSON.parse(writeJson(payload)) as {
    entry: { changes: { value: { messages: Json[] } }[] }[];
  };
  t.equal(parsed.entry[0]?.changes[0]?.value.messages.length, 1_001);
});
