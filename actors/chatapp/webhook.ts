/**
 * What a webhook of the provider says, in our own terms. Everything is read leniently: fields may be missing, numbers may be texts and texts
 * numbers, and what nobody knows yet is left alone. Nothing here throws.
 */
import { maxMessageLength } from '../../protocol/resources/index.ts';
import { read, readList, readText } from './graph.ts';
import { describeContent } from './describe.ts';

/** Whose events a channel takes. */
export interface ChatappIdentity {
  readonly wabaId: string;
  readonly phoneNumberId: string;
}

/** What a participant has sent. */
export interface ChatappMessage {
  /** The provider's id of it. */
  readonly externalMessageId: string;
  /** The participant: the digits of a phone number, or the id of a user who hides it. */
  readonly participant: string;
  /** A text that a person understands, whatever was sent. */
  readonly body: string;
  /** When it was sent, in epoch milliseconds. */
  readonly sentAt: number;
  /** Whether it allows free-form messages from now on: what the participant does, and not what the provider reports of them. */
  readonly opensWindow: boolean;
}

/** The JSON of a body; undefined where it is none. */
export function parsePayload(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

const objectName = 'whatsapp_business_account';

/** These events of the field `account_update` name a portfolio of accounts in the place of the account. */
const portfolioEvents: ReadonlySet<string> = new Set([
  'PARTNER_ADDED',
  'PARTNER_REMOVED',
  'PARTNER_APP_INSTALLED',
  'PARTNER_APP_UNINSTALLED',
  'AD_ACCOUNT_LINKED',
  'MM_LITE_TERMS_SIGNED',
]);

interface Change {
  readonly field: string;
  readonly value: unknown;
}

/** Whether a change is the channel's: of its account, and of its number where the change names one. */
function isOwnChange(entryId: string, { field, value }: Change, identity: ChatappIdentity): boolean {
  if (field === 'account_update' && portfolioEvents.has(readText(value, 'event'))) return true;
  if (entryId !== identity.wabaId) return false;
  const number = readText(read(value, 'metadata'), 'phone_number_id');
  return number === '' || number === identity.phoneNumberId;
}

function* listChanges(payload: unknown): Generator<readonly [entryId: string, change: Change]> {
  for (const entry of readList(payload, 'entry')) {
    for (const change of readList(entry, 'changes')) {
      yield [readText(entry, 'id'), { field: readText(change, 'field'), value: read(change, 'value') }];
    }
  }
}

/**
 * Whether the payload may be taken for the channel: one of its changes is the channel's, or it has none. Payloads of several numbers are
 * usual, where the app's own callback gets them.
 */
export function concerns(payload: unknown, identity: ChatappIdentity): boolean {
  if (readText(payload, 'object') !== objectName) return false;
  let foreign = false;
  for (const [entryId, change] of listChanges(payload)) {
    if (isOwnChange(entryId, change, identity)) return true;
    foreign = true;
  }
  return !foreign;
}

/** Types that are no act of the participant that would open the window. */
const silentTypes: ReadonlySet<string> = new Set(['system', 'edit', 'revoke']);

const maxIdLength = 256;

/**
 * The messages for the channel, in the order in which they were sent. Of two with one id the first is given.
 *
 * @param receivedAt epoch milliseconds: for messages that do not say when they were sent
 */
export function readMessages(
  payload: unknown,
  identity: ChatappIdentity,
  receivedAt: number,
): ChatappMessage[] {
  const found = new Map<string, ChatappMessage>();
  for (const [entryId, change] of listChanges(payload)) {
    if (change.field !== 'messages' || !isOwnChange(entryId, change, identity)) continue;
    for (const node of readList(change.value, 'messages')) {
      const message = toMessage(node, receivedAt);
      if (message !== undefined && !found.has(message.externalMessageId)) {
        found.set(message.externalMessageId, message);
      }
    }
  }
  return [...found.values()].sort((a, b) => a.sentAt - b.sentAt);
}

/** Where a payload names a participant: who has written, to whom something was sent, whose name it tells. */
const participantFields: Readonly<Record<string, readonly string[]>> = {
  messages: ['from', 'from_user_id'],
  statuses: ['recipient_id', 'recipient_user_id'],
  contacts: ['wa_id', 'user_id'],
};

/** Everybody whom the payload names for the channel, once each. */
export function listParticipants(payload: unknown, identity: ChatappIdentity): string[] {
  const found = new Set<string>();
  for (const [entryId, change] of listChanges(payload)) {
    if (!isOwnChange(entryId, change, identity)) continue;
    for (const [list, fields] of Object.entries(participantFields)) {
      for (const node of readList(change.value, list)) {
        for (const field of fields) found.add(toStorable(readText(node, field)));
      }
    }
  }
  return [...found].filter(isUsable);
}

/** Longer ids are none of the provider's. */
function isUsable(id: string): boolean {
  return id !== '' && id.length <= maxIdLength;
}

function toMessage(node: unknown, receivedAt: number): ChatappMessage | undefined {
  const externalMessageId = toStorable(readText(node, 'id'));
  const participant = toStorable(readText(node, 'from') || readText(node, 'from_user_id'));
  // A message of a group has no thread here.
  if (!isUsable(externalMessageId) || !isUsable(participant) || readText(node, 'group_id') !== '') {
    return undefined;
  }
  return {
    externalMessageId,
    participant,
    body: cut(toStorable(describeContent(node))),
    sentAt: parseTimestamp(readText(node, 'timestamp')) ?? receivedAt,
    opensWindow: !silentTypes.has(readText(node, 'type')),
  };
}

/** From this number on a time is meant in milliseconds: as seconds it would lie 30,000 years ahead. */
const firstMilliseconds = 1e12;
/** The last instant of a year of four digits. */
const lastInstant = 253_402_300_799_999;

/** Seconds, now and then milliseconds, as epoch milliseconds. Undefined for anything else. */
function parseTimestamp(text: string): number | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  const given = Number(text);
  const ms = given >= firstMilliseconds ? given : given * 1_000;
  return given === 0 || ms > lastInstant ? undefined : ms;
}

/** The database keeps no U+0000 and no half of a surrogate pair. */
function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** To the length of a message, which counts code points. */
function cut(text: string): string {
  if (text.length <= maxMessageLength) return text;
  return Array.from(text).slice(0, maxMessageLength).join('');
}
