/** What a participant has sent, as the typed content of our messages. Read leniently, as payload.ts does: nothing here throws. */
import {
  type AttachmentKind,
  isMimeType,
  maxMessageLength,
  type MessageContent,
} from '../../protocol/resources/index.ts';
import { findUnstorable } from '../../protocol/validate.ts';
import { describeContent } from './describe.ts';
import { read, readList, readText } from './graph.ts';
import { readId, toStorable } from './payload.ts';

/** A file that the provider has. */
export interface ChatappFile {
  readonly providerMediaId: string;
  readonly kind: AttachmentKind;
  readonly mimeType: string;
  readonly filename: string | null;
  /** Of its bytes. */
  readonly sha256: string | null;
}

/** What a message holds. */
export interface ChatappContent {
  readonly content: MessageContent;
  /** A text that a person understands, whatever was sent; never empty. */
  readonly body: string;
  readonly file: ChatappFile | null;
}

/** Characters of a content as JSON: the provider's own limits leave it far shorter, and brokers have theirs. */
const maxContentLength = 65_536;

/** @param message a member of `messages` */
export function readContent(message: unknown): ChatappContent {
  const type = readText(message, 'type');
  const node = read(message, type);
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const found = reader?.(node);
  const isUsable = found !== undefined && JSON.stringify(found).length <= maxContentLength;
  const content = isUsable ? found : readUnsupported(message);
  const file = content.type === 'media' ? readFile(node, content.kind) : null;
  const said = content.type === 'text' || content.type === 'system' ? readWords(node, 'body') : null;
  return { content, body: cut(said ?? describeContent(content, file?.filename)), file };
}

/** What a node holds; undefined where it lacks what makes it that type. */
type Reader = (node: unknown) => MessageContent | undefined;

const media =
  (kind: AttachmentKind): Reader =>
  node => ({ type: 'media', kind, caption: readWords(node, 'caption') });

const recording: Reader = node => ({
  type: 'media',
  kind: 'audio',
  caption: null,
  voice: read(node, 'voice') === true,
});

const readers: Readonly<Record<string, Reader>> = {
  text: node => (readWords(node, 'body') === null ? undefined : { type: 'text' }),
  image: media('image'),
  video: media('video'),
  document: media('document'),
  sticker: media('sticker'),
  audio: recording,
  voice: () => ({ type: 'media', kind: 'audio', caption: null, voice: true }),
  location: readLocation,
  contacts: readContacts,
  reaction: node => ({
    type: 'reaction',
    emoji: readWords(node, 'emoji'),
    to: readReference(node, 'message_id'),
  }),
  interactive: readInteractive,
  button: node => ({
    type: 'interactive',
    kind: 'button',
    id: readWords(node, 'payload'),
    title: readWords(node, 'text'),
  }),
  order: readOrder,
  system: readSystem,
  edit: readEdit,
  revoke: node => ({
    type: 'system',
    event: 'message_deleted',
    about: readReference(node, 'original_message_id'),
  }),
};

function readLocation(node: unknown): MessageContent | undefined {
  const latitude = readNumber(node, 'latitude');
  const longitude = readNumber(node, 'longitude');
  if (latitude === null || Math.abs(latitude) > 90 || longitude === null || Math.abs(longitude) > 180) {
    return undefined;
  }
  const name = readWords(node, 'name');
  const address = readWords(node, 'address');
  return { type: 'location', latitude, longitude, name, address, url: readWords(node, 'url') };
}

function readContacts(node: unknown): MessageContent | undefined {
  if (!Array.isArray(node)) return undefined;
  const contacts = node.map((contact: unknown) => ({
    name: readWords(read(contact, 'name'), 'formatted_name') ?? '',
    phones: readList(contact, 'phones').map(phone => ({
      phone: readWords(phone, 'phone') ?? '',
      type: readWords(phone, 'type'),
    })),
    emails: readList(contact, 'emails').map(email => ({
      email: readWords(email, 'email') ?? '',
      type: readWords(email, 'type'),
    })),
    organization: readWords(read(contact, 'org'), 'company'),
  }));
  return { type: 'contacts', contacts };
}

/** What is chosen or filled in, by the provider's name of it. */
const answers: Readonly<Record<string, (answer: unknown) => MessageContent>> = {
  button_reply: answer => ({ type: 'interactive', kind: 'button', ...readChoice(answer) }),
  list_reply: answer => ({
    type: 'interactive',
    kind: 'list',
    ...readChoice(answer),
    description: readWords(answer, 'description'),
  }),
  nfm_reply: answer => ({
    type: 'interactive',
    kind: 'form',
    id: null,
    title: readWords(answer, 'body'),
    ...parseForm(readText(answer, 'response_json')),
  }),
};

/** The answer to buttons, a list or a form. The provider may leave it out. */
function readInteractive(node: unknown): MessageContent {
  const type = readText(node, 'type');
  const reader = Object.hasOwn(answers, type) ? answers[type] : undefined;
  return reader?.(read(node, type)) ?? { type: 'interactive', kind: 'other', id: null, title: null };
}

function readChoice(answer: unknown): { readonly id: string | null; readonly title: string | null } {
  return { id: readWords(answer, 'id'), title: readWords(answer, 'title') };
}

/** What was filled in, where it is an object that can be stored. */
function parseForm(text: string): { readonly data?: Record<string, unknown> } {
  try {
    const data = JSON.parse(text) as unknown;
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    return isObject && findUnstorable(data) === undefined ? { data: data as Record<string, unknown> } : {};
  } catch {
    return {};
  }
}

function readOrder(node: unknown): MessageContent {
  const items = readList(node, 'product_items').map(item => ({
    productId: readWords(item, 'product_retailer_id') ?? '',
    quantity: readNumber(item, 'quantity') ?? 0,
    price: readNumber(item, 'item_price'),
    currency: readWords(item, 'currency'),
  }));
  return { type: 'order', catalogId: readWords(node, 'catalog_id'), text: readWords(node, 'text'), items };
}

type SystemEvent = Extract<MessageContent, { type: 'system' }>['event'];

const systemEvents: Readonly<Record<string, SystemEvent>> = {
  user_changed_number: 'number_changed',
  customer_changed_number: 'number_changed',
  user_changed_user_id: 'user_id_changed',
  customer_identity_changed: 'identity_changed',
};

function readSystem(node: unknown): MessageContent {
  const type = readText(node, 'type');
  const event = Object.hasOwn(systemEvents, type) ? systemEvents[type] : undefined;
  return { type: 'system', event: event ?? 'other' };
}

function readEdit(node: unknown): MessageContent {
  const message = read(node, 'message');
  // What is edited is never an edit itself.
  const text = readText(message, 'type') === 'edit' ? null : readContent(message).body;
  return { type: 'system', event: 'message_edited', about: readReference(node, 'original_message_id'), text };
}

function readUnsupported(message: unknown): MessageContent {
  const named = readWords(read(message, 'unsupported'), 'type');
  const type = readWords(message, 'type');
  return { type: 'unsupported', providerType: named ?? (type === 'unsupported' ? null : type) };
}

function readFile(node: unknown, kind: AttachmentKind): ChatappFile | null {
  const providerMediaId = readId(node, 'id');
  const mimeType = readId(node, 'mime_type');
  if (providerMediaId === '') return null;
  return {
    providerMediaId,
    kind,
    mimeType: isMimeType(mimeType) ? mimeType : 'application/octet-stream',
    filename: readId(node, 'filename') || null,
    sha256: readId(node, 'sha256') || null,
  };
}

/** A message by the provider's id. Which one of ours it is has to be looked up. */
export function readReference(
  node: unknown,
  name: string,
): { readonly messageId: string | null; readonly externalMessageId: string | null } {
  return { messageId: null, externalMessageId: readId(node, name) || null };
}

/**
 * A text as it may be stored; null where there is none.
 *
 * @param maxLength in UTF-16 code units; what is longer is cut
 */
export function readWords(node: unknown, name: string, maxLength = Infinity): string | null {
  return toStorable(readText(node, name).slice(0, maxLength)) || null;
}

function readNumber(node: unknown, name: string): number | null {
  const text = readText(node, name);
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? null : number;
}

/** To the length of a message, which counts code points. */
function cut(text: string): string {
  if (text.length <= maxMessageLength) return text;
  return Array.from(text).slice(0, maxMessageLength).join('');
}
