/** Messages that leave while the provider is away, or answers with something that is not its own: what is sent again, and what never. */
import t from 'tap';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { shareChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import { eventually } from '../support/eventually.ts';

const { provider, database, tenant, connect, connected } = await shareChatapp(t);
const { projectId, key } = tenant;
const { faults, messages: taken } = provider;

/** A thread whose participant has just written, and what becomes of a message in it. */
async function talking() {
  const { channelId, number, token } = await connected();
  await provider.write(number, { phone: '15550100' }, { type: 'text', text: { body: 'Hello' } });
  const query = { projectId, channelId };
  const threads = () => key.all<Thread>('listThreads', { query });
  await eventually('a thread', async () => (await threads()).length === 1);
  const [{ threadId } = { threadId: '' }] = await threads();
  const send = async (body: string): Promise<string> => {
    const asked = { params: { threadId }, body: { projectId, body } };
    return (await key.get<Message>('createMessage', asked)).messageId;
  };
  const read = (messageId: string) => key.get<Message>('getMessage', { params: { threadId, messageId } });
  const hasStatus = (messageId: string, status: string) =>
    eventually(status, async () => (await read(messageId)).status === status);
  return { channelId, token, threadId, send, read, hasStatus };
}

const countAtProvider = (messageId: string): number =>
  taken.sent.filter(({ callbackData }) => callbackData === messageId).length;

async function findSend(messageId: string) {
  const [row] = await database.query<{ status: string; attempts: number; error: { message: string } | null }>(
    'select status, attempts, error from chatapp_sends where message_id = $1',
    [messageId],
  );
  return row;
}

t.test('a provider that nobody reaches: what never left is sent once it is back', async t => {
  const at = await talking();
  await provider.goDown();
  const messageId = await at.send('Anybody there?');
  await eventually('two attempts', async () => ((await findSend(messageId))?.attempts ?? 0) >= 2);
  t.match(await findSend(messageId), { error: { message: 'The provider cannot be reached.' } });
  t.equal((await at.read(messageId)).status, 'queued');
  await provider.comeBack();
  await at.hasStatus(messageId, 'sent');
  t.equal(countAtProvider(messageId), 1);
});

t.test('that it was throttled before says nothing of a message that the provider then fails at', async t => {
  const at = await talking();
  faults.script('messages', { kind: 'error', code: 130_429 }, { kind: 'error', code: 131_000 });
  const messageId = await at.send('Hello');
  await eventually('throttled', async () => (await findSend(messageId))?.error !== null);
  await database.query('update chatapp_sends set attempts = 20 where message_id = $1', [messageId]);
  await eventually('failed once', async () => (await findSend(messageId))?.attempts === 21);
  await eventually('queued', async () => (await findSend(messageId))?.status === 'queued');
  t.match(await findSend(messageId), { error: { code: '131000', failures: 1 } });
});

t.test('disconnecting the channel while a message waits: it leaves by the next connection, once', async t => {
  const { channelId, token, send, read, hasStatus } = await talking();
  await hasStatus(await send('First'), 'sent');
  // Six seconds after the first one.
  const waiting = await send('Second');
  await key.get('disconnectChatapp', { params: { channelId }, body: { projectId } });
  t.equal((await findSend(waiting))?.status, 'queued');
  await database.query(
    `update chatapp_sends set created_at = created_at - interval '2 hours' where message_id = $1`,
    [waiting],
  );
  // Its hour begins with the connection.
  faults.script('messages', { kind: 'error', code: 130_429 });
  t.equal((await connect(channelId, { accessToken: token.value })).status, 200);
  await hasStatus(waiting, 'sent');
  t.equal(countAtProvider(waiting), 1);
  t.equal((await read(waiting)).error, undefined);
});

t.test('a template of which the provider says that its parameters do not fit', async t => {
  const { channelId, account } = await connected();
  const { threadId } = await key.get<Thread>('createThread', {
    body: { projectId, environmentId: tenant.environmentId, channelId, externalRef: '15550100' },
  });
  provider.templates.add(account.id, { name: 'order_sent', body: 'On its way: {{1}}, to {{2}}' });
  const parameters = [{ type: 'text', text: '17' }];
  // Else it would be refused here, before anything is stored.
  provider.faults.script('message_templates', { kind: 'status', status: 500 });
  const { messageId } = await key.get<Message>('sendChatappTemplate', {
    params: { channelId },
    body: {
      projectId,
      threadId,
      templateName: 'order_sent',
      language: 'en_US',
      components: [{ type: 'body', parameters }],
    },
  });
  const read = () => key.get<Message>('getMessage', { params: { threadId, messageId } });
  await eventually('failed', async () => (await read()).status === 'failed');
  t.match(await read(), {
    error: { code: '132000', message: /Param Count Mismatch: body: .* \(1\) does not match .* \(2\)/ },
  });
  t.equal(countAtProvider(messageId), 0);
  t.equal(await findSend(messageId), undefined, 'nobody tries it again');
});
