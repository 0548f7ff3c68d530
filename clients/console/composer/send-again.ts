/** A message that failed, as it is sent once more. */
import type { Message } from '../../sdk/index.ts';
import type { OutgoingContent } from './outbox.ts';

/** A template stays one: outside of the service window nothing else may be sent. */
export function toOutgoingContent(
  message: Pick<Message, 'body' | 'attachments' | 'replyTo' | 'channelId' | 'content'>,
): OutgoingContent {
  const { body, attachments, replyTo, channelId, content } = message;
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
