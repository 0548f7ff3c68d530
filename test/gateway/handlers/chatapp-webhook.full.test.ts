/** Webhooks of the chat provider on several nodes, in large batches, and after a crash. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { System, SystemDeadLetter } from '../../../protocol/resources/system.ts';
import { ChatappInbox, failWebhook } from '../../../storage/chatapp/inbox.ts';
import { RecentWebhooks } from '../../../storage/chatapp/recent-webhooks.ts';
import { Client, type ListOf } from '../../node/client.ts';
import {
  createContact,
  createPayload,
  type Json,
  sign,
  writeJson,
} from '../../support/chatapp-provider/index.ts';
import { eventually } from '../../support/eventually.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { startChatapp } from './chatapp-fixture.ts';

const fixture = await startChatapp(t);
const { provider, database, skein, tenant, app, connected } = fixture;
const { projectId, key } = tenant;
const ada = { phone: '15550100', name: 'Ada' };
const text = (body: string): Json => ({ type: 'text', text: { body } });

async function post(channelId: string, body: string, at = skein.url): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': sign(body, app.secret) };
  const address = `${at}/v1/channels/${channelId}/chatapp/webhook`;
  const response = await fetch(address, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

const listThreads = (channelId: string) =>
  key.all<Thread>('listThreads', { query: { projectId, channelId } });
const listTexts = async ({ threadId }: Pick<Thread, 'threadId'>) =>
  (await key.all<Message>('listMessages', { params: { threadId }, query: { order: 'asc' } })).map(
    ({ body }) => body,
  );
const finished = (channelId: string) =>
  eventually('end of the backlog', async () => {
    const query = 'select from chatapp_open_webhooks where channel_id = $1';
    return (await database.query(query, [channelId])).length === 0;
  });

t.test('each message is stored once, however often and at whichever node it arrives', async t => {
  const { channelId, number } = await connected();
  const other = await startSkeinOn(t, fixture.databaseUrl, fixture.environment);
  for (const body of ['first', 'second', 'third']) {
    const payload = createPayload(number, { messages: provider.compose(number, ada, text(body)) });
    const posted = writeJson(payload);
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post(channelId, posted, index % 2 === 0 ? skein.url : other.url),
      ),
    );
    t.same(new Set(statuses), new Set([200]));
    await finished(channelId);
  }
  const [thread] = await listThreads(channelId);
  t.same(await listTexts(thread ?? { threadId: '' }), ['first', 'second', 'third']);
  const failed = `select error from chatapp_webhooks where channel_id = $1 and error is not null`;
  t.same(await database.query(failed, [channelId]), []);
});

t.test('a batch of a thousand messages is stored in the order in which they were sent', async t => {
  const { channelId, number } = await connected();
  const messages = Array.from({ length: 1_000 }, (_, index) => ({
    id: `wamid.batch-${index}`,
    from: `1555${index % 5}`,
    timestamp: String(1_795_000_000 + index),
    ...text(String(index)),
  }));
  // In an order that has nothing to do with the time: 617 and 1,000 have no common divisor.
  const shuffled = messages.map((_, index) => messages[(index * 617) % 1_000] ?? {});
  const contacts = [0, 1, 2, 3, 4].map(index => createContact({ phone: `1555${index}` }));
  t.equal(await post(channelId, writeJson(createPayload(number, { contacts, messages: shuffled }))), 200);
  await finished(channelId);
  const threads = await listThreads(channelId);
  t.equal(threads.length, 5);
  for (const thread of threads) {
    t.same(
      await listTexts(thread),
      messages.flatMap(({ from }, index) => (from === thread.externalRef ? [String(index)] : [])),
    );
  }
});

/** Stores a webhook with one message, as a node that ends before its next step. Returns its id. */
async function store(
  { channelId, number, account }: Awaited<ReturnType<typeof connected>>,
  body: string,
): Promise<string> {
  const requestId = newId('request');
  const messages = provider.compose(number, ada, text(body));
  await new ChatappInbox(database, new RecentWebhooks(), () => undefined).add({
    requestId,
    projectId,
    environmentId: tenant.environmentId,
    channelId,
    wabaId: account.id,
    phoneNumberId: number.id,
    receivedAt: new Date(),
    threadIds: [],
    body: Buffer.from(writeJson(createPayload(number, { messages }))),
  });
  return requestId;
}

t.test('a webhook that was given up is processed once an operator runs its dead letter again', async t => {
  const channel = await connected();
  const requestId = await store(channel, 'given up');
  const failure = { error: 'svc/runtime/conflict: no', isRefusal: true, now: Date.now() };
  for (let refusals = 0; refusals < 5; refusals++)
    await failWebhook(database, channel.channelId, requestId, failure);
  const variables = { ...fixture.environment, INSTANCE_ADMINS: tenant.email };
  const { line } = await startSkeinOn(t, fixture.databaseUrl, variables);
  const operator = new Client(line, tenant.person.bearer);
  const { data } = await operator.get<ListOf<SystemDeadLetter>>('listDeadLetters');
  t.match(data, [{ kind: 'channel', actorId: channel.channelId, errorCode: 'svc/runtime/conflict' }]);
  t.match(await operator.get<System>('getSystem'), { faults: [{ name: 'SkeinDeadLetters', value: 1 }] });
  const letter = { params: { deadLetterId: data[0]?.deadLetterId ?? '' } };
  t.same(await listThreads(channel.channelId), []);
  const answers = await Promise.all([1, 2, 3].map(() => operator.ask('runDeadLetter', letter)));
  t.same(answers.map(({ status }) => status).sort(), [200, 404, 404], 'once');
  await eventually('its message', async () => (await listThreads(channel.channelId)).length === 1);
});

t.test('a webhook that was committed before a crash is processed after it', async t => {
  const channel = await connected();
  await store(channel, 'before the crash');
  const { channelId } = channel;
  t.same(await listThreads(channelId), []);
  await skein.stop();
  await startSkeinOn(t, fixture.databaseUrl, fixture.environment);
  const select = `select from messages where channel_id = $1 and body = 'before the crash'`;
  await eventually('message', async () => (await database.query(select, [channelId])).length === 1);
});
