/** Connecting chatapp channels over REST, against a provider that behaves as the real one. */
import t from 'tap';
import type { ChannelChange } from '../../../protocol/resources/channel.ts';
import type { ChatappStatus } from '../../../protocol/resources/chatapp.ts';
import type { ListOf } from '../../node/client.ts';
import { newKey } from '../../node/tenant.ts';
import { eventually } from '../../support/eventually.ts';
import { shareChatapp, startChatapp } from './chatapp-fixture.ts';

const fixture = await shareChatapp(t);
const { provider, database, skein, tenant, app, partnerApp, newChannel, newNumber, connect, connected } =
  fixture;
const { projectId, key, person } = tenant;
const { partnerAppCredentialId } = partnerApp;

const getStatus = (channelId: string) =>
  key.get<ChatappStatus>('getChatappStatus', { params: { channelId } });
const disconnect = (channelId: string) =>
  key.ask<ChatappStatus>('disconnectChatapp', { params: { channelId }, body: { projectId } });

t.test('by a token: the channel is connected, and its webhooks come to it', async t => {
  const channelId = await newChannel();
  const webhookUrl = `${skein.url}/v1/channels/${channelId}/chatapp/webhook`;
  t.match(await getStatus(channelId), {
    status: 'disconnected',
    phoneNumberId: null,
    error: null,
    webhookUrl,
  });
  const { account, number, token } = newNumber();
  const { status, body } = await connect(channelId, { accessToken: token.value });
  t.equal(status, 200);
  t.match(body, {
    channelId,
    status: 'connected',
    wabaId: account.id,
    phoneNumberId: number.id,
    displayPhoneNumber: number.displayPhoneNumber,
    partnerAppCredentialId,
    tokenExpiresAt: null,
    error: null,
  });
  t.strictSame(await getStatus(channelId), body);
  t.equal(number.overrides.get(app.id)?.url, webhookUrl);
  t.match(number.pin, /^\d{6}$/);
  const channel = await key.get<{ status: string }>('getChannel', { params: { channelId } });
  t.equal(channel.status, 'connected');
});

t.test('what became of a channel is told in turn: since when, by whom and why', async t => {
  const channelId = await newChannel();
  const { number, token } = newNumber({ pin: '654321' });
  await connect(channelId, { accessToken: token.value, pin: '123456' });
  await connect(channelId, { accessToken: token.value, pin: '654321' });
  token.revoked = 463;
  await key.get('checkChatappReadiness', { params: { channelId } });
  const list = (query: object = {}) =>
    person.get<ListOf<ChannelChange>>('listChannelChanges', {
      params: { channelId },
      query: { projectId, ...query },
    });
  await eventually(
    'a connection that is lost',
    async () => (await getStatus(channelId)).status === 'error' && (await list()).data.length === 7,
  );
  await disconnect(channelId);
  const { data } = await list();
  const changed = (from: string, to: string, more: object = {}) => ({
    channelId,
    eventName: 'channel.status.changed',
    previousStatus: from,
    status: to,
    error: null,
    actor: { type: 'api_key' },
    ...more,
  });
  const told = data.filter(({ eventName }) => eventName === 'channel.status.changed');
  t.match(told, [
    changed('error', 'disconnected'),
    changed('connected', 'error', { error: { step: null, code: 190 }, actor: { type: 'system' } }),
    changed('connecting', 'connected'),
    changed('error', 'connecting'),
    changed('connecting', 'error', { error: { step: 'register_number', code: 133005 } }),
    changed('disconnected', 'connecting'),
  ]);
  t.equal(told.length, 6);
  const audit = await person.get<ListOf<{ details: object }>>('listAuditLogs', {
    query: { projectId, action: 'channel.status_changed', targetId: channelId },
  });
  t.match(audit.data.at(-1)?.details, { status: 'connecting', previousStatus: 'disconnected' });
  t.match(
    data.filter(each => !told.includes(each)),
    [
      { eventName: 'channel.credential.expired', status: 'error', previousStatus: null },
      { eventName: 'channel.lifecycle.created', status: 'disconnected', previousStatus: null },
    ],
  );
  const { data: events } = await person.get<ListOf<{ eventId: string }>>('listEvents', {
    query: { projectId, eventName: 'channel.status.changed' },
  });
  t.ok(
    told.every(({ eventId }) => events.some(event => event.eventId === eventId)),
    'each is an event',
  );
  const first = await list({ limit: 5 });
  const second = await list({ limit: 5, cursor: first.nextCursor });
  t.strictSame([...first.data, ...second.data], data);
  t.notMatch(JSON.stringify(data), number.pin ?? token.value);
});

t.test('no secret is in the database as it is', async t => {
  const { channelId, number, token } = await connected();
  const [row] = await database.query<{ text: string }>(
    'select c::text as text from channels c where channel_id = $1',
    [channelId],
  );
  for (const secret of [token.value, number.pin, number.overrides.get(app.id)?.verifyToken]) {
    t.ok(secret !== undefined && row !== undefined && !row.text.includes(`"${secret}"`));
  }
});

t.test('by a code, which is exchanged with the partner app', async t => {
  const channelId = await newChannel();
  const { account } = newNumber();
  const token = provider.accounts.addToken(app, account, { expiresAt: 4_000_000_000 });
  const code = provider.accounts.addCode(token, 'https://agency.example/done');
  const { body } = await connect(channelId, { code, redirectUri: 'https://agency.example/done' });
  t.match(body, { status: 'connected', tokenExpiresAt: '2096-10-02T07:06:40.000Z' });
});

t.test('a step that fails is named, with the code of the provider, and the channel says so', async t => {
  const channelId = await newChannel();
  const { account, number, token } = newNumber({ pin: '654321' });
  const refused = await connect(channelId, { accessToken: token.value, pin: '123456' });
  t.match(refused, {
    status: 422,
    body: { error: 'svc/chatapp/connect_failed', details: { step: 'register_number', code: 133005 } },
  });
  t.match(await getStatus(channelId), {
    status: 'error',
    phoneNumberId: null,
    error: { step: 'register_number', code: 133005 },
  });
  t.notOk(account.subscribers.has(app.id), 'and nothing is left of it at the provider');
  const again = await connect(channelId, { accessToken: token.value, pin: '654321' });
  t.match(again.body, { status: 'connected', error: null });
  t.equal(number.overrides.size, 1);
});

t.test('disconnecting takes the number back, and connecting again uses its PIN', async t => {
  const { channelId, account, number, token } = await connected();
  t.match(await connect(channelId, { accessToken: token.value }), { status: 409 }, 'it is connected');
  const { status, body } = await disconnect(channelId);
  t.equal(status, 200);
  t.match(body, { status: 'disconnected', wabaId: null, phoneNumberId: null, partnerAppCredentialId: null });
  t.same([number.overrides.size, account.subscribers.size], [0, 0]);
  t.strictSame((await disconnect(channelId)).body, body, 'again changes nothing');
  number.status = 'PENDING';
  t.equal((await connect(channelId, { accessToken: token.value })).status, 200);
});

t.test('a token that the provider does not accept any more keeps no channel connected', async t => {
  const { channelId, token } = await connected();
  token.revoked = 460;
  t.match(await disconnect(channelId), { status: 200, body: { status: 'disconnected' } });
});

t.test('a node with an app of its own connects without a partner app', async t => {
  const apps: (typeof app)[] = [];
  const own = await startChatapp(t, ({ accounts }) => {
    const added = accounts.addApp();
    apps.push(added);
    return { CHATAPP_APP_ID: added.id, CHATAPP_APP_SECRET: added.secret };
  });
  const [ownApp = app] = apps;
  const channelId = await own.newChannel();
  const account = own.provider.accounts.addAccount();
  const number = own.provider.accounts.addNumber(account);
  const code = own.provider.accounts.addCode(own.provider.accounts.addToken(ownApp, account));
  const connected = await own.connect(channelId, { code, partnerAppCredentialId: undefined });
  t.match(connected.body, { status: 'connected', partnerAppCredentialId: null });
  const message = { type: 'text', text: { body: 'Hello' } };
  const { deliveries } = await own.provider.write(number, { phone: '15550100' }, message);
  t.match(deliveries, [{ delivered: true }], 'signed with the secret of that app');
  const channel = await newChannel();
  t.equal((await connect(channel, { code, partnerAppCredentialId: undefined })).status, 422);
});

t.test('a number has one channel', async t => {
  const first = await connected();
  const channelId = await newChannel();
  const refused = await connect(channelId, { accessToken: first.token.value });
  t.match(refused, {
    status: 409,
    body: { error: 'svc/runtime/conflict', details: { channelId: first.channelId } },
  });
  t.match(await getStatus(channelId), { status: 'error', error: { step: 'find_number', code: null } });
  const other = await skein.tenant();
  await fixture.verify(other);
  const app = await fixture.newPartnerApp(other);
  const foreign = await connect(
    await newChannel(other),
    { accessToken: first.token.value, partnerAppCredentialId: app.partnerAppCredentialId },
    other,
  );
  t.equal(foreign.status, 409);
  t.notMatch(foreign.text, first.channelId, 'which channel it is, is nobody else’s business');
  await disconnect(first.channelId);
  t.equal((await connect(channelId, { accessToken: first.token.value })).status, 200);
});

t.test('of two channels that are connected to one number at once, one is, and gets its events', async t => {
  const { number, token } = newNumber();
  const channels = [await newChannel(), await newChannel()] as const;
  const replies = await Promise.all(channels.map(each => connect(each, { accessToken: token.value })));
  t.same(replies.map(({ status }) => status).sort(), [200, 409]);
  const winner = channels[replies.findIndex(({ status }) => status === 200)] ?? '';
  t.match(number.overrides.get(fixture.app.id)?.url, winner);
});

t.test('a partner app that a channel uses is not revoked', async t => {
  const own = await fixture.newPartnerApp(tenant);
  const params = { metaAppCredentialId: own.partnerAppCredentialId };
  const channelId = await newChannel();
  const { token } = newNumber();
  const given = { accessToken: token.value, partnerAppCredentialId: own.partnerAppCredentialId };
  t.equal((await connect(channelId, given)).status, 200);
  t.match(await person.ask('revokePartnerApp', { params }), {
    status: 409,
    body: {
      error: 'svc/partner_app/in_use',
      details: { channels: [{ channelId, projectId, environmentId: tenant.environmentId, name: 'Chat' }] },
    },
  });
  await disconnect(channelId);
  t.equal((await person.ask('revokePartnerApp', { params })).status, 204);
  t.equal((await connect(channelId, given)).status, 404, 'and one that is revoked is not used');
});

t.test('what is wrong with a request', async t => {
  const channelId = await newChannel();
  const { token } = newNumber();
  const accessToken = token.value;
  const expect = async (given: object, status: number): Promise<void> => {
    t.equal((await connect(channelId, given)).status, status, JSON.stringify(given));
  };
  await expect({}, 422);
  await expect({ accessToken, code: 'both' }, 422);
  await expect({ accessToken, pin: '12345' }, 422);
  await expect({ accessToken, partnerAppCredentialId: undefined }, 422);
  const foreign = await fixture.newPartnerApp(await skein.tenant());
  await expect({ accessToken, partnerAppCredentialId: foreign.partnerAppCredentialId }, 404);
  t.equal((await getStatus(channelId)).status, 'disconnected', 'none of them was an attempt');
  const custom = { params: { channelId: tenant.channelId } };
  t.equal((await connect(tenant.channelId, { accessToken })).status, 409);
  t.equal((await key.ask('getChatappStatus', custom)).status, 409);
  t.equal((await key.ask('disconnectChatapp', { ...custom, body: { projectId } })).status, 409);
});

t.test('whoever connects a channel, or made the key, has a verified e-mail', async t => {
  const other = await skein.tenant();
  const app = await fixture.newPartnerApp(other);
  const channelId = await newChannel(other);
  const { token } = newNumber();
  const given = { accessToken: token.value, partnerAppCredentialId: app.partnerAppCredentialId };
  const body = { projectId: other.projectId, ...given };
  for (const by of [other.key, other.person]) {
    t.match(await by.ask('connectChatapp', { params: { channelId }, body }), {
      status: 403,
      body: { error: 'svc/auth/email_not_verified' },
    });
  }
  await fixture.verify(other);
  const { key: fresh } = await newKey(other.person, other.projectId);
  t.equal((await fresh.ask('connectChatapp', { params: { channelId }, body })).status, 200);
});
