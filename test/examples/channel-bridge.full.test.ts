/** examples/channel-bridge: between a provider that is played here and a channel of a node. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import type { Message, Page } from '../../bench/demo/api.ts';
import { withTimeLimit } from '../support/time-limit.ts';
import { Example } from './example.ts';
import { shareNodeWithChannel } from './example-node.ts';

/** What the provider was asked to send, in order, and what it answers: a status, or 200 where there is none. */
const asked: { readonly to: string; readonly text: string; readonly key: string }[] = [];
const answers: number[] = [];
let askedAgain: () => void = () => undefined;

const provider = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    const message = JSON.parse(body) as { to: string; text: string };
    asked.push({ ...message, key: String(request.headers['idempotency-key']) });
    response.writeHead(answers.shift() ?? 200).end(JSON.stringify({ id: `p-${asked.length}` }));
    askedAgain();
  });
});
await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve));
t.teardown(() => void provider.close());

/** Resolves when the provider was asked that many times in all. */
async function askedTimes(count: number): Promise<void> {
  while (asked.length < count) {
    await withTimeLimit(
      new Promise<void>(resolve => (askedAgain = resolve)),
      `request ${count} to the provider`,
    );
  }
}

const { url: nodeUrl, api, projectId, channelId } = await shareNodeWithChannel(t);
const { secret } = await api.post<{ secret: string }>('/api-keys', {
  projectId,
  name: 'Bridge',
  environment: 'test',
  scopes: ['channels:read', 'channels:write', 'messages:write'],
});
const { example, url } = await Example.listening(t, 'channel-bridge', {
  SKEIN_BASE_URL: nodeUrl,
  SKEIN_API_KEY: secret,
  CHANNEL_ID: channelId,
  PROVIDER_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
});
await api.post('/stitches', {
  projectId,
  name: 'Wake',
  webhookUrl: `${url}/wake`,
  eventNames: ['channel.message.requested'],
});

async function post(path: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

const messages = async (threadId: string): Promise<readonly Message[]> =>
  (await api.get<Page<Message>>(`/threads/${threadId}/messages?projectId=${projectId}`)).data;

const reply = (threadId: string, body: string): Promise<Message> =>
  api.post<Message>(`/threads/${threadId}/messages`, { projectId, body }, randomUUID());

/** The thread of a participant who has written once. */
async function threadWith(t: Test, from: string): Promise<string> {
  t.equal(await post('/incoming', { id: `${from}-1`, from, text: `I am ${from}` }), 204);
  const { data } = await api.get<Page<{ threadId: string; externalRef: string }>>(
    `/threads?projectId=${projectId}`,
  );
  return data.find(({ externalRef }) => externalRef === from)?.threadId ?? '';
}

t.test('a message that the provider reports twice is there once', async t => {
  const threadId = await threadWith(t, 'ada');
  t.equal(await post('/incoming', { id: 'ada-1', from: 'ada', text: 'I am ada' }), 204);
  t.match(await messages(threadId), [{ direction: 'inbound', body: 'I am ada' }]);
  // What Skein refuses the provider need not report again.
  t.equal(await post('/incoming', { id: 'ada-2', from: 'ada', text: '' }), 422);
});

t.test('an answer goes out, and its receipts come back', async t => {
  const threadId = await threadWith(t, 'grace');
  const { messageId } = await reply(threadId, 'Good morning');
  await example.said(new RegExp(`^done: ${messageId}`));
  t.same(asked.at(-1), { to: 'grace', text: 'Good morning', key: messageId });
  const id = `p-${asked.length}`;
  t.match((await messages(threadId))[1], { status: 'sent', externalMessageId: id });
  t.equal(await post('/status', { id, status: 'read' }), 204);
  t.match((await messages(threadId))[1], { status: 'read' });
  t.same((await api.get<Page<unknown>>(`/channels/${channelId}/commands?projectId=${projectId}`)).data, []);
});

t.test('what the provider cannot take now is sent later, and nothing of the thread before it', async t => {
  const threadId = await threadWith(t, 'linus');
  const before = asked.length;
  answers.push(503);
  await reply(threadId, 'one');
  await askedTimes(before + 1);
  const { messageId } = await reply(threadId, 'two');
  await example.said(new RegExp(`^done: ${messageId}`));
  t.same(
    asked.slice(before).map(({ text }) => text),
    ['one', 'one', 'two'],
  );
  t.equal(asked[before]?.key, asked[before + 1]?.key);
});

t.test('what the provider refuses has failed', async t => {
  const threadId = await threadWith(t, 'alan');
  answers.push(400);
  const { messageId } = await reply(threadId, 'To nobody');
  await example.said(new RegExp(`^done: ${messageId}`));
  t.match((await messages(threadId))[1], { status: 'failed' });
});

t.test('it knows no other paths', async t => {
  t.equal(await post('/other', {}), 404);
  t.equal((await fetch(`${url}/incoming`)).status, 404);
});
