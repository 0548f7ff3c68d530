/** Webhooks of the chat provider: who may post them, that they are kept before they are answered, and what becomes of them. */
import t from 'tap';
import type { Message } from '../../../protocol/resources/message.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { erasePersonalData } from '../../../storage/retention/erasures.ts';
import { newId } from '../../../protocol/ids.ts';
import type { ListOf } from '../../node/client.ts';
import {
  createEntry,
  createPayload,
  createValue,
  type Json,
  sign,
  writeJson,
} from '../../support/chatapp-provider/index.ts';
import { eventually } from '../../support/eventually.ts';
import { shareChatapp } from './chatapp-fixture.ts';

const fixture = await shareChatapp(t);
const { provider, database, hash, skein, tenant, app, partnerApp, newChannel, connected } = fixture;
const { projectId, key, person } = tenant;

const ada = { phone: '15550100', name: 'Ada' };
const text = (body: string): Json => ({ type: 'text', text: { body } });

const getAddress = (channelId: string, at = skein.url) => `${at}/v1/channels/${channelId}/chatapp/webhook`;

async function post(
  channelId: string,
  body: string | Buffer,
  signature: string | null = sign(body, app.secret),
  at = skein.url,
): Promise<{ status: number; error: unknown }> {
  const headers = {
    'content-type': 'application/json',
    ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
  };
  const response = await fetch(getAddress(channelId, at), { method: 'POST', headers, body });
  return { status: response.status, error: ((await response.json()) as Json)['error'] };
}

async function listThreads(channelId: string): Promise<readonly Thread[]> {
  return (await person.all<Thread>('listThreads', { query: { projectId, channelId } })).filter(
    thread => thread.channelId === channelId,
  );
}

async function listMessages(channelId: string): Promise<readonly Message[]> {
  const found: Message[] = [];
  for (const { threadId } of await listThreads(channelId)) {
    const order = 'asc';
    found.push(...(await key.all<Message>('listMessages', { params: { threadId }, query: { order } })));
  }
  return found;
}

const stored = (channelId: string, count: number) =>
  eventually(`${count} messages`, async () => (await listMessages(channelId)).length >= count);

/** Everything that has come to the channel is worked through. */
const workedThrough = (channelId: string) =>
  eventually('webhooks worked through', async () => {
    const query = 'select from chatapp_open_webhooks where channel_id = $1';
    return (await database.query(query, [channelId])).length === 0;
  });

t.test(
  'the challenge is echoed as it is, for the token of a partner app and for that of the channel',
  async t => {
    const channelId = await newChannel();
    const verify = async (token: string, challenge = '1158201444') => {
      const query = new URLSearchParams({
        'hub.mode': 'subscribe',
        'hub.challenge': challenge,
        'hub.verify_token': token,
      });
      return fetch(`${getAddress(channelId)}?${query}`);
    };
    const answered = await verify(partnerApp.verifyToken);
    t.equal(answered.status, 200, 'before the channel is connected');
    t.equal(answered.headers.get('content-type'), 'text/plain; charset=utf-8');
    t.equal(await answered.text(), '1158201444');
    t.equal(await (await verify(partnerApp.verifyToken, '<b>007 é</b>')).text(), '<b>007 é</b>');
    for (const token of ['', `${partnerApp.verifyToken}x`, app.secret]) {
      const refused = await verify(token);
      t.equal(refused.status, token === '' ? 422 : 401);
    }
    const { token } = fixture.newNumber();
    await fixture.connect(channelId, { accessToken: token.value });
    const own = [
      ...(provider.accounts.findNumber(await getNumberId(channelId))?.overrides.values() ?? []),
    ][0];
    t.equal((await verify(own?.verifyToken ?? '')).status, 200);
    t.equal((await fetch(getAddress(tenant.channelId))).status, 422);
    const elsewhere = `${getAddress(newId('channel'))}?hub.challenge=1&hub.verify_token=${partnerApp.verifyToken}`;
    t.equal((await fetch(elsewhere)).status, 404);
  },
);

async function getNumberId(channelId: string): Promise<string> {
  const status = await key.get<{ phoneNumberId: string }>('getChatappStatus', { params: { channelId } });
  return status.phoneNumberId;
}

t.test('a channel of an archived project takes nothing in until it is back', async t => {
  const { channelId, number } = await connected();
  const concernsNobody = async () => (await post(channelId, '{}')).status;
  t.equal(await concernsNobody(), 422);
  await person.get('archiveProject', { params: { projectId } });
  // What is known of a channel is held for a second.
  await eventually('refusal', async () => (await concernsNobody()) === 409);
  t.match(await post(channelId, '{}'), { status: 409, error: 'svc/chatapp/channel_not_connected' });
  const { deliveries } = await provider.write(number, ada, text('Hello?'));
  t.match(deliveries, [{ delivered: false, attempts: [{ status: 409, answer: /archived/ }] }]);
  await person.get('updateProject', { params: { projectId }, body: { archived: false } });
  await eventually('admission', async () => (await concernsNobody()) === 422);
  await provider.write(number, ada, text('Hello again'));
  await stored(channelId, 1);
  t.match(await listMessages(channelId), [{ body: 'Hello again' }]);
});

t.test('what a participant writes becomes a message of their thread', async t => {
  const { channelId, number } = await connected();
  const { id, deliveries } = await provider.write(number, ada, text('Is anybody there? 😀/é'));
  t.match(deliveries, [{ delivered: true, attempts: [{ status: 200, answer: '{"accepted":true}' }] }]);
  await stored(channelId, 1);
  const [thread] = await listThreads(channelId);
  t.match(thread, { externalRef: ada.phone, status: 'open', serviceWindow: { open: true } });
  const [message] = await listMessages(channelId);
  t.match(message, {
    direction: 'inbound',
    body: 'Is anybody there? 😀/é',
    externalMessageId: id,
    actor: { type: 'contact', id: ada.phone },
    status: null,
  });
  const { data } = await person.get<ListOf<{ eventName: string; data: Json }>>('listEvents', {
    query: { projectId, threadId: thread?.threadId ?? '' },
  });
  t.same(data.map(({ eventName }) => eventName).sort(), [
    'thread.lifecycle.created',
    'thread.message.received',
    'thread.service_window.opened',
  ]);
  t.notOk(
    data.some(event => 'reportedBy' in event.data),
    'nobody reported it: the provider brought it',
  );
  await provider.write(number, ada, { type: 'image', image: { id: '1', caption: 'A picture' } });
  await stored(channelId, 2);
  t.equal((await listThreads(channelId)).length, 1);
  t.equal((await listMessages(channelId))[1]?.body, 'A picture');
});

t.test('the channel’s own account and number, or 422', async t => {
  const { channelId, number, account } = await connected();
  const sibling = provider.accounts.addNumber(account);
  const outsider = provider.accounts.addNumber(provider.accounts.addAccount());
  const written = (to: typeof number) => ({ messages: provider.compose(to, ada, text('Hello')) });
  for (const other of [sibling, outsider]) {
    t.same(await post(channelId, writeJson(createPayload(other, written(other)))), {
      status: 422,
      error: 'svc/chatapp/webhook_identity_mismatch',
    });
  }
  t.same(await post(channelId, '{"object":"page","entry":[]}'), {
    status: 422,
    error: 'svc/chatapp/webhook_identity_mismatch',
  });
  t.same(await post(channelId, '{"object":'), { status: 400, error: 'svc/validation/invalid_request' });
  t.equal(
    (await database.query('select from chatapp_webhooks where channel_id = $1', [channelId])).length,
    0,
  );
  const entry = [sibling, outsider, number].map(each =>
    createEntry(each.accountId, 'messages', createValue(each, written(each))),
  );
  t.equal((await post(channelId, writeJson({ object: 'whatsapp_business_account', entry }))).status, 200);
  await workedThrough(channelId);
  t.equal((await listMessages(channelId)).length, 1, 'of a batch, what is the channel’s');
});

t.test('a channel that is not connected, and one that is not there', async t => {
  const channelId = await newChannel();
  t.same(await post(channelId, '{}'), { status: 409, error: 'svc/chatapp/channel_not_connected' });
  t.equal((await post(tenant.channelId, '{}')).status, 404, 'a custom channel has no provider');
  t.equal((await post(newId('channel'), '{}')).status, 404);
  const { channelId: once, number } = await connected();
  const body = writeJson(createPayload(number, { messages: provider.compose(number, ada, text('Late')) }));
  await key.get('disconnectChatapp', { params: { channelId: once }, body: { projectId } });
  t.same(await post(once, body), { status: 409, error: 'svc/chatapp/channel_not_connected' });
});

t.test('three megabytes, and one byte more', async t => {
  const { channelId, number } = await connected();
  const start = writeJson(createPayload(number, { messages: provider.compose(number, ada, text('Long')) }));
  const padded = (size: number) => start + ' '.repeat(size - start.length);
  t.equal((await post(channelId, padded(3 * 1_048_576))).status, 200);
  t.equal((await post(channelId, padded(3 * 1_048_576 + 1))).status, 413);
  await stored(channelId, 1);
  const refused = await post(await newChannel(), padded(1_048_576));
  t.equal(refused.status, 409, 'of a channel that gets none, a long body is not read to its end');
});

t.test('whatever it says, a webhook that is signed is taken', async t => {
  const { channelId, number, account } = await connected();
  const object = 'whatsapp_business_account';
  const strange: readonly Json[] = [
    { object, entry: [] },
    { object, entry: [{ id: account.id, changes: [] }] },
    { object, entry: [{ id: account.id }] },
    { object, entry: [{ id: account.id, changes: [{ field: 'messages' }] }] },
    { object, entry: [createEntry(account.id, 'no_such_field', { a: [1, null, { b: 2 }] })] },
    { object, entry: [createEntry(account.id, 'message_template_status_update', { event: 'APPROVED' })] },
    { object, entry: [createEntry('portfolio', 'account_update', { event: 'PARTNER_ADDED' })] },
    createPayload(number, { messages: [], statuses: [], contacts: [], errors: [] }),
    createPayload(number, { statuses: [{ id: 'wamid.none', status: 'deleted', timestamp: 1 }] }),
    createPayload(number, { messages: [{ id: 7, from: 8, timestamp: 1_795_000_000_000, type: 'hologram' }] }),
  ];
  for (const payload of strange)
    t.equal((await post(channelId, writeJson(payload))).status, 200, JSON.stringify(payload));
  await workedThrough(channelId);
  t.match(await listMessages(channelId), [{ externalMessageId: '7', body: '[Unsupported message]' }]);
  const failed = await database.query(
    'select from chatapp_webhooks where channel_id = $1 and error is not null',
    [channelId],
  );
  t.equal(failed.length, 0);
});

t.test(
  'a message that comes late opens the window from when it was sent, and not at all when that is over',
  async t => {
    const { channelId, number } = await connected();
    const hour = 3_600_000;
    const write = async (phone: string, agoMs: number): Promise<Thread | undefined> => {
      const timestamp = String(Math.floor((Date.now() - agoMs) / 1_000));
      await provider.write(number, { phone }, { ...text('Hello'), timestamp });
      await workedThrough(channelId);
      return (await listThreads(channelId)).find(({ externalRef }) => externalRef === phone);
    };
    const late = await write('15550102', 20 * hour);
    const expires = Date.parse(late?.serviceWindow?.expiresAt ?? '') - Date.now();
    t.ok(late?.serviceWindow?.open === true && expires > 3.9 * hour && expires <= 4 * hour, `${expires}`);
    const tooLate = await write('15550103', 25 * hour);
    t.match(tooLate?.serviceWindow, { open: false, expiresAt: null });
    const twice = await write('15550102', 23 * hour);
    t.equal(twice?.serviceWindow?.expiresAt, late?.serviceWindow?.expiresAt, 'nothing moves its end back');
  },
);

t.test('a secret that was replaced is good for a day more', async t => {
  const own = await fixture.newPartnerApp(tenant);
  const channelId = await newChannel();
  const { number, token } = fixture.newNumber();
  const { partnerAppCredentialId } = own;
  await fixture.connect(channelId, { accessToken: token.value, partnerAppCredentialId });
  const params = { metaAppCredentialId: partnerAppCredentialId };
  await person.get('rotatePartnerAppSecret', { params, body: { appSecret: 'a new secret' } });
  const send = (secret: string) => {
    const messages = provider.compose(number, ada, text(secret));
    const body = writeJson(createPayload(number, { messages }));
    return post(channelId, body, sign(body, secret));
  };
  await eventually('new secret', async () => (await send('a new secret')).status === 200);
  t.equal((await send(app.secret)).status, 200);
  await database.query(
    `update partner_apps set previous_app_secret_until = now() where partner_app_credential_id = $1`,
    [partnerAppCredentialId],
  );
  await eventually('end of the old one', async () => (await send(app.secret)).status === 401);
});

t.test('with a thread, what the provider sent of its participant is erased', async t => {
  const { channelId, number } = await connected();
  await provider.write(number, ada, text('Forget me'));
  await provider.write(number, { phone: '15550101' }, text('Keep me'));
  await workedThrough(channelId);
  const kept = async (): Promise<string[]> => {
    const rows = await database.query<{ body: Buffer }>(
      'select body from chatapp_webhooks where channel_id = $1',
      [channelId],
    );
    return rows.map(({ body }) => body.toString());
  };
  t.equal((await kept()).length, 2);
  const thread = (await listThreads(channelId)).find(({ externalRef }) => externalRef === ada.phone);
  await key.get('erasePersonalData', {
    params: { threadId: thread?.threadId ?? '' },
    query: { projectId },
  });
  await erasePersonalData({ database, hash, log: silentLog }, Date.now());
  const left = await kept();
  t.equal(left.length, 1);
  t.match(left[0], 'Keep me');
});

t.test('after an erasure, webhooks from before it bring nothing back', async t => {
  const { channelId, number } = await connected();
  const [known = {}] = provider.compose(number, ada, text('Forget me'));
  const deliver = async (messages: readonly Json[]): Promise<void> => {
    const body = writeJson(createPayload(number, { messages }));
    t.equal((await post(channelId, body)).status, 200);
    await workedThrough(channelId);
  };
  await deliver([known]);
  const [{ threadId } = { threadId: '' }] = await listThreads(channelId);
  await database.query(
    `insert into chatapp_open_webhooks (channel_id, request_id, bytes) select channel_id, request_id, 1 from chatapp_webhooks where channel_id = $1`,
    [channelId],
  );
  await key.get('erasePersonalData', { params: { threadId }, query: { projectId } });
  const services = { database, hash, log: silentLog };
  await erasePersonalData(services, Date.now());
  t.same(
    await database.query('select from chatapp_open_webhooks where channel_id = $1', [channelId]),
    [],
    'a webhook that names no other participant is closed',
  );
  await erasePersonalData(services, Date.now() + 601_000);

  const sentBefore = String(Math.floor(Date.now() / 1_000) - 5);
  await deliver([known, { ...known, id: 'wamid.late', timestamp: sentBefore }]);
  await deliver([{ ...known, from: '15550199' }]);
  t.match(await listThreads(channelId), [{ threadId, externalRef: null, participant: null }]);
  t.same(
    (await listMessages(channelId)).map(({ body }) => body),
    [''],
  );
  const sentAfter = String(Math.ceil(Date.now() / 1_000) + 1);
  await deliver([{ ...known, id: 'wamid.new', timestamp: sentAfter, text: { body: 'Hello again' } }]);
  t.same((await listMessages(channelId)).map(({ body }) => body).sort(), ['', 'Hello again']);
});
