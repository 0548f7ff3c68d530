import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { ThreadNote } from '../../../protocol/resources/note.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConversationNode, type ErrorBody, type ListOf, type Tenant } from './conversation-fixture.ts';

const { database } = await startTestDatabase(t);

t.test('notes over REST', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const outsider = await node.tenant();
  const { projectId, secret } = tenant;

  const write = (threadId: string, body: string, bearer = secret) =>
    node.ask<ThreadNote & ErrorBody>('createNote', bearer, {
      params: { threadId },
      body: { projectId, body },
    });
  const list = (threadId: string, query: Record<string, string | number> = {}, bearer = secret) =>
    node.ask<ListOf<ThreadNote> & ErrorBody>('listNotes', bearer, { params: { threadId }, query });
  const change = (note: ThreadNote, body: string, bearer = secret, threadId = note.threadId) =>
    node.ask<ThreadNote & ErrorBody>('updateNote', bearer, {
      params: { threadId, threadNoteId: note.threadNoteId },
      body: { projectId, body },
    });
  const remove = (note: ThreadNote, bearer = secret) =>
    node.ask<ErrorBody>('deleteNote', bearer, {
      params: { threadId: note.threadId, threadNoteId: note.threadNoteId },
    });

  t.test('written with a key it is by who made the key, with a token by who signed in', async t => {
    const { threadId } = await node.thread(tenant);
    const byKey = await write(threadId, 'first \u{1f600}\n');
    t.equal(byKey.status, 201);
    t.match(byKey.body, { threadId, projectId, authorUserId: tenant.userId, body: 'first \u{1f600}\n' });
    const byUser = await write(threadId, 'second', tenant.token);
    t.equal(byUser.body.authorUserId, tenant.userId);
    t.strictSame((await list(threadId)).body.data, [byUser.body, byKey.body], 'newest first');
    const events = await node.getEvents(threadId);
    t.strictSame(
      events.map(({ eventName, data }) => [
        eventName,
        data.note ?? null,
        (data.actor as { type: string }).type,
      ]),
      [
        ['thread.lifecycle.created', null, 'api_key'],
        ['thread.note.created', byKey.body, 'api_key'],
        ['thread.note.created', byUser.body, 'user'],
      ],
    );
  });

  t.test('changed and deleted', async t => {
    const { threadId } = await node.thread(tenant);
    const { body: note } = await write(threadId, 'a');
    const changed = await change(note, 'b', tenant.token);
    t.match(changed.body, { ...note, body: 'b', updatedAt: changed.body.updatedAt });
    t.strictSame((await list(threadId)).body.data, [changed.body]);
    t.equal((await remove(note)).status, 204);
    t.strictSame((await list(threadId)).body.data, []);
    t.equal((await remove(note)).status, 404);
    t.equal((await change(note, 'c')).status, 404);
    t.strictSame((await node.getEvents(threadId)).map(({ eventName }) => eventName).slice(1), [
      'thread.note.created',
      'thread.note.updated',
      'thread.note.deleted',
    ]);
  });

  t.test(
    'of many who change and delete one note at once, one deletes it and the thread stays whole',
    async t => {
      const { threadId } = await node.thread(tenant);
      const { body: note } = await write(threadId, 'a');
      const answers = await Promise.all([
        ...Array.from({ length: 6 }, (_, i) => change(note, `b${i}`)),
        ...Array.from({ length: 6 }, () => remove(note)),
      ]);
      const statuses = answers.slice(6).map(({ status }) => status);
      t.equal(statuses.filter(status => status === 204).length, 1, `${statuses.join()}`);
      for (const { status, body } of answers) {
        if (status === 404 || status === 204 || status === 200) continue;
        t.match([status, body.error], [409, 'svc/runtime/conflict']);
      }
      const events = await node.getEvents(threadId);
      t.strictSame(
        events.map(({ data }) => data['sequence']),
        events.map((_, index) => index + 1),
        'numbered without gaps',
      );
      t.equal(events.at(-1)?.eventName, 'thread.note.deleted');
      t.equal((await write(threadId, 'next')).status, 201);
    },
  );

  t.test('in pages', async t => {
    const { threadId } = await node.thread(tenant);
    const written: string[] = [];
    for (let i = 0; i < 5; i++) written.unshift((await write(threadId, `n${i}`)).body.threadNoteId);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string | number> = cursor === null ? { limit: 2 } : { limit: 2, cursor };
      const { body } = await list(threadId, query);
      seen.push(...body.data.map(({ threadNoteId }) => threadNoteId));
      cursor = body.nextCursor;
    } while (cursor !== null);
    t.strictSame(seen, written);
    const { body: first } = await list(threadId, { limit: 1 });
    const other = await node.thread(tenant);
    const wrong = await list(other.threadId, { limit: 1, cursor: first.nextCursor ?? '' });
    t.match([wrong.status, wrong.body.error], [400, 'svc/runtime/invalid_request']);
  });

  t.test('a repeated request writes one note', async t => {
    const { threadId } = await node.thread(tenant);
    const asked = { params: { threadId }, body: { projectId, body: 'once' }, key: 'note-1' };
    const first = await node.ask<ThreadNote>('createNote', secret, asked);
    const again = await node.ask<ThreadNote>('createNote', secret, asked);
    t.strictSame(again.body, first.body);
    t.equal(again.headers.get('idempotent-replayed'), 'true');
    t.equal((await list(threadId)).body.data.length, 1);
  });

  t.test('limits, scopes and tenants', async t => {
    const { threadId } = await node.thread(tenant);
    t.equal((await write(threadId, '\u{1f600}'.repeat(4_000))).status, 201);
    t.equal((await write(threadId, 'x'.repeat(4_001))).status, 422);
    t.equal((await write(threadId, '')).status, 422);
    t.equal((await write(newId('thread'), 'x')).status, 404);
    t.equal((await list(newId('thread'))).status, 404);
    const reader = await node.getKey(tenant, ['threads:read']);
    t.equal((await list(threadId, {}, reader)).status, 200);
    t.equal((await write(threadId, 'x', reader)).status, 403);

    const { body: note } = await write(threadId, 'mine');
    const foreign = async (who: Tenant, bearer: string) => {
      const body = { projectId: who.projectId, body: 'x' };
      const params = { threadId, threadNoteId: note.threadNoteId };
      t.equal((await node.ask('createNote', bearer, { params: { threadId }, body })).status, 404);
      t.equal((await node.ask('updateNote', bearer, { params, body })).status, 404);
      t.equal((await node.ask('deleteNote', bearer, { params })).status, 404);
      t.equal((await node.ask('listNotes', bearer, { params: { threadId } })).status, 404);
    };
    await foreign(outsider, outsider.secret);
    await foreign(outsider, outsider.token);
    const elsewhere = await node.thread(tenant);
    t.equal((await change(note, 'x', secret, elsewhere.threadId)).status, 404, 'a note is of its thread');
    t.strictSame((await list(threadId)).body.data[0], note);
  });
});
