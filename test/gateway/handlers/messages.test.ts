/** Messages over the public API. Isolation, permissions, limits and repetition: test/contract. */
import t from 'tap';
import { derivedId, newId } from '../../../protocol/ids.ts';
import type { Message, MessageDryRun } from '../../../protocol/resources/message.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { Asked, ListOf } from '../../node/client.ts';
import {
  newChannel,
  newThread,
  readThreadEvents,
  receiveMessage,
  sendMessage,
} from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { database } = skein;
const tenant = await skein.tenant();
const { key, person, projectId, environmentId, channelId } = tenant;

const list = async (threadId: string, query: Asked['query'] = {}) =>
  key.get<ListOf<Message>>('listMessages', { params: { threadId }, query });
const readMessage = (threadId: string, messageId: string) =>
  key.get<Message>('getMessage', { params: { threadId, messageId } });
const readThread = (threadId: string) => key.get<Thread>('getThread', { params: { threadId } });
const setStatus = (threadId: string, status: string) =>
  key.get('updateThread', { params: { threadId }, body: { projectId, status } });
const getSequences = async (threadId: string) =>
  (await readThreadEvents(database, threadId)).map(event => event.data['sequence']);

t.test('an outbound message is queued, stored, and requested of its channel', async t => {
  const { threadId } = await newThread(tenant, { channelId, externalRef: 'ana' });
  const fields = {
    body: 'see "this" \u{1f600}\n',
    attachments: [{ kind: 'image', url: 'https://example.com/a.png', metadata: { w: 1 } }],
    metadata: { nested: { a: [1, null] } },
  };
  const { body: sent } = await sendMessage(tenant, threadId, fields);
  t.match(sent, {
    ...fields,
    status: 'queued',
    direction: 'outbound',
    sequence: 2,
    channelId,
    environmentId,
  });
  t.strictSame(sent.actor, { type: 'api_key', id: tenant.apiKeyId });
  t.strictSame(await readMessage(threadId, sent.messageId), sent);
  t.strictSame((await list(threadId)).data, [sent]);
  const events = await readThreadEvents(database, threadId);
  t.strictSame(
    events.map(event => event.eventName),
    ['thread.lifecycle.created', 'thread.message.created', 'channel.message.requested'],
  );
  t.strictSame(events[1]?.data['message'], sent);
  t.equal((await readThread(threadId)).lastMessageAt, sent.createdAt);
});

t.test('the participant, or else the conversation, identifies the thread of an inbound message', async t => {
  const fields = { externalParticipantRef: 'bob', externalThreadRef: 'ticket-7' };
  const { body: received } = await receiveMessage(tenant, channelId, fields);
  const { threadId } = received;
  t.equal(threadId, derivedId('thread', environmentId, channelId, 'bob'));
  t.match(received, { status: null, direction: 'inbound', actor: { type: 'contact', id: 'bob' } });
  const metadata = { externalThreadRef: 'ticket-7' };
  t.match(await readThread(threadId), { externalRef: 'bob', metadata, channelId });
  const again = await receiveMessage(tenant, channelId, { externalParticipantRef: 'bob' });
  t.match(again.body, { threadId, sequence: 3 });
  t.match((await receiveMessage(tenant, channelId, { threadId })).body, { threadId, sequence: 4 });

  const room = await receiveMessage(tenant, channelId, { externalThreadRef: 'room-1' });
  t.equal(room.body.threadId, derivedId('thread', environmentId, channelId, 'room-1'));
  t.match(await readThread(room.body.threadId), { externalRef: 'room-1', metadata: {} });

  const unnamed = await receiveMessage(tenant, channelId, {});
  t.match(unnamed.body.details, { issues: [{ path: '/body/externalParticipantRef', code: 'required' }] });
  const other = await newChannel(tenant);
  const elsewhere = await newThread(tenant, { channelId: other.channelId });
  t.equal((await receiveMessage(tenant, channelId, { threadId: elsewhere.threadId })).status, 404);
  const chatapp = await newChannel(tenant, 'chatapp');
  const posted = await receiveMessage(tenant, chatapp.channelId, { externalParticipantRef: 'x' });
  t.equal(posted.status, 409, 'its messages come from the provider');
});

t.test('of concurrent requests with one Idempotency-Key, one is carried out', async t => {
  const { threadId } = await newThread(tenant);
  const asked = { key: 'out-1' };
  const replies = await Promise.all([1, 2, 3, 4].map(() => sendMessage(tenant, threadId, {}, asked)));
  const succeeded = replies.filter(({ status }) => status === 201);
  t.equal(new Set(succeeded.map(({ text }) => text)).size, 1);
  for (const { status, body } of replies) {
    if (status !== 201) t.match([status, body.error], [409, 'svc/runtime/idempotency_conflict']);
  }
  t.equal((await list(threadId)).data.length, 1);
  t.strictSame(await getSequences(threadId), [1, 2]);
});

t.test('a burst into one thread is numbered without gaps, and can be read around any message', async t => {
  const texts = Array.from({ length: 60 }, (_, i) => `message ${i}`);
  const replies = await Promise.all(
    texts.map((body, i) => {
      const field = i % 3 === 0 ? 'externalParticipantRef' : 'externalThreadRef';
      return receiveMessage(tenant, channelId, { body, [field]: 'burst' });
    }),
  );
  const { threadId } = replies[0]?.body ?? { threadId: '' };
  const sequences = await getSequences(threadId);
  t.strictSame(
    sequences,
    sequences.map((_, i) => i + 1),
  );
  const all = replies.map(({ body }) => body).sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  t.strictSame(all.map(({ body }) => body).sort(), texts.toSorted());
  t.strictSame(await key.all('listMessages', { params: { threadId }, query: { limit: 17 } }), all);
  const at = (index: number) => all[index]?.sequence ?? 0;
  for (const [query, expected] of [
    [{ order: 'desc', limit: 2 }, all.slice(-2).reverse()],
    [{ afterSequence: at(57) }, all.slice(58)],
    [{ afterSequence: at(15), beforeSequence: at(20) }, all.slice(16, 20)],
    [{ beforeSequence: at(5), order: 'desc' }, all.slice(0, 5).reverse()],
  ] as const) {
    t.strictSame((await list(threadId, query)).data, expected, JSON.stringify(query));
  }
  const before = { order: 'desc', limit: 15, beforeSequence: at(20) };
  t.strictSame(
    await key.all('listMessages', { params: { threadId }, query: before }),
    all.slice(0, 20).reverse(),
  );
});

t.test('the sandbox marks an outbound message as sent', async t => {
  const sandbox = await newChannel(tenant, 'sandbox');
  const { threadId } = await newThread(tenant, { channelId: sandbox.channelId, externalRef: 'ana' });
  const { body: sent } = await sendMessage(tenant, threadId);
  t.equal(sent.status, 'queued');
  t.equal((await readMessage(threadId, sent.messageId)).status, 'sent');
});

t.test('a dry run tells whether the message would be accepted, and sends nothing', async t => {
  const dryRun = async (threadId: string) => {
    const asked = { params: { threadId }, query: { dryRun: 'true' }, body: { projectId, body: 'x' } };
    return (await key.ask<MessageDryRun>('createMessage', asked)).body;
  };
  const { threadId } = await newThread(tenant, { channelId });
  t.strictSame(await dryRun(threadId), {
    allowed: true,
    reason: null,
    message: null,
    maxTextLength: 16_000,
    channelId,
    serviceWindow: null,
  });
  await setStatus(threadId, 'archived');
  t.match(await dryRun(threadId), { allowed: false, reason: 'svc/runtime/conflict', message: /archived/ });
  t.equal((await sendMessage(tenant, threadId)).status, 409);
  t.strictSame((await list(threadId)).data, []);

  const { threadId: without } = await newThread(tenant);
  t.match(await dryRun(without), { allowed: true, reason: null, channelId: null });
  t.equal((await sendMessage(tenant, without)).body.status, null, 'no channel delivers it');
});

t.test('a message can be written on behalf of the participant', async t => {
  const { threadId } = await newThread(tenant, { channelId, externalRef: 'zoe' });
  const { body } = await sendMessage(tenant, threadId, { direction: 'inbound' });
  t.match(body, { direction: 'inbound', status: null, actor: { type: 'contact', id: 'zoe' } });
});

t.test('a message of a person reopens a closed thread, one of a program does not', async t => {
  const { threadId } = await newThread(tenant, { channelId });
  await setStatus(threadId, 'closed');
  await sendMessage(tenant, threadId);
  t.equal((await readThread(threadId)).status, 'closed');
  const asked = { params: { threadId }, body: { projectId, body: 'from Studio' } };
  const { actor } = await person.get<Message>('createMessage', asked);
  t.strictSame(actor, { type: 'user', id: tenant.userId });
  t.equal((await readThread(threadId)).status, 'open');
});

t.test('a message is found in its own thread only', async t => {
  const { body } = await receiveMessage(tenant, channelId, { externalParticipantRef: 'x' });
  const { threadId } = await newThread(tenant);
  for (const messageId of [body.messageId, newId('message')]) {
    t.equal((await key.ask('getMessage', { params: { threadId, messageId } })).status, 404);
  }
});
