/** Sending: what the provider checks of a message, in its order, and what it answers. */
import { randomBytes } from 'node:crypto';
import { type Accounts, messagingScope, type PhoneNumber } from './accounts.ts';
import { ProviderError } from './errors.ts';
import type { MediaFiles } from './media.ts';
import { type ProviderAnswer, readFields, readText, type Route } from './requests.ts';
import type { Templates } from './templates.ts';

/** A message that was accepted. */
export interface SentMessage {
  /** `wamid.` and what nobody looks into. */
  readonly id: string;
  readonly number: PhoneNumber;
  readonly appId: string;
  /** Digits without a plus, or a user id. */
  readonly to: string;
  readonly type: string;
  /** As it was sent. */
  readonly message: Readonly<Record<string, unknown>>;
  readonly callbackData: string | undefined;
}

/** What a test sets before it sends. */
export interface SendingRules {
  /** Whether a free-form message outside the window is refused at once, or accepted and reported as failed. */
  refusesOutsideWindow: 'at once' | 'later';
  /** Recipients that a test number may write to; undefined: all. */
  allowedRecipients: ReadonlySet<string> | undefined;
  /** Numbers that the provider calls otherwise than they are given: those of Brazil and Mexico. */
  readonly calledOtherwise: Map<string, string>;
  /** Recipients whom the business has blocked. */
  readonly blocked: Set<string>;
  /** Messages in a second by one number. */
  throughput: number;
  /** Messages to one recipient at once; one more every six seconds. */
  pairBurst: number;
}

const windowMs = 24 * 3_600_000;
const pairRefillMs = 6_000;
const maxTextLength = 4_096;
const maxCaptionLength = 1_024;
const maxCallbackData = 512;
const mediaTypes: readonly string[] = ['image', 'video', 'audio', 'document', 'sticker'];

export function newMessageId(): string {
  return `wamid.${randomBytes(24).toString('base64')}`;
}

export class Messages {
  readonly sent: SentMessage[] = [];
  /** The ids of messages that were marked as read, and of those that typing was shown after. */
  readonly marked: { readonly messageId: string; readonly typing: boolean }[] = [];
  readonly rules: SendingRules = {
    refusesOutsideWindow: 'at once',
    allowedRecipients: undefined,
    calledOtherwise: new Map(),
    blocked: new Set(),
    throughput: 80,
    pairBurst: 45,
  };
  /** Called with each message that was accepted, before its answer. */
  accepted: (message: SentMessage) => void = () => undefined;
  readonly #accounts: Accounts;
  readonly #media: MediaFiles;
  readonly #templates: Templates;
  readonly #now: () => number;
  /** By number and participant: when they last wrote. */
  readonly #wrote = new Map<string, number>();
  /** The ids of messages by participants. */
  readonly #inbound = new Set<string>();
  /** By number: when it sent lately. By pair: how much of the burst is used, and since when. */
  readonly #recent = new Map<string, number[]>();
  readonly #pairs = new Map<string, { used: number; at: number }>();

  constructor(accounts: Accounts, media: MediaFiles, templates: Templates, now: () => number) {
    this.#accounts = accounts;
    this.#media = media;
    this.#templates = templates;
    this.#now = now;
  }

  readonly route: Route = request => {
    const [id = '', second] = request.path;
    if (second !== 'messages' || request.method !== 'POST') return undefined;
    const token = this.#accounts.requireToken(request.token, messagingScope);
    const number = this.#accounts.requireNumber(token, id);
    const fields = readFields(request);
    if (readText(fields, 'messaging_product') !== 'whatsapp') {
      throw new ProviderError(100, { details: 'The parameter messaging_product is required.' });
    }
    if (number.status !== 'CONNECTED') throw new ProviderError(133010);
    if (readText(fields, 'status') === 'read') return this.#mark(fields);
    return this.#send(number, token.appId, fields);
  };

  /** A participant has written to the number. */
  noteInbound(number: PhoneNumber, participant: string, messageId: string): void {
    this.#wrote.set(`${number.id}/${participant}`, this.#now());
    this.#inbound.add(messageId);
  }

  #mark(fields: Readonly<Record<string, unknown>>): ProviderAnswer {
    const messageId = readText(fields, 'message_id');
    if (!this.#inbound.has(messageId)) throw new ProviderError(131009, { details: 'Invalid message_id' });
    this.marked.push({ messageId, typing: fields['typing_indicator'] !== undefined });
    return { body: { success: true } };
  }

  #send(number: PhoneNumber, appId: string, message: Readonly<Record<string, unknown>>): ProviderAnswer {
    const given = readText(message, 'to') || readText(message, 'recipient');
    if (given === '') throw new ProviderError(131008, { details: 'The parameter to is required.' });
    const digits = given.replace(/^\+/, '');
    const to = this.rules.calledOtherwise.get(digits) ?? digits;
    const type = readText(message, 'type') || 'text';
    this.#checkRecipient(number, to);
    this.#checkContent(number, type, message);
    const callbackData = readText(message, 'biz_opaque_callback_data');
    if (callbackData.length > maxCallbackData) throw new ProviderError(100);
    this.#checkRates(number, to);
    const isOutside = type !== 'template' && !this.#isWindowOpen(number, to);
    if (isOutside && this.rules.refusesOutsideWindow === 'at once') throw new ProviderError(131047);
    const sent: SentMessage = {
      id: newMessageId(),
      number,
      appId,
      to,
      type,
      message,
      callbackData: callbackData === '' ? undefined : callbackData,
    };
    this.sent.push(sent);
    this.accepted(sent);
    const contacts = [{ input: given, wa_id: to }];
    return { body: { messaging_product: 'whatsapp', contacts, messages: [{ id: sent.id }] } };
  }

  #checkRecipient(number: PhoneNumber, to: string): void {
    const { allowedRecipients, blocked } = this.rules;
    if (number.displayPhoneNumber.replace(/\D/g, '') === to) throw new ProviderError(131021);
    if (allowedRecipients?.has(to) === false) throw new ProviderError(131030);
    if (blocked.has(to)) throw new ProviderError(130403);
  }

  #checkContent(number: PhoneNumber, type: string, message: Readonly<Record<string, unknown>>): void {
    const node = message[type] as Readonly<Record<string, unknown>> | undefined;
    if (node === undefined) throw new ProviderError(100, { details: `The parameter ${type} is required.` });
    if (type === 'text') {
      const { length } = readText(node, 'body');
      if (length === 0) throw new ProviderError(131008, { details: 'The parameter text.body is required.' });
      if (length > maxTextLength) throw new ProviderError(100, { details: 'Param text.body is too long' });
    } else if (mediaTypes.includes(type)) {
      const file = readText(node, 'id');
      if (file === '' && readText(node, 'link') === '') throw new ProviderError(131008);
      if (file !== '') this.#media.requireUploaded(file, type);
      if (readText(node, 'caption').length > maxCaptionLength) throw new ProviderError(100);
    } else if (type === 'template') {
      this.#templates.check(number.accountId, node);
    } else if (type === 'reaction') {
      if (readText(node, 'message_id') === '') throw new ProviderError(131008);
    } else if (type !== 'interactive' && type !== 'location' && type !== 'contacts') {
      throw new ProviderError(131051);
    }
  }

  #checkRates(number: PhoneNumber, to: string): void {
    const now = this.#now();
    const recent = (this.#recent.get(number.id) ?? []).filter(at => at > now - 1_000);
    if (recent.length >= this.rules.throughput) throw new ProviderError(130429);
    const key = `${number.id}/${to}`;
    const pair = this.#pairs.get(key) ?? { used: 0, at: now };
    const used = Math.max(0, pair.used - (now - pair.at) / pairRefillMs);
    if (used + 1 > this.rules.pairBurst) throw new ProviderError(131056);
    recent.push(now);
    this.#recent.set(number.id, recent);
    this.#pairs.set(key, { used: used + 1, at: now });
  }

  #isWindowOpen(number: PhoneNumber, participant: string): boolean {
    const wrote = this.#wrote.get(`${number.id}/${participant}`);
    return wrote !== undefined && this.#now() < wrote + windowMs;
  }
}
