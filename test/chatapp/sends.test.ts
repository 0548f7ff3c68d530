/** Messages that leave for the chat provider: taken once, refused in every way, and what is reported of them afterwards. */
import t from 'tap';
import type { Message, MessageDryRun } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { startChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import type { ListOf } from '../node/client.ts';
import { createPayload, type Json, type SentMessage } from '../support/chatapp-provider/index.ts';
import { eventually } from '../support/eventually.ts';

const fixture = await startChatapp(t);
const { provider, database, tenant, connected } = fixture;
const { projectId, key, person } = tenant;
const { faults, messages: taken } = provider;

/** A participant has written to a channel of their own. */
async function talking(phone = '15550100') {
  const channel = await connected();
  const { id } = await provider.write(channel.number, { phone }, { type: 'text', text: { body: 'Hello' } });
  const threads = () =>
    person.all<Thread>('listThreads', { query: { projectId, channelId: channel.channelId } });
  await eventually('a thread', async () => (await threads()).length === 1);
  const [{ threadId } = { threadId: '' }] = await threads();
  const params = { threadId };
  const ask = (body: object, query: object = {}) =>
    key.ask<Message>('createMessage', { params, query: { ...query }, body: { projectId, ...body } });
  const read = async (messageId: string): Promise<Message> =>
    key.get<Message>('getMessage', { params: { threadId, messageId } });
  const send = async (body: object): Promise<Message> => {
    const reply = await ask(body);
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.body;
  };
  /** Sends it, and waits for what becomes of it. */
  const settle = async (body: object, status = 'sent'): Promise<Message> => {
    const { messageId } = await send(body);
    await hasStatus(messageId, status);
    return read(messageId);
  };
  const hasStatus = (messageId: string, status: string) =>
    eventually(`${messageId} ${status}`, async () => (await read(messageId)).status === status);
  const inbound = (await key.all<Message>('listMessages', { params })).find(
    ({ externalMessageId }) => externalMessageId === id,
  );
  return { ...channel, threadId, params, phone, inbound, ask, read, send, settle, hasStatus };
}

const atProvider = (messageId: string): SentMessage[] =>
  taken.sent.filter(({ callbackData }) => callbackData === messageId);

/** Everything that has come to the channel is worked through. */
const workedThrough = (channelId: string) =>
  eventually('webhooks worked through', async () => {
    const query = 'select from chatapp_open_webhooks where channel_id = $1';
    return (await database.query(query, [channelId])).length === 0;
  });

const openSends = (channelId: string) =>
  database.query<{ status: string; attempts: number }>(
    'select status, attempts from chatapp_sends where channel_id = $1',
    [channelId],
  );

async function eventNames(messageId: string, threadId: string): Promise<string[]> {
  const { data } = await person.get<ListOf<{ eventName: string; data: { message?: Message } }>>(
    'listEvents',
    {
      query: { projectId, threadId, limit: 100 },
    },
  );
  return data
    .filter(
      event => event.data.message?.messageId === messageId && event.eventName.startsWith('channel.message.'),
    )
    .map(({ eventName }) => eventName.replace('channel.message.', ''))
    .sort();
}

t.test('a message is taken once, and its receipts follow', async t => {
  const at = await talking();
  const { messageId, externalMessageId } = await at.settle({ body: 'Good day 😀' });
  const [sent, ...more] = atProvider(messageId);
  t.same(more, []);
  t.match(sent, {
    id: externalMessageId,
    to: at.phone,
    message: { type: 'text', text: { body: 'Good day 😀' } },
  });
  t.same(await openSends(at.channelId), []);
  if (sent === undefined) throw new Error('nothing was sent');
  await provider.report(sent, 'sent', {
    pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'service' },
  });
  await provider.report(sent, 'read');
  await at.hasStatus(messageId, 'read');
  for (const late of ['delivered', 'read', 'sent', 'played'] as const) await provider.report(sent, late);
  await workedThrough(at.channelId);
  t.match((await at.read(messageId)).metadata, {
    chatapp: { pricing: { category: 'service', billable: true }, playedAt: /Z$/ },
  });
  t.same(await eventNames(messageId, at.threadId), ['read', 'sent']);
});

t.test('every type of content leaves, with a body for people', async t => {
  const ways: readonly (readonly [object, string, object])[] = [
    [
      { content: { type: 'location', latitude: 52.5, longitude: 13.4, name: 'Office' } },
      '[Location] Office (52.5, 13.4)',
      { type: 'location' },
    ],
    [
      { content: { type: 'contacts', contacts: [{ name: 'Ada', phones: [{ phone: '+1' }] }] } },
      '[Contact] Ada, +1',
      { type: 'contacts' },
    ],
    [
      { body: 'See https://a.test', content: { type: 'text', preview: true } },
      'See https://a.test',
      { message: { text: { preview_url: true } } },
    ],
    [
      {
        content: { type: 'media', kind: 'image', caption: 'A cat' },
        attachments: [{ kind: 'image', url: 'https://a.test/1.png' }],
      },
      'A cat',
      { message: { image: { link: 'https://a.test/1.png', caption: 'A cat' } } },
    ],
  ];
  for (const [given, body, expected] of ways) {
    const at = await talking();
    const message = await at.settle(given);
    t.equal(message.body, body);
    t.match(atProvider(message.messageId)[0], expected);
  }
  const at = await talking();
  const to = at.inbound?.messageId ?? '';
  const reaction = await at.settle({ content: { type: 'reaction', emoji: '👍', messageId: to } });
  t.match(atProvider(reaction.messageId)[0]?.message, {
    reaction: { message_id: at.inbound?.externalMessageId, emoji: '👍' },
  });
  const other = await talking();
  const reply = await other.settle({ body: 'To that', replyTo: { messageId: other.inbound?.messageId } });
  t.same(reply.replyTo, {
    messageId: other.inbound?.messageId,
    externalMessageId: other.inbound?.externalMessageId,
  });
  t.match(atProvider(reply.messageId)[0]?.message, {
    context: { message_id: other.inbound?.externalMessageId },
  });
});

t.test('what the provider would refuse is refused at once, and the dry run says the same', async t => {
  const at = await talking();
  const elsewhere = await talking();
  const long = { body: '😀'.repeat(4_097) };
  const refused = await at.ask(long);
  t.match(refused, {
    status: 422,
    body: { error: 'svc/validation/invalid_request', details: { maxLength: 4_096 } },
  });
  const checked = await key.ask<MessageDryRun>('createMessage', {
    params: at.params,
    query: { dryRun: true },
    body: { projectId, ...long },
  });
  t.match(checked, {
    status: 200,
    body: { allowed: false, reason: 'svc/validation/invalid_request', message: /4096/, maxTextLength: 4_096 },
  });
  for (const body of [
    {},
    { body: ' \n ' },
    { body: 'Over there', content: { type: 'location', latitude: 52.5, longitude: 13.4 } },
    {
      content: { type: 'reaction', emoji: '👍', messageId: at.inbound?.messageId },
      replyTo: { messageId: at.inbound?.messageId },
    },
    { content: { type: 'text' } },
    { content: { type: 'media', kind: 'image' } },
    { content: { type: 'media', kind: 'image' }, attachments: [{ kind: 'video', url: 'https://a.test/1' }] },
    { body: 'x', attachments: [1, 2].map(n => ({ kind: 'image', url: `https://a.test/${n}` })) },
  ]) {
    t.match(await at.ask(body), { status: 422, body: { error: 'svc/validation/invalid_request' } });
  }
  for (const body of [
    { content: { type: 'reaction', emoji: '👍', messageId: elsewhere.inbound?.messageId } },
    { body: 'x', replyTo: { messageId: elsewhere.inbound?.messageId } },
  ]) {
    t.equal((await at.ask(body)).status, 404, 'a message of another thread');
  }
  t.equal((await at.settle({ body: 'x'.repeat(4_096) })).status, 'sent');
});

t.test('messages of a thread leave in their order, at the pace of the pair', async t => {
  const at = await talking();
  const first = await at.send({ body: 'first' });
  const second = await at.send({ body: 'second' });
  await at.hasStatus(first.messageId, 'sent');
  t.equal(atProvider(second.messageId).length, 0, 'six seconds have not passed');
  await at.hasStatus(second.messageId, 'sent');
  const order = taken.sent.flatMap(({ callbackData }) =>
    callbackData === first.messageId || callbackData === second.messageId ? callbackData : [],
  );
  t.same(order, [first.messageId, second.messageId]);
});

t.test('what is refused for a while is tried again, and what is refused for good fails', async t => {
  const happened = faults.happened;
  for (const code of [130429, 131056, 131000] as const) {
    const at = await talking();
    faults.script('messages', { kind: 'error', code });
    const { messageId } = await at.settle({ body: `after ${code}` });
    t.equal(atProvider(messageId).length, 1);
  }
  for (const code of [131026, 100, 131051] as const) {
    const at = await talking();
    faults.script('messages', { kind: 'error', code, more: { details: 'Why' } });
    const { error, messageId } = await at.settle({ body: `no ${code}` }, 'failed');
    t.match(error, { code: String(code), message: /Why/ });
    t.same(await eventNames(messageId, at.threadId), ['delivery_failed']);
  }
  t.equal(faults.happened - happened, 6);
});

t.test('a request that hangs holds back nobody else, while the number waits and after', async t => {
  const happened = faults.happened;
  const { channelId, number } = await connected();
  const phones = ['15550111', '15550112', '15550113'] as const;
  for (const phone of phones) await provider.write(number, { phone }, { type: 'text', text: { body: 'Hi' } });
  const threads = (): Promise<Thread[]> =>
    person.all<Thread>('listThreads', { query: { projectId, channelId } });
  await eventually('three threads', async () => (await threads()).length === phones.length);
  const [first, second, third] = await threads();
  const send = async (thread: Thread | undefined): Promise<string> =>
    (
      await key.get<Message>('createMessage', {
        params: { threadId: thread?.threadId ?? '' },
        body: { projectId, body: 'Hello' },
      })
    ).messageId;
  faults.script('messages', { kind: 'hang' });
  const hanging = await send(first);
  await eventually('it hangs', () => Promise.resolve(faults.happened === happened + 1));
  faults.script('messages', { kind: 'error', code: 130429 });
  const refused = await send(second);
  await eventually('it is refused', () => Promise.resolve(faults.happened === happened + 2));
  const other = await send(third);
  for (const messageId of [refused, other]) {
    await eventually('it is there', () => Promise.resolve(atProvider(messageId).length === 1));
  }
  const open = await database.query<{ status: string }>(
    'select status from chatapp_sends where message_id = $1',
    [hanging],
  );
  t.same(open, [{ status: 'sending' }], 'whose answer is still waited for');
});

t.test('a lost answer is not asked for again: the webhook that names the message settles it', async t => {
  const happened = faults.happened;
  for (const fault of [{ kind: 'lost' }, { kind: 'html' }, { kind: 'status', status: 500 }] as const) {
    const at = await talking();
    faults.script('messages', fault);
    const { messageId } = await at.send({ body: fault.kind });
    await eventually('unknown', async () => (await openSends(at.channelId))[0]?.status === 'unknown');
    const [sent] = atProvider(messageId);
    t.equal(sent !== undefined, fault.kind === 'lost');
    t.equal((await at.read(messageId)).status, 'queued');
    if (sent === undefined) continue;
    await provider.report(sent, 'sent');
    await at.hasStatus(messageId, 'sent');
    t.match(await at.read(messageId), { externalMessageId: sent.id });
    t.same(await openSends(at.channelId), []);
    t.equal(atProvider(messageId).length, 1);
  }
  t.equal(faults.happened - happened, 3);
});

t.test(
  'what nobody settles has failed after ten minutes, and a late report proves it all the same',
  async t => {
    const at = await talking();
    faults.script('messages', { kind: 'lost' });
    const { messageId } = await at.send({ body: 'Hello?' });
    await eventually('unknown', async () => (await openSends(at.channelId))[0]?.status === 'unknown');
    const [row] = await database.query<{ ms: number }>(
      'select extract(epoch from next_at - started_at) * 1000 as ms from chatapp_sends where message_id = $1',
      [messageId],
    );
    t.equal(Number(row?.ms), 600_000);
    await database.query(`update chatapp_sends set next_at = now() where message_id = $1`, [messageId]);
    // Another message brings the channel to look.
    await at.send({ body: 'Are you there?' });
    await at.hasStatus(messageId, 'failed');
    t.match(await at.read(messageId), { error: { details: { outcome: 'unknown' } } });
    const [sent] = atProvider(messageId);
    if (sent === undefined) throw new Error('nothing was sent');
    await provider.report(sent, 'delivered');
    await at.hasStatus(messageId, 'delivered');
    t.equal((await at.read(messageId)).error, undefined);
    t.equal(atProvider(messageId).length, 1);
  },
);

t.test('the provider’s word that the window is closed counts, at once or later', async t => {
  const at = await talking();
  faults.script('messages', { kind: 'error', code: 131047 });
  const { error } = await at.settle({ body: 'Too late' }, 'failed');
  t.equal(error?.code, '131047');
  t.match(await at.ask({ body: 'Again' }), { status: 409, body: { error: 'svc/chatapp/template_required' } });
  const later = await talking();
  const { messageId } = await later.settle({ body: 'Too late' });
  const [sent] = atProvider(messageId);
  if (sent === undefined) throw new Error('nothing was sent');
  await provider.report(sent, 'failed', {
    timestamp: String(Math.ceil(Date.now() / 1_000)),
    errors: [{ code: 131047, title: 'Re-engagement message' }],
  });
  await later.hasStatus(messageId, 'failed');
  t.equal((await later.ask({ body: 'Again' })).status, 409);
});

t.test('a token that is refused ends the connection, and the message waits for the next one', async t => {
  const at = await talking();
  faults.script('messages', { kind: 'error', code: 190 });
  const { messageId } = await at.send({ body: 'Hello' });
  const { channelId, account } = at;
  const status = () => key.get<{ status: string }>('getChatappStatus', { params: { channelId } });
  await eventually('error', async () => (await status()).status === 'error');
  t.match(await openSends(channelId), [{ status: 'queued' }]);
  const token = provider.accounts.addToken(fixture.app, account);
  t.equal((await fixture.connect(channelId, { accessToken: token.value })).status, 200);
  await at.hasStatus(messageId, 'sent');
  t.equal(atProvider(messageId).length, 1);
});

t.test('messages wait while their channel is disconnected, and fail after an hour', async t => {
  const at = await talking();
  const { channelId } = at;
  await key.get('disconnectChatapp', { params: { channelId }, body: { projectId } });
  const { messageId } = await at.send({ body: 'Anybody?' });
  const reminders = () =>
    database.query<{ at: Date }>(
      `select due_at as at from reminders where actor_id = $1 and key = 'work:sends'`,
      [channelId],
    );
  await eventually('a reminder', async () => (await reminders()).length === 1);
  await database.query(
    `update chatapp_sends set created_at = created_at - interval '61 minutes' where message_id = $1`,
    [messageId],
  );
  await database.query(
    `update channels set updated_at = updated_at - interval '61 minutes' where channel_id = $1`,
    [channelId],
  );
  const next = await at.send({ body: 'Still there?' });
  await at.hasStatus(messageId, 'failed');
  t.match(await at.read(messageId), { error: { code: 'svc/chatapp/channel_not_connected' } });
  t.equal((await at.read(next.messageId)).status, 'queued');
});

t.test('a batch of a thousand reports is recorded, in any order, with strangers among them', async t => {
  const at = await talking();
  const { messageId } = await at.settle({ body: 'Hello' });
  const [sent] = atProvider(messageId);
  if (sent === undefined) throw new Error('nothing was sent');
  const status = provider.createStatus(sent, 'delivered');
  const strangers = Array.from({ length: 20 }, (_, index): Json => ({
    id: `wamid.stranger.${index}`,
    status: 'sent',
    timestamp: provider.timestamp(),
    recipient_id: at.phone,
  }));
  const statuses = [
    ...strangers,
    provider.createStatus(sent, 'read'),
    ...Array.from({ length: 960 }, () => status),
    { id: 'x', status: 'sent', biz_opaque_callback_data: 'not ours' },
    { id: sent.id, status: 'warning' },
    provider.createStatus(sent, 'failed'),
  ];
  const [delivery] = await provider.deliver(at.number, createPayload(at.number, { statuses }));
  t.ok(delivery?.delivered);
  await workedThrough(at.channelId);
  t.equal((await at.read(messageId)).status, 'read');
  const parked = await database.query('select from parked_receipts where channel_id = $1', [at.channelId]);
  t.equal(parked.length, 21);
  t.same(await eventNames(messageId, at.threadId), ['delivered', 'read', 'sent']);
});

t.test('a report that comes before the answer to the send counts, with and without our id', async t => {
  const at = await talking();
  let reported: Promise<unknown> = Promise.resolve();
  taken.accepted = sent => {
    reported = provider.deliver(
      sent.number,
      createPayload(sent.number, {
        statuses: [provider.createStatus({ ...sent, callbackData: undefined }, 'delivered')],
      }),
    );
  };
  const { messageId } = await at.send({ body: 'Quick' });
  await at.hasStatus(messageId, 'delivered');
  await reported;
  taken.accepted = () => undefined;
  t.equal(atProvider(messageId).length, 1);
});

t.test('the participant sees that their messages were read, and that somebody answers', async t => {
  const at = await talking();
  const { threadId } = at;
  const [newest] = await key.all<Message>('listMessages', { params: at.params, query: { order: 'desc' } });
  await person.get('moveReadCursor', {
    params: { threadId },
    body: { projectId, sequence: newest?.sequence },
  });
  const marks = () => taken.marked.filter(({ messageId }) => messageId === at.inbound?.externalMessageId);
  await eventually('a mark', async () => Promise.resolve(marks().length === 1));
  const type = () => person.get('setTyping', { params: { threadId }, body: { projectId, state: 'started' } });
  await type();
  await eventually('typing', async () => Promise.resolve(marks().length === 2));
  await type();
  t.same(
    marks().map(({ typing }) => typing),
    [false, true],
    'it is shown for a while',
  );
});

t.test('a mark that is refused with the token ends the connection, too', async t => {
  const at = await talking();
  const { threadId, channelId } = at;
  faults.script('messages', { kind: 'error', code: 190 });
  await person.get('setTyping', { params: { threadId }, body: { projectId, state: 'started' } });
  const status = () => key.get<{ status: string }>('getChatappStatus', { params: { channelId } });
  await eventually('error', async () => (await status()).status === 'error');
  t.match(await status(), { error: { code: 190 } });
});

t.test('how the calls of the provider have ended is counted', async t => {
  const metrics = await (await fetch(`${fixture.skein.url}/metrics`)).text();
  for (const outcome of ['succeeded', 'credentials_refused', 'rate_limited', 'server_error', 'refused']) {
    t.match(
      metrics,
      new RegExp(`^skein_provider_calls_total\\{provider="chatapp",outcome="${outcome}"\\} [1-9]`, 'm'),
    );
  }
});

t.test('a node that drains gives up a call that hangs, and nobody sends the message again', async t => {
  const at = await talking();
  // More than one: a message of a test before may be sent once more meanwhile, and would take it.
  faults.script('messages', ...Array.from({ length: 5 }, () => ({ kind: 'hang' }) as const));
  const { messageId } = await at.send({ body: 'Hello' });
  await eventually('a claim', async () => (await openSends(at.channelId))[0]?.status === 'sending');
  await fixture.skein.stop();
  t.match(await openSends(at.channelId), [{ status: 'unknown', attempts: 1 }]);
  t.equal(atProvider(messageId).length, 0);
});
