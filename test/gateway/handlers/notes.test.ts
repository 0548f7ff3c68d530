/** Notes over the public API. Isolation, permissions, limits and repetition: test/contract. */
import t from 'tap';
import type { ThreadNote } from '../../../protocol/resources/note.ts';
import type { Asked, Refusal } from '../../node/client.ts';
import { newThread, readThreadEvents } from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { database } = skein;
const tenant = await skein.tenant();
const { key, person, projectId } = tenant;

const write = (threadId: string, body: string, by = key) =>
  by.get<ThreadNote>('createNote', { params: { threadId }, body: { projectId, body } });
const list = (threadId: string) =>
  key.all<ThreadNote>('listNotes', { params: { threadId }, query: { limit: 2 } });
const change = ({ threadId, threadNoteId }: Pick<ThreadNote, 'threadId' | 'threadNoteId'>, body: string) =>
  person.ask<ThreadNote & Refusal>('updateNote', {
    params: { threadId, threadNoteId },
    body: { projectId, body },
  });
const remove = ({ threadId, threadNoteId }: ThreadNote) =>
  key.ask<Refusal>('deleteNote', { params: { threadId, threadNoteId } });

t.test('a note is written, changed and deleted, each with its event', async t => {
  const { threadId } = await newThread(tenant);
  const byKey = await write(threadId, 'first \u{1f600}\n');
  t.match(byKey, { threadId, projectId, authorUserId: tenant.userId, body: 'first \u{1f600}\n' });
  const byUser = await write(threadId, 'second', person);
  t.equal(byUser.authorUserId, tenant.userId);
  const third = await write(threadId, 'third');
  t.strictSame(await list(threadId), [third, byUser, byKey], 'newest first');
  const { body: changed } = await change(byKey, 'changed');
  t.strictSame({ ...changed, updatedAt: '' }, { ...byKey, body: 'changed', updatedAt: '' });
  t.equal((await remove(third)).status, 204);
  t.equal((await remove(third)).status, 404);
  t.equal((await change(third, 'c')).status, 404);
  t.strictSame(await list(threadId), [byUser, changed]);
  const events = (await readThreadEvents(database, threadId)).slice(1);
  t.match(
    events.map(({ eventName, data }) => [eventName, data['note'], data['actor']]),
    [
      ['thread.note.created', byKey, { type: 'api_key' }],
      ['thread.note.created', byUser, { type: 'user' }],
      ['thread.note.created', third, { type: 'api_key' }],
      ['thread.note.updated', changed, { type: 'user' }],
      ['thread.note.deleted', {}, { type: 'api_key' }],
    ],
  );
});

t.test('of concurrent deletions one succeeds, and the thread stays consistent', async t => {
  const { threadId } = await newThread(tenant);
  const note = await write(threadId, 'a');
  const rivals = Array.from({ length: 6 }, (_, i) => i);
  const changes = rivals.map(i => change(note, `b${i}`));
  const removals = await Promise.all(rivals.map(() => remove(note)));
  t.equal(removals.filter(({ status }) => status === 204).length, 1);
  for (const { status, body } of [...(await Promise.all(changes)), ...removals]) {
    if (![200, 204, 404].includes(status)) t.match([status, body.error], [409, 'svc/runtime/conflict']);
  }
  const events = await readThreadEvents(database, threadId);
  t.strictSame(
    events.map(({ data }) => data['sequence']),
    events.map((_, index) => index + 1),
  );
  t.equal(events.at(-1)?.eventName, 'thread.note.deleted');
  await write(threadId, 'next');
});

t.test('a note, and a cursor of notes, belongs to its thread', async t => {
  const { threadId } = await newThread(tenant);
  const { threadId: other } = await newThread(tenant);
  const note = await write(threadId, 'mine');
  await write(threadId, 'mine too');
  t.equal((await change({ ...note, threadId: other }, 'x')).status, 404);
  const ask = async (of: string, query: Asked['query']) =>
    key.ask<{ nextCursor: string }>('listNotes', { params: { threadId: of }, query: { limit: 1, ...query } });
  const { nextCursor } = (await ask(threadId, {})).body;
  t.equal((await ask(other, { cursor: nextCursor })).status, 400);
});
