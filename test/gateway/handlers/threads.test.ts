import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { followEvents } from '../../../storage/search/follow.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConversationNode, type ErrorBody, type ListOf, type Tenant } from './conversation-fixture.ts';

const { database } = await startTestDatabase(t);

t.test('threads over REST', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const outsider = await node.tenant();
  const { projectId, environmentId, secret } = tenant;

  const read = (threadId: string, bearer = secret, query = {}) =>
    node.ask<Thread & ErrorBody>('getThread', bearer, { params: { threadId }, query });
  const update = (threadId: string, changes: object, bearer = secret) =>
    node.ask<Thread & ErrorBody>('updateThread', bearer, {
      params: { threadId },
      body: { projectId, ...changes },
    });

  t.test('what is created is read', async t => {
    const channel = await node.channel(tenant);
    const body = { projectId, environmentId, channelId: channel.channelId, metadata: { a: [1] } };
    const created = await node.ask<Thread>('createThread', secret, { body });
    t.equal(created.status, 201);
    t.match(created.body, { ...body, status: 'open', sequence: 1, agentMode: null, externalRef: null });
    const found = await read(created.body.threadId);
    t.strictSame(found.body, created.body);
    t.strictSame(
      (await read(created.body.threadId, tenant.token)).body,
      { ...created.body, unreadCount: 0 },
      'also by a Studio user',
    );
  });

  t.test('an identity is taken once, and names its thread', async t => {
    const { channelId } = await node.channel(tenant);
    const body = { projectId, environmentId, channelId, externalRef: '+34600' };
    const first = await node.ask<Thread>('createThread', secret, { body });
    const second = await node.ask<ErrorBody>('createThread', secret, { body });
    t.equal(second.status, 409);
    t.match(second.body, { error: 'svc/runtime/conflict', details: { threadId: first.body.threadId } });
    const inbound = await node.inbound(tenant, channelId, { externalParticipantRef: '+34600' });
    t.equal(inbound.body.threadId, first.body.threadId, 'the participant who writes is that thread');
  });

  t.test('without a reference each is a thread of its own', async t => {
    const [a, b] = await Promise.all([node.thread(tenant), node.thread(tenant)]);
    t.not(a.threadId, b.threadId);
  });

  t.test('a repeated request is answered as the first time, another with its key is refused', async t => {
    const body = { projectId, environmentId, metadata: { n: 1 } };
    const first = await node.ask<Thread>('createThread', secret, { body, key: 'k-1' });
    const again = await node.ask<Thread>('createThread', secret, { body, key: 'k-1' });
    t.strictSame([again.status, again.text], [201, first.text]);
    t.equal(again.headers.get('idempotent-replayed'), 'true');
    const other = await node.ask<ErrorBody>('createThread', secret, {
      body: { ...body, metadata: {} },
      key: 'k-1',
    });
    t.match([other.status, other.body.error], [409, 'svc/runtime/idempotency_conflict']);
  });

  t.test("another tenant's channel, thread and project are not there", async t => {
    const foreign = await node.channel(outsider);
    const body = { projectId, environmentId, channelId: foreign.channelId };
    t.equal((await node.ask('createThread', secret, { body })).status, 404);
    const theirs = await node.thread(outsider);
    for (const bearer of [secret, tenant.token]) {
      const absent = await read(newId('thread'), bearer);
      const outside = await read(theirs.threadId, bearer);
      t.match([absent.status, outside.status], [404, 404]);
      const { requestId: _, ...rest } = outside.body as unknown as Record<string, unknown>;
      t.match(absent.body, rest, 'both read the same');
      t.equal((await update(theirs.threadId, { status: 'closed' }, bearer)).status, 404);
    }
    const mine = await node.thread(tenant);
    t.equal((await read(mine.threadId, secret, { projectId: outsider.projectId })).status, 404);
    t.equal((await read(theirs.threadId, outsider.secret)).body.status, 'open', 'nothing has happened to it');
  });

  t.test('PATCH changes the given fields, and has one event', async t => {
    const { threadId } = await node.thread(tenant);
    const changed = await update(threadId, {
      status: 'closed',
      tags: ['vip'],
      agentMode: 'suggest',
      customFields: { n: 1 },
    });
    t.match(changed.body, {
      status: 'closed',
      tags: ['vip'],
      agentMode: 'suggest',
      customFields: { n: 1 },
      sequence: 5,
    });
    const same = await update(threadId, { status: 'closed', tags: ['vip'] });
    t.strictSame(same.body, changed.body);
    t.strictSame((await read(threadId)).body, changed.body);
    t.strictSame(
      (await node.getEvents(threadId)).map(event => event.eventName),
      [
        'thread.lifecycle.created',
        'thread.status.changed',
        'thread.agent_mode.changed',
        'thread.tags.changed',
        'thread.lifecycle.updated',
      ],
    );
    const nulled = await update(threadId, { agentMode: null, status: 'archived' });
    t.match(nulled.body, { agentMode: null, status: 'archived', archivedAt: /Z$/ });
    t.match((await update(threadId, { status: 'closed' })).body.error, 'svc/runtime/conflict');
  });

  t.test('a subject says what a thread is about', async t => {
    const body = { projectId, environmentId, subject: 'Invoice 4711' };
    const { body: created } = await node.ask<Thread>('createThread', secret, { body });
    t.equal(created.subject, 'Invoice 4711');
    const { body: changed } = await update(created.threadId, { subject: '😀'.repeat(256) });
    t.match(changed, { subject: '😀'.repeat(256), sequence: 2 });
    t.equal(
      (await update(created.threadId, { subject: changed.subject })).body.sequence,
      2,
      'no change, no event',
    );
    t.strictSame((await read(created.threadId)).body, changed);
    for (const subject of ['', 'x'.repeat(257), 4711]) {
      const { status, body: refusal } = await update(created.threadId, { subject });
      t.match([status, refusal.details], [422, { issues: [{ path: '/body/subject' }] }]);
    }
    t.equal((await update(created.threadId, { subject: null })).body.subject, null);
    t.equal((await node.thread(tenant)).subject, null);
  });

  t.test('an agent has to be one of the environment', async t => {
    const { threadId } = await node.thread(tenant);
    const agentId = newId('agent');
    t.equal((await update(threadId, { agentId })).status, 404);
    await database.query(
      `insert into agents (agent_id, project_id, environment_id, name, mode, created_at, updated_at)
       values ($1, $2, $3, 'a', 'auto', now(), now())`,
      [agentId, projectId, environmentId],
    );
    t.equal((await update(threadId, { agentId })).body.agentId, agentId);
    t.equal((await update(threadId, { agentId: null })).body.agentId, null);
  });

  t.test('a Studio user reaches production by id or by naming it, a sandbox key does not', async t => {
    const owner = await node.tenant();
    const production = await node.production(owner);
    const live = await node.getKey(owner, ['*'], 'live');
    const body = { projectId: owner.projectId, environmentId: production };
    const { threadId } = (await node.ask<Thread>('createThread', live, { body })).body;
    t.match((await read(threadId, owner.token)).body, { threadId, environmentId: production });
    t.equal((await read(threadId, owner.secret)).status, 404);
    const patch = { params: { threadId }, body: { projectId: owner.projectId, status: 'closed' } };
    t.equal((await node.ask('updateThread', owner.secret, patch)).status, 404);
    t.equal((await node.ask('updateThread', owner.token, patch)).status, 200);
    const listed = async (query: object) =>
      (
        await node.ask<ListOf<Thread>>('listThreads', owner.token, {
          query: { projectId: owner.projectId, ...query },
        })
      ).body.data.length;
    t.strictSame([await listed({}), await listed({ environmentId: production })], [0, 1]);
  });

  t.test('scopes', async t => {
    const reader = await node.getKey(tenant, ['threads:read']);
    const { threadId } = await node.thread(tenant);
    t.equal((await read(threadId, reader)).status, 200);
    const refused = await update(threadId, { status: 'closed' }, reader);
    t.match([refused.status, refused.body.error], [403, 'svc/auth/insufficient_scope']);
  });
});

t.test('a thread is found by its participant, in every channel of the environment', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant: Tenant = await node.tenant();
  const { projectId, secret } = tenant;
  const find = async (query: object): Promise<string[]> => {
    const { body } = await node.ask<ListOf<Thread>>('listThreads', secret, {
      query: { projectId, ...query },
    });
    return body.data.map(({ threadId }) => threadId);
  };
  const channels = [await node.channel(tenant), await node.channel(tenant)].map(({ channelId }) => channelId);
  const made: string[] = [];
  for (const channelId of channels) {
    for (const externalRef of ['ada', 'bob']) {
      made.push((await node.thread(tenant, { channelId, externalRef })).threadId);
    }
  }
  made.push((await node.thread(tenant, { externalRef: 'ada' })).threadId);
  const ofAda = [made[0], made[2], made[4]];
  t.strictSame(await find({ participantRef: 'ada', sort: 'createdAt', order: 'asc' }), ofAda);
  t.strictSame(await find({ participantRef: 'ada', channelId: channels[1] }), [made[2]]);
  t.strictSame(await find({ participantRef: 'ada', status: 'closed' }), []);
  t.strictSame(await find({ participantRef: 'eve' }), []);
  await database.query('update threads set external_ref = null where thread_id = $1', [made[0]]);
  t.strictSame(
    await find({ participantRef: 'ada', sort: 'createdAt', order: 'asc' }),
    [made[2], made[4]],
    'erased',
  );
  const other = await node.tenant();
  const theirs = { query: { projectId: other.projectId, participantRef: 'ada' } };
  t.strictSame((await node.ask<ListOf<Thread>>('listThreads', other.secret, theirs)).body.data, []);
});

t.test('while messages come, the recommended sorts show every thread', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant: Tenant = await node.tenant();
  const { projectId, secret } = tenant;
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) ids.push((await node.thread(tenant)).threadId);
  /** Every page is followed by messages to the threads that were made first, which newest first shows last. */
  async function walk(query: object): Promise<string[]> {
    const seen: string[] = [];
    const waiting = [...ids];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: ListOf<Thread> = (
        await node.ask<ListOf<Thread>>('listThreads', secret, {
          query: { projectId, limit: 3, ...query, ...(cursor === '' ? {} : { cursor }) },
        })
      ).body;
      seen.push(...page.data.map(({ threadId }) => threadId));
      cursor = page.nextCursor;
      for (const threadId of waiting.splice(0, 2)) await node.send(tenant, threadId);
    }
    return seen;
  }
  t.strictSame(await walk({ sort: 'createdAt' }), ids.toReversed(), 'each one once');
  t.strictSame(await walk({ sort: 'createdAt', order: 'asc' }), ids, 'each one once');
  t.strictSame(
    new Set(await walk({ sort: 'updatedAt', order: 'asc' })),
    new Set(ids),
    'each one, some again',
  );
  t.ok(new Set(await walk({})).size < ids.length, 'the default does not');
});

t.test('a list says what a row of an inbox shows, and finds threads by it', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, secret, token } = tenant;
  const { channelId } = await node.channel(tenant, 'sandbox');
  const write = async (ref: string, body: string) =>
    (await node.inbound(tenant, channelId, { externalParticipantRef: ref, body })).body;
  const list = (query: object, bearer = token) =>
    node.ask<ListOf<Thread> & ErrorBody>('listThreads', bearer, { query: { projectId, ...query } });
  const found = async (query: object) => (await list(query)).body.data.map(({ threadId }) => threadId);

  const first = await write('ada', 'Hello');
  const second = await write('bob', 'Good\nmorning');
  const answered = await write('cy', 'Thanks');
  await node.send(tenant, answered.threadId);
  await write('ada', 'Anybody?');
  const { data } = (await list({})).body;
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
  t.strictSame(await found({ sort: 'waitingSince', order: 'asc' }), [first.threadId, second.threadId]);
  t.strictSame(await found({ awaitingReply: false }), [answered.threadId]);
  t.strictSame(await found({ hasPendingSuggestion: true }), []);
  const ends = [...data].map(({ serviceWindow }) => serviceWindow?.expiresAt ?? '').sort();
  const closing = { sort: 'windowClosesAt', windowClosesBefore: ends[1] };
  t.strictSame(await found(closing), [second.threadId], 'the end of the window is exclusive');

  const move = (threadId: string, sequence: number) =>
    node.ask('moveReadCursor', token, { params: { threadId }, body: { projectId, sequence } });
  await move(first.threadId, first.sequence ?? 0);
  const countUnread = async (threadId: string) =>
    (await node.ask<Thread>('getThread', token, { params: { threadId } })).body.unreadCount;
  t.equal(await countUnread(first.threadId), 1, 'what came after the cursor');
  await move(first.threadId, data[0]?.sequence ?? 0);
  t.equal(await countUnread(first.threadId), 0);
  t.strictSame(await found({ unread: true, sort: 'createdAt' }), [answered.threadId, second.threadId]);
  t.strictSame(await found({ unread: false }), [first.threadId]);
  await write('ada', 'Still there?');
  t.equal(await countUnread(first.threadId), 1);
  t.equal((await list({ unread: true }, secret)).status, 422, 'a key reads nothing');
  t.notOk('unreadCount' in ((await list({}, secret)).body.data[0] ?? {}));
});

t.test('threads are found by words', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const outsider = await node.tenant();
  const { channelId } = await node.channel(tenant);
  const say = async (ref: string, body: string) =>
    (await node.inbound(tenant, channelId, { externalParticipantRef: ref, body })).body;
  const first = await say('ada', 'Where is my parcel? <b>Parcel!</b>');
  const second = await say('bob', 'The parcel is blue');
  await node.send(tenant, second.threadId);
  await followEvents(database);
  const search = (query: object, { projectId, secret }: Tenant = tenant) =>
    node.ask<ListOf<Thread> & ErrorBody>('listThreads', secret, { query: { projectId, ...query } });
  const { body } = await search({ q: 'ada parc' });
  t.strictSame(body.data, [], 'all words are in one message, or all in the name');
  const { data, hasMore } = (await search({ q: 'where parcel' })).body;
  t.equal(hasMore, false);
  t.match(data, [{ threadId: first.threadId, preview: { messageId: first.messageId } }]);
  const { snippet = '', highlights = [] } = data[0]?.match ?? {};
  t.strictSame(
    highlights.map(([from, to]) => snippet.slice(from, to)),
    ['Where', 'parcel', 'Parcel'],
  );
  t.match(data[0]?.match, { field: 'message', messageId: first.messageId, at: first.createdAt });
  const waiting = await search({ q: 'parcel', awaitingReply: true });
  t.match(waiting.body.data, [{ threadId: first.threadId }], 'filters apply');
  t.equal(waiting.body.data.length, 1);
  const ofBob = await search({ q: 'parcel', participantRef: 'bob' });
  t.match(ofBob.body.data, [{ threadId: second.threadId }]);
  t.strictSame((await search({ q: 'parcel' }, outsider)).body.data, [], 'nothing of another tenant');
  const { body: list } = await search({ limit: 1 });
  t.match(await search({ q: 'parcel', cursor: list.nextCursor }), { status: 400 }, 'another list');
});

t.test('PATCH corrects the participant; a picture is a kept file', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, secret } = tenant;
  const { threadId } = await node.thread(tenant);
  const patch = (participant: object) =>
    node.ask<Thread & ErrorBody>('updateThread', secret, {
      params: { threadId },
      body: { projectId, participant },
    });
  const picture = newId('attachment');
  const { body } = await patch({ displayName: 'Ada', attributes: { picture, tier: 'gold' } });
  t.match(body.participant, { displayName: 'Ada', attributes: { picture, tier: 'gold' } });
  for (const address of ['https://example.com/ada.png', '//example.com/a', 7]) {
    const refused = await patch({ attributes: { picture: address } });
    t.match(
      [refused.status, refused.body.details],
      [422, { issues: [{ path: '/body/participant/attributes/picture' }] }],
    );
  }
  t.strictSame((await patch({ attributes: { picture: null } })).body.participant?.attributes, {
    tier: 'gold',
  });
});

t.test('lists of threads', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant: Tenant = await node.tenant();
  const { projectId, secret } = tenant;
  const list = (query: object, bearer = secret) =>
    node.ask<ListOf<Thread> & ErrorBody>('listThreads', bearer, { query: { projectId, ...query } });

  const { channelId } = await node.channel(tenant);
  const threads: Thread[] = [];
  for (let i = 0; i < 7; i++) {
    threads.push(await node.thread(tenant, i % 2 === 0 ? { channelId } : {}));
  }
  const ids = threads.map(thread => thread.threadId);
  const patch = (index: number, changes: object) =>
    node.ask<Thread>('updateThread', secret, {
      params: { threadId: ids[index] ?? '' },
      body: { projectId, ...changes },
    });
  await patch(1, { status: 'closed', tags: ['vip', 'b'] });
  await patch(2, { tags: ['vip'], agentMode: 'auto' });
  const { body: touched } = await patch(3, { status: 'archived' });
  await node.send(tenant, ids[0] ?? '');

  async function walk(query: object, limit: number): Promise<string[]> {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await list({ ...query, limit, ...(cursor === null ? {} : { cursor }) });
      t.ok(body.data.length <= limit);
      t.equal(body.hasMore, body.nextCursor !== null);
      seen.push(...body.data.map(thread => thread.threadId));
      cursor = body.nextCursor;
    } while (cursor !== null);
    return seen;
  }

  const newestFirst = [...ids].reverse();
  t.strictSame(await walk({ sort: 'createdAt' }, 3), newestFirst, 'by creation, in pages');
  const byMessage = [ids[0], ...newestFirst.filter(id => id !== ids[0])];
  t.strictSame(await walk({}, 2), byMessage, 'by the last message, which is the default');
  t.strictSame(await walk({ status: 'closed' }, 50), [ids[1]]);
  t.strictSame(await walk({ status: 'open', tag: 'vip' }, 50), [ids[2]]);
  t.strictSame((await walk({ tag: 'vip' }, 1)).sort(), [ids[1], ids[2]].sort());
  t.strictSame(await walk({ agentMode: 'auto' }, 50), [ids[2]]);
  t.strictSame(await walk({ channelId, sort: 'createdAt' }, 3), [ids[6], ids[4], ids[2], ids[0]]);
  t.strictSame(await walk({ assigneeUserId: newId('user') }, 50), []);
  t.strictSame(await walk({ updatedAfter: touched.updatedAt }, 50), [ids[0]], 'exclusive');
  t.strictSame(
    (await list({})).body.data.find(thread => thread.threadId === ids[3]),
    touched,
  );

  t.strictSame(await walk({ sort: 'createdAt', order: 'asc' }, 3), ids, 'the oldest first');
  const byChange = await walk({ sort: 'updatedAt' }, 2);
  t.strictSame(byChange.slice(0, 3), [ids[0], ids[3], ids[2]], 'by the last change, whatever it was');
  t.strictSame((await walk({ sort: 'updatedAt', order: 'asc' }, 3)).reverse(), byChange);
  const since = { sort: 'updatedAt', order: 'asc', updatedAfter: touched.updatedAt };
  t.strictSame(await walk(since, 50), [ids[0]]);

  const all = new Set(ids);
  const rest = (...out: number[]) => ids.filter((_, index) => !out.includes(index)).sort();
  t.strictSame((await walk({ status: ['closed', 'archived'] }, 50)).sort(), [ids[1], ids[3]].sort());
  t.strictSame((await walk({ tag: ['b', 'nobody'] }, 50)).sort(), [ids[1]]);
  t.strictSame((await walk({ agentMode: 'none' }, 2)).sort(), rest(2));
  t.strictSame(new Set(await walk({ agentMode: ['none', 'auto'] }, 3)), all);
  await node.ask('assignThread', tenant.token, {
    params: { threadId: ids[4] ?? '' },
    body: { projectId, userId: tenant.userId },
  });
  t.strictSame((await walk({ assigneeUserId: 'unassigned' }, 2)).sort(), rest(4));
  t.strictSame(new Set(await walk({ assigneeUserId: ['unassigned', tenant.userId] }, 3)), all);
  t.match(await list({ agentMode: ['none', 'fast'] }), {
    status: 422,
    body: { message: '/query/agentMode/1 must be one of auto, suggest, paused, none.' },
  });

  const { body: first } = await list({ limit: 1 });
  const cursor = first.nextCursor ?? '';
  for (const query of [{ cursor: `${cursor}x` }, { cursor, status: 'open' }, { cursor, sort: 'createdAt' }]) {
    const { status, body } = await list({ limit: 1, ...query });
    t.match([status, body.error], [400, 'svc/runtime/invalid_request'], 'a cursor is good for its own list');
  }
  const other = await node.tenant();
  t.equal((await list({}, other.secret)).status, 404);
  t.strictSame(
    (await list({}, tenant.token)).body.data.length,
    7,
    'a Studio user sees the sandbox by default',
  );
});

t.test('a snoozed thread wakes on time, on whichever node', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId } = tenant;
  const { threadId } = await node.thread(tenant);
  const snoozedUntil = new Date(Date.now() + 3_600_000).toISOString();
  const asked = { params: { threadId }, body: { projectId, snoozedUntil } };
  const snoozed = await node.ask<Thread>('updateThread', tenant.secret, asked);
  t.match([snoozed.status, snoozed.body.snoozedUntil], [200, snoozedUntil]);
  const seen = node.events.length;
  await node.restart(3_600_000);
  await node.seen('thread.snooze.changed', seen);
  const { body } = await node.ask<Thread>('getThread', tenant.secret, { params: { threadId } });
  t.equal(body.snoozedUntil, null);
  t.match((await node.getEvents(threadId)).at(-1), {
    eventName: 'thread.snooze.changed',
    data: { actor: { type: 'system' }, reason: 'due', previousSnoozedUntil: snoozedUntil },
  });
});

t.test('a thread tells a key nothing of messages that it may not read', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, userId } = tenant;
  const { channelId } = await node.channel(tenant);
  const said = await node.inbound(tenant, channelId, {
    externalParticipantRef: 'ada',
    body: 'My code is 4711',
  });
  const { threadId, messageId } = said.body;
  await followEvents(database);
  const blind = await node.getKey(tenant, ['threads:read', 'threads:write']);
  const reading = await node.getKey(tenant, ['threads:read', 'threads:write', 'messages:read']);
  const search = (secret: string) =>
    node.ask<ListOf<Thread> & ErrorBody>('listThreads', secret, { query: { projectId, q: 'code' } });
  t.match((await search(reading)).body.data, [{ threadId, match: { messageId } }]);
  const refused = await search(blind);
  t.match([refused.status, refused.body.details], [403, { missingScopes: ['messages:read'] }]);
  const params = { threadId };
  const asked = [
    ['getThread', { params }],
    ['getThread', { params, actingUser: userId }],
    ['listThreads', { query: { projectId } }],
    ['updateThread', { params, body: { projectId, tags: ['vip'] } }],
    ['assignThread', { params, body: { projectId, userId } }],
  ] as const;
  for (const [operation, more] of asked) {
    const seen = await node.ask<Thread>(operation, reading, more);
    t.match([seen.status, seen.text.includes('4711')], [200, true], operation);
    const hidden = await node.ask<Thread>(operation, blind, more);
    t.match([hidden.status, hidden.text.includes(threadId)], [200, true], operation);
    t.notMatch(hidden.text, /4711|preview/, `${operation}: no preview`);
  }
});
