/** What of the outbox an event shows to have arrived. */
import t from 'tap';
import { findArrived } from '../../../../clients/console/composer/arrival.ts';
import type { Outgoing } from '../../../../clients/console/composer/outgoing.ts';
import type { SkeinEvent } from '../../../../clients/sdk/index.ts';

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
