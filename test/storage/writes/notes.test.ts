/** Changes of one note that are committed together: what comes after its deletion is refused. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { deleteNote, insertNote, updateNote } from '../../../storage/writes/index.ts';
import { startTestDatabase } from '../../support/database.ts';
import { at, Counter, environmentId, openStore, outcomes, projectId } from '../commit/counters.ts';

t.test('a note that is changed after it was deleted, in commits of one moment', async t => {
  const { database } = await startTestDatabase(t);
  const { store } = openStore(database);
  t.teardown(() => store.close());
  const thread = new Counter();
  const id = { threadNoteId: newId('note'), threadId: thread.id };
  const [mentioned, other] = [newId('user'), newId('user')];
  const written = {
    authorUserId: newId('user'),
    body: 'a',
    createdAt: at,
    updatedAt: at,
    mentions: [mentioned],
  };
  await store.commit(thread.next([insertNote({ ...id, ...written, projectId, environmentId })]));

  const update = (body: string) =>
    store.commit(thread.next([updateNote({ ...id, body, updatedAt: at, mentions: [mentioned, other] })]));
  const remove = () => store.commit(thread.next([deleteNote(id)]));
  const listMentioned = async () =>
    (
      await database.query<{ userId: string }>(
        'select user_id as "userId" from note_mentions where thread_note_id = $1 order by mentioned_at, user_id',
        [id.threadNoteId],
      )
    ).map(({ userId }) => userId);
  t.strictSame(await listMentioned(), [mentioned]);
  t.strictSame(await outcomes([update('b'), update('c')]), ['ok', 'ok']);
  t.strictSame((await listMentioned()).sort(), [mentioned, other].sort());
  // The first is on its way when the others come, so these wait for one batch.
  const others = store.commit(thread.next());
  t.strictSame(await outcomes([others, remove(), update('d')]), ['ok', 'ok', 'Duplicate']);
  thread.version--;
  thread.chain = { broken: false };
  t.strictSame(await outcomes([remove()]), ['Duplicate']);
  t.strictSame(
    await database.query('select from thread_notes where thread_note_id = $1', [id.threadNoteId]),
    [],
  );
  t.strictSame(await listMentioned(), [], 'nobody is mentioned by what is gone');
});
