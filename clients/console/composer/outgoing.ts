/** One item of the outbox, and how it is read again from what a browser has kept of it. */
import type { AttachmentInput } from '../../sdk/index.ts';

/** Which message failed, and how often it was tried to send it once more. */
export interface Resend {
  readonly messageId: string;
  /** From 1 on. */
  readonly attempt: number;
}

/** Everybody who sends a failed message once more has this key: so it leaves once, whoever and however often. */
export const toResendKey = ({ messageId, attempt }: Resend): string => `resend-${messageId}-${attempt}`;

export interface Outgoing {
  /** The Idempotency-Key of every try. */
  readonly key: string;
  /** Of what was refused and is sent again: the key that it had at first, and since when, as `queuedAt`. */
  readonly first?: { readonly key: string; readonly at: number };
  /** The thread's last event that was known when it was written: it comes later. Missing: of an older page, and not known. */
  readonly afterSequence?: number | undefined;
  /** Of a message that failed, sent once more. */
  readonly resend?: Resend;
  readonly threadId: string;
  readonly content:
    | {
        readonly kind: 'message';
        readonly body: string;
        readonly attachments: readonly AttachmentInput[];
        readonly replyTo: string | undefined;
      }
    | {
        readonly kind: 'note';
        readonly body: string;
        /** User ids. */
        readonly mentions?: readonly string[];
      }
    | {
        readonly kind: 'template';
        readonly channelId: string;
        readonly name: string;
        readonly language: string;
        readonly components: readonly Readonly<Record<string, unknown>>[];
        /** As it will read. */
        readonly body: string;
      };
  /** Since when it has its key, in milliseconds since 1970. */
  readonly queuedAt: number;
  readonly state: 'waiting' | 'sending' | 'refused';
  /** A try of it came to nothing: until one gets through it waits, whatever is tried meanwhile. */
  readonly hasFailed?: boolean;
  /** Why it was refused, in words; `tooOld`: its key is not honoured any more; `archived`: its conversation is. */
  readonly problem?: string;
}

/** By which it is recognised among the messages of its thread, under whatever key it was sent in the end. */
export const getMark = ({ key, first }: Pick<Outgoing, 'key' | 'first'>): string => first?.key ?? key;

export type OutgoingContent = Outgoing['content'];

export interface KeptOutbox {
  readonly items: readonly Outgoing[];
  /** Of each item that cannot be read: its text, as far as there is one. */
  readonly damaged: readonly string[];
}

/** What was on its way may have arrived: it is sent again, with its key. */
export function parseKept(text: string | null): KeptOutbox {
  if (text === null) return { items: [], damaged: [] };
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return { items: [], damaged: [''] };
  }
  if (!Array.isArray(given)) return { items: [], damaged: [''] };
  const items = new Map<string, Outgoing>();
  const damaged: string[] = [];
  for (const each of given as readonly unknown[]) {
    // A key stands for one item: under another's nothing would be sent.
    if (!isOutgoing(each) || items.has(each.key)) damaged.push(findText(each));
    else items.set(each.key, each.state === 'sending' ? { ...each, state: 'waiting' } : each);
  }
  return { items: [...items.values()], damaged };
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText: Check = value => typeof value === 'string';
const isNumber: Check = value => typeof value === 'number' && Number.isFinite(value);
const toListCheck =
  (check: Check): Check =>
  value =>
    Array.isArray(value) && value.every(check);
const toChoiceCheck =
  (...values: readonly string[]): Check =>
  value =>
    values.includes(value as string);
const toOptionalCheck =
  (check: Check): Check =>
  value =>
    value === undefined || check(value);
const toShapeCheck =
  (checks: Readonly<Record<string, Check>>): Check =>
  value =>
    isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]));

const isAttachment = toShapeCheck({
  kind: toChoiceCheck('image', 'audio', 'video', 'document', 'sticker'),
  attachmentId: isText,
  filename: toOptionalCheck(isText),
  mimeType: toOptionalCheck(isText),
  sizeBytes: toOptionalCheck(isNumber),
});

const contents: Readonly<Record<OutgoingContent['kind'], Check>> = {
  message: toShapeCheck({
    body: isText,
    attachments: toListCheck(isAttachment),
    replyTo: toOptionalCheck(isText),
  }),
  note: toShapeCheck({ body: isText, mentions: toOptionalCheck(toListCheck(isText)) }),
  template: toShapeCheck({
    body: isText,
    channelId: isText,
    name: isText,
    language: isText,
    components: toListCheck(isRecord),
  }),
};

const isContent: Check = value =>
  isRecord(value) &&
  Object.entries(contents).some(([kind, isOfKind]) => value['kind'] === kind && isOfKind(value));

const isWhole = toShapeCheck({
  key: isText,
  first: toOptionalCheck(toShapeCheck({ key: isText, at: isNumber })),
  afterSequence: toOptionalCheck(isNumber),
  resend: toOptionalCheck(toShapeCheck({ messageId: isText, attempt: isNumber })),
  threadId: isText,
  content: isContent,
  queuedAt: isNumber,
  state: toChoiceCheck('waiting', 'sending', 'refused'),
  hasFailed: toOptionalCheck(value => typeof value === 'boolean'),
  problem: toOptionalCheck(isText),
});

const isOutgoing = (value: unknown): value is Outgoing => isWhole(value);

/** What was damaged before is kept as its text. */
function findText(value: unknown): string {
  if (typeof value === 'string') return value;
  const content = isRecord(value) ? value['content'] : undefined;
  const body = isRecord(content) ? content['body'] : undefined;
  return typeof body === 'string' ? body : '';
}
