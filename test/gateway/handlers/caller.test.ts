/** A key that acts for a user (`Service-Acting-User`): the act counts as the user's, as if done in the Console. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { ThreadNote } from '../../../protocol/resources/note.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { Asked, ListOf } from '../../node/client.ts';
import {
  addConsoleMember,
  newChannel,
  newScopedKey,
  newThread,
  readThreadEvents,
  receiveMessage,
  sendMessage,
} from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { database } = skein;
const tenant = await skein.tenant();
const { key, projectId, apiKeyId, channelId, environmentId } = tenant;
const [operator, viewer] = [await skein.tenant(), await skein.tenant()];
await addConsoleMember(database, tenant, operator, 'agent');
await addConsoleMember(database, tenant, viewer, 'viewer');
const { userId } = operator;
const actingAs = (user: string) => ({ headers: { 'service-acting-user': user } });
const acting = actingAs(userId);

t.test('the event of each act names the user and the key', async t => {
  const { threadId } = await newThread(tenant);
  const asked = { params: { threadId }, ...acting };
  const actor = { type: 'user', id: userId, apiKeyId };
  t.match((await sendMessage(tenant, threadId, {}, acting)).body.actor, actor);
  const note = await key.get<ThreadNote>('createNote', { ...asked, body: { projectId, body: 'called' } });
  t.equal(note.authorUserId, userId);
  await key.get('updateThread', { ...asked, body: { projectId, agentMode: 'paused', status: 'closed' } });
  await key.get('assignThread', { ...asked, body: { projectId, userId } });
  for (const { eventName, data } of (await readThreadEvents(database, threadId)).slice(1))
    t.strictSame(data['actor'], actor, eventName);
});

t.test('the act counts as human: it reopens a closed thread and overtakes the agent', async t => {
  const body = { projectId, environmentId, name: 'bot', mode: 'auto' };
  const { agentId } = await key.get<{ agentId: string }>('createAgent', { body });
  const { threadId } = (await receiveMessage(tenant, channelId, { externalParticipantRef: 'customer' })).body;
  const params = { threadId };
  const readStatus = async () => {
    const select = `select status, (state -> 'desk' ->> 'humanSequence')::int as sequence from threads where thread_id = $1`;
    return (await database.query<{ status: string; sequence: number | null }>(select, [threadId]))[0];
  };
  await key.get('updateThread', { params, body: { projectId, agentId } });
  await key.get('updateThread', { params, body: { projectId, status: 'closed' } });
  await sendMessage(tenant, threadId);
  t.strictSame(await readStatus(), { status: 'closed', sequence: null }, 'a program');
  const { body: sent } = await sendMessage(tenant, threadId, {}, acting);
  t.strictSame(await readStatus(), { status: 'open', sequence: sent.sequence });
});

t.test('the read cursor is the one of the user', async t => {
  const { channelId } = await newChannel(tenant);
  const { threadId, sequence } = (await receiveMessage(tenant, channelId, { externalParticipantRef: 'x' }))
    .body;
  const list = async (asked: Asked = {}, query: Asked['query'] = {}) =>
    (await key.get<ListOf<Thread>>('listThreads', { ...asked, query: { projectId, channelId, ...query } }))
      .data;
  t.match(await list(acting, { unread: 'true' }), [{ threadId, unreadCount: 1 }]);
  await key.get('moveReadCursor', { params: { threadId }, body: { projectId, sequence }, ...acting });
  t.match(await list(acting), [{ readSequence: sequence, unreadCount: 0 }]);
  t.notOk('readSequence' in ((await list())[0] ?? {}));
});

t.test('a key may act for operators only; all others get one answer', async t => {
  const { threadId } = await newThread(tenant);
  const send = async (user: string, by = key) => {
    const reply = await sendMessage({ ...tenant, key: by }, threadId, {}, actingAs(user));
    return { status: reply.status, error: reply.body.error, details: reply.body.details };
  };
  const refused = await send(newId('user'));
  t.match(refused, {
    status: 404,
    error: 'svc/runtime/not_found',
    details: { issues: [{ path: '/header/Service-Acting-User', code: 'reference' }] },
  });
  const outsider = await skein.tenant();
  for (const user of [outsider.userId, viewer.userId, 'nobody', newId('thread')])
    t.strictSame(await send(user), refused, user);
  const narrow = await newScopedKey(tenant, ['messages:write']);
  t.match(await send(userId, narrow), { status: 403, details: { missingScopes: ['threads:write'] } });
  const enough = await newScopedKey(tenant, ['messages:write', 'threads:write']);
  t.equal((await send(userId, enough)).status, 201);
  t.equal((await send(userId, tenant.person)).status, 422, 'people act for themselves');
});

t.test('a repetition must name the same user', async t => {
  const { threadId } = await newThread(tenant);
  const send = (asked: Asked) => sendMessage(tenant, threadId, {}, { ...asked, key: 'acting-once' });
  const first = await send(acting);
  t.strictSame((await send(acting)).body, first.body);
  for (const other of [{}, actingAs(tenant.userId)])
    t.match(await send(other), { status: 409, body: { error: 'svc/runtime/idempotency_conflict' } });
});
