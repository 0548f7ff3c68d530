/** What a list shows of a thread's last message. */
import fc from '../../support/fuzz.ts';
import t from 'tap';
import type { MessageDetails } from '../../../actors/thread/commands.ts';
import { toThread } from '../../../actors/thread/json.ts';
import { noChanges } from '../../../actors/thread/recent-changes.ts';
import { decodeThread, type ThreadRow } from '../../../actors/thread/snapshot.ts';
import { newId } from '../../../protocol/ids.ts';
import { maxPreviewLength } from '../../../protocol/resources/thread.ts';
import { human, message, start, tenancy, ThreadHarness } from './thread-harness.ts';

const readPreview = ({ state }: ThreadHarness) => toThread(state, 'thread_1', start).preview;

t.test('a preview is one line of at most 140 characters, well-formed', async t => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 1_000, size: 'max' }),
    fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '😀', '\u0301', '\u202e'),
      maxLength: 1_000,
      size: 'max',
    }),
  );
  fc.assert(
    fc.property(text, body => {
      const thread = new ThreadHarness();
      thread.receive(body);
      const shown = readPreview(thread)?.text ?? '';
      if (Array.from(shown).length > maxPreviewLength) throw new Error('too long');
      if (!shown.isWellFormed() || /[\n\t]| {2}/.test(shown)) throw new Error('not one line');
      const line = body.replace(/\s+/g, ' ').trim();
      const isWhole = body.length <= maxPreviewLength && shown === line;
      if (!isWhole && !line.startsWith(shown.replace(/…$/, '').trim())) throw new Error('another text');
    }),
  );
  t.pass();
});

t.test('it says whose the message is, of what sort, and with how many files', t => {
  const thread = new ThreadHarness();
  thread.create();
  t.equal(readPreview(thread), null);
  const received = thread.receive('Hello\n there ');
  t.match(readPreview(thread), {
    messageId: received.messageId,
    direction: 'inbound',
    actorType: 'contact',
    text: 'Hello there',
    contentType: null,
    attachmentCount: 0,
  });
  const details: MessageDetails = { content: { type: 'media', kind: 'image', caption: null } };
  const attachments = [{ attachmentId: newId('attachment'), kind: 'image', url: 'https://a.example/1' }];
  thread.do('send', { ...tenancy, message: { ...message(''), attachments, details }, author: human });
  t.match(readPreview(thread), { actorType: 'user', text: '', contentType: 'media', attachmentCount: 1 });
  for (const { eventName, data } of thread.events) t.equal(data.thread?.preview, undefined, eventName);
  t.end();
});

t.test('a row of before there was any of it is read', t => {
  const at = new Date(start).toISOString();
  const state = { channelKind: null, sequence: 1, window: null, recent: noChanges };
  const instants = {
    last_message_at: at,
    created_at: at,
    updated_at: at,
    archived_at: null,
    waiting_since: null,
    snoozed_until: null,
  };
  const row = { ...instants, status: 'open', tags: [], custom_fields: {}, metadata: {}, state };
  t.match(decodeThread(row as unknown as ThreadRow), {
    preview: null,
    inboundCount: 0,
    waitingSince: null,
    failedSends: null,
  });
  t.end();
});
