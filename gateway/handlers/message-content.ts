/**
 * What a message holds beside its text: what the request gives of it is completed and checked, with the messages that it names. A message
 * without a body gets one that says in words what it holds.
 */
import { describeContent } from '../../actors/chatapp/index.ts';
import type { MessageDetails, NewMessage } from '../../actors/thread/index.ts';
import { invalid, notFound } from '../../protocol/errors.ts';
import type {
  AttachmentInput,
  CreateMessageBody,
  MessageContent,
  MessageReference,
} from '../../protocol/resources/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findMessage, type ThreadKey } from '../../storage/reads/index.ts';
import { chain, type Maybe } from '../pipeline/index.ts';
import { requiredField } from './inbound-messages.ts';

type Given = Pick<CreateMessageBody, 'body' | 'content' | 'replyTo'>;

/**
 * The message with its content and its body. 422 without either, and for a file that is not the content's; 404 for a message that the thread
 * does not have. A value where nothing has to be read.
 */
export function withContent(
  db: Pick<Database, 'query'>,
  thread: ThreadKey,
  message: NewMessage,
  given: Given,
): Maybe<NewMessage> {
  if (given.content === undefined && given.replyTo === undefined) {
    if (given.body === undefined) throw requiredField('body', 'is needed, or a content');
    return message;
  }
  return chain(completeDetails(db, thread, message, given), details => complete(message, given, details));
}

function complete(message: NewMessage, { body }: Given, details: MessageDetails): NewMessage {
  const { content } = details;
  const [file] = message.attachments as readonly AttachmentInput[];
  if (body === undefined && (content === undefined || content.type === 'text')) {
    throw requiredField('body', 'is needed: a text has one');
  }
  return {
    ...message,
    body: body ?? (content === undefined ? '' : describeContent(content, file?.filename)),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

async function completeDetails(
  db: Pick<Database, 'query'>,
  thread: ThreadKey,
  message: NewMessage,
  given: Given,
): Promise<MessageDetails> {
  if (given.content?.type === 'reaction' && given.replyTo !== undefined) {
    const message = 'must be left out: a reaction says itself which message it is about';
    throw invalid([{ path: '/body/replyTo', message, code: 'content' }]);
  }
  const find: FindMessage = (messageId, field) => findReference(db, thread, messageId, field);
  const content = await completeContent(message, given, find);
  const replyTo = given.replyTo && (await find(given.replyTo.messageId, '/body/replyTo/messageId'));
  return {
    ...(content === undefined ? {} : { content }),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

async function completeContent(
  { attachments }: NewMessage,
  { content, body }: Given,
  find: FindMessage,
): Promise<MessageContent | undefined> {
  switch (content?.type) {
    case 'text':
      // A plain text has no content.
      return content.preview === true ? { type: 'text', preview: true } : undefined;
    case 'media': {
      requireFile(content.kind, attachments as readonly AttachmentInput[]);
      return { type: 'media', kind: content.kind, caption: content.caption ?? body ?? null };
    }
    case 'reaction': {
      const to = await find(content.messageId, '/body/content/messageId');
      return { type: 'reaction', emoji: content.emoji, to };
    }
    default:
      return content;
  }
}

function requireFile(
  kind: AttachmentInput['kind'],
  attachments: readonly Pick<AttachmentInput, 'kind'>[],
): void {
  const [file, ...more] = attachments;
  if (file?.kind === kind && more.length === 0) return;
  const message = `must be the one file of the kind ${kind}`;
  throw invalid([{ path: '/body/attachments', message, code: 'content' }]);
}

/** A message of the thread; 404 for one that it does not have, by the field that names it. */
type FindMessage = (messageId: string, field: string) => Promise<MessageReference>;

async function findReference(
  db: Pick<Database, 'query'>,
  thread: ThreadKey,
  messageId: string,
  field: string,
): Promise<MessageReference> {
  const found = await findMessage(db, { ...thread, messageId });
  if (found !== undefined) return { messageId, externalMessageId: found.externalMessageId ?? null };
  throw notFound(field);
}
