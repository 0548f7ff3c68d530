/** Channels over the public API. Isolation, permissions, limits and repetition: test/contract. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Channel, ChannelCommand, Simulated } from '../../../protocol/resources/channel.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { ListOf, Refusal } from '../../node/client.ts';
import { newChannel, newThread, readThreadEvents, sendMessage } from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { database } = skein;

t.test('a channel is created, read, changed and listed', async t => {
  const { key, person, projectId, environmentId, channelId: first } = await skein.tenant();
  const create = (kind: string) => {
    const body = { projectId, environmentId, name: 'Support', kind, metadata: { a: 1 } };
    return key.get<Channel>('createChannel', { body });
  };
  const created = await create('custom');
  t.match(created, { kind: 'custom', metadata: { a: 1 }, status: 'connected', defaultAgentId: null });
  const { channelId } = created;
  const params = { channelId };
  t.strictSame(await key.get('getChannel', { params }), created);
  t.strictSame(await person.get('getChannel', { params }), created);
  const change = (fields: object) => key.ask('updateChannel', { params, body: { projectId, ...fields } });
  t.equal((await change({ name: 'Sales' })).body['name'], 'Sales');
  t.match(await key.get('getChannel', { params }), { name: 'Sales', kind: 'custom' });
  t.equal((await change({ defaultAgentId: newId('agent') })).status, 404);
  const select = `select body::jsonb ->> 'eventName' as name from events where channel_id = $1`;
  t.strictSame(await database.query(select, [channelId]), [{ name: 'channel.lifecycle.created' }]);
  const more = [await create('sandbox'), await create('chatapp')] as const;
  t.strictSame(
    more.map(({ status }) => status),
    ['connected', 'disconnected'],
  );
  const listed = await key.all<Channel>('listChannels', { query: { projectId, limit: 2 } });
  t.strictSame(
    listed.map(each => each.channelId),
    [more[1].channelId, more[0].channelId, channelId, first],
  );
});

t.test('the commands of a custom channel stay listed until they are acknowledged', async t => {
  const tenant = await skein.tenant();
  const { key, channelId } = tenant;
  const other = await newChannel(tenant);
  const { threadId } = await newThread(tenant, { channelId, externalRef: 'ana' });
  const list = (query: { limit?: number; cursor?: string } = {}) =>
    key.get<ListOf<ChannelCommand>>('listChannelCommands', { params: { channelId }, query });
  const acknowledge = async (eventId = '', of = channelId) =>
    (await key.ask('acknowledgeChannelCommand', { params: { channelId: of, eventId } })).status;
  const sent: Message[] = [];
  for (let i = 0; i < 5; i++) sent.push((await sendMessage(tenant, threadId, { body: `message ${i}` })).body);
  const { data } = await list();
  t.strictSame(
    data.map(command => (command.data as { message: Message }).message),
    sent,
    'oldest first',
  );
  const eventName = 'channel.message.requested';
  t.match(data[0], { eventName, channelId, data: { externalRef: 'ana', threadId } });
  t.strictSame(data[0]?.data, (await readThreadEvents(database, threadId))[2]?.data);
  const first = await list({ limit: 2 });
  const second = await list({ limit: 2, cursor: first.nextCursor ?? '' });
  t.strictSame([...first.data, ...second.data], data.slice(0, 4));

  const [one, two] = data.map(({ eventId }) => eventId);
  t.strictSame([await acknowledge(one), await acknowledge(one)], [204, 204], 'idempotent');
  t.strictSame((await list()).data, data.slice(1));
  t.strictSame([await acknowledge(two, other.channelId), await acknowledge(newId('event'))], [404, 404]);
  t.strictSame((await list()).data, data.slice(1));
});

t.test('the sandbox simulates the provider', async t => {
  const tenant = await skein.tenant();
  const { key, projectId } = tenant;
  const { channelId } = await newChannel(tenant, 'sandbox');
  const simulate = (event: string, fields: object = {}, of = channelId) =>
    key.ask<Simulated & Refusal>('simulateSandbox', {
      params: { channelId: of },
      body: { projectId, event, ...fields },
    });
  const inbound = { body: 'hi', externalParticipantRef: 'ana', metadata: { a: 1 } };
  const { status, body } = await simulate('inbound', inbound);
  t.equal(status, 202);
  const { threadId = '' } = body;
  const read = (messageId = '') => key.get<Message>('getMessage', { params: { threadId, messageId } });
  t.match(await read(body.messageId), { body: 'hi', direction: 'inbound', metadata: { a: 1 } });

  const { messageId } = (await sendMessage(tenant, threadId)).body;
  t.strictSame((await simulate('delivered', { messageId })).body, { accepted: true, messageId });
  t.equal((await read(messageId)).status, 'delivered');
  await simulate('read', { messageId });
  t.equal((await read(messageId)).status, 'read');
  const lost = (await sendMessage(tenant, threadId)).body;
  await simulate('failed', { messageId: lost.messageId, error: { code: 'x' } });
  t.equal((await read(lost.messageId)).status, 'failed');

  t.strictSame((await simulate('window_expired', { threadId })).body, { accepted: true, threadId });
  t.match((await sendMessage(tenant, threadId)).body.error, 'svc/chatapp/template_required');
  await simulate('inbound', { body: 'still there?', threadId });
  t.equal((await sendMessage(tenant, threadId)).status, 201);
  t.strictSame(
    (await readThreadEvents(database, threadId)).map(event => event.eventName),
    [
      ...['thread.lifecycle.created', 'thread.message.received', 'thread.service_window.opened'],
      ...['thread.message.created', 'channel.message.sent', 'channel.message.delivered'],
      ...['channel.message.read', 'thread.message.created', 'channel.message.sent'],
      ...['channel.message.delivery_failed', 'thread.service_window.closed', 'thread.message.received'],
      ...['thread.service_window.opened', 'thread.message.created', 'channel.message.sent'],
    ],
  );
  for (const [event, fields, path] of [
    ['inbound', { externalParticipantRef: 'ana' }, '/body/body'],
    ['inbound', { body: 'x' }, '/body/externalParticipantRef'],
    ['read', {}, '/body/messageId'],
    ['window_expired', {}, '/body/threadId'],
  ] as const) {
    const refused = await simulate(event, fields);
    t.match([refused.status, refused.body.details], [422, { issues: [{ path, code: 'required' }] }]);
  }
  const fields = { body: 'x', externalParticipantRef: 'a' };
  t.equal((await simulate('inbound', fields, tenant.channelId)).status, 409, 'a custom channel');
  const elsewhere = await newChannel(tenant, 'sandbox');
  t.equal((await simulate('window_expired', { threadId }, elsewhere.channelId)).status, 404);
});
