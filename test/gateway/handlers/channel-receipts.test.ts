/** Receipts of a custom channel over the public API. Their rules: test/actors/thread/decide-receipts.test.ts. */
import t from 'tap';
import type { Message } from '../../../protocol/resources/message.ts';
import type { Asked, Refusal } from '../../node/client.ts';
import {
  newChannel,
  newThread,
  readThreadEvents,
  receiveMessage,
  sendMessage,
} from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';

const occurredAt = '2026-11-20T12:34:56.000Z';
const skein = await shareSkein(t);
const { database } = skein;
const tenant = await skein.tenant();
const { key, projectId, channelId } = tenant;
const { threadId } = await newThread(tenant, { channelId, externalRef: 'ana' });

const report = async (receipt: object, of = channelId, asked: Asked = {}) => {
  const body = { projectId, occurredAt, ...receipt };
  return (await key.ask<Refusal>('recordReceipt', { params: { channelId: of }, body, ...asked })).status;
};
const send = async () => (await sendMessage(tenant, threadId)).body.messageId;
const read = (messageId: string) => key.get<Message>('getMessage', { params: { threadId, messageId } });
const getReceipts = async (messageId: string) =>
  (await readThreadEvents(database, threadId)).flatMap(({ eventName, data }) =>
    /^channel\.message\.(?!requested)/.test(eventName) && (data['message'] as Message).messageId === messageId
      ? [eventName.slice('channel.message.'.length)]
      : [],
  );
const countParked = async () =>
  (await database.query('select from parked_receipts where channel_id = $1', [channelId])).length;

t.test('a receipt moves the status forward only, and a failure is final', async t => {
  const messageId = await send();
  for (const status of ['sent', 'sent', 'read', 'delivered', 'failed'])
    t.equal(await report({ messageId, status }), 202);
  t.equal((await read(messageId)).status, 'read');
  t.strictSame(await getReceipts(messageId), ['sent', 'read']);

  const failed = await send();
  const error = { code: '131026', message: 'undeliverable' };
  await report({ messageId: failed, status: 'failed', error });
  await report({ messageId: failed, status: 'read' });
  t.equal((await read(failed)).status, 'failed');
  t.match((await readThreadEvents(database, threadId)).at(-1)?.data, { error, occurredAt });
});

t.test('a receipt with both ids links them, and the external id suffices from then on', async t => {
  const messageId = await send();
  await report({ messageId, externalMessageId: 'w-1', status: 'sent' });
  await report({ externalMessageId: 'w-1', status: 'delivered' });
  t.match(await read(messageId), { externalMessageId: 'w-1', status: 'delivered' });
  t.equal(await report({ messageId, externalMessageId: 'w-2', status: 'read' }), 409);
  const other = await send();
  t.equal(await report({ messageId: other, externalMessageId: 'w-1', status: 'sent' }), 409);
  t.match(await read(other), { externalMessageId: null, status: 'queued' });
});

t.test('a receipt of an unknown external id waits for its message', async t => {
  for (const status of ['delivered', 'read', 'read'])
    t.equal(await report({ externalMessageId: 'w-early', status }), 202);
  t.equal(await countParked(), 2);
  const messageId = await send();
  await report({ messageId, externalMessageId: 'w-early', status: 'sent' });
  t.match(await read(messageId), { externalMessageId: 'w-early', status: 'read' });
  t.strictSame(await getReceipts(messageId), ['sent', 'delivered', 'read']);
  t.equal(await countParked(), 0);
});

t.test('concurrent links and receipts lose nothing, and repeat no event', async t => {
  const messageIds = await Promise.all(Array.from({ length: 20 }, send));
  await Promise.all(
    messageIds.flatMap((messageId, i) => {
      const externalMessageId = `race-${i}`;
      const linked = report({ messageId, externalMessageId, status: 'sent' }, channelId, {
        key: `link-${i}`,
      });
      const later = ['delivered', 'read', 'delivered'].map(status => report({ externalMessageId, status }));
      return [linked, ...later];
    }),
  );
  for (const messageId of messageIds) {
    t.equal((await read(messageId)).status, 'read');
    const seen = await getReceipts(messageId);
    t.strictSame(
      seen,
      ['sent', 'delivered', 'read'].filter(status => seen.includes(status)),
      'each once, in order',
    );
  }
  t.equal(await countParked(), 0);
  const sequences = (await readThreadEvents(database, threadId)).map(({ data }) => data['sequence']);
  t.strictSame(
    sequences,
    sequences.map((_, i) => i + 1),
  );
});

t.test('a receipt needs an outbound message of a custom channel', async t => {
  const messageId = await send();
  t.equal(await report({ status: 'sent' }), 422, 'no id');
  const [custom, chatapp] = [await newChannel(tenant), await newChannel(tenant, 'chatapp')];
  t.equal(await report({ messageId, status: 'sent' }, custom.channelId), 404);
  t.equal(await report({ messageId, status: 'sent' }, chatapp.channelId), 409);
  const { body: inbound } = await receiveMessage(tenant, channelId, { threadId });
  t.equal(await report({ messageId: inbound.messageId, status: 'read' }), 409);
});
