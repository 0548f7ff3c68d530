import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { human, refusal, tenancy, ThreadHarness } from './thread-harness.ts';

t.test('a note is written, changed and deleted, each with its event and its row', async t => {
  const thread = new ThreadHarness();
  thread.create();
  const authorUserId = newId('user');
  const threadNoteId = newId('note');
  const note = thread.do('addNote', {
    ...tenancy,
    threadNoteId,
    authorUserId,
    body: 'call back',
    author: human,
  });
  t.match(note, { threadNoteId, authorUserId, threadId: thread.id, body: 'call back' });
  t.equal(note.createdAt, note.updatedAt);
  thread.now += 1_000;
  const edited = thread.do('editNote', { ...tenancy, note, body: 'called back', author: human });
  t.match(edited, { ...note, body: 'called back', updatedAt: new Date(thread.now).toISOString() });
  thread.do('removeNote', { ...tenancy, note: edited, author: human });
  t.strictSame(thread.names(1), ['thread.note.created', 'thread.note.updated', 'thread.note.deleted']);
  t.strictSame(
    thread.events.slice(1).map(({ data }) => [data.sequence, data['note'], data.actor]),
    [
      [2, note, human],
      [3, edited, human],
      [4, edited, human],
    ],
  );
  const rows = thread.writes.filter(({ statement }) => statement.name.startsWith('note.'));
  t.strictSame(
    rows.map(({ statement, key, unique }) => [statement.name, key, unique]),
    [
      ['note.insert', undefined, undefined],
      ['note.change', threadNoteId, true],
      ['note.change', threadNoteId, true],
    ],
  );
});

t.test('the body that a note has already changes nothing', async t => {
  const thread = new ThreadHarness();
  thread.create();
  const note = thread.do('addNote', {
    ...tenancy,
    threadNoteId: newId('note'),
    authorUserId: newId('user'),
    body: 'a',
    author: human,
  });
  const { writes, state } = thread;
  const count = writes.length;
  t.equal(thread.do('editNote', { ...tenancy, note, body: 'a', author: human }), note);
  t.equal(writes.length, count);
  t.equal(thread.state, state);
});

t.test('an assignment names the previous assignee, and has one event', async t => {
  const thread = new ThreadHarness();
  thread.create();
  const [first, second] = [newId('user'), newId('user')];
  const assign = (userId: string | null): Thread =>
    JSON.parse(thread.do('assign', { ...tenancy, userId, author: human })) as Thread;
  t.equal(assign(first).assigneeUserId, first);
  t.equal(assign(first).sequence, 2, 'again: no event');
  t.equal(assign(second).assigneeUserId, second);
  t.equal(assign(null).assigneeUserId, null);
  t.strictSame(
    thread.events.slice(1).map(({ data }) => [data['previousAssigneeUserId'], data.thread?.assigneeUserId]),
    [
      [null, first],
      [first, second],
      [second, null],
    ],
  );
});

t.test("another tenant's thread has no notes and no assignee", async t => {
  const thread = new ThreadHarness();
  thread.create();
  const foreign = { ...tenancy, projectId: newId('project') };
  const note = { threadNoteId: newId('note'), authorUserId: newId('user'), body: 'x', author: human };
  t.match(
    refusal(() => thread.do('addNote', { ...foreign, ...note })),
    { code: 'svc/runtime/not_found' },
  );
  t.match(
    refusal(() => thread.do('assign', { ...foreign, userId: null, author: human })),
    { code: 'svc/runtime/not_found' },
  );
});
