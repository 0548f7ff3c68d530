/** What the provider's webhooks say: payloads, their text in the provider's own style, and their signature. */
import { createHmac } from 'node:crypto';
import type { PhoneNumber } from './accounts.ts';

/** A part of a payload: whatever the provider writes. */
export type Json = Readonly<Record<string, unknown>>;

/** What one number has to tell. */
export interface Updates {
  readonly messages?: readonly Json[];
  readonly statuses?: readonly Json[];
  readonly contacts?: readonly Json[];
  readonly errors?: readonly Json[];
}

/** The payload of updates of one number. */
export function createPayload(number: PhoneNumber, updates: Updates): Json {
  return createEnvelope(number.accountId, 'messages', createValue(number, updates));
}

/**
 * The payload of one change of any field.
 *
 * @param time epoch seconds; of what the account reports, and not of messages
 */
export function createEnvelope(accountId: string, field: string, value: Json, time?: number): Json {
  const entry = { ...createEntry(accountId, field, value), ...(time === undefined ? {} : { time }) };
  return { object: 'whatsapp_business_account', entry: [entry] };
}

/** One entry of a payload that has several. */
export function createEntry(accountId: string, field: string, value: Json): Json {
  return { id: accountId, changes: [{ value, field }] };
}

/** The value of a change of the field `messages`. */
export function createValue(number: PhoneNumber, updates: Updates): Json {
  const metadata = {
    display_phone_number: number.displayPhoneNumber.replace(/\D/g, ''),
    phone_number_id: number.id,
  };
  return { messaging_product: 'whatsapp', metadata, ...updates };
}

export interface Participant {
  /** Digits. */
  readonly phone: string;
  readonly name?: string;
  readonly userId?: string;
}

/** Who has written, as it stands beside the messages. */
export function createContact({ phone, name, userId }: Participant): Json {
  return {
    profile: { name: name ?? `Participant ${phone}` },
    wa_id: phone,
    ...(userId === undefined ? {} : { user_id: userId }),
  };
}

/**
 * The text of a payload as the provider writes it: other characters than ASCII as `\uXXXX`, slashes as `\/`. Whoever writes the parsed
 * payload again has other bytes than those that were signed.
 */
export function writeJson(payload: Json): string {
  return JSON.stringify(payload)
    .replaceAll('/', '\\/')
    .replaceAll(/[\u007f-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The value of `X-Hub-Signature-256`. */
export function sign(body: string | Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
