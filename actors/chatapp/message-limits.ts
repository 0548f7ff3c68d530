/** What the provider takes as one message. What it would refuse is refused before it is stored. */
import { invalid, ServiceError } from '../../protocol/errors.ts';
import type { MessageAttachment, MessageContent } from '../../protocol/resources/index.ts';
import { describeContent } from './describe.ts';
import { findFileObstacle } from './limits.ts';

/** What there is to send. */
export interface MessageContents {
  readonly body: string;
  readonly attachments: readonly MessageAttachment[];
  readonly content?: MessageContent;
}

/** Code points. */
export const maxTextLength = 4_096;
const maxCaptionLength = 1_024;

/** Why the provider would not take the message, whenever it is sent: 422. Undefined: nothing is known against it. */
export function findMessageObstacle({
  body,
  attachments,
  content,
}: MessageContents): ServiceError | undefined {
  if (attachments.length > 1) {
    const message = 'must not have more than one: the provider takes one file with a message';
    return invalid([{ path: '/body/attachments', message, code: 'maxItems' }]);
  }
  const [attachment] = attachments;
  if (content?.type === 'template') return undefined;
  if (content !== undefined && content.type !== 'text' && content.type !== 'media') {
    return findHidden(content, body, attachment);
  }
  if (attachment === undefined) return findTextObstacle(body);
  const file = findFileObstacle(attachment);
  if (file !== undefined) return file;
  const caption = getCaption({ body, attachments, ...(content === undefined ? {} : { content }) });
  if (caption === null) return undefined;
  if (attachment.kind === 'audio' || attachment.kind === 'sticker') {
    const message = `must be empty: the provider shows no text with a file of the kind ${attachment.kind}`;
    return invalid([
      { path: content?.type === 'media' ? '/body/content/caption' : '/body/body', message, code: 'caption' },
    ]);
  }
  return isLonger(caption, maxCaptionLength)
    ? tooLong(content?.type === 'media' ? 'content/caption' : 'body', maxCaptionLength)
    : undefined;
}

/** What the participant would not see beside a content that is no text and no file. */
function findHidden(
  content: MessageContent,
  body: string,
  attachment: MessageAttachment | undefined,
): ServiceError | undefined {
  const message = `must be left out: the provider shows nothing else beside a content of the type ${content.type}`;
  if (attachment !== undefined) return invalid([{ path: '/body/attachments', message, code: 'content' }]);
  if (body === describeContent(content)) return undefined;
  return invalid([{ path: '/body/body', message, code: 'content' }]);
}

function findTextObstacle(body: string): ServiceError | undefined {
  if (body.trim() === '') {
    return invalid([{ path: '/body/body', message: 'must not be white space alone', code: 'minLength' }]);
  }
  return isLonger(body, maxTextLength) ? tooLong('body', maxTextLength) : undefined;
}

/** The text below a file; null: none. A message without a content says it in its body. */
export function getCaption({ body, content }: MessageContents): string | null {
  return content?.type === 'media' ? content.caption : body;
}

/** By code points, of which there are never more than UTF-16 units. */
function isLonger(text: string, maxLength: number): boolean {
  return text.length > maxLength && Array.from(text).length > maxLength;
}

function tooLong(field: string, maxLength: number): ServiceError {
  const path = `/body/${field}`;
  const message = `must not have more than ${maxLength} characters`;
  const issues = [{ path, message, code: 'maxLength' }];
  return new ServiceError('svc/validation/invalid_request', {
    message: `${path} ${message}.`,
    details: { issues, maxLength },
  });
}
