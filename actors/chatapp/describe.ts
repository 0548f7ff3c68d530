/** What a participant has sent, as a text that a person understands. */
import { read, readList, readText } from './graph.ts';

const unsupported = '[Unsupported message]';

/** Never empty. */
export function describeContent(node: unknown): string {
  const type = readText(node, 'type');
  const content = read(node, type);
  const describe = Object.hasOwn(descriptions, type) ? descriptions[type] : undefined;
  const text = describe?.(content) ?? '';
  return text === '' ? unsupported : text;
}

const file =
  (name: string) =>
  (content: unknown): string =>
    readText(content, 'caption') || `[${name}]`;

const descriptions: Readonly<Record<string, (content: unknown) => string>> = {
  text: content => readText(content, 'body'),
  image: file('Image'),
  video: file('Video'),
  audio: content => (read(content, 'voice') === true ? '[Voice message]' : '[Audio]'),
  voice: () => '[Voice message]',
  sticker: () => '[Sticker]',
  document: content =>
    readText(content, 'caption') || `[${join(': ', 'Document', readText(content, 'filename'))}]`,
  location: describeLocation,
  contacts: describeContacts,
  interactive: describeInteractive,
  button: content => readText(content, 'text'),
  reaction: content => join(' ', '[Reaction]', readText(content, 'emoji') || 'removed'),
  order: describeOrder,
  system: content => readText(content, 'body') || '[Number changed]',
  edit: describeEdit,
  revoke: () => '[Message deleted]',
};

/** Those of the texts that are not empty. */
function join(separator: string, ...texts: readonly string[]): string {
  return texts.filter(text => text !== '').join(separator);
}

function describeLocation(content: unknown): string {
  const position = join(', ', readText(content, 'latitude'), readText(content, 'longitude'));
  const named = join(', ', readText(content, 'name'), readText(content, 'address'));
  return join(' ', '[Location]', named, named === '' ? position : `(${position})`);
}

function describeContacts(content: unknown): string {
  const contacts = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return contacts
    .map(contact => {
      const phones = readList(contact, 'phones').map(phone => readText(phone, 'phone'));
      return join(' ', '[Contact]', join(', ', readText(read(contact, 'name'), 'formatted_name'), ...phones));
    })
    .join('\n');
}

function describeEdit(content: unknown): string {
  const message = read(content, 'message');
  // What is edited is never an edit itself.
  return readText(message, 'type') === 'edit' ? '' : join(' ', '[Edited]', describeContent(message));
}

/** The answer to buttons, a list or a form. */
function describeInteractive(content: unknown): string {
  const answer = read(content, readText(content, 'type'));
  const title = join(': ', readText(answer, 'title'), readText(answer, 'description'));
  return title || join(' ', '[Form]', readText(answer, 'body'));
}

function describeOrder(content: unknown): string {
  const items = readList(content, 'product_items').map(item => {
    const price = join(' ', readText(item, 'item_price'), readText(item, 'currency'));
    return join(' ', `${readText(item, 'quantity')} x ${readText(item, 'product_retailer_id')}`, price);
  });
  return join('\n', '[Order]', ...items, readText(content, 'text'));
}
