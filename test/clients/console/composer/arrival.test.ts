/** What of the outbox an event, or its thread, shows to have arrived. */
import t from 'tap';
import { findArrived, findSent } from '../../../../clients/console/composer/arrival.ts';
import type { Outgoing } from '../../../../clients/console/composer/outgoing.ts';
import type { Message, Skein, SkeinEvent, ThreadNote } from '../../../../clients/sdk/index.ts';

const threadId = 'thread_1';
const note: Outgoing = {
  key: 'key-1',
  threadId,
  content: { kind: 'note', body: 'Called back.' },
  queuedAt: 0,
  state: 'sending',
};
const again: Outgoing = {
  key: 'resend-message_1-1',
  resend: { messageId: 'message_1', attempt: 1 },
  threadId,
  content: { kind: 'message', body: 'Hello', attachments: [], replyTo: undefined },
  queuedAt: 0,
  state: 'waiting',
};
const find = (eventName: SkeinEvent['eventName'], data: object) =>
  findArrived([note, again], { eventName, data } as unknown as SkeinEvent, 'user_1');

t.test("a colleague's note of the same text is not the one that is on its way", async t => {
  const written = { threadId, body: 'Called back.' };
  t.equal(find('thread.note.created', { note: { ...written, authorUserId: 'user_2' } }), undefined);
  t.equal(find('thread.note.created', { note: { ...written, authorUserId: 'user_1' } }), note);
});

t.test('a message is known by its key, and one that is sent once more by the one that failed', async t => {
  const takeMessage = (metadata: object) => find('thread.message.created', { message: { metadata } });
  t.equal(takeMessage({}), undefined);
  t.equal(takeMessage({ consoleKey: 'other', resendOf: 'message_2' }), undefined);
  t.equal(takeMessage({ consoleKey: again.key }), again);
  t.equal(takeMessage({ consoleKey: 'resend-message_1-2', resendOf: 'message_1' }), again);
});

/** A thread with messages 1 to 5 and one note each hour, in pages of two. */
function startThread(messages: Readonly<Record<number, object>>, notes: readonly Partial<ThreadNote>[]) {
  const asked: unknown[] = [];
  const list = <T>(all: readonly T[]) => ({
    async *pages() {
      for (let at = 0; at < all.length; at += 2) {
        asked.push(all[at]);
        yield { data: all.slice(at, at + 2) };
      }
    },
  });
  const client = {
    messages: {
      list: (_threadId: string, { afterSequence }: { readonly afterSequence: number }) =>
        list(
          [1, 2, 3, 4, 5]
            .filter(sequence => sequence > afterSequence)
            .map(sequence => ({ sequence, metadata: messages[sequence] ?? {} }) as unknown as Message),
        ),
    },
    notes: { list: () => list(notes) },
  } as unknown as Pick<Skein, 'messages' | 'notes'>;
  return { client, asked };
}

t.test('a message is looked for among those that are newer than it', async t => {
  const { client, asked } = startThread({ 2: { consoleKey: 'key-0' }, 4: { consoleKey: 'key-1' } }, []);
  const message = { ...again, resend: undefined, key: 'key-1', afterSequence: 2 } as unknown as Outgoing;
  t.match(await findSent(client, message, 'user_1'), { sequence: 4 });
  t.equal(asked.length, 1, 'and no further');
  t.equal(await findSent(client, { ...message, key: 'key-0' }, 'user_1'), undefined);
  const renewed = { ...message, key: 'key-2', first: { key: 'key-1', at: 0 } };
  t.match(await findSent(client, renewed, 'user_1'), { sequence: 4 }, 'under its first key, too');
});

t.test('a message that failed is looked for in the tries of all', async t => {
  const { client } = startThread({ 5: { consoleKey: 'x', resendOf: 'message_1' } }, []);
  t.match(await findSent(client, { ...again, afterSequence: 1 }, 'user_1'), { sequence: 5 });
  const other = { ...again, resend: { messageId: 'message_2', attempt: 1 } };
  t.equal(await findSent(client, other, 'user_1'), undefined);
});

t.test('a note is looked for by its author and text, back to when it was written', async t => {
  const day = 86_400_000;
  const createNote = (at: number, body: string): Partial<ThreadNote> => ({
    threadId,
    authorUserId: 'user_1',
    body,
    createdAt: new Date(at).toISOString(),
  });
  const { client, asked } = startThread({}, [
    createNote(4 * day, 'another'),
    createNote(3 * day, 'Called back.'),
    createNote(2 * day, 'another'),
    createNote(day, 'Called back.'),
    createNote(0, 'Called back.'),
  ]);
  const find = (queuedAt: number, userId = 'user_1') => findSent(client, { ...note, queuedAt }, userId);
  t.match(await find(3 * day), { createdAt: new Date(3 * day).toISOString() });
  t.equal(await find(3.5 * day), undefined);
  t.equal(asked.length, 2, 'nothing older is read');
  t.equal(await find(day, 'user_2'), undefined, 'somebody else');
});
