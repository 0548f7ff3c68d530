/** What becomes of a file that the provider of a message has. */
import t from 'tap';
import type { FetchedFile } from '../../../actors/channel/commands.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import { key, refusal, tenancy, ThreadHarness } from './thread-harness.ts';

const ready: FetchedFile = { status: 'ready', mimeType: 'image/png', sizeBytes: 3, storageKey: 'a/b/c' };
const failed: FetchedFile = { status: 'failed', reason: 'It is gone.' };

/** A thread, and a message of it whose file is awaited. */
function awaiting() {
  const thread = new ThreadHarness('chatapp');
  const attachmentId = newId('attachment');
  const picture = { kind: 'image', attachmentId, mimeType: 'image/png', status: 'pending' } as const;
  const message: Message = { ...thread.receive(), attachments: [picture] };
  const settle = (file: FetchedFile, asOf = thread.state.sequence, shown = message) =>
    thread.do('settleAttachment', { ...tenancy, reading: { message: shown, asOf }, attachmentId, file });
  return { thread, message, attachmentId, picture, settle };
}

t.test('the message is announced with its file', t => {
  for (const file of [ready, failed]) {
    const { thread, message, picture, settle } = awaiting();
    const seen = thread.events.length;
    t.equal(settle(file), 'settled');
    t.strictSame(thread.names(seen), ['thread.message.updated']);
    t.strictSame(thread.events.at(-1)?.data.message, { ...message, attachments: [{ ...picture, ...file }] });
  }
  t.end();
});

t.test('what is known already is announced once', t => {
  const { thread, message, picture, settle } = awaiting();
  const before = thread.state.sequence;
  settle(ready);
  const seen = thread.events.length;
  t.equal(settle(failed, before), 'stale', 'a reading from before');
  const shown = { ...message, attachments: [{ ...picture, ...ready }] };
  t.equal(settle(failed, thread.state.sequence, shown), 'settled');
  t.equal(thread.events.length, seen);
  t.end();
});

t.test('a message that was erased gets nothing back', t => {
  const { thread, settle } = awaiting();
  const before = thread.state.sequence;
  thread.do('erase', { ...tenancy, author: key });
  const seen = thread.events.length;
  t.equal(settle(ready, before - 1), 'stale');
  t.equal(settle(ready), 'settled');
  t.equal(thread.events.length, seen);
  t.equal(thread.writes.at(-1)?.values[3], null, 'no attachments are written');
  t.end();
});

t.test('the thread of another tenant is not there', t => {
  const { thread, message, attachmentId } = awaiting();
  const reading = { message, asOf: thread.state.sequence };
  const foreign = { ...tenancy, projectId: newId('project') };
  t.equal(
    refusal(() => thread.do('settleAttachment', { ...foreign, reading, attachmentId, file: ready })).code,
    'svc/runtime/not_found',
  );
  t.end();
});
