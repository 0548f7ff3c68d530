import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Channel, ChannelCommand, Simulated } from '../../../protocol/resources/channel.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConversationNode, type ErrorBody, type ListOf } from './conversation-fixture.ts';

const occurredAt = '2026-11-20T12:34:56.000Z';

const { database } = await startTestDatabase(t);

t.test('channels over REST', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const outsider = await node.tenant();
  const { projectId, environmentId, secret } = tenant;
  const read = (channelId: string, bearer = secret) =>
    node.ask<Channel & ErrorBody>('getChannel', bearer, { params: { channelId } });

  t.test('a channel is created, read, changed and listed', async t => {
    const body = { projectId, environmentId, name: 'Support', kind: 'custom', metadata: { a: 1 } };
    const created = await node.ask<Channel>('createChannel', secret, { body });
    t.equal(created.status, 201);
    t.match(created.body, { ...body, status: 'connected', defaultAgentId: null });
    const { channelId } = created.body;
    t.strictSame((await read(channelId)).body, created.body);
    t.strictSame((await read(channelId, tenant.token)).body, created.body);
    const changed = await node.ask<Channel>('updateChannel', secret, {
      params: { channelId },
      body: { projectId, name: 'Sales', metadata: {} },
    });
    t.match(changed.body, { channelId, name: 'Sales', metadata: {}, kind: 'custom' });
    t.strictSame((await read(channelId)).body, changed.body);
    const unknown = { params: { channelId }, body: { projectId, defaultAgentId: newId('agent') } };
    t.equal((await node.ask('updateChannel', secret, unknown)).status, 404);
    const rows = await database.query<{ body: string }>(
      `select body from events where channel_id = $1 and project_id = $2`,
      [channelId, projectId],
    );
    t.strictSame(
      rows.map(row => (JSON.parse(row.body) as { eventName: string }).eventName),
      ['channel.lifecycle.created'],
    );

    const more = [await node.channel(tenant, 'sandbox'), await node.channel(tenant, 'chatapp')];
    t.strictSame(
      more.map(channel => channel.status),
      ['connected', 'disconnected'],
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string | number> = {
        projectId,
        limit: 2,
        ...(cursor === null ? {} : { cursor }),
      };
      const listed: ListOf<Channel> = (await node.ask<ListOf<Channel>>('listChannels', secret, { query }))
        .body;
      seen.push(...listed.data.map(channel => channel.channelId));
      cursor = listed.nextCursor;
    } while (cursor !== null);
    t.strictSame(seen, [more[1]?.channelId, more[0]?.channelId, channelId]);
  });

  t.test('a repeated creation is one channel', async t => {
    const asked = { body: { projectId, environmentId, name: 'Once', kind: 'custom' }, key: 'ch-1' };
    const first = await node.ask<Channel>('createChannel', secret, asked);
    const again = await node.ask<Channel>('createChannel', secret, asked);
    t.strictSame([again.status, again.body], [201, first.body]);
  });

  t.test("another tenant's channel is not there", async t => {
    const theirs = await node.channel(outsider, 'sandbox');
    const params = { channelId: theirs.channelId };
    for (const bearer of [secret, tenant.token]) {
      t.equal((await read(theirs.channelId, bearer)).status, 404);
      for (const [id, asked] of [
        ['updateChannel', { params, body: { projectId, name: 'x' } }],
        ['listChannelCommands', { params }],
        ['acknowledgeChannelCommand', { params: { ...params, eventId: newId('event') } }],
        [
          'recordReceipt',
          { params, body: { projectId, messageId: newId('message'), status: 'read', occurredAt } },
        ],
        [
          'simulateSandbox',
          { params, body: { projectId, event: 'window_expired', threadId: newId('thread') } },
        ],
      ] as const) {
        t.equal((await node.ask(id, bearer, asked)).status, 404, id);
      }
    }
  });
});

t.test('the commands of a custom channel', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { secret } = tenant;
  const { channelId } = await node.channel(tenant, 'custom');
  const other = await node.channel(tenant, 'custom');
  const { threadId } = await node.thread(tenant, { channelId, externalRef: 'ana' });
  const commands = async (query: object = {}) =>
    (
      await node.ask<ListOf<ChannelCommand>>('listChannelCommands', secret, {
        params: { channelId },
        query: { ...query },
      })
    ).body;
  const acknowledge = (eventId: string, channel = channelId) =>
    node.ask('acknowledgeChannelCommand', secret, { params: { channelId: channel, eventId } });

  const sent: Message[] = [];
  for (let i = 0; i < 5; i++) sent.push((await node.send(tenant, threadId, `message ${i}`)).body);
  const { data } = await commands();
  t.strictSame(
    data.map(command => (command.data as { message: Message }).message),
    sent,
    'oldest first',
  );
  t.match(data[0], {
    eventName: 'channel.message.requested',
    channelId,
    data: { externalRef: 'ana', threadId },
  });
  const events = await node.getEvents(threadId);
  t.strictSame(data[0]?.data, events[2]?.data, 'the command is the event');

  const first = await commands({ limit: 2 });
  const second = await commands({ limit: 2, cursor: first.nextCursor ?? '' });
  t.strictSame([...first.data, ...second.data], data.slice(0, 4));

  const [one, two] = data.map(command => command.eventId);
  t.equal((await acknowledge(one ?? '')).status, 204);
  t.equal((await acknowledge(one ?? '')).status, 204, 'twice is as once');
  t.strictSame((await commands()).data, data.slice(1));
  t.equal((await acknowledge(two ?? '', other.channelId)).status, 404, 'by its own channel only');
  t.equal((await acknowledge(newId('event'))).status, 404);
  t.equal((await acknowledge(events[1] === undefined ? '' : newId('event'))).status, 404);
  t.strictSame((await commands()).data, data.slice(1));
});

t.test('the sandbox plays the provider', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, secret } = tenant;
  const { channelId } = await node.channel(tenant, 'sandbox');
  const simulate = (event: string, more: object = {}, channel = channelId) =>
    node.ask<Simulated & ErrorBody>('simulateSandbox', secret, {
      params: { channelId: channel },
      body: { projectId, event, ...more },
    });

  const inbound = await simulate('inbound', {
    body: 'hi',
    externalParticipantRef: 'ana',
    metadata: { a: 1 },
  });
  t.equal(inbound.status, 202);
  const { threadId = '', messageId = '' } = inbound.body;
  const read = async (id: string) =>
    (await node.ask<Message>('getMessage', secret, { params: { threadId, messageId: id } })).body;
  t.match(await read(messageId), { body: 'hi', direction: 'inbound', metadata: { a: 1 } });

  const sent = (await node.send(tenant, threadId)).body;
  t.strictSame((await simulate('delivered', { messageId: sent.messageId })).body, {
    accepted: true,
    messageId: sent.messageId,
  });
  t.equal((await read(sent.messageId)).status, 'delivered');
  await simulate('read', { messageId: sent.messageId });
  t.equal((await read(sent.messageId)).status, 'read');
  const lost = (await node.send(tenant, threadId)).body;
  await simulate('failed', { messageId: lost.messageId, error: { code: 'x' } });
  t.equal((await read(lost.messageId)).status, 'failed');

  t.strictSame((await simulate('window_expired', { threadId })).body, { accepted: true, threadId });
  const refused = await node.send(tenant, threadId);
  t.match(
    [refused.status, (refused.body as unknown as ErrorBody).error],
    [409, 'svc/chatapp/template_required'],
  );
  await simulate('inbound', { body: 'still there?', threadId });
  t.equal((await node.send(tenant, threadId)).status, 201);
  t.strictSame(
    (await node.getEvents(threadId)).map(event => event.eventName),
    [
      'thread.lifecycle.created',
      'thread.message.received',
      'thread.service_window.opened',
      'thread.message.created',
      'channel.message.sent',
      'channel.message.delivered',
      'channel.message.read',
      'thread.message.created',
      'channel.message.sent',
      'channel.message.delivery_failed',
      'thread.service_window.closed',
      'thread.message.received',
      'thread.service_window.opened',
      'thread.message.created',
      'channel.message.sent',
    ],
  );

  for (const [event, more, path] of [
    ['inbound', { externalParticipantRef: 'ana' }, '/body/body'],
    ['inbound', { body: 'x' }, '/body/externalParticipantRef'],
    ['read', {}, '/body/messageId'],
    ['window_expired', {}, '/body/threadId'],
  ] as const) {
    const { status, body } = await simulate(event, more);
    t.equal(status, 422);
    t.match(body.details, { issues: [{ path, code: 'required' }] });
  }
  const custom = await node.channel(tenant, 'custom');
  t.equal(
    (await simulate('inbound', { body: 'x', externalParticipantRef: 'a' }, custom.channelId)).status,
    409,
  );
  const elsewhere = await node.channel(tenant, 'sandbox');
  t.equal((await simulate('window_expired', { threadId }, elsewhere.channelId)).status, 404);
});
