/** What participants do on a chatapp channel, as it is found over the API: typed messages, and one thread for a participant of many names. */
import t from 'tap';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import type { ListOf } from '../node/client.ts';
import { silentLog } from '../../runtime/observability/log.ts';
import { erasePersonalData } from '../../storage/retention/erasures.ts';
import { createPayload, type Json } from '../support/chatapp-provider/index.ts';
import { eventually } from '../support/eventually.ts';
import { shareChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import { testHash } from '../support/keyed-hash.ts';

const { provider, database, tenant, connected } = await shareChatapp(t);
const { projectId, key, person } = tenant;

const text = (body: string): Json => ({ type: 'text', text: { body } });

/** Everything that has come to the channel is worked through. */
const workedThrough = (channelId: string) =>
  eventually('webhooks worked through', async () => {
    const query = 'select from chatapp_open_webhooks where channel_id = $1';
    return (await database.query(query, [channelId])).length === 0;
  });

async function listThreads(channelId: string): Promise<readonly Thread[]> {
  return person.all<Thread>('listThreads', { query: { projectId, channelId } });
}

async function listMessages({ threadId }: Pick<Thread, 'threadId'>): Promise<readonly Message[]> {
  return key.all<Message>('listMessages', { params: { threadId }, query: { order: 'asc' } });
}

/** The one thread of the channel. */
async function findThread(channelId: string): Promise<Thread> {
  await workedThrough(channelId);
  const [thread, ...others] = await listThreads(channelId);
  if (thread === undefined || others.length > 0) throw new Error(`${others.length} threads more than one`);
  return thread;
}

t.test('messages keep their structure, and refer to those that are here', async t => {
  const { channelId, number } = await connected();
  const ada = { phone: '15550100', name: 'Ada', userId: 'US.1' };
  const { id: first } = await provider.write(number, ada, text('Hello'));
  const more: readonly Json[] = [
    { ...text('An answer'), context: { from: ada.phone, id: first } },
    { ...text('Another'), context: { id: 'wamid.elsewhere', frequently_forwarded: true } },
    {
      ...text('Is there more?'),
      context: { referred_product: { catalog_id: 'c', product_retailer_id: 'tea' } },
    },
    { type: 'reaction', reaction: { message_id: first, emoji: '👍' } },
    { type: 'location', location: { latitude: 52.5, longitude: 13.4 } },
    {
      type: 'order',
      order: { catalog_id: 'c', product_items: [{ product_retailer_id: 'tea', quantity: 2 }] },
    },
    { type: 'image', image: { id: '17', mime_type: 'image/jpeg', sha256: 'abc=', caption: 'My cat' } },
  ];
  for (const message of more) await provider.write(number, ada, message);
  const thread = await findThread(channelId);
  const found = await listMessages(thread);
  const messageId = found[0]?.messageId;
  t.match(found, [
    { body: 'Hello', content: { type: 'text' }, replyTo: undefined, attachments: [] },
    { body: 'An answer', replyTo: { messageId, externalMessageId: first } },
    {
      body: 'Another',
      replyTo: { messageId: null, externalMessageId: 'wamid.elsewhere' },
      forwarded: 'often',
    },
    {
      body: 'Is there more?',
      replyTo: {
        messageId: null,
        externalMessageId: null,
        product: { catalogId: 'c', productId: 'tea' },
      },
    },
    {
      body: '[Reaction] 👍',
      content: { type: 'reaction', emoji: '👍', to: { messageId, externalMessageId: first } },
    },
    { body: '[Location] 52.5, 13.4', content: { type: 'location', latitude: 52.5, longitude: 13.4 } },
    {
      body: '[Order]\n2 x tea',
      content: { type: 'order', catalogId: 'c', items: [{ productId: 'tea', quantity: 2 }] },
    },
    {
      body: 'My cat',
      content: { type: 'media', kind: 'image', caption: 'My cat' },
      attachments: [{ kind: 'image', mimeType: 'image/jpeg', providerMediaId: '17' }],
    },
  ]);
  const { data } = await person.get<ListOf<{ eventName: string; data: { message: Message } }>>('listEvents', {
    query: { projectId, threadId: thread.threadId, limit: 100 },
  });
  const announced = data
    .filter(({ eventName }) => eventName === 'thread.message.received')
    .map(({ data: { message } }) => message)
    .sort((a, b) => Number(a.sequence) - Number(b.sequence));
  t.strictSame(
    announced.map(({ content, replyTo, forwarded }) => ({ content, replyTo, forwarded })),
    found.map(({ content, replyTo, forwarded }) => ({ content, replyTo, forwarded })),
    'an event has what a reading has',
  );
});

t.test('messages that come together refer to each other', async t => {
  const { channelId, number } = await connected();
  const ada = { phone: '15550105' };
  const [first] = provider.compose(number, ada, text('Hello'));
  const more = provider.compose(
    number,
    ada,
    { ...text('An answer'), context: { id: first['id'] } },
    text('In between'),
    { type: 'reaction', reaction: { message_id: first['id'], emoji: '👍' } },
  );
  const [answer] = more;
  const last = provider.compose(number, ada, { ...text('And to that'), context: { id: answer['id'] } });
  await provider.deliver(number, createPayload(number, { messages: [first, ...more, ...last] }));
  const found = await listMessages(await findThread(channelId));
  const [messageId, answerId] = found.map(message => message.messageId);
  t.match(found, [
    { body: 'Hello' },
    { body: 'An answer', replyTo: { messageId } },
    { body: 'In between', replyTo: undefined },
    { body: '[Reaction] 👍', content: { to: { messageId } } },
    { body: 'And to that', replyTo: { messageId: answerId } },
  ]);
});

t.test('a participant is known by name, and keeps their thread whatever the provider calls them', async t => {
  const { channelId, number } = await connected();
  const phone = '15550110';
  await provider.write(number, { phone, name: 'Ada', userId: 'US.10' }, text('by both names'));
  const { threadId } = await findThread(channelId);
  const write = (from: Json, message: Json, profile: Json = {}) =>
    provider.deliver(
      number,
      createPayload(number, {
        contacts: [
          { profile, ...(from['from_user_id'] === undefined ? {} : { user_id: from['from_user_id'] }) },
        ],
        messages: [
          { id: `wamid.${JSON.stringify(from)}`, timestamp: provider.timestamp(), ...from, ...message },
        ],
      }),
    );
  await write({ from_user_id: 'US.10' }, text('the number is hidden'), { name: 'Ada L.', username: 'ada' });
  t.equal((await findThread(channelId)).threadId, threadId);
  const changed = {
    type: 'user_changed_number',
    body: 'Ada has a new number',
    wa_id: '15550111',
    user_id: 'US.11',
  };
  await write({ from: phone }, { type: 'system', system: changed });
  await workedThrough(channelId);
  await write({ from: '15550111', from_user_id: 'US.11' }, text('by the new number'));
  const thread = await findThread(channelId);
  t.strictSame(thread.participant, {
    externalParticipantRef: phone,
    displayName: 'Ada L.',
    locale: null,
    attributes: { phone: '15550111', userId: 'US.11', username: 'ada' },
  });
  t.strictSame(
    (await listMessages(thread)).map(({ body }) => body),
    ['by both names', 'the number is hidden', 'Ada has a new number', 'by the new number'],
  );
  const taken = await key.ask('createThread', {
    body: { projectId, environmentId: tenant.environmentId, channelId, externalRef: '+1 555 0111' },
  });
  t.match(
    taken,
    { status: 409, body: { details: { threadId } } },
    'their thread is there, by the new name too',
  );
  const kept = () => database.query('select from chatapp_webhooks where channel_id = $1', [channelId]);
  t.ok((await kept()).length > 3);
  await key.get('erasePersonalData', { params: { threadId }, query: { projectId } });
  await erasePersonalData({ database, hash: testHash, log: silentLog }, Date.now());
  t.same(await kept(), [], 'each goes with the thread, by whatever name it came');
});

t.test(
  'a repeated request for a thread is answered as before, though the participant has written since',
  async t => {
    const { channelId, number } = await connected();
    const { environmentId } = tenant;
    const asked = { body: { projectId, environmentId, channelId, externalRef: '+1 555 0115' }, key: 'begin' };
    const created = await key.ask<Thread>('createThread', asked);
    t.match(created, { status: 201, body: { externalRef: '15550115' } });
    await provider.write(number, { phone: '15550115', userId: 'US.15' }, text('Hello'));
    t.equal((await findThread(channelId)).threadId, created.body.threadId);
    await workedThrough(channelId);
    for (const participantRef of ['+1 555 0115', 'US.15']) {
      const { data } = await key.get<ListOf<Thread>>('listThreads', { query: { participantRef } });
      t.match(data, [{ threadId: created.body.threadId }], `found as ${participantRef}`);
    }
    t.strictSame((await key.ask('createThread', asked)).body, created.body);
    t.match(await key.ask('createThread', { ...asked, key: 'again' }), {
      status: 409,
      body: { details: { threadId: created.body.threadId } },
    });
  },
);

t.test('many webhooks at once: each message is there once', async t => {
  const { channelId, number } = await connected();
  const participants = ['15550120', '15550121', '15550122'];
  const sent = participants.flatMap(phone => Array.from({ length: 10 }, (_, index) => ({ phone, index })));
  await Promise.all(
    sent.map(({ phone, index }) => {
      const message = { ...text(String(index)), timestamp: String(1_795_000_000 + index) };
      return provider.write(number, { phone }, message);
    }),
  );
  await workedThrough(channelId);
  const threads = await listThreads(channelId);
  t.strictSame(threads.map(({ externalRef }) => externalRef).sort(), participants);
  for (const thread of threads) {
    const bodies = (await listMessages(thread)).map(({ body }) => Number(body));
    t.strictSame(
      bodies.toSorted((a, b) => a - b),
      Array.from({ length: 10 }, (_, index) => index),
    );
  }
});

t.test('an advertisement makes a free entry pending, and the delivery of an answer opens it', async t => {
  const { channelId, number } = await connected();
  const referral = {
    source_type: 'ad',
    source_id: '7',
    source_url: 'https://ads.test/7',
    ctwa_clid: 'click',
  };
  await provider.write(number, { phone: '15550130' }, { ...text('What does it cost?'), referral });
  const thread = await findThread(channelId);
  t.match(thread, { freeEntry: { status: 'pending', openedAt: null }, serviceWindow: { open: true } });
  const [message] = await listMessages(thread);
  t.match(message?.referral, { sourceType: 'ad', sourceId: '7', clickId: 'click' });
  const body = { projectId, body: 'Three euros' };
  const { threadId } = thread;
  const { messageId } = await key.get<Message>('createMessage', { params: { threadId }, body });
  const findSent = () => provider.messages.sent.find(({ callbackData }) => callbackData === messageId);
  await eventually('answer', async () => findSent() !== undefined);
  const sent = findSent();
  if (sent === undefined) throw new Error('nothing was sent');
  const end = Math.floor(Date.now() / 1_000) + 7 * 86_400;
  const conversation = { id: 'c', origin: { type: 'referral_conversion' }, expiration_timestamp: end };
  await provider.report(sent, 'sent', { conversation });
  await provider.report(sent, 'delivered');
  await workedThrough(channelId);
  const opened = await findThread(channelId);
  t.match(opened.freeEntry, { status: 'open', expiresAt: new Date(end * 1_000).toISOString() });
});

t.test('on a custom channel, its owner tells of the participant', async t => {
  const channel = await key.get<{ channelId: string }>('createChannel', {
    body: { projectId, environmentId: tenant.environmentId, name: 'Custom', kind: 'custom' },
  });
  const params = { channelId: channel.channelId };
  const report = (participant: Json | undefined, body: string) =>
    key.ask<Message>('createInboundMessage', {
      params,
      body: { projectId, body, externalParticipantRef: 'ada', ...(participant && { participant }) },
      key: body,
    });
  const participant = { displayName: 'Ada', locale: 'en', attributes: { tier: 'gold' } };
  t.equal((await report(participant, 'first')).status, 201);
  t.equal((await report(undefined, 'second')).status, 201);
  const thread = await findThread(channel.channelId);
  t.strictSame(thread.participant, { externalParticipantRef: 'ada', ...participant });
  t.notOk(
    (await listMessages(thread)).some(message => 'content' in message),
    'a plain text has no content',
  );
  t.equal((await report({ displayName: '' }, 'third')).status, 422);
  t.equal((await report({ nickname: 'A' }, 'fourth')).status, 422);
});
