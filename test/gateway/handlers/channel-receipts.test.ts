import t from 'tap';
import type { Receipt } from '../../../actors/channel/providers.ts';
import { reportReceipts } from '../../../actors/channel/receipts.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { ActorRef } from '../../../runtime/actor/actor.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConversationNode, type ErrorBody } from './conversation-fixture.ts';

const occurredAt = '2026-11-20T12:34:56.000Z';
const { database } = await startTestDatabase(t);

t.test('receipts of a custom channel', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, secret } = tenant;
  const { channelId, environmentId } = await node.channel(tenant, 'custom');
  const { threadId } = await node.thread(tenant, { channelId, externalRef: 'ana' });

  const report = (receipt: object, channel = channelId) =>
    node.ask<ErrorBody>('recordReceipt', secret, {
      params: { channelId: channel },
      body: { projectId, occurredAt, ...receipt },
    });
  const read = async (messageId: string) =>
    (await node.ask<Message>('getMessage', secret, { params: { threadId, messageId } })).body;
  const getReceipts = async (messageId: string) =>
    (await node.getEvents(threadId))
      .filter(
        ({ eventName, data }) =>
          /^channel\.message\.(?!requested)/.test(eventName) &&
          (data.message as Message).messageId === messageId,
      )
      .map(({ eventName }) => eventName.slice('channel.message.'.length));
  const sequence = async () => (await node.getEvents(threadId)).map(({ data }) => data.sequence);
  const parked = async () => (await database.query('select from parked_receipts')).length;

  t.test('by our id, forwards only', async t => {
    const { messageId } = (await node.send(tenant, threadId)).body;
    for (const status of ['sent', 'sent', 'read', 'delivered', 'failed']) {
      t.strictSame([(await report({ messageId, status })).status], [202]);
    }
    t.equal((await read(messageId)).status, 'read');
    t.strictSame(await getReceipts(messageId), ['sent', 'read']);
  });

  t.test('a failure is final, and tells why', async t => {
    const { messageId } = (await node.send(tenant, threadId)).body;
    const error = { code: '131026', message: 'undeliverable' };
    await report({ messageId, status: 'failed', error });
    await report({ messageId, status: 'read' });
    t.equal((await read(messageId)).status, 'failed');
    t.match((await node.getEvents(threadId)).at(-1)?.data, { error, occurredAt });
  });

  t.test('both ids link them, and from then on the provider’s will do', async t => {
    const { messageId } = (await node.send(tenant, threadId)).body;
    await report({ messageId, externalMessageId: 'w-1', status: 'sent' });
    t.match(await read(messageId), { externalMessageId: 'w-1', status: 'sent' });
    await report({ externalMessageId: 'w-1', status: 'delivered' });
    t.match(await read(messageId), { externalMessageId: 'w-1', status: 'delivered' });
    t.equal((await report({ messageId, externalMessageId: 'w-2', status: 'read' })).status, 409);
    const other = (await node.send(tenant, threadId)).body.messageId;
    t.equal(
      (await report({ messageId: other, externalMessageId: 'w-1', status: 'sent' })).status,
      409,
      'taken',
    );
    t.match(await read(other), { externalMessageId: null, status: 'queued' });
    t.equal((await report({ messageId: other, status: 'sent' })).status, 202);
    t.equal(await parked(), 0);
  });

  t.test('a receipt that comes before its message is known waits for it', async t => {
    t.equal((await report({ externalMessageId: 'w-early', status: 'delivered' })).status, 202);
    t.equal((await report({ externalMessageId: 'w-early', status: 'read' })).status, 202);
    t.equal((await report({ externalMessageId: 'w-early', status: 'read' })).status, 202);
    t.equal(await parked(), 2);
    const { messageId } = (await node.send(tenant, threadId)).body;
    await report({ messageId, externalMessageId: 'w-early', status: 'sent' });
    t.match(await read(messageId), { externalMessageId: 'w-early', status: 'read' });
    t.strictSame(await getReceipts(messageId), ['sent', 'delivered', 'read']);
    t.equal(await parked(), 0);
  });

  t.test('what is parked while the link is being committed stays for whoever looks next', async t => {
    const { messageId } = (await node.send(tenant, threadId)).body;
    await report({ externalMessageId: 'w-between', status: 'delivered' });
    let links = 0;
    const ask = async (to: ActorRef, command: string, payload: unknown) => {
      if (links++ === 0) await report({ externalMessageId: 'w-between', status: 'read' });
      const reply = await node.askActor(to, command, payload);
      if (links === 1) t.equal(await parked(), 1, 'only what was read is taken out');
      return reply;
    };
    const receipt: Receipt = { status: 'sent', occurredAt };
    await reportReceipts(
      { db: database, ask },
      {
        projectId,
        environmentId,
        channelId,
        messageId,
        externalMessageId: 'w-between',
        receipts: [receipt],
        author: { type: 'system', id: null },
      },
    );
    t.equal((await read(messageId)).status, 'read');
    t.strictSame(await getReceipts(messageId), ['sent', 'delivered', 'read']);
    t.equal(await parked(), 0);
  });

  t.test('whichever of link and receipt is first, none is lost', async t => {
    const messages = await Promise.all(Array.from({ length: 20 }, () => node.send(tenant, threadId)));
    await Promise.all(
      messages.flatMap(({ body: { messageId } }, i) => [
        report({ messageId, externalMessageId: `race-${i}`, status: 'sent' }),
        report({ externalMessageId: `race-${i}`, status: 'delivered' }),
        report({ externalMessageId: `race-${i}`, status: 'read' }),
        report({ externalMessageId: `race-${i}`, status: 'delivered' }),
      ]),
    );
    for (const { body } of messages) t.equal((await read(body.messageId)).status, 'read');
    for (const { body } of messages) {
      const seen = await getReceipts(body.messageId);
      t.strictSame(
        seen,
        ['sent', 'delivered', 'read'].filter(status => seen.includes(status)),
        'each once, in order',
      );
      t.equal(seen.at(-1), 'read');
    }
    t.equal(await parked(), 0);
    const numbers = await sequence();
    t.strictSame(
      numbers,
      numbers.map((_, i) => i + 1),
    );
  });

  t.test('concurrent receipts of one message have one event each', async t => {
    const { messageId } = (await node.send(tenant, threadId)).body;
    const statuses = ['sent', 'delivered', 'read'];
    const replies = await Promise.all(
      [...statuses, ...statuses, ...statuses].map(status => report({ messageId, status })),
    );
    t.ok(replies.every(reply => reply.status === 202));
    const seen = await getReceipts(messageId);
    t.equal(new Set(seen).size, seen.length);
    t.equal((await read(messageId)).status, 'read');
  });

  t.test('keyed receipts of many messages at once: those that were accepted are recorded', async t => {
    const sent: string[] = [];
    for (let i = 0; i < 20; i++) sent.push((await node.send(tenant, threadId)).body.messageId);
    const accepted = await Promise.all(
      sent.map(async (messageId, i) => {
        const body = { projectId, occurredAt, messageId, status: 'delivered' };
        const asked = { params: { channelId }, body, key: `receipt-${i}` };
        for (;;) {
          const { status } = await node.ask<ErrorBody>('recordReceipt', secret, asked);
          if (status !== 503) return status;
        }
      }),
    );
    t.same(new Set(accepted), new Set([202]));
    for (const messageId of sent) t.equal((await read(messageId)).status, 'delivered');
  });

  t.test('what has no message is not there, and what is unclear is refused', async t => {
    t.equal((await report({ messageId: newId('message'), status: 'sent' })).status, 404);
    const unclear = await report({ status: 'sent' });
    t.match([unclear.status, unclear.body.error], [422, 'svc/validation/invalid_request']);
    const other = await node.channel(tenant, 'custom');
    const { messageId } = (await node.send(tenant, threadId)).body;
    t.equal((await report({ messageId, status: 'sent' }, other.channelId)).status, 404);
    const inbound = await node.inbound(tenant, channelId, { threadId });
    t.equal((await report({ messageId: inbound.body.messageId, status: 'read' })).status, 409);
    const chatapp = await node.channel(tenant, 'chatapp');
    t.equal((await report({ messageId, status: 'sent' }, chatapp.channelId)).status, 409);
  });

  t.test('a parked receipt whose message came unseen is applied by the reminder', async t => {
    const { messageId } = (await node.send(tenant, threadId)).body;
    await report({ externalMessageId: 'w-late', status: 'delivered' });
    // As if the one who linked had died before looking for parked receipts.
    await database.query('update messages set external_message_id = $1 where message_id = $2', [
      'w-late',
      messageId,
    ]);
    const before = node.events.length;
    await node.restart(120_000);
    await node.seen('channel.message.delivered', before);
    t.equal((await read(messageId)).status, 'delivered');
    t.equal(await parked(), 0);
  });
});
