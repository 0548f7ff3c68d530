/** Message templates over REST: the account's list, and sending one, against a provider that behaves as the real one. */
import t from 'tap';
import type { ChatappTemplate } from '../../../protocol/resources/channel.ts';
import type { ChatappStatus } from '../../../protocol/resources/chatapp.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { ListOf, Refusal } from '../../node/client.ts';
import { eventually } from '../../support/eventually.ts';
import { shareChatapp } from './chatapp-fixture.ts';

const { provider, tenant, connected, newChannel } = await shareChatapp(t);
const { projectId, environmentId, key } = tenant;

const list = (channelId: string, query: Readonly<Record<string, string | number>> = {}) =>
  key.ask<ListOf<ChatappTemplate>>('listChatappTemplates', { params: { channelId }, query });
const countAsked = (): number =>
  provider.requests.filter(request => request.endsWith('/message_templates')).length;

const newThread = (channelId: string, externalRef: string) =>
  key.ask<Thread>('createThread', { body: { projectId, environmentId, channelId, externalRef } });
const parameters = (...texts: readonly string[]) => [
  { type: 'body', parameters: texts.map(text => ({ type: 'text', text })) },
];
const send = (channelId: string, body: object, idempotencyKey?: string) =>
  key.ask<Message & Refusal>('sendChatappTemplate', {
    params: { channelId },
    body: { projectId, templateName: 'order_sent', language: 'en_US', ...body },
    ...(idempotencyKey === undefined ? {} : { key: idempotencyKey }),
  });

/** A connected channel, a template of its account, and a thread with a number that has never written. */
async function start(phone = '15550100') {
  const at = await connected();
  provider.templates.add(at.account.id, { name: 'order_sent', body: 'Order {{1}} is on its way.' });
  const { status, body: thread, text } = await newThread(at.channelId, phone);
  if (status !== 201) throw new Error(text);
  return { ...at, threadId: thread.threadId, components: parameters('17') };
}

t.test('the list: pages, filters, and one question a minute', async t => {
  const { account, channelId } = await connected();
  for (let n = 1; n <= 5; n++) provider.templates.add(account.id, { name: `order_${n}` });
  provider.templates.add(account.id, { name: 'other', language: 'de', status: 'PENDING' });
  const before = countAsked();
  const first = (await list(channelId, { limit: 4 })).body;
  t.match(first, { hasMore: true, nextCursor: String });
  const rest = (await list(channelId, { limit: 4, cursor: first.nextCursor ?? '' })).body;
  t.match(rest, { hasMore: false, nextCursor: null });
  t.same(
    [...first.data, ...rest.data].map(({ name }) => name),
    ['order_1', 'order_2', 'order_3', 'order_4', 'order_5', 'other'],
  );
  await list(channelId, { limit: 4 });
  t.equal(countAsked() - before, 2);
  const pending = (await list(channelId, { status: 'PENDING', language: 'de' })).body.data;
  t.match(pending, [{ name: 'other', status: 'PENDING', components: [{ type: 'BODY', text: 'Hello' }] }]);
  const foreign = await list(channelId, { status: 'PENDING', cursor: first.nextCursor ?? '' });
  t.equal(foreign.status, 400, 'a cursor of another list');
});

t.test('a template begins a conversation with a number that has never written', async t => {
  const { channelId, threadId, components } = await start('+1 555 01 00');
  const thread = await key.get<Thread>('getThread', { params: { threadId } });
  t.match(thread, { externalRef: '15550100', serviceWindow: { open: false } });
  const asked = { threadId, to: '+1 (555) 0100', components, metadata: { order: 17 } };
  const { status, body } = await send(channelId, asked, 'template-1');
  t.equal(status, 201);
  t.match(body, {
    direction: 'outbound',
    body: 'Order 17 is on its way.',
    content: { type: 'template', name: 'order_sent', language: 'en_US', components },
    metadata: { order: 17 },
    status: 'queued',
  });
  t.same((await send(channelId, asked, 'template-1')).body.messageId, body.messageId, 'once for its key');
  const { messageId } = body;
  await eventually('sent template', async () => {
    const message = await key.get<Message>('getMessage', { params: { threadId, messageId } });
    return message.status === 'sent';
  });
  const free = await key.ask('createMessage', { params: { threadId }, body: { projectId, body: 'Hello' } });
  t.equal(free.status, 409, 'the window stays closed');
});

t.test('what the provider would not send is refused at once', async t => {
  const { account, channelId, threadId, components } = await start();
  const paused = provider.templates.add(account.id, { name: 'paused', status: 'PAUSED' });
  for (const [more, path] of [
    [{ templateName: 'unknown' }, '/body/templateName'],
    [{ language: 'fr' }, '/body/templateName'],
    [{ templateName: 'paused', components: [] }, '/body/templateName'],
    [{ components: parameters() }, '/body/components'],
    [{ components: parameters('17', '18') }, '/body/components'],
    [{ components: parameters('1\n7') }, '/body/components'],
    [{ to: '15550101' }, '/body/to'],
  ] as const) {
    const { status, body } = await send(channelId, { threadId, components, ...more });
    t.match([status, body.details], [422, { issues: [{ path }] }], JSON.stringify(more));
  }
  paused.status = 'APPROVED';
  const { status } = await send(channelId, { threadId, templateName: 'paused', components: [] });
  t.equal(status, 201, 'what was kept is not what refuses');
  const other = await start();
  t.equal((await send(other.channelId, { threadId, components })).status, 404, 'a thread of another channel');
});

t.test('while the provider does not answer, a template is queued without its text', async t => {
  const { channelId, threadId, components } = await start();
  provider.faults.script('message_templates', { kind: 'status', status: 500 });
  const { status, body } = await send(channelId, { threadId, components });
  t.match([status, body.body], [201, '[Template: order_sent]']);
  provider.faults.script('message_templates', { kind: 'html' });
  const listed = await list(channelId);
  t.match([listed.status, listed.headers['retry-after']], [503, String]);
});

t.test('a token that is refused: the channel is in error, and lists nothing', async t => {
  const { channelId, token } = await connected();
  token.revoked = 460;
  const refused = await list(channelId);
  t.match([refused.status, refused.body], [409, { error: 'svc/chatapp/channel_not_connected' }]);
  const status = await key.get<ChatappStatus>('getChatappStatus', { params: { channelId } });
  t.match(status, { status: 'error', error: { step: null, code: 190 } });
  t.equal((await list(channelId)).status, 409);
});

t.test('a channel that was never connected has no templates, and sends none', async t => {
  const channelId = await newChannel();
  t.match((await list(channelId)).body, { error: 'svc/chatapp/channel_not_connected' });
  const { body: thread } = await newThread(channelId, '15550100');
  const sent = await send(channelId, { threadId: thread.threadId });
  t.match([sent.status, sent.body.error], [409, 'svc/chatapp/channel_not_connected']);
});

t.test('a number that the provider writes another way answers in the thread that was begun', async t => {
  const given = '5511900000001';
  const called = '551190000001';
  provider.messages.rules.calledOtherwise.set(given, called);
  const { channelId, number, threadId, components } = await start(`+${given}`);
  const { messageId } = (await send(channelId, { threadId, components })).body;
  const read = () => key.get<Message>('getMessage', { params: { threadId, messageId } });
  await eventually('it was sent', async () => (await read()).status === 'sent');
  t.equal(provider.messages.sent.at(-1)?.message['to'], `+${given}`, 'with the country code');
  await provider.write(number, { phone: called }, { type: 'text', text: { body: 'Thank you' } });
  const bodies = async () =>
    (await key.all<Message>('listMessages', { params: { threadId } })).map(({ body }) => body);
  await eventually('the answer', async () => (await bodies()).includes('Thank you'));
});

t.test('a thread is of somebody whom the provider can reach', async t => {
  const { channelId } = await connected();
  for (const externalRef of ['ada', '123', '1'.repeat(16), 'US.', 'us.1', 'US.a b']) {
    t.match(await newThread(channelId, externalRef), {
      status: 422,
      body: { details: { issues: [{ path: '/body/externalRef', code: 'pattern' }] } },
    });
  }
  t.equal((await newThread(channelId, 'US.13491208655302741918')).status, 201);
});
