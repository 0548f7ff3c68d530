/**
 * What was written and not sent yet, by thread: a reply, a note, what goes with them, which of the two the operator was at, and a template that
 * is filled in; the edited text of a suggestion, by its run; why one is discarded or a tool is refused, by the run or the call; and canned
 * replies that are being written, by their ids. It outlives the browser, and ends at sign-out. Each person has their own in each project.
 */
import { draftPrefix, listDraftKeys, type DraftStorage } from '../../kit/kept-drafts.ts';

export type WrittenKind = 'reply' | 'note';
export type DraftText = WrittenKind | 'suggestion' | 'reason';

/** A file that was uploaded. */
export interface KeptFile {
  readonly attachmentId: string;
  readonly name: string;
  /** Its MIME type. */
  readonly type: string;
  readonly size: number;
}

/** A template that was chosen, and what was filled in. */
export interface KeptTemplate {
  readonly channelId: string;
  /** The provider's. */
  readonly templateId: string;
  /** By the key of the field. */
  readonly values: Readonly<Record<string, string>>;
}

/** A canned reply as its form has it. */
export interface KeptCannedReply {
  readonly shortcut: string;
  readonly title: string;
  readonly body: string;
  /** When the reply that it changes was changed last; undefined: it is a new one. */
  readonly updatedAt?: string;
}

export interface DraftContents {
  readonly reply?: string | undefined;
  readonly note?: string | undefined;
  readonly suggestion?: string | undefined;
  readonly reason?: string | undefined;
  /** Default: the reply. */
  readonly kind?: WrittenKind | undefined;
  /** The message that is answered. */
  readonly replyTo?: string | undefined;
  readonly files?: readonly KeptFile[] | undefined;
  /** Users who were chosen in the note. */
  readonly mentions?: readonly string[] | undefined;
  readonly template?: KeptTemplate | undefined;
  readonly cannedReply?: KeptCannedReply | undefined;
}

/**
 * Of one person in one project. The one that was not touched for longest makes room; before all others those that have only a reason, since
 * what they are about may have been decided by somebody else, and then nobody takes them away.
 */
const mostDrafts = 200;
const empty: DraftContents = {};

export interface DraftOwner {
  readonly userId: string;
  readonly projectId: string;
}

export class Drafts {
  readonly #storage: DraftStorage;
  readonly #now: () => number;
  readonly #prefix: string;
  readonly #listeners = new Set<() => void>();
  /** What the storage does not take, which may be full or switched off. */
  readonly #unkept = new Map<string, string>();
  /** As they were parsed last, so that the same text is the same draft. */
  readonly #parsed = new Map<string, { readonly text: string; readonly draft: DraftContents }>();

  constructor(storage: DraftStorage, { userId, projectId }: DraftOwner, now: () => number = Date.now) {
    this.#storage = storage;
    this.#now = now;
    this.#prefix = `${draftPrefix}${userId}:${projectId}:`;
  }

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  get(id: string): DraftContents {
    const text = this.#read(this.#prefix + id);
    if (text === null) return empty;
    const known = this.#parsed.get(id);
    if (known?.text === text) return known.draft;
    const draft = parseDraft(text);
    this.#parsed.set(id, { text, draft });
    return draft;
  }

  getText(id: string, kind: DraftText): string {
    return this.get(id)[kind] ?? '';
  }

  setText(id: string, kind: DraftText, text: string): void {
    this.update(id, { [kind]: text });
  }

  update(id: string, change: DraftContents): void {
    const draft = { ...this.get(id), ...change };
    const key = this.#prefix + id;
    if (isEmpty(draft)) {
      this.#parsed.delete(id);
      this.#unkept.delete(key);
      this.#storage.removeItem(key);
    } else this.#write(key, JSON.stringify({ ...draft, at: this.#now() }));
    this.tell();
  }

  /** Another tab may have written. */
  tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #read(key: string): string | null {
    return this.#unkept.get(key) ?? this.#storage.getItem(key);
  }

  #write(key: string, text: string): void {
    if (this.#read(key) === null) this.#makeRoom();
    try {
      this.#storage.setItem(key, text);
      this.#unkept.delete(key);
    } catch {
      this.#unkept.set(key, text);
    }
  }

  #makeRoom(): void {
    const keys = listDraftKeys(this.#storage, this.#prefix);
    const tooMany = keys.length - mostDrafts + 1;
    if (tooMany <= 0) return;
    const byWorth = keys
      .map(key => {
        const text = this.#storage.getItem(key) ?? '';
        return { key, at: readTime(text), isReason: isReasonAlone(parseDraft(text)) };
      })
      .sort((one, other) => Number(other.isReason) - Number(one.isReason) || one.at - other.at);
    for (const { key } of byWorth.slice(0, tooMany)) {
      this.#storage.removeItem(key);
      this.#parsed.delete(key.slice(this.#prefix.length));
    }
  }
}

const isEmpty = (draft: DraftContents): boolean => {
  const { reply, note, suggestion, reason, replyTo, kind, files = [], template, cannedReply } = draft;
  return (
    [reply, note, suggestion, reason, replyTo].every(each => each === undefined || each === '') &&
    kind !== 'note' &&
    template === undefined &&
    cannedReply === undefined &&
    files.length === 0
  );
};

const isReasonAlone = (draft: DraftContents): boolean =>
  !isEmpty(draft) && isEmpty({ ...draft, reason: undefined });

function parse(text: string | null): Readonly<Record<string, unknown>> {
  try {
    return toFields(JSON.parse(text ?? ''));
  } catch {
    return {};
  }
}

function readTime(text: string | null): number {
  const { at } = parse(text);
  return typeof at === 'number' ? at : 0;
}

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const toFields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** What cannot be read, of whatever version of the page, is left out. */
export function parseDraft(text: string): DraftContents {
  const { reply, note, suggestion, reason, kind, replyTo, files, mentions, template, cannedReply } =
    parse(text);
  return {
    reply: toText(reply),
    note: toText(note),
    suggestion: toText(suggestion),
    reason: toText(reason),
    kind: kind === 'note' ? 'note' : undefined,
    replyTo: toText(replyTo),
    files: toList(files).filter(isKeptFile),
    mentions: toList(mentions).filter(each => typeof each === 'string'),
    template: toTemplate(toFields(template)),
    cannedReply: toCannedReply(toFields(cannedReply)),
  };
}

function toTemplate({
  channelId,
  templateId,
  values,
}: Readonly<Record<string, unknown>>): KeptTemplate | undefined {
  if (typeof channelId !== 'string' || typeof templateId !== 'string') return undefined;
  const texts = Object.entries(toFields(values)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { channelId, templateId, values: Object.fromEntries(texts) };
}

function toCannedReply({
  shortcut,
  title,
  body,
  updatedAt,
}: Readonly<Record<string, unknown>>): KeptCannedReply | undefined {
  if (typeof shortcut !== 'string' || typeof title !== 'string' || typeof body !== 'string') return undefined;
  return { shortcut, title, body, ...(typeof updatedAt === 'string' && { updatedAt }) };
}

function isKeptFile(given: unknown): given is KeptFile {
  const { attachmentId, name, type, size } = toFields(given);
  return [attachmentId, name, type].every(each => typeof each === 'string') && typeof size === 'number';
}
