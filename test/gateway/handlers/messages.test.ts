import t from 'tap';
import { derivedId, newId } from '../../../protocol/ids.ts';
import type { Message, MessageDryRun } from '../../../protocol/resources/message.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConversationNode, type ErrorBody, type ListOf } from './conversation-fixture.ts';

const { database } = await startTestDatabase(t);

t.test('messages over REST', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const outsider = await node.tenant();
  const { projectId, environmentId, secret } = tenant;
  const { channelId } = await node.channel(tenant, 'custom');

  const list = (threadId: string, query: object = {}, bearer = secret) =>
    node.ask<ListOf<Message> & ErrorBody>('listMessages', bearer, {
      params: { threadId },
      query: { ...query },
    });
  const read = (threadId: string, messageId: string, bearer = secret) =>
    node.ask<Message & ErrorBody>('getMessage', bearer, { params: { threadId, messageId } });
  const readThread = async (threadId: string) =>
    (await node.ask<Thread>('getThread', secret, { params: { threadId } })).body;

  t.test('an outbound message is queued, stored, and asked of its channel', async t => {
    const { threadId } = await node.thread(tenant, { channelId, externalRef: 'ana' });
    const attachments = [{ kind: 'image', url: 'https://example.com/a.png', metadata: { w: 1 } }];
    const sent = await node.send(tenant, threadId, 'see "this" \u{1f600}\n', {
      body: {
        projectId,
        body: 'see "this" \u{1f600}\n',
        attachments,
        metadata: { nested: { a: [1, null] } },
      },
    });
    t.equal(sent.status, 201);
    t.match(sent.body, {
      status: 'queued',
      direction: 'outbound',
      sequence: 2,
      channelId,
      environmentId,
      attachments,
    });
    t.strictSame(sent.body.actor, { type: 'api_key', id: tenant.apiKeyId });
    t.strictSame((await read(threadId, sent.body.messageId)).body, sent.body);
    t.strictSame((await list(threadId)).body.data, [sent.body]);
    const events = await node.getEvents(threadId);
    t.strictSame(
      events.map(event => event.eventName),
      ['thread.lifecycle.created', 'thread.message.created', 'channel.message.requested'],
    );
    t.strictSame(events[1]?.data.message, sent.body);
    t.equal((await readThread(threadId)).lastMessageAt, sent.body.createdAt);
  });

  t.test('an inbound message makes its thread by the participant', async t => {
    const received = await node.inbound(tenant, channelId, {
      externalParticipantRef: 'bob',
      externalThreadRef: 'ticket-7',
    });
    t.equal(received.status, 201);
    const { threadId } = received.body;
    t.equal(threadId, derivedId('thread', environmentId, channelId, 'bob'));
    t.match(received.body, { status: null, direction: 'inbound', actor: { type: 'contact', id: 'bob' } });
    t.match(await readThread(threadId), {
      externalRef: 'bob',
      metadata: { externalThreadRef: 'ticket-7' },
      channelId,
    });
    const again = await node.inbound(tenant, channelId, { externalParticipantRef: 'bob' });
    t.match(again.body, { threadId, sequence: 3 });
    const byId = await node.inbound(tenant, channelId, { threadId });
    t.match(byId.body, { threadId, sequence: 4 });
  });

  t.test('the conversation’s own name serves where no participant is given', async t => {
    const received = await node.inbound(tenant, channelId, { externalThreadRef: 'room-1' });
    t.equal(received.body.threadId, derivedId('thread', environmentId, channelId, 'room-1'));
    t.match(await readThread(received.body.threadId), { externalRef: 'room-1', metadata: {} });
  });

  t.test('an inbound message has to say whose it is', async t => {
    const refused = (await node.inbound(tenant, channelId, {})) as unknown as {
      status: number;
      body: ErrorBody;
    };
    t.equal(refused.status, 422);
    t.match(refused.body.details, { issues: [{ path: '/body/externalParticipantRef', code: 'required' }] });
  });

  t.test('a thread of another channel, or of nobody, does not receive', async t => {
    const other = await node.channel(tenant, 'custom');
    const { threadId } = await node.thread(tenant, { channelId: other.channelId });
    t.equal((await node.inbound(tenant, channelId, { threadId })).status, 404);
    t.equal((await node.inbound(tenant, channelId, { threadId: newId('thread') })).status, 404);
    const theirs = await node.channel(outsider, 'custom');
    t.equal((await node.inbound(tenant, theirs.channelId, { externalParticipantRef: 'x' })).status, 404);
    t.equal((await node.inbound(tenant, newId('channel'), { externalParticipantRef: 'x' })).status, 404);
  });

  t.test('a chatapp channel has its messages from its provider', async t => {
    const chatapp = await node.channel(tenant, 'chatapp');
    t.equal(chatapp.status, 'disconnected');
    t.equal((await node.inbound(tenant, chatapp.channelId, { externalParticipantRef: 'x' })).status, 409);
  });

  t.test('a repeated message is one message', async t => {
    const first = await node.inbound(tenant, channelId, { externalParticipantRef: 'eve' }, 'in-1');
    const again = await node.inbound(tenant, channelId, { externalParticipantRef: 'eve' }, 'in-1');
    t.strictSame([again.status, again.text], [201, first.text]);
    t.equal(again.headers.get('idempotent-replayed'), 'true');
    const { threadId } = first.body;
    const asked = { key: 'out-1' };
    const replies = await Promise.all([1, 2, 3, 4].map(() => node.send(tenant, threadId, 'once', asked)));
    const won = replies.filter(reply => reply.status === 201);
    t.ok(won.length >= 1);
    t.equal(new Set(won.map(reply => reply.text)).size, 1);
    for (const { status, body } of replies.filter(reply => reply.status !== 201)) {
      t.match([status, (body as unknown as ErrorBody).error], [409, 'svc/runtime/idempotency_conflict']);
    }
    t.equal((await list(threadId)).body.data.length, 2);
    const other = await node.send(tenant, threadId, 'twice', asked);
    t.equal(other.status, 409);
    t.strictSame(
      (await node.getEvents(threadId)).map(event => event.data.sequence),
      [1, 2, 3, 4],
      'and the sequence has no gap',
    );
  });

  t.test('a burst into one thread is numbered without gaps, and each message is itself', async t => {
    const texts = Array.from({ length: 60 }, (_, i) => `message ${i}`);
    const replies = await Promise.all(
      texts.map((body, i) =>
        i % 3 === 0
          ? node.inbound(tenant, channelId, { body, externalParticipantRef: 'burst' })
          : node.inbound(tenant, channelId, { body, externalThreadRef: 'burst' }),
      ),
    );
    t.ok(replies.every(reply => reply.status === 201));
    const threadId = replies[0]?.body.threadId ?? '';
    const events = await node.getEvents(threadId);
    t.strictSame(
      events.map(event => event.data.sequence),
      events.map((_, i) => i + 1),
    );
    const seen: Message[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await list(threadId, { limit: 17, ...(cursor === null ? {} : { cursor }) });
      seen.push(...body.data);
      cursor = body.nextCursor;
    } while (cursor !== null);
    const bySequence = replies.map(reply => reply.body).sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
    t.strictSame(seen, bySequence);
    t.strictSame(seen.map(message => message.body).sort(), [...texts].sort());
    const newest = await list(threadId, { order: 'desc', limit: 2 });
    t.strictSame(newest.body.data, bySequence.slice(-2).reverse());
    const after = await list(threadId, { afterSequence: bySequence[57]?.sequence });
    t.strictSame(after.body.data, bySequence.slice(58));
    const back = await list(threadId, { order: 'desc', limit: 1, afterSequence: bySequence[57]?.sequence });
    const last = await list(threadId, {
      order: 'desc',
      limit: 1,
      afterSequence: bySequence[57]?.sequence,
      cursor: back.body.nextCursor ?? '',
    });
    t.strictSame([last.body.data, last.body.hasMore], [[bySequence[58]], false]);
    // Around a message: those before it, newest first and over two pages, and those between two.
    const beforeSequence = bySequence[20]?.sequence;
    const before = await list(threadId, { order: 'desc', limit: 15, beforeSequence });
    const rest = await list(threadId, {
      order: 'desc',
      beforeSequence,
      cursor: before.body.nextCursor ?? '',
    });
    t.strictSame([...before.body.data, ...rest.body.data], bySequence.slice(0, 20).reverse());
    const between = await list(threadId, { afterSequence: bySequence[15]?.sequence, beforeSequence });
    t.strictSame([between.body.data, between.body.hasMore], [bySequence.slice(16, 20), false]);
  });

  t.test('sandbox: what goes out loops back as sent', async t => {
    const sandbox = await node.channel(tenant, 'sandbox');
    const { threadId } = await node.thread(tenant, { channelId: sandbox.channelId, externalRef: 'ana' });
    const sent = await node.send(tenant, threadId);
    t.equal(sent.body.status, 'queued');
    t.equal((await read(threadId, sent.body.messageId)).body.status, 'sent');
  });

  t.test('a dry run says whether, and sends nothing', async t => {
    const { threadId } = await node.thread(tenant, { channelId });
    const askWhether = () =>
      node.ask<MessageDryRun>('createMessage', secret, {
        params: { threadId },
        query: { dryRun: 'true' },
        body: { projectId, body: 'x' },
      });
    t.strictSame((await askWhether()).body, {
      allowed: true,
      reason: null,
      message: null,
      maxTextLength: 16_000,
      channelId,
      serviceWindow: null,
    });
    await node.ask('updateThread', secret, { params: { threadId }, body: { projectId, status: 'archived' } });
    const refused = await askWhether();
    t.equal(refused.status, 200);
    t.match(refused.body, { allowed: false, reason: 'svc/runtime/conflict', message: /archived/ });
    t.equal((await node.send(tenant, threadId)).status, 409);
    t.strictSame((await list(threadId)).body.data, []);
  });

  t.test('of a thread without a channel the dry run says so, as the message does', async t => {
    const { threadId } = await node.thread(tenant, {});
    const dryRun = await node.ask<MessageDryRun>('createMessage', secret, {
      params: { threadId },
      query: { dryRun: 'true' },
      body: { projectId, body: 'x' },
    });
    t.match(dryRun.body, { allowed: true, reason: null, channelId: null });
    t.equal((await node.send(tenant, threadId)).body.status, null);
  });

  t.test('a message may be written into the thread as the participant’s', async t => {
    const { threadId } = await node.thread(tenant, { channelId, externalRef: 'zoe' });
    const body = { projectId, body: 'by phone', direction: 'inbound' };
    const received = await node.ask<Message>('createMessage', secret, { params: { threadId }, body });
    t.match(received.body, { direction: 'inbound', status: null, actor: { type: 'contact', id: 'zoe' } });
  });

  t.test('a human’s message opens a closed thread', async t => {
    const { threadId } = await node.thread(tenant, { channelId });
    await node.ask('updateThread', secret, { params: { threadId }, body: { projectId, status: 'closed' } });
    await node.send(tenant, threadId);
    t.equal((await readThread(threadId)).status, 'closed');
    const body = { projectId, body: 'from Studio' };
    const human = await node.ask<Message>('createMessage', tenant.token, { params: { threadId }, body });
    t.strictSame(human.body.actor, { type: 'user', id: tenant.userId });
    t.equal((await readThread(threadId)).status, 'open');
  });

  t.test("another tenant's messages are not there", async t => {
    const theirs = await node.channel(outsider, 'custom');
    const { body } = await node.inbound(outsider, theirs.channelId, { externalParticipantRef: 'x' });
    const { threadId, messageId } = body;
    for (const bearer of [secret, tenant.token]) {
      t.equal((await list(threadId, {}, bearer)).status, 404);
      t.equal((await read(threadId, messageId, bearer)).status, 404);
      const asked = { params: { threadId }, body: { projectId, body: 'x' } };
      t.equal((await node.ask('createMessage', bearer, asked)).status, 404);
    }
    const mine = await node.thread(tenant);
    t.equal((await read(mine.threadId, messageId)).status, 404);
    t.strictSame((await list(mine.threadId)).body.data, []);
    t.equal((await list(newId('thread'))).status, 404);
  });
});

t.test('what was committed is there after the node has gone, and the sequence goes on', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { channelId } = await node.channel(tenant, 'sandbox');
  const first = await node.inbound(tenant, channelId, { externalParticipantRef: 'ana' });
  const { threadId } = first.body;
  const before = await node.ask<Thread>('getThread', tenant.secret, { params: { threadId } });
  t.match(before.body.serviceWindow, { open: true });

  await node.restart(60_000);
  const second = await node.inbound(tenant, channelId, { externalParticipantRef: 'ana' });
  t.match(second.body, { threadId, sequence: 4 });

  t.test('and so are its reminders: a window closes on whichever node comes next', async t => {
    await node.restart(48 * 3_600_000);
    await node.seen('thread.service_window.closed');
    const after = await node.ask<Thread>('getThread', tenant.secret, { params: { threadId } });
    t.match(after.body.serviceWindow, { open: false });
    const refused = await node.send(tenant, threadId);
    t.match(
      [refused.status, (refused.body as unknown as ErrorBody).error],
      [409, 'svc/chatapp/template_required'],
    );
  });
});
