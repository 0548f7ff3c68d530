/**
 * The envelope of the provider's webhooks: which of their changes are a channel's. Everything is read leniently: fields may be missing,
 * numbers may be texts and texts numbers, and what nobody knows yet is left alone. Nothing here throws.
 */
import { read, readList, readText } from './graph.ts';

/** Whose events a channel takes. */
export interface ChatappIdentity {
  readonly wabaId: string;
  readonly phoneNumberId: string;
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

export interface Change {
  readonly field: string;
  readonly value: unknown;
  /** When the account reported it, in epoch seconds; empty where the provider does not say, as with messages. */
  readonly time: string;
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
    const time = readText(entry, 'time');
    for (const change of readList(entry, 'changes')) {
      yield [readText(entry, 'id'), { field: readText(change, 'field'), value: read(change, 'value'), time }];
    }
  }
}

/** The changes of a payload that are the channel's, in their order. */
export function* listOwnChanges(payload: unknown, identity: ChatappIdentity): Generator<Change> {
  for (const [entryId, change] of listChanges(payload)) {
    if (isOwnChange(entryId, change, identity)) yield change;
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

/** Longer ids are none of the provider's. */
const maxIdLength = 256;

/** An id as it may be stored; empty where the provider gave none that is usable. */
export function readId(node: unknown, name: string): string {
  const id = toStorable(readText(node, name));
  return id.length <= maxIdLength ? id : '';
}

/** From this number on a time is meant in milliseconds: as seconds it would lie 30,000 years ahead. */
const firstMilliseconds = 1e12;
/** The last instant of a year of four digits. */
export const lastInstant = 253_402_300_799_999;

/** Seconds, now and then milliseconds, as epoch milliseconds. Undefined for anything else. */
export function parseTimestamp(text: string): number | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  const given = Number(text);
  const ms = given >= firstMilliseconds ? given : given * 1_000;
  return given === 0 || ms > lastInstant ? undefined : ms;
}

/** The database keeps no U+0000 and no half of a surrogate pair. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}
