/** A key that acts for a user (`Service-Acting-User`): the act is the user's, as if they had done it in the Console. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { ThreadNote } from '../../../protocol/resources/note.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { startTestDatabase } from '../../support/database.ts';
import { type Asked, ConversationNode, type ErrorBody, type ListOf } from './conversation-fixture.ts';

const { database } = await startTestDatabase(t);
const node = await ConversationNode.start(t, database);
const tenant = await node.tenant();
const { projectId, apiKeyId, secret } = tenant;
const [operator, onlooker] = [await node.tenant(), await node.tenant()];
for (const [{ userId }, role] of [
  [operator, 'agent'],
  [onlooker, 'viewer'],
] as const) {
  await database.query(
    `insert into console_members (project_id, user_id, role, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    [projectId, userId, role],
  );
}
const actingUser = operator.userId;
const actor = { type: 'user', id: actingUser, apiKeyId };

t.test('what the key does is done by the user, and the key is named beside them', async t => {
  const { threadId } = await node.thread(tenant);
  const asked = { params: { threadId }, actingUser };
  const sent = await node.send(tenant, threadId, 'a person answers', { actingUser });
  t.match([sent.status, sent.body.actor], [201, actor]);
  const note = await node.ask<ThreadNote>('createNote', secret, {
    ...asked,
    body: { projectId, body: 'called them' },
  });
  t.equal(note.body.authorUserId, actingUser);
  const changes = { projectId, agentMode: 'paused', status: 'closed' };
  t.equal((await node.ask('updateThread', secret, { ...asked, body: changes })).status, 200);
  const assignment = { ...asked, body: { projectId, userId: actingUser } };
  t.equal((await node.ask('assignThread', secret, assignment)).status, 200);
  const typing = node.nextEphemeral(projectId);
  await node.ask('setTyping', secret, { ...asked, body: { projectId, state: 'started' } });
  t.match(JSON.parse((await typing).body), { data: { actor, userId: actingUser } });
  for (const { eventName, data } of (await node.getEvents(threadId)).slice(1)) {
    t.strictSame(data['actor'], actor, eventName);
  }
});

t.test('it counts as a human: a closed thread opens, and the agent has been beaten', async t => {
  const { channelId } = await node.channel(tenant);
  const { body: first } = await node.inbound(tenant, channelId, { externalParticipantRef: 'customer' });
  const { threadId } = first;
  const close = { params: { threadId }, body: { projectId, status: 'closed' } };
  const getThread = async () => (await node.ask<Thread>('getThread', secret, { params: { threadId } })).body;
  const humanSequence = async () => {
    const [row] = await database.query<{ state: { desk?: { humanSequence?: number } } }>(
      'select state from threads where thread_id = $1',
      [threadId],
    );
    return row?.state.desk?.humanSequence;
  };
  const body = { projectId, agentId: await newAgent() };
  await node.ask('updateThread', secret, { params: { threadId }, body });
  await node.ask('updateThread', secret, close);
  await node.send(tenant, threadId);
  t.strictSame([(await getThread()).status, await humanSequence()], ['closed', undefined], 'a program');
  const { body: sent } = await node.send(tenant, threadId, 'hello', { actingUser });
  t.equal((await getThread()).status, 'open');
  t.ok((await humanSequence()) === sent.sequence, 'answers of the agent to what came before are not sent');
});

/** The row of an agent, as much of it as a thread looks at. */
async function newAgent(): Promise<string> {
  const agentId = newId('agent');
  await database.query(`insert into agents select * from jsonb_populate_record(null::agents, $1)`, [
    JSON.stringify({
      agent_id: agentId,
      project_id: projectId,
      environment_id: tenant.environmentId,
      name: 'bot',
      mode: 'auto',
      metadata: {},
      created_at: new Date(),
      updated_at: new Date(),
    }),
  ]);
  return agentId;
}

t.test('the user reads with the key: cursor, and what is unread', async t => {
  const { channelId } = await node.channel(tenant);
  const { body: first } = await node.inbound(tenant, channelId, { externalParticipantRef: 'reader' });
  const { threadId, sequence = 0 } = first;
  const list = async (more: Partial<Asked>) => {
    const query = { projectId, channelId, ...more.query };
    return node.ask<ListOf<Thread> & ErrorBody>('listThreads', secret, { ...more, query });
  };
  t.match((await list({ actingUser, query: { unread: 'true' } })).body.data, [{ threadId, unreadCount: 1 }]);
  t.equal((await list({ query: { unread: 'true' } })).status, 422, 'a key alone reads nothing');
  const moved = { params: { threadId }, body: { projectId, sequence }, actingUser };
  t.equal((await node.ask('moveReadCursor', secret, moved)).status, 200);
  t.match((await list({ actingUser })).body.data, [{ readSequence: sequence, unreadCount: 0 }]);
  t.notOk('readSequence' in ((await list({})).body.data[0] ?? {}), 'the cursor is the user’s alone');
});

t.test('whom it may not act for is refused, all with one answer', async t => {
  const { threadId } = await node.thread(tenant);
  const send = async (actingUser: string, as = secret, key?: string) => {
    const body = { projectId, body: 'hello' };
    const asked = { params: { threadId }, body, actingUser, ...(key === undefined ? {} : { key }) };
    return node.ask<Message & ErrorBody>('createMessage', as, asked);
  };
  const outsider = await node.tenant();
  const unknown = await send(newId('user'));
  t.match([unknown.status, unknown.body], [404, { error: 'svc/runtime/not_found' }]);
  t.match(unknown.body.details, { issues: [{ path: '/header/Service-Acting-User', code: 'reference' }] });
  for (const who of [outsider.userId, onlooker.userId, 'nobody', newId('thread')]) {
    const { requestId: _, ...refused } = (await send(who)).body as unknown as Record<string, unknown>;
    const { requestId: __, ...expected } = unknown.body as unknown as Record<string, unknown>;
    t.strictSame(refused, expected, who);
  }
  const narrow = await send(actingUser, await node.getKey(tenant, ['messages:write']));
  t.match([narrow.status, narrow.body.details], [403, { missingScopes: ['threads:write'] }]);
  const enough = await node.getKey(tenant, ['messages:write', 'threads:write']);
  t.equal((await send(actingUser, enough)).status, 201);
  t.equal((await send(actingUser, tenant.token)).status, 422, 'a person acts for themselves');
});

t.test('a repetition names the same user', async t => {
  const { threadId } = await node.thread(tenant);
  const key = newId('message');
  const first = await node.send(tenant, threadId, 'once', { actingUser, key });
  const again = await node.send(tenant, threadId, 'once', { actingUser, key });
  t.strictSame([again.status, again.body], [201, first.body]);
  for (const other of [{}, { actingUser: tenant.userId }]) {
    const refused = await node.send(tenant, threadId, 'once', { ...other, key });
    t.match([refused.status, refused.body], [409, { error: 'svc/runtime/idempotency_conflict' }]);
  }
});
