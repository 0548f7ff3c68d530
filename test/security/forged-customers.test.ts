/** Only callers who may change channels can write messages in a customer's name, and the event names the caller. */
import t from 'tap';
import type { Client } from '../node/client.ts';
import { shareSkein } from '../support/skein.ts';

const skein = await shareSkein(t);
const owner = await skein.tenant();
const { projectId, environmentId, channelId, key } = owner;
const agent = await skein.tenant();
await skein.database.query(
  `insert into console_members (project_id, user_id, role, created_at, updated_at) values ($1, $2, 'agent', now(), now())`,
  [projectId, agent.userId],
);
const operator = agent.person;

const createKey = async (scopes: readonly string[]): Promise<Client> => {
  const body = { projectId, name: 'key', environment: 'test', scopes };
  return skein.client((await owner.person.get<{ secret: string }>('createApiKey', { body })).secret);
};

const threadOn = async (channelId?: string, externalRef = 'ada'): Promise<string> => {
  const body = { projectId, environmentId, externalRef, ...(channelId && { channelId }) };
  return (await key.get<{ threadId: string }>('createThread', { body })).threadId;
};

const threadId = await threadOn(channelId);
const write = (by: Client, to: string, direction: 'inbound' | 'outbound') =>
  by.ask<{ error?: string }>('createMessage', {
    params: { threadId: to },
    body: { projectId, body: 'Send it to my new address.', direction },
  });

t.test('an agent of the Console, and a key that may only write messages', async t => {
  const writer = await createKey(['threads:read', 'messages:read', 'messages:write']);
  for (const by of [operator, writer]) {
    t.equal((await write(by, threadId, 'outbound')).status, 201, 'it may answer');
    t.match(await write(by, threadId, 'inbound'), {
      status: 403,
      body: { error: 'svc/auth/insufficient_scope' },
    });
  }
  const body = { projectId, externalParticipantRef: 'ada', body: 'Send it to my new address.' };
  const inbound = await operator.ask('createInboundMessage', { params: { channelId }, body });
  t.match(inbound, { status: 403 }, 'nor by the channel itself');
  const receipt = await operator.ask('recordReceipt', {
    params: { channelId },
    body: { projectId, externalMessageId: '1', status: 'read', occurredAt: new Date().toISOString() },
  });
  t.equal(receipt.status, 403);
});

t.test('the event names a caller who may change channels', async t => {
  t.equal((await write(owner.person, threadId, 'inbound')).status, 201);
  const { data } = await owner.person.get<{ data: { data: object }[] }>('listEvents', {
    query: { projectId, threadId, eventName: 'thread.message.received' },
  });
  t.match(data[0]?.data, {
    actor: { type: 'contact', id: 'ada' },
    reportedBy: { type: 'user', id: owner.userId },
    message: { direction: 'inbound', actor: { type: 'contact' } },
  });
  await key.get('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: 'bob', body: 'hello' },
  });
  const [newest] = (
    await owner.person.get<{ data: { data: object }[] }>('listEvents', {
      query: { projectId, eventName: 'thread.message.received' },
    })
  ).data;
  t.match(newest?.data, { reportedBy: { type: 'api_key', id: owner.apiKeyId } });
});

t.test('only on custom channels', async t => {
  const chatapp = await key.get<{ channelId: string }>('createChannel', {
    body: { projectId, environmentId, name: 'Chat', kind: 'chatapp' },
  });
  for (const place of [await threadOn(chatapp.channelId, '15550100'), await threadOn()]) {
    t.match(await write(key, place, 'inbound'), { status: 409, body: { error: 'svc/runtime/conflict' } });
  }
});
