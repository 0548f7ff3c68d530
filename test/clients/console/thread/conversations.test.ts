/** What is on its way to threads, and how its arrival is known by the stream, before or without an answer. */
import t from 'tap';
import type { ProjectStream, StreamListener } from '../../../../clients/console/live/project-stream.ts';
import { Conversations } from '../../../../clients/console/thread/conversations.ts';
import type { Skein, SkeinEvent } from '../../../../clients/sdk/index.ts';

const threadId = 'thread_1';

/** Everything that is sent has no answer yet. */
function start() {
  const asked: unknown[] = [];
  const ask = (...given: unknown[]): Promise<never> => {
    asked.push(given);
    return new Promise(() => undefined);
  };
  let listener: StreamListener | undefined;
  const stream = {
    listen: (given: StreamListener) => {
      listener = given;
      return () => undefined;
    },
    onState: () => () => undefined,
    getState: () => ({ is: 'online' }),
  } as unknown as ProjectStream;
  let keys = 0;
  const conversations = new Conversations(
    { notes: { create: ask }, messages: { create: ask } } as unknown as Skein,
    stream,
    {
      userId: 'user_1',
      files: { load: () => [], keep: () => undefined },
      load: () => null,
      keep: () => undefined,
      schedule: () => () => undefined,
      now: () => 0,
      createKey: () => `key-${++keys}`,
    },
  );
  conversations.start();
  const take = (eventName: SkeinEvent['eventName'], data: object): void =>
    listener?.onEvent?.({ eventName, data: { threadId, ...data } } as unknown as SkeinEvent);
  return {
    conversations,
    asked,
    take,
    states: () => conversations.outbox.getItems().map(({ state }) => state),
  };
}

t.test("a colleague's note of the same text is not the one that is on its way", async t => {
  const { conversations, take, states } = start();
  conversations.outbox.add(threadId, { kind: 'note', body: 'Called back.' });
  const note = { threadId, body: 'Called back.' };
  take('thread.note.created', { note: { ...note, authorUserId: 'user_2' } });
  t.strictSame(states(), ['sending']);
  take('thread.note.created', { note: { ...note, authorUserId: 'user_1' } });
  t.strictSame(states(), []);
});

t.test('a failed message that a colleague has sent once more is not sent again', async t => {
  const { conversations, asked, take, states } = start();
  const content = { kind: 'message', body: 'Hello', attachments: [], replyTo: undefined } as const;
  conversations.outbox.addAgain(threadId, content, 'message_1');
  t.match(asked, [[threadId, { body: 'Hello', metadata: { resendOf: 'message_1' } }]]);
  take('thread.message.created', { message: { metadata: { consoleKey: 'other', resendOf: 'message_2' } } });
  t.strictSame(states(), ['sending']);
  take('thread.message.created', { message: { metadata: { consoleKey: 'other', resendOf: 'message_1' } } });
  t.strictSame(states(), []);
});
