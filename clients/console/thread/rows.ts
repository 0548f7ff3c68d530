/** The rows of a thread's list, made of its entries: days, the first unread one, messages in groups, and what is on its way at the end. */
import type { Message } from '../../sdk/index.ts';
import { getMark, type Outgoing } from '../composer/outgoing.ts';
import type { Entry } from './history.ts';

export interface Reaction {
  readonly emoji: string;
  readonly direction: Message['direction'];
}

/** What stands above a row. It belongs to the row: older pages come before it without moving what is in view. */
export interface RowHead {
  /** An instant of the day that begins with the row. */
  readonly day?: string | undefined;
  /** Whether it is the first that the operator has not read. */
  readonly isFirstUnread?: boolean | undefined;
}

export type Row = RowHead & RowContent;

type RowContent =
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly message: Message;
      /** Whether its author is shown: of several in a row of one author, with the first. */
      readonly showsAuthor: boolean;
      readonly reactions: readonly Reaction[];
    }
  | { readonly kind: 'note'; readonly key: string; readonly entry: Extract<Entry, { kind: 'note' }> }
  | { readonly kind: 'event'; readonly key: string; readonly entry: Extract<Entry, { kind: 'event' }> }
  | { readonly kind: 'outgoing'; readonly key: string; readonly outgoing: Outgoing }
  | { readonly kind: 'writing'; readonly key: string; readonly text: string };

export interface RowSources {
  readonly entries: readonly Entry[];
  /** Whether the first entry is the first of all: only then it is known to begin a day. */
  readonly reachesStart: boolean;
  readonly outgoing: readonly Outgoing[];
  /** What an agent is writing. */
  readonly writing: string | undefined;
  /** Messages of the participant beyond this number are new; undefined: no line is drawn. */
  readonly readSequence: number | undefined;
  /** The day of an instant, in the reader's zone. */
  readonly toDay: (at: string) => string;
}

/** Messages of one author that follow each other so soon belong together, in milliseconds. */
const groupMs = 300_000;

/** Stays the same when what was on its way has arrived, so that its row does. */
const getKey = ({ metadata, messageId }: Message): string =>
  typeof metadata['consoleKey'] === 'string' ? metadata['consoleKey'] : messageId;

const isSameAuthor = (one: Message, other: Message): boolean =>
  one.direction === other.direction &&
  one.actor?.type === other.actor?.type &&
  one.actor?.id === other.actor?.id;

export function createRows(sources: RowSources): readonly Row[] {
  const { entries, reachesStart, outgoing, writing, readSequence, toDay } = sources;
  const rows: Row[] = [];
  const shownKeys = new Set<string>();
  const reactions = collectReactions(entries);
  let day = reachesStart ? '' : toDay(entries[0]?.at ?? '');
  let before: Message | undefined;
  let isLineDrawn = readSequence === undefined;
  for (const entry of entries) {
    if (entry.kind === 'message' && isShownElsewhere(entry.message, reactions)) continue;
    const entryDay = toDay(entry.at);
    // Of the first row it is not known, as long as there are older ones.
    const isKnown = rows.length > 0 || reachesStart;
    const isFirstUnread = !isLineDrawn && isUnread(entry, readSequence);
    const head: RowHead = {
      day: entryDay === day ? undefined : entry.at,
      isFirstUnread: isFirstUnread && isKnown,
    };
    if (head.day !== undefined || isFirstUnread) before = undefined;
    day = entryDay;
    isLineDrawn ||= isFirstUnread;
    const content = createContent(entry, before, reactions);
    // A program may repeat what it has read in another message: it is the key of one row.
    const key = shownKeys.has(content.key) ? entry.id : content.key;
    shownKeys.add(key);
    rows.push({ ...head, ...content, key });
    before = entry.kind === 'message' ? entry.message : undefined;
  }
  if (writing !== undefined) rows.push({ kind: 'writing', key: 'writing', text: writing });
  for (const each of outgoing)
    if (!shownKeys.has(getMark(each))) rows.push({ kind: 'outgoing', key: getMark(each), outgoing: each });
  return rows;
}

/** @param before the message right before it */
function createContent(entry: Entry, before: Message | undefined, reactions: Reactions): RowContent {
  if (entry.kind === 'note') return { kind: 'note', key: entry.id, entry };
  if (entry.kind === 'event') return { kind: 'event', key: entry.id, entry };
  const { message } = entry;
  const isContinued =
    before !== undefined &&
    isSameAuthor(before, message) &&
    Date.parse(message.createdAt) - Date.parse(before.createdAt) < groupMs;
  const own = reactions.get(message.messageId);
  return {
    kind: 'message',
    key: getKey(message),
    message,
    showsAuthor: !isContinued,
    reactions: [...(own?.values() ?? [])],
  };
}

function isUnread(entry: Entry, readSequence = 0): boolean {
  if (entry.kind !== 'message') return false;
  const { direction, sequence = 0 } = entry.message;
  return direction === 'inbound' && sequence > readSequence;
}

type Reactions = ReadonlyMap<string, ReadonlyMap<Message['direction'], Reaction>>;

/** The last reaction of each side to each message that is shown. */
function collectReactions(entries: readonly Entry[]): Reactions {
  const shown = new Set(entries.map(({ id }) => id));
  const reactions = new Map<string, Map<Message['direction'], Reaction>>();
  for (const entry of entries) {
    if (entry.kind !== 'message' || entry.message.content?.type !== 'reaction') continue;
    const { direction, content } = entry.message;
    const { emoji, to } = content;
    if (to.messageId === null || !shown.has(to.messageId)) continue;
    const sides = reactions.get(to.messageId) ?? new Map<Message['direction'], Reaction>();
    reactions.set(to.messageId, sides);
    if (emoji === null) sides.delete(direction);
    else sides.set(direction, { emoji, direction });
  }
  return reactions;
}

const isShownElsewhere = ({ content }: Message, reactions: Reactions): boolean =>
  content?.type === 'reaction' && content.to.messageId !== null && reactions.has(content.to.messageId);
