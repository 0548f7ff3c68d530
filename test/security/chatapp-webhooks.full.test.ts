/**
 * Webhooks of the chat provider: whoever is not the provider gets nowhere with them, and whatever the provider's own say, it harms nobody.
 * test/gateway/handlers/chatapp-webhook.test.ts has what becomes of good ones.
 */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { newId } from '../../protocol/ids.ts';
import { startChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import { Line } from '../node/client.ts';
import { keepsSecrets } from '../node/secrets.ts';
import { newKey, signUp, verifyEmail } from '../node/tenant.ts';
import {
  createContact,
  createPayload,
  type Json,
  type PhoneNumber,
  sign,
  writeJson,
} from '../support/chatapp-provider/index.ts';
import { startTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import fc from '../support/fuzz.ts';
import { NodeProcess } from '../support/node-process.ts';

// With the usual limits: webhooks have none.
const fixture = await startChatapp(t, { RATE_LIMITS: '{}' });
const { provider, database, skein, line, tenant, app, connected } = fixture;

const ada = { phone: '15550100', name: 'Ada' };

function compose(number: PhoneNumber, body: string): string {
  const messages = provider.compose(number, ada, { type: 'text', text: { body } });
  return writeJson(createPayload(number, { contacts: [createContact(ada)], messages }));
}

async function post(
  channelId: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = { 'x-hub-signature-256': sign(body, app.secret) },
): Promise<{ readonly status: number; readonly error: unknown }> {
  const url = `${skein.url}/v1/channels/${channelId}/chatapp/webhook`;
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, error: ((await response.json()) as Json)['error'] };
}

const invalidSignature = { status: 401, error: 'svc/chatapp/invalid_signature' };
const otherIdentity = { status: 422, error: 'svc/chatapp/webhook_identity_mismatch' };

interface Kept {
  readonly webhooks: number;
  readonly open: number;
  readonly failed: number;
}

/** The webhooks of the channel that are kept, those that are not worked through, and those that could not be. */
async function countKept(channelId: string): Promise<Kept> {
  const [row] = await database.query<Kept>(
    `select count(*)::int as webhooks, count(o.request_id)::int as open, count(w.error)::int as failed
     from chatapp_webhooks w left join chatapp_open_webhooks o using (channel_id, request_id) where w.channel_id = $1`,
    [channelId],
  );
  return row ?? { webhooks: 0, open: 0, failed: 0 };
}

const workedThrough = (channelId: string) =>
  eventually('webhooks worked through', async () => (await countKept(channelId)).open === 0);

const countMessages = async (channelId: string): Promise<number> =>
  (await database.query('select from messages where channel_id = $1', [channelId])).length;

t.test('a signature is of every byte, by the secret of the app, in the one form that there is', async t => {
  const { channelId, number } = await connected();
  const body = compose(number, 'Hello');
  const good = sign(body, app.secret);
  const digest = createHmac('sha256', app.secret).update(body);
  const headers: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'x-hub-signature-256': good.toUpperCase() },
    { 'x-hub-signature-256': good.replace('sha256', 'SHA256') },
    { 'x-hub-signature-256': good.slice(0, -1) },
    { 'x-hub-signature-256': `${good}0` },
    { 'x-hub-signature-256': `${good}, ${good}` },
    { 'x-hub-signature-256': `sha256=${digest.digest('base64')}` },
    { 'x-hub-signature-256': sign(body, app.id) },
    { 'x-hub-signature-256': `sha256=${createHmac('sha256', '').update(body).digest('hex')}` },
    { 'x-hub-signature': `sha1=${createHmac('sha1', app.secret).update(body).digest('hex')}` },
    { 'service-signature': good },
    { authorization: `Bearer ${tenant.key.bearer ?? ''}` },
  ];
  for (const each of headers)
    t.same(await post(channelId, body, each), invalidSignature, JSON.stringify(each));
  for (let at = 0; at < body.length; at += Math.ceil(body.length / 24)) {
    const changed = Buffer.from(body);
    changed[at] = (changed[at] ?? 0) ^ 1;
    t.same(await post(channelId, changed, { 'x-hub-signature-256': good }), invalidSignature, `byte ${at}`);
  }
  t.same(await post(channelId, `${body} `, { 'x-hub-signature-256': good }), invalidSignature);
  t.equal((await countKept(channelId)).webhooks, 0);
  t.equal((await post(channelId, body)).status, 200);
});

t.test('another tenant, with an app of its own or with the same', async t => {
  const { channelId, number } = await connected();
  const mallory = await signUp(line);
  await fixture.verify(mallory);
  const foreign = provider.accounts.addApp();
  const { workspaceId } = mallory;
  await mallory.person.get('createPartnerApp', {
    body: { workspaceId, name: 'Foreign', appId: foreign.id, appSecret: foreign.secret },
  });
  const body = compose(number, 'As if from Ada');
  const signature = { 'x-hub-signature-256': sign(body, foreign.secret) };
  t.same(await post(channelId, body, signature), invalidSignature);

  const shared = await fixture.newPartnerApp(mallory);
  const own = fixture.newNumber();
  const theirs = await fixture.newChannel(mallory);
  const { partnerAppCredentialId } = shared;
  const given = { accessToken: own.token.value, partnerAppCredentialId };
  t.equal((await fixture.connect(theirs, given, mallory)).status, 200);
  t.same(await post(theirs, body), otherIdentity, 'what is written to one number is not for another');
  t.same(await post(channelId, compose(own.number, 'Hello')), otherIdentity);
  t.equal((await countKept(channelId)).webhooks + (await countKept(theirs)).webhooks, 0);

  const verify = (channelId: string, token: string) => {
    const query = new URLSearchParams({ 'hub.challenge': '1', 'hub.verify_token': token });
    return fetch(`${skein.url}/v1/channels/${channelId}/chatapp/webhook?${query}`);
  };
  t.equal((await verify(theirs, shared.verifyToken)).status, 200);
  t.equal((await verify(channelId, shared.verifyToken)).status, 401);
  t.equal((await verify(theirs, fixture.partnerApp.verifyToken)).status, 401);
});

t.test('a refusal has no effect, and is over when its cause is', async t => {
  const channelId = await fixture.newChannel();
  const { number, token } = fixture.newNumber();
  const body = compose(number, 'Early');
  t.equal((await post(channelId, body)).error, 'svc/chatapp/channel_not_connected');
  t.equal((await countKept(channelId)).webhooks, 0);
  await fixture.connect(channelId, { accessToken: token.value });
  t.equal((await post(channelId, body)).status, 200);
  await workedThrough(channelId);
  t.equal(await countMessages(channelId), 1);
});

t.test('three hundred at once are all taken: none is one too many', async t => {
  const { channelId, number } = await connected();
  const bodies = Array.from({ length: 300 }, (_, index) => compose(number, `message ${index}`));
  const replies = await Promise.all(bodies.map(body => post(channelId, body)));
  t.same(new Set(replies.map(({ status }) => status)), new Set([200]));
  await workedThrough(channelId);
  t.equal(await countMessages(channelId), 300);
});

t.test('long bodies that come slowly, to this channel and to others, keep nobody out', async t => {
  const { channelId, number } = await connected();
  const open = async (to: string, size: number): Promise<Socket> => {
    const socket = connect(Number(new URL(skein.url).port), '127.0.0.1').on('error', () => undefined);
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(
      `POST /v1/channels/${to}/chatapp/webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n`,
    );
    socket.write('a'.repeat(size));
    return socket;
  };
  const strangers = await Promise.all(Array.from({ length: 100 }, () => open(newId('channel'), 100_000)));
  await Promise.all(Array.from({ length: 40 }, () => open(channelId, 1_000_000)));
  t.equal((await post(channelId, compose(number, 'Meanwhile'))).status, 200);
  const answers = strangers.map(socket => once(socket, 'data'));
  for (const [piece] of await Promise.all(answers)) t.match(String(piece as Buffer), /^HTTP\/1.1 404/);
});

/** A payload that has everything. */
function createRichPayload(number: PhoneNumber, run: string): Json {
  const context = { from: '15559999999', id: `wamid.${run}-0`, forwarded: true };
  const referral = { source_type: 'ad', source_id: '1', source_url: 'https://example.com', headline: 'Sale' };
  const contents: readonly Json[] = [
    { type: 'text', text: { body: 'Hello' }, context, referral },
    { type: 'location', location: { latitude: 52.5, longitude: 13.4, name: 'Office' } },
    { type: 'contacts', contacts: [{ name: { formatted_name: 'Bob' }, phones: [{ phone: '+1555' }] }] },
    { type: 'reaction', reaction: { message_id: `wamid.${run}-0`, emoji: '👍' } },
    {
      type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', response_json: '{"size":"L"}' } },
    },
    { type: 'button', button: { payload: 'yes', text: 'Yes' } },
    {
      type: 'order',
      order: {
        catalog_id: '1',
        text: 'Please',
        product_items: [{ product_retailer_id: 'a', quantity: 2, item_price: 9.5, currency: 'EUR' }],
      },
    },
    { type: 'system', system: { type: 'customer_identity_changed', body: 'changed' } },
    { type: 'unsupported', errors: [{ code: 131051, title: 'Unsupported' }] },
  ];
  const messages = contents.map((content, index) => ({
    ...provider.compose(number, ada, content)[0],
    id: `wamid.${run}-${index}`,
  }));
  const statuses = [
    {
      id: `wamid.${run}-none`,
      status: 'sent',
      timestamp: provider.timestamp(),
      recipient_id: ada.phone,
      conversation: { id: '1', expiration_timestamp: '1795000000', origin: { type: 'service' } },
      pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'service' },
    },
  ];
  return createPayload(number, { contacts: [createContact({ ...ada, userId: 'US.1' })], messages, statuses });
}

type Path = readonly (string | number)[];

/** Every place in the value, but those that say whose it is. */
function listPaths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const below = Object.entries(value).flatMap(([name, each]) =>
    listPaths(each, [...at, Array.isArray(value) ? Number(name) : name]),
  );
  return at.length <= 6 ? below : [at, ...below];
}

function replace(value: unknown, [first, ...rest]: Path, by: unknown): unknown {
  if (first === undefined) return by;
  if (Array.isArray(value)) return value.with(Number(first), replace(value[Number(first)], rest, by));
  const object = value as Json;
  return { ...object, [first]: replace(object[first], rest, by) };
}

/** Stands for lists in lists, deeper than `JSON.stringify` goes. */
const nested = 'nested';
const writeStrange = (payload: Json): string =>
  writeJson(payload).replace(`"${nested}"`, '['.repeat(20_000) + ']'.repeat(20_000));

/** What nobody expects anywhere. */
const strange: readonly unknown[] = [
  null,
  true,
  -1,
  0.1,
  1e300,
  1_795_000_000_000,
  '',
  'NaN',
  '\0',
  '\ud800',
  'x'.repeat(100_000),
  [],
  [null],
  {},
  { type: { type: 'text' } },
  ['text', ['text']],
  '['.repeat(50_000) + ']'.repeat(50_000),
  nested,
  JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}') as unknown,
  `{"size":"\\u0000${'\\ud800'.repeat(3)}"}`,
];

t.test(
  'whatever stands where something else belongs, the rest is taken, and so is what comes after it',
  async t => {
    const { channelId, number } = await connected();
    const paths = listPaths(createRichPayload(number, 'paths')).filter(path => path.length > 5);
    const changes = fc.sample(fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...strange)), 150);
    const bodies = changes.map(([path, by], index) =>
      writeStrange(replace(createRichPayload(number, `run-${index}`), path, by) as Json),
    );
    for (let from = 0; from < bodies.length; from += 10) {
      const replies = await Promise.all(bodies.slice(from, from + 10).map(body => post(channelId, body)));
      replies.forEach(({ status }, index) => {
        const [path, by] = changes[from + index] ?? [];
        const isTaken = status === 200 || (status === 422 && path?.includes('metadata') === true);
        t.ok(isTaken, `${status} for ${JSON.stringify(by)?.slice(0, 60)} at ${path?.join('.')}`);
      });
    }
    await workedThrough(channelId);
    const failed = await database.query<{ error: string }>(
      'select error from chatapp_webhooks where channel_id = $1 and error is not null',
      [channelId],
    );
    t.same(failed, [], 'none could not be worked through');
    const before = await countMessages(channelId);
    t.equal((await post(channelId, compose(number, 'As usual'))).status, 200);
    await workedThrough(channelId);
    t.equal(await countMessages(channelId), before + 1);
  },
);

t.test('no log has a secret of the app, the channel or a participant', async t => {
  const { url } = await startTestDatabase(t);
  const node = await NodeProcess.make(t, { DATABASE_URL: url, CHATAPP_GRAPH_URL: provider.url });
  await node.start();
  const own = new Line(node.url, t);
  const bob = await signUp(own);
  await verifyEmail(node, own, bob.email);
  const { key } = await newKey(bob.person, bob.projectId);
  const { projectId, environmentId, workspaceId } = bob;
  const { partnerAppCredentialId, verifyToken } = await bob.person.get<Record<string, string>>(
    'createPartnerApp',
    { body: { workspaceId, name: 'Own', appId: app.id, appSecret: app.secret } },
  );
  const body = { projectId, environmentId, name: 'Chat', kind: 'chatapp' };
  const { channelId } = await key.get<{ channelId: string }>('createChannel', { body });
  const { number, account } = fixture.newNumber();
  const token = provider.accounts.addToken(app, account);
  const code = provider.accounts.addCode(token);
  const params = { channelId };
  await key.get('connectChatapp', { params, body: { projectId, partnerAppCredentialId, code } });
  const [callback] = number.overrides.values();
  const address = `${node.url}/v1/channels/${channelId}/chatapp/webhook`;
  t.equal(callback?.url, address);
  for (const given of [verifyToken ?? '', 'a wrong one of somebody']) {
    const query = new URLSearchParams({ 'hub.challenge': '1', 'hub.verify_token': given });
    await fetch(`${address}?${query}`);
  }
  const { deliveries } = await provider.write(number, ada, {
    type: 'text',
    text: { body: 'my card is 4111 1111' },
  });
  t.equal(deliveries[0]?.delivered, true);
  await fetch(address, { method: 'POST', body: compose(number, 'another card') });
  await key.get('disconnectChatapp', { params, body: { projectId } });
  const secrets = [app.secret, token.value, code, verifyToken ?? '', callback?.verifyToken ?? ''];
  const personal = ['a wrong one', 'my card', 'another card', ada.phone];
  keepsSecrets(t, node.output, own, [...secrets, ...personal]);
});
