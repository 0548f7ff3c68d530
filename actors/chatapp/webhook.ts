/** The messages of the provider's webhooks, in our own terms. Read leniently, as payload.ts does: nothing here throws. */
import type { MessageReference, Referral } from '../../protocol/resources/index.ts';
import { type ChatappContent, readContent, readReference, readWords } from './content.ts';
import { read, readList, readText } from './graph.ts';
import {
  type ChatappParticipant,
  type Contacts,
  indexContacts,
  readNewNames,
  readSender,
} from './participants.ts';
import { type ChatappIdentity, listOwnChanges, parseTimestamp, readId } from './payload.ts';

/** What a participant has sent, or the provider reports of them. */
export interface ChatappMessage extends ChatappContent {
  /** The provider's id of it. */
  readonly externalMessageId: string;
  readonly participant: ChatappParticipant;
  /** What the participant is called from now on, where it says so. */
  readonly newNames?: Pick<ChatappParticipant, 'phone' | 'userId'>;
  /** When it was sent, in epoch milliseconds. */
  readonly sentAt: number;
  /** When its webhook came, in epoch milliseconds. */
  readonly receivedAt: number;
  /** Whether it allows free-form messages from now on: what the participant does, and not what the provider reports of them. */
  readonly opensWindow: boolean;
  /** The message that it answers. */
  readonly replyTo?: MessageReference;
  readonly forwarded?: 'once' | 'often';
  readonly referral?: Referral;
}

/** Types that are no act of the participant that would open the window. */
const silentTypes: ReadonlySet<string> = new Set(['system', 'edit', 'revoke']);

/**
 * The messages for the channel, in the order in which they were sent. Of two with one id the first is given.
 *
 * @param receivedAt epoch milliseconds: for messages that do not say when they were sent
 * @param onUnreadable called for each that has no usable id, or no sender
 */
export function readMessages(
  payload: unknown,
  identity: ChatappIdentity,
  receivedAt: number,
  onUnreadable: () => void = () => undefined,
): ChatappMessage[] {
  const found = new Map<string, ChatappMessage>();
  for (const { field, value } of listOwnChanges(payload, identity)) {
    if (field !== 'messages') continue;
    const contacts = indexContacts(value);
    for (const node of readList(value, 'messages')) {
      // A message of a group has no thread here.
      if (readText(node, 'group_id') !== '') continue;
      const message = toMessage(node, contacts, receivedAt);
      if (message === undefined) onUnreadable();
      else if (!found.has(message.externalMessageId)) found.set(message.externalMessageId, message);
    }
  }
  return [...found.values()].sort((a, b) => a.sentAt - b.sentAt);
}

/** The provider's ids of the messages that the message refers to. */
export function listReferences({ content, replyTo }: ChatappMessage): string[] {
  const about = content.type === 'reaction' ? content.to : content.type === 'system' ? content.about : null;
  return [replyTo, about].map(reference => reference?.externalMessageId).filter(id => typeof id === 'string');
}

function toMessage(node: unknown, contacts: Contacts, receivedAt: number): ChatappMessage | undefined {
  const externalMessageId = readId(node, 'id');
  const participant = readSender(node, contacts);
  if (externalMessageId === '' || participant === undefined) return undefined;
  const newNames = readNewNames(node);
  return {
    externalMessageId,
    participant,
    ...(newNames === undefined ? {} : { newNames }),
    ...readContent(node),
    ...readContext(read(node, 'context')),
    ...readReferral(read(node, 'referral')),
    sentAt: parseTimestamp(readText(node, 'timestamp')) ?? receivedAt,
    receivedAt,
    opensWindow: !silentTypes.has(readText(node, 'type')),
  };
}

/** A message may both be forwarded and answer another one. Whoever asks about a product may answer no message. */
function readContext(context: unknown): Pick<ChatappMessage, 'replyTo' | 'forwarded'> {
  const replyTo = { ...readReference(context, 'id'), ...readProduct(read(context, 'referred_product')) };
  const isReply = replyTo.externalMessageId !== null || replyTo.product !== undefined;
  const isOften = read(context, 'frequently_forwarded') === true;
  const isForwarded = isOften || read(context, 'forwarded') === true;
  return {
    ...(isReply ? { replyTo } : {}),
    ...(isForwarded ? { forwarded: isOften ? 'often' : 'once' } : {}),
  };
}

function readProduct(node: unknown): Pick<MessageReference, 'product'> {
  const productId = readWords(node, 'product_retailer_id');
  return productId === null ? {} : { product: { catalogId: readWords(node, 'catalog_id'), productId } };
}

/** The provider's own texts are far shorter. */
const maxReferralText = 4_096;

function readReferral(node: unknown): Pick<ChatappMessage, 'referral'> {
  if (typeof node !== 'object' || node === null) return {};
  const readPart = (name: string) => readWords(node, name, maxReferralText);
  return {
    referral: {
      sourceType: readPart('source_type'),
      sourceId: readPart('source_id'),
      sourceUrl: readPart('source_url'),
      headline: readPart('headline'),
      body: readPart('body'),
      clickId: readPart('ctwa_clid'),
    },
  };
}
