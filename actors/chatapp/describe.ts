/** What a message holds, as a text that a person understands. */
import type { MessageContent } from '../../protocol/resources/index.ts';

type Content<Type extends MessageContent['type']> = Extract<MessageContent, { readonly type: Type }>;

/**
 * Never empty. The content of a text says nothing: it is the body itself.
 *
 * @param filename of a document
 */
export function describeContent(content: MessageContent, filename?: string | null): string {
  switch (content.type) {
    case 'media':
      return (
        content.caption || `[${join(': ', nameFile(content), content.kind === 'document' ? filename : '')}]`
      );
    case 'location':
      return describeLocation(content);
    case 'contacts':
      return content.contacts.map(describeContact).join('\n') || '[Contacts]';
    case 'reaction':
      return join(' ', '[Reaction]', content.emoji ?? 'removed');
    case 'interactive':
      return describeAnswer(content);
    case 'order':
      return join('\n', '[Order]', ...content.items.map(describeItem), content.text);
    case 'system':
      return describeSystem(content);
    case 'template':
      return `[Template: ${content.name}]`;
    case 'text':
    case 'unsupported':
      return '[Unsupported message]';
    default:
      return content satisfies never;
  }
}

/** Those of the texts that there are. */
function join(separator: string, ...texts: readonly (string | null | undefined)[]): string {
  return texts.filter(text => text !== '' && text !== null && text !== undefined).join(separator);
}

const fileNames = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
  sticker: 'Sticker',
} as const;

function nameFile({ kind, voice }: Content<'media'>): string {
  return voice === true ? 'Voice message' : fileNames[kind];
}

function describeLocation({ latitude, longitude, name, address }: Content<'location'>): string {
  const position = `${latitude}, ${longitude}`;
  const named = join(', ', name, address);
  return join(' ', '[Location]', named, named === '' ? position : `(${position})`);
}

function describeContact({ name, phones }: Content<'contacts'>['contacts'][number]): string {
  return join(' ', '[Contact]', join(', ', name, ...phones.map(({ phone }) => phone)));
}

function describeAnswer({ kind, title, description }: Content<'interactive'>): string {
  if (kind === 'form') return join(' ', '[Form]', title);
  return join(': ', title, description) || '[Answer]';
}

function describeItem({ quantity, productId, price, currency }: Content<'order'>['items'][number]): string {
  return join(' ', `${quantity} x ${productId}`, price === null ? '' : join(' ', String(price), currency));
}

const systemTexts = {
  number_changed: '[Number changed]',
  user_id_changed: '[User id changed]',
  identity_changed: '[Security code changed]',
  message_edited: '[Message edited]',
  message_deleted: '[Message deleted]',
  other: '[System message]',
} as const;

function describeSystem({ event, text }: Content<'system'>): string {
  return event === 'message_edited' && text ? `[Edited] ${text}` : systemTexts[event];
}
