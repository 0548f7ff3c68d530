/** How a message is asked of the provider, and how its answer is read. */
import type { MessageAttachment, MessageContent } from '../../protocol/resources/index.ts';
import { type Graph, type GraphCredentials, GraphError, readList, readText } from './graph.ts';
import { getCaption } from './message-limits.ts';
import { isUserId } from './participants.ts';
import { readId } from './payload.ts';

/** To whom: a phone number, or a user who hides it. */
export type Recipient = { readonly to: string } | { readonly recipient: string };

/** Where the provider finds a file: it has it already, or it fetches it. */
export type MediaSource = { readonly id: string } | { readonly link: string };

/** A message as it leaves. */
export interface OutgoingMessage {
  readonly messageId: string;
  readonly to: Recipient;
  readonly body: string;
  readonly attachment: MessageAttachment | undefined;
  readonly content: MessageContent | undefined;
  /** Of the attachment. */
  readonly media: MediaSource | undefined;
  /** The provider's id of the message that this one answers or reacts to. */
  readonly targetId: string | undefined;
}

/** Undefined: nobody is known by now. */
export function toRecipient(
  externalRef: string | null,
  attributes: Readonly<Record<string, unknown>> = {},
): Recipient | undefined {
  const { phone, userId: user } = attributes;
  if (typeof phone === 'string' && phone !== '') return { to: phone };
  if (typeof user === 'string' && user !== '') return { recipient: user };
  if (externalRef === null) return undefined;
  if (isUserId(externalRef)) return { recipient: externalRef };
  // Without the plus, the provider takes digits that it has not told itself for a number of the business's own country.
  return { to: /^\d/.test(externalRef) ? `+${externalRef}` : externalRef };
}

/** The request that sends it. The provider tells our id of the message in everything that it reports of it. */
export function createSendRequest(message: OutgoingMessage): object {
  const { to, messageId, targetId, content } = message;
  const isReply = targetId !== undefined && content?.type !== 'reaction';
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...to,
    ...(isReply ? { context: { message_id: targetId } } : {}),
    ...createNode(message),
    biz_opaque_callback_data: messageId,
  };
}

/** The type, and what there is of it. */
function createNode(message: OutgoingMessage): object {
  const { content, attachment, body, media, targetId = '' } = message;
  switch (content?.type) {
    case 'location': {
      const { latitude, longitude, name, address } = content;
      return { type: 'location', location: withoutNulls({ latitude, longitude, name, address }) };
    }
    case 'contacts':
      return { type: 'contacts', contacts: content.contacts.map(toContact) };
    case 'reaction':
      return { type: 'reaction', reaction: { message_id: targetId, emoji: content.emoji ?? '' } };
    case 'template': {
      const { name, language, components } = content;
      return { type: 'template', template: { name, language: { code: language }, components } };
    }
    default:
      if (attachment === undefined) return createText(body, content);
      return { type: attachment.kind, [attachment.kind]: createMedia(message, attachment, media) };
  }
}

function createText(body: string, content: MessageContent | undefined): object {
  const preview = content?.type === 'text' && content.preview === true;
  return { type: 'text', text: { body, ...(preview ? { preview_url: true } : {}) } };
}

function createMedia(
  { body, content }: OutgoingMessage,
  attachment: MessageAttachment,
  media: MediaSource | undefined,
): object {
  const { kind, filename } = attachment;
  const showsCaption = kind !== 'audio' && kind !== 'sticker';
  const contents = { body, attachments: [attachment], ...(content === undefined ? {} : { content }) };
  return withoutNulls({
    ...media,
    caption: showsCaption ? getCaption(contents) : null,
    filename: kind === 'document' ? filename : null,
  });
}

type Contact = Extract<MessageContent, { type: 'contacts' }>['contacts'][number];

function toContact({ name, phones, emails = [], organization }: Contact): object {
  return {
    name: { formatted_name: name, first_name: name },
    phones: phones.map(({ phone, type }) => withoutNulls({ phone, type })),
    ...(emails.length === 0 ? {} : { emails: emails.map(withoutNulls) }),
    ...(organization === null || organization === undefined ? {} : { org: { company: organization } }),
  };
}

function withoutNulls(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** A message that the provider has taken. */
export interface AcceptedMessage {
  readonly externalMessageId: string;
  /** It looks at the message before it sends it, or waits with it. */
  readonly isHeld: boolean;
  /** What the provider calls the participant: a number may be written another way than it was given, as in Brazil and Mexico. */
  readonly names: readonly string[];
}

/** Words for a message that is taken, and not on its way. */
const heldWord = /held|paused/;

/** Sends a message once. Rejects with `GraphError`; its `mayBeDone` says whether the message may have been taken. */
export async function sendMessage(
  graph: Graph,
  as: GraphCredentials,
  phoneNumberId: string,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<AcceptedMessage> {
  const call = {
    method: 'POST',
    path: `${phoneNumberId}/messages`,
    as,
    body: createSendRequest(message),
  } as const;
  const answer = await graph.call(call, signal);
  const [taken] = readList(answer, 'messages');
  const externalMessageId = readText(taken, 'id');
  if (externalMessageId === '') {
    throw new GraphError('The provider answered without the id of the message.', { mayBeDone: true });
  }
  const [contact] = readList(answer, 'contacts');
  const names = [readId(contact, 'wa_id'), readId(contact, 'user_id')].filter(name => name !== '');
  return { externalMessageId, isHeld: heldWord.test(readText(taken, 'message_status')), names };
}

/** Tells the participant that the message was read; `typing`: and that somebody writes. Rejects with `GraphError`. */
export async function markRead(
  graph: Graph,
  as: GraphCredentials,
  phoneNumberId: string,
  mark: { readonly externalMessageId: string; readonly typing: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { externalMessageId, typing } = mark;
  const body = {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: externalMessageId,
    ...(typing ? { typing_indicator: { type: 'text' } } : {}),
  };
  await graph.call({ method: 'POST', path: `${phoneNumberId}/messages`, as, body }, signal);
}
