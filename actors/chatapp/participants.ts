/**
 * Whom a payload names. The provider calls a participant by the digits of a phone number, by a user id, or by both: one who has taken a
 * user name may hide the number.
 */
import { readWords } from './content.ts';
import { read, readList, readText } from './graph.ts';
import { type ChatappIdentity, listOwnChanges, readId } from './payload.ts';

/** At least one of phone and userId is there. */
export interface ChatappParticipant {
  /** Digits. */
  readonly phone: string | null;
  readonly userId: string | null;
  readonly username: string | null;
  readonly displayName: string | null;
}

const maxNameLength = 256;

/** What a payload tells of participants, by each of their names. */
export type Contacts = ReadonlyMap<string, unknown>;

/** Of the value of a change. Its list holds the senders of a batch, in no order that means anything. */
export function indexContacts(value: unknown): Contacts {
  const found = new Map<string, unknown>();
  for (const contact of readList(value, 'contacts')) {
    for (const field of ['wa_id', 'user_id']) found.set(readId(contact, field), contact);
  }
  found.delete('');
  return found;
}

/** The sender of a message, with what the payload tells of them; undefined where it names nobody. */
export function readSender(message: unknown, contacts: Contacts): ChatappParticipant | undefined {
  const phone = readId(message, 'from');
  const userId = readId(message, 'from_user_id');
  if (phone === '' && userId === '') return undefined;
  const contact = contacts.get(phone) ?? contacts.get(userId);
  const profile = read(contact, 'profile');
  return {
    phone: phone || readId(contact, 'wa_id') || null,
    userId: userId || readId(contact, 'user_id') || null,
    username: readWords(profile, 'username', maxNameLength),
    displayName: readWords(profile, 'name', maxNameLength),
  };
}

/** What a sender is called from now on, where the message says so. */
export function readNewNames(message: unknown): Pick<ChatappParticipant, 'phone' | 'userId'> | undefined {
  if (readText(message, 'type') !== 'system') return undefined;
  const system = read(message, 'system');
  if (!/_changed_(number|user_id)$/.test(readText(system, 'type'))) return undefined;
  const phone = readId(system, 'wa_id') || readId(system, 'new_wa_id') || null;
  const userId = readId(system, 'user_id') || null;
  return phone === null && userId === null ? undefined : { phone, userId };
}

/** Where a payload names a participant: who has written, to whom something was sent, whose name it tells. */
const nameFields: Readonly<Record<string, readonly string[]>> = {
  messages: ['from', 'from_user_id'],
  statuses: ['recipient_id', 'recipient_user_id'],
  contacts: ['wa_id', 'user_id'],
};
const newNameFields = ['wa_id', 'new_wa_id', 'user_id'] as const;

/** The names of everybody whom the payload names for the channel, once each. */
export function listNames(payload: unknown, identity: ChatappIdentity): string[] {
  const found = new Set<string>();
  for (const { value } of listOwnChanges(payload, identity)) {
    for (const [list, fields] of Object.entries(nameFields)) {
      for (const node of readList(value, list)) {
        for (const field of fields) found.add(readId(node, field));
        const system = read(node, 'system');
        if (system !== undefined) for (const field of newNameFields) found.add(readId(system, field));
      }
    }
  }
  found.delete('');
  return [...found];
}

/** A participant's name as the provider writes it: of a phone number the digits, however it is given; else as it is. */
export function toParticipantName(given: string): string {
  return /^\+?[\d\s().-]+$/.test(given) ? given.replaceAll(/\D/g, '') || given : given;
}

/** The id of a user who hides the phone number. */
const userId = /^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/;

export function isUserId(name: string): boolean {
  return userId.test(name);
}

/** Whether a name may be one of the provider's: a phone number has 15 digits at most (E.164). */
export function isParticipantName(name: string): boolean {
  return /^\d{5,15}$/.test(name) || isUserId(name);
}
