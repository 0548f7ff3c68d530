/** A message that failed, as it is sent once more. */
import type { Message } from '../../sdk/index.ts';
import type { OutgoingContent } from './outbox.ts';

type SentMessage = Pick<Message, 'body' | 'attachments' | 'replyTo' | 'channelId' | 'content'>;

/** Whether there is anything to send: an erasure leaves neither text nor files. */
export function canSendAgain(message: SentMessage): boolean {
  const content = toOutgoingContent(message);
  return (
    content.kind === 'template' ||
    content.body.trim() !== '' ||
    (content.kind === 'message' && content.attachments.length > 0)
  );
}

/** A template stays one: outside of the service window nothing else may be sent. */
export function toOutgoingContent(message: SentMessage): OutgoingContent {
  const { attachments, replyTo, channelId, content } = message;
  // Of a file without a caption the body only names the kind.
  const body = content?.type === 'media' ? (content.caption ?? '') : message.body;
  if (content?.type === 'template' && typeof channelId === 'string') {
    const { name, language, components } = content;
    return { kind: 'template', channelId, name, language, components, body };
  }
  return {
    kind: 'message',
    body,
    attachments: attachments.map(({ kind, attachmentId }) => ({ kind, attachmentId })),
    replyTo: replyTo?.messageId ?? undefined,
  };
}
