/** Threads over the public API. Isolation, permissions, limits and repetition: test/contract. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { followEvents } from '../../../storage/search/follow.ts';
import type { ListOf, Refusal } from '../../node/client.ts';
import { newKey, type Tenant } from '../../node/tenant.ts';
import {
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

const read = (by: Tenant['key'], threadId: string) => by.get<Thread>('getThread', { params: { threadId } });
const patch = ({ key, projectId }: Tenant, threadId: string, changes: object) =>
  key.ask<Thread & Refusal>('updateThread', { params: { threadId }, body: { projectId, ...changes } });
const list = async ({ projectId }: Tenant, by: Tenant['key'], query: object = {}) =>
  by.get<ListOf<Thread>>('listThreads', { query: { projectId, limit: 50, ...query } });
const find = async (tenant: Tenant, query: object): Promise<string[]> =>
  (await list(tenant, tenant.person, query)).data.map(({ threadId }) => threadId);

t.test('a thread is created once for a participant, who then writes in it', async t => {
  const tenant = await skein.tenant();
  const { key, person, projectId, environmentId, channelId } = tenant;
  const body = { projectId, environmentId, channelId, externalRef: '+34600', metadata: { a: [1] } };
  const created = await key.get<Thread>('createThread', { body });
  t.match(created, { ...body, status: 'open', sequence: 1, agentMode: null, subject: null });
  t.strictSame(await read(key, created.threadId), created);
  t.strictSame(await read(person, created.threadId), { ...created, unreadCount: 0 });
  const second = await key.ask('createThread', { body });
  t.match(second.body, { error: 'svc/runtime/conflict', details: { threadId: created.threadId } });
  const { body: inbound } = await receiveMessage(tenant, channelId, { externalParticipantRef: '+34600' });
  t.equal(inbound.threadId, created.threadId);
});

t.test('PATCH changes the given fields, and each kind of change has one event', async t => {
  const tenant = await skein.tenant();
  const { threadId } = await newThread(tenant);
  const changes = {
    status: 'closed',
    tags: ['vip'],
    agentMode: 'suggest',
    customFields: { n: 1 },
    subject: '😀'.repeat(256),
  };
  const changed = await patch(tenant, threadId, changes);
  t.match(changed.body, { ...changes, sequence: 5 });
  t.strictSame((await patch(tenant, threadId, changes)).body, changed.body, 'a repeated change is a no-op');
  t.strictSame(await read(tenant.key, threadId), changed.body);
  t.strictSame(
    (await readThreadEvents(database, threadId)).map(event => event.eventName),
    [
      'thread.lifecycle.created',
      'thread.status.changed',
      'thread.agent_mode.changed',
      'thread.tags.changed',
      'thread.lifecycle.updated',
    ],
  );
  const cleared = await patch(tenant, threadId, { agentMode: null, subject: null, status: 'archived' });
  t.match(cleared.body, { agentMode: null, subject: null, status: 'archived', archivedAt: /Z$/ });
  t.match((await patch(tenant, threadId, { status: 'closed' })).body.error, 'svc/runtime/conflict');
});

t.test('the picture of a participant must be a stored file', async t => {
  const tenant = await skein.tenant();
  const { threadId } = await newThread(tenant);
  const picture = newId('attachment');
  const participant = { displayName: 'Ada', attributes: { picture, tier: 'gold' } };
  t.match((await patch(tenant, threadId, { participant })).body.participant, participant);
  for (const address of ['https://example.com/ada.png', '//example.com/a', 7]) {
    const refused = await patch(tenant, threadId, { participant: { attributes: { picture: address } } });
    t.match(refused.body.details, { issues: [{ path: '/body/participant/attributes/picture' }] });
  }
  const removed = await patch(tenant, threadId, { participant: { attributes: { picture: null } } });
  t.strictSame(removed.body.participant?.attributes, { tier: 'gold' });
});

t.test('a person reaches production by naming it; the default is the sandbox', async t => {
  const tenant = await skein.tenant();
  const { person, projectId } = tenant;
  const environmentId = await skein.production(tenant);
  const { key } = await newKey(person, projectId, 'live');
  const { threadId } = await key.get<Thread>('createThread', { body: { projectId, environmentId } });
  t.match(await read(person, threadId), { threadId, environmentId });
  t.strictSame([await find(tenant, {}), await find(tenant, { environmentId })], [[], [threadId]]);
});

t.test('while messages arrive, the recommended sort orders show every thread', async t => {
  const tenant = await skein.tenant();
  const ids: string[] = [];
  for (let i = 0; i < 9; i++) ids.push((await newThread(tenant)).threadId);
  /** Sends messages to the oldest threads after each page. */
  async function walk(query: object): Promise<string[]> {
    const seen: string[] = [];
    const waiting = [...ids];
    for (let cursor: string | null = ''; cursor !== null;) {
      const more = cursor === '' ? {} : { cursor };
      const page = await list(tenant, tenant.key, { limit: 3, ...query, ...more });
      seen.push(...page.data.map(({ threadId }) => threadId));
      cursor = page.nextCursor;
      for (const threadId of waiting.splice(0, 2)) await sendMessage(tenant, threadId);
    }
    return seen;
  }
  t.strictSame(await walk({ sort: 'createdAt' }), ids.toReversed());
  t.strictSame(await walk({ sort: 'createdAt', order: 'asc' }), ids);
  t.strictSame(new Set(await walk({ sort: 'updatedAt', order: 'asc' })), new Set(ids), 'some are repeated');
  t.ok(new Set(await walk({})).size < ids.length, 'the default order misses some');
});

t.test('a list shows what an inbox needs, and filters by it', async t => {
  const tenant = await skein.tenant();
  const { projectId, person, key } = tenant;
  const { channelId } = await newChannel(tenant, 'sandbox');
  const write = async (externalParticipantRef: string, body: string) =>
    (await receiveMessage(tenant, channelId, { externalParticipantRef, body })).body;
  const first = await write('ada', 'Hello');
  const second = await write('bob', 'Good\nmorning');
  const answered = await write('cy', 'Thanks');
  await sendMessage(tenant, answered.threadId);
  await write('ada', 'Anybody?');
  const { data } = await list(tenant, person);
  t.match(
    data.map(({ preview, unreadCount, waitingSince, failedSends }) => [
      preview?.text,
      unreadCount,
      waitingSince,
      failedSends,
    ]),
    [
      ['Anybody?', 2, first.createdAt, 0],
      [String, 1, null, 0],
      ['Good morning', 1, second.createdAt, 0],
    ],
  );
  t.strictSame(await find(tenant, { sort: 'waitingSince', order: 'asc' }), [first.threadId, second.threadId]);
  t.strictSame(await find(tenant, { awaitingReply: false }), [answered.threadId]);
  t.strictSame(await find(tenant, { hasPendingSuggestion: true }), []);
  const ends = data.map(({ serviceWindow }) => serviceWindow?.expiresAt ?? '').sort();
  const closing = { sort: 'windowClosesAt', windowClosesBefore: ends[1] };
  t.strictSame(await find(tenant, closing), [second.threadId], 'the end of the window is exclusive');

  const move = (sequence = 0) =>
    person.get('moveReadCursor', { params: { threadId: first.threadId }, body: { projectId, sequence } });
  await move(first.sequence);
  t.equal((await read(person, first.threadId)).unreadCount, 1, 'messages after the cursor');
  await move(data[0]?.sequence);
  t.strictSame(await find(tenant, { unread: true, sort: 'createdAt' }), [answered.threadId, second.threadId]);
  t.strictSame(await find(tenant, { unread: false }), [first.threadId]);
  await write('ada', 'Still there?');
  t.equal((await read(person, first.threadId)).unreadCount, 1);
  t.equal((await key.ask('listThreads', { query: { projectId, unread: true } })).status, 422);
  t.notOk('unreadCount' in ((await list(tenant, key)).data[0] ?? {}), 'a key has no read cursor');
});

t.test('each filter and sort order of a list', async t => {
  const tenant = await skein.tenant();
  const { key, projectId, channelId, userId } = tenant;
  const ids: string[] = [];
  for (const externalRef of ['ada', 'bob', 'cy', 'dan', 'eve']) {
    const fields = externalRef < 'c' ? { channelId, externalRef } : { externalRef };
    ids.push((await newThread(tenant, fields)).threadId);
  }
  const [ada = '', bob = '', cy = '', dan = '', eve = ''] = ids;
  await patch(tenant, bob, { status: 'closed', tags: ['vip', 'b'] });
  await patch(tenant, cy, { tags: ['vip'], agentMode: 'auto' });
  const { updatedAt } = (await patch(tenant, dan, { status: 'archived' })).body;
  await key.get('assignThread', { params: { threadId: eve }, body: { projectId, userId } });
  await sendMessage(tenant, ada);
  for (const [query, expected] of [
    [{ status: 'closed' }, [bob]],
    [{ status: ['closed', 'archived'] }, [dan, bob]],
    [{ status: 'open', tag: 'vip' }, [cy]],
    [{ tag: ['b', 'unused'] }, [bob]],
    [{ agentMode: 'none' }, [eve, dan, bob, ada]],
    [{ agentMode: ['none', 'auto'] }, ids.toReversed()],
    [{ channelId }, [bob, ada]],
    [{ participantRef: 'ada' }, [ada]],
    [{ participantRef: 'ada', channelId: newId('channel') }, []],
    [{ assigneeUserId: userId }, [eve]],
    [{ assigneeUserId: 'unassigned' }, [dan, cy, bob, ada]],
    [{ updatedAfter: updatedAt }, [eve, ada]],
    [{ order: 'asc' }, ids],
    [{ sort: 'lastMessageAt', limit: 1 }, [ada]],
    [{ sort: 'updatedAt' }, [ada, eve, dan, cy, bob]],
    [{ sort: 'updatedAt', order: 'asc', updatedAfter: updatedAt }, [eve, ada]],
  ] as const) {
    t.strictSame(await find(tenant, { sort: 'createdAt', ...query }), expected, JSON.stringify(query));
  }
  t.match(await key.ask('listThreads', { query: { projectId, agentMode: ['none', 'fast'] } }), {
    status: 422,
    body: { message: '/query/agentMode/1 must be one of auto, suggest, paused, none.' },
  });
  const { nextCursor } = await list(tenant, key, { limit: 1 });
  for (const more of [{ status: 'open' }, { sort: 'createdAt' }]) {
    const query = { projectId, cursor: nextCursor ?? '', ...more };
    t.equal((await key.ask('listThreads', { query })).status, 400, 'a cursor belongs to its list');
  }
});

t.test('a search finds words, and shows nothing that the key may not read', async t => {
  const tenant = await skein.tenant();
  const { projectId, userId, channelId } = tenant;
  const say = async (externalParticipantRef: string, body: string) =>
    (await receiveMessage(tenant, channelId, { externalParticipantRef, body })).body;
  const first = await say('ada', 'Where is my parcel 4711? <b>Parcel!</b>');
  const second = await say('bob', 'The parcel is blue');
  await sendMessage(tenant, second.threadId);
  await followEvents(database);
  t.strictSame(await find(tenant, { q: 'ada parc' }), [], 'one message or the name must have all words');
  const { data, hasMore } = await list(tenant, tenant.key, { q: 'where parcel' });
  t.equal(hasMore, false);
  const { threadId, messageId, createdAt } = first;
  t.match(data, [
    { threadId, preview: { messageId }, match: { field: 'message', messageId, at: createdAt } },
  ]);
  const { snippet = '', highlights = [] } = data[0]?.match ?? {};
  const marked = highlights.map(([from, to]) => snippet.slice(from, to));
  t.strictSame(marked, ['Where', 'parcel', 'Parcel']);
  t.strictSame(await find(tenant, { q: 'parcel', awaitingReply: true }), [threadId], 'filters apply');
  t.strictSame(await find(tenant, { q: 'parcel', participantRef: 'bob' }), [second.threadId]);
  t.strictSame(await find(await skein.tenant(), { q: 'parcel' }), []);

  const blind = await newScopedKey(tenant, ['threads:read', 'threads:write']);
  const search = { query: { projectId, q: '4711' } };
  t.match((await blind.ask('listThreads', search)).body, { details: { missingScopes: ['messages:read'] } });
  const params = { threadId };
  for (const [operation, asked] of [
    ['getThread', { params }],
    ['getThread', { params, headers: { 'service-acting-user': userId } }],
    ['listThreads', { query: { projectId } }],
    ['updateThread', { params, body: { projectId, tags: ['vip'] } }],
    ['assignThread', { params, body: { projectId, userId } }],
  ] as const) {
    t.match((await tenant.key.ask(operation, asked)).text, '4711', operation);
    const hidden = await blind.ask(operation, asked);
    t.match([hidden.status, hidden.text.includes(threadId)], [200, true], operation);
    t.notMatch(hidden.text, /4711|preview/, operation);
  }
});
