/** What a failed message is when it is sent once more. */
import t from 'tap';
import { canSendAgain, toOutgoingContent } from '../../../../clients/console/composer/send-again.ts';

const failed = { body: 'Hello', attachments: [], channelId: 'channel_1' };

t.test('a template stays one, since nothing else is taken outside of the window', async t => {
  const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }];
  const content = { type: 'template', name: 'welcome', language: 'de', components } as const;
  t.strictSame(toOutgoingContent({ ...failed, content }), {
    kind: 'template',
    channelId: 'channel_1',
    name: 'welcome',
    language: 'de',
    components,
    body: 'Hello',
  });
});

t.test('a message goes with its files and what it answers, by their ids alone', async t => {
  const attachments = [
    { kind: 'image', attachmentId: 'attachment_1', filename: 'a.png', mimeType: 'image/png', sizeBytes: 3 },
  ] as const;
  const replyTo = { messageId: 'message_1' };
  const given = { ...failed, attachments, replyTo } as unknown as Parameters<typeof toOutgoingContent>[0];
  t.strictSame(toOutgoingContent(given), {
    kind: 'message',
    body: 'Hello',
    attachments: [{ kind: 'image', attachmentId: 'attachment_1' }],
    replyTo: 'message_1',
  });
  t.match(toOutgoingContent(failed as never), { kind: 'message', replyTo: undefined });
});

t.test('a file without a caption goes without one, whatever its body says', async t => {
  const attachments = [{ kind: 'image', attachmentId: 'attachment_1' }];
  const picture = (caption: string | null) =>
    ({
      ...failed,
      body: '[image]',
      attachments,
      content: { type: 'media', kind: 'image', caption },
    }) as unknown as Parameters<typeof toOutgoingContent>[0];
  t.match(toOutgoingContent(picture(null)), { kind: 'message', body: '', attachments });
  t.match(toOutgoingContent(picture('Our hours')), { kind: 'message', body: 'Our hours', attachments });
});

t.test('what was erased leaves nothing to send', async t => {
  const attachments = [{ kind: 'image', attachmentId: 'attachment_1' }] as never;
  t.ok(canSendAgain(failed));
  t.ok(canSendAgain({ ...failed, body: '', attachments }));
  t.notOk(canSendAgain({ ...failed, body: '' }));
});
