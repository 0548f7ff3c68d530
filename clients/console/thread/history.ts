/**
 * What is shown of a thread, in its order: messages, notes, and what happened to the thread itself. They come as pages, newer and older ones,
 * and as live events, in any order and more than once; whatever comes, everybody ends with the same entries as by a fresh read.
 *
 * - A message stands at its sequence; so does an event. A note has none, and stands where its time belongs.
 * - What is shown has no gap: it is the interval that was read up to the newest, or another one that the operator has jumped to.
 * - A status moves forward alone: queued, sent, delivered, read, failed. So does a file: pending, then ready or failed.
 * - What was erased or deleted does not come back with a page that was read before.
 */
import type { Message, MessageAttachment, SkeinEvent, ThreadNote } from '../../sdk/index.ts';
import { resendField } from '../composer/arrival.ts';
import { Intervals, type Interval } from './intervals.ts';

/** The events that are shown among the messages. */
const shownEvents = [
  'thread.assignment.changed',
  'thread.status.changed',
  'thread.agent_mode.changed',
  'thread.tags.changed',
  'thread.snooze.changed',
  'thread.lifecycle.erased',
  'agent.handoff.requested',
  'agent.suggestion.resolved',
  'agent.budget.exceeded',
  'agent.answer_limit.reached',
] as const;
/** What is asked for of a thread's past: also what the notes that were read do not tell. */
export const readEvents = [...shownEvents, 'thread.note.deleted'] as const;
export type ShownEventName = (typeof shownEvents)[number];
export type ShownEvent = Extract<SkeinEvent, { eventName: ShownEventName }>;

export type TurnEvent = Extract<
  ShownEvent,
  { eventName: 'thread.assignment.changed' | 'thread.status.changed' }
>;

export type Entry =
  | { readonly kind: 'message'; readonly id: string; readonly at: string; readonly message: Message }
  | { readonly kind: 'note'; readonly id: string; readonly at: string; readonly note: ThreadNote }
  | { readonly kind: 'event'; readonly id: string; readonly at: string; readonly event: ShownEvent };

const statusRanks = { queued: 1, sent: 2, delivered: 3, read: 4, failed: 5 } as const;
const fileRanks = { pending: 0, ready: 1, failed: 1 } as const;

const rankStatus = ({ status }: Message): number => (status == null ? 0 : statusRanks[status]);
const rankFile = ({ status }: MessageAttachment): number => (status === undefined ? 1 : fileRanks[status]);
const rankFiles = ({ attachments }: Message): number =>
  attachments.reduce((sum, file) => sum + rankFile(file), 0);

/** Below 0 where the first is the earlier state of the message. What tells them apart, the most telling first. */
function compareStates(one: Message, other: Message): number {
  return (
    rankStatus(one) - rankStatus(other) ||
    rankFiles(one) - rankFiles(other) ||
    Object.keys(one.metadata).length - Object.keys(other.metadata).length
  );
}

/** One state of a message out of two: the later one, with the files of both. */
export function mergeMessage(known: Message, given: Message): Message {
  const order = compareStates(known, given);
  const [earlier, later] = order > 0 ? [given, known] : [known, given];
  const attachments = later.attachments.map((file, index) => {
    const before = earlier.attachments[index];
    return before !== undefined && rankFile(before) > rankFile(file) ? before : file;
  });
  return {
    ...later,
    attachments,
    externalMessageId: later.externalMessageId ?? earlier.externalMessageId ?? null,
  };
}

/** What erasure leaves of a message. */
function eraseMessage(message: Message): Message {
  const {
    content: _content,
    replyTo: _replyTo,
    referral: _referral,
    forwarded: _forwarded,
    error: _error,
    ...kept
  } = message;
  return { ...kept, body: '', attachments: [], metadata: {}, externalMessageId: null };
}

/** Not what says nothing: an event whose words were erased, an approval that the message tells of, a waking by a message. */
function isShownEvent(event: SkeinEvent): event is ShownEvent {
  switch (event.eventName) {
    case 'agent.handoff.requested':
      return !isErased(event);
    case 'agent.suggestion.resolved':
      return !isErased(event) && event.data.suggestion.status === 'discarded';
    case 'thread.tags.changed':
      return !isErased(event);
    case 'thread.snooze.changed':
      return event.data.reason === 'request';
    default:
      return (shownEvents as readonly string[]).includes(event.eventName);
  }
}

const isTurn = (event: ShownEvent): event is TurnEvent =>
  event.eventName === 'thread.assignment.changed' || event.eventName === 'thread.status.changed';

const getSequence = (event: TurnEvent | undefined): number => event?.data.sequence ?? 0;

/** What an erasure has left of an event has its names alone. */
const isErased = ({ data }: SkeinEvent): boolean => 'erased' in data;

export class ThreadHistory {
  readonly #messages = new Map<string, Message>();
  /** Ids of messages that failed and were sent once more. */
  readonly #resent = new Set<string>();
  readonly #notes = new Map<string, ThreadNote>();
  readonly #deletedNotes = new Set<string>();
  readonly #events = new Map<string, ShownEvent>();
  /** Up to this event everything personal is erased. */
  #erased: { readonly sequence: number; readonly at: string } | undefined;
  /** Of the last erasure, whose event may not be here. Empty: there was none. */
  #erasedAt = '';
  readonly #intervals = new Intervals();
  /** The number of the message that the operator has jumped to; Infinity: the newest are shown. */
  #anchor = Infinity;
  #entries: readonly Entry[] | undefined;
  #lastTurn: TurnEvent | undefined;

  /** What is shown, in order; the same array until something changes. */
  get entries(): readonly Entry[] {
    this.#entries ??= this.#arrange();
    return this.#entries;
  }

  /** Undefined until a page was read. */
  get shown(): Interval | undefined {
    return this.#intervals.find(this.#anchor);
  }

  /** Whether the message with that number is here, and those beside it. */
  has(sequence: number): boolean {
    return this.#intervals.find(sequence) !== undefined;
  }

  /** Who was the last to take or close the thread, also where that is not shown. */
  get lastTurn(): TurnEvent | undefined {
    return this.#lastTurn;
  }

  get newestSequence(): number {
    return Math.max(0, ...Array.from(this.#messages.values(), ({ sequence = 0 }) => sequence));
  }

  /** Messages of the participant after that number, shown or not. */
  countInbound(afterSequence: number): number {
    let count = 0;
    for (const { direction, sequence = 0 } of this.#messages.values())
      if (direction === 'inbound' && sequence > afterSequence) count++;
    return count;
  }

  /** Shows the interval with that number, which is here; Infinity: the newest one. */
  show(sequence: number): void {
    this.#anchor = sequence;
    this.#entries = undefined;
  }

  getMessage(messageId: string): Message | undefined {
    return this.#messages.get(messageId);
  }

  /** Whether a message that is here, shown or not, sends that one once more. */
  wasResent(messageId: string): boolean {
    return this.#resent.has(messageId);
  }

  getNote(threadNoteId: string): ThreadNote | undefined {
    return this.#notes.get(threadNoteId);
  }

  /** A page: all messages of the interval. */
  addPage(messages: readonly Message[], interval: Interval): void {
    this.#intervals.add(interval);
    this.addMessages(messages);
  }

  addMessages(messages: readonly Message[]): void {
    for (const message of messages) {
      const known = this.#messages.get(message.messageId);
      this.#messages.set(message.messageId, known === undefined ? message : mergeMessage(known, message));
      const resent = message.metadata[resendField];
      if (typeof resent === 'string') this.#resent.add(resent);
    }
    this.#entries = undefined;
  }

  addNotes(notes: readonly ThreadNote[]): void {
    for (const note of notes) {
      const known = this.#notes.get(note.threadNoteId);
      if (known === undefined || known.updatedAt <= note.updatedAt) this.#notes.set(note.threadNoteId, note);
    }
    this.#entries = undefined;
  }

  deleteNote(threadNoteId: string): void {
    this.#deletedNotes.add(threadNoteId);
    this.#entries = undefined;
  }

  /** An event of this thread. Those that show nothing change nothing. */
  addEvent(event: SkeinEvent): void {
    if (isShownEvent(event)) {
      this.#events.set(event.eventId, event);
      this.#entries = undefined;
      if (isTurn(event) && getSequence(event) > getSequence(this.#lastTurn)) this.#lastTurn = event;
    }
    switch (event.eventName) {
      case 'thread.message.received':
      case 'thread.message.created':
      case 'thread.message.updated':
      case 'channel.message.requested':
      case 'channel.message.sent':
      case 'channel.message.delivered':
      case 'channel.message.read':
      case 'channel.message.delivery_failed':
        return this.addMessages([event.data.message]);
      case 'thread.note.created':
      case 'thread.note.updated':
        return this.addNotes([event.data.note]);
      case 'thread.note.deleted':
        return this.deleteNote(event.data.note.threadNoteId);
      case 'thread.lifecycle.erased':
        return this.#erase(event.data.sequence ?? 0, event.occurredAt);
      default:
        return;
    }
  }

  #erase(sequence: number, at: string): void {
    if (this.#erased !== undefined && this.#erased.sequence >= sequence) return;
    this.#erased = { sequence, at };
    this.eraseBefore(at);
  }

  /** The thread says when it was last erased. The server empties what was said a minute or two later. */
  eraseBefore(at: string): void {
    if (at <= this.#erasedAt) return;
    this.#erasedAt = at;
    this.#entries = undefined;
  }

  /** Clocks of nodes differ: once the event of the erasure is here, its number decides. */
  #isErased(sequence: number, at: string): boolean {
    if (sequence <= (this.#erased?.sequence ?? 0)) return true;
    return this.#erased?.at !== this.#erasedAt && at < this.#erasedAt;
  }

  #arrange(): Entry[] {
    const { shown } = this;
    if (shown === undefined) return [];
    const numbered = [...this.#listMessages(), ...this.#listEvents()]
      .filter(({ sequence }) => shown.from <= sequence && sequence <= shown.to)
      .sort((one, other) => one.sequence - other.sequence)
      .map(({ entry }) => entry);
    const since = shown.from === 0 ? '' : (numbered[0]?.at ?? '');
    const until = shown.to === Infinity ? undefined : numbered.at(-1)?.at;
    const notes = this.#listNotes().filter(({ at }) => at >= since && (until === undefined || at <= until));
    return mergeByTime(numbered, notes);
  }

  #listMessages(): { sequence: number; entry: Entry }[] {
    return Array.from(this.#messages.values(), message => {
      const { sequence = 0, messageId: id, createdAt: at } = message;
      const shown = this.#isErased(sequence, at) ? eraseMessage(message) : message;
      return { sequence, entry: { kind: 'message', id, at, message: shown } };
    });
  }

  #listEvents(): { sequence: number; entry: Entry }[] {
    return [...this.#events.values()]
      .map(event => ({
        sequence: event.data.sequence ?? 0,
        entry: { kind: 'event', id: event.eventId, at: event.occurredAt, event } as const,
      }))
      .filter(({ sequence, entry }) => !this.#isErased(sequence, entry.at) || !hasWords(entry.event));
  }

  #listNotes(): Entry[] {
    return [...this.#notes.values()]
      .filter(note => !this.#deletedNotes.has(note.threadNoteId) && note.createdAt > this.#erasedAt)
      .map((note): Entry => ({ kind: 'note', id: note.threadNoteId, at: note.createdAt, note }))
      .sort((one, other) => compareTexts(one.at, other.at) || compareTexts(one.id, other.id));
  }
}

/** What somebody has written, and an erasure takes away. */
const hasWords = ({ eventName }: ShownEvent): boolean =>
  eventName === 'agent.handoff.requested' ||
  eventName === 'agent.suggestion.resolved' ||
  eventName === 'thread.tags.changed';

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Puts each note before the first entry that is later than it. A clock that went back between two messages changes nothing of their order. */
function mergeByTime(numbered: readonly Entry[], notes: readonly Entry[]): Entry[] {
  const entries: Entry[] = [];
  let next = 0;
  let latest = '';
  for (const entry of numbered) {
    if (entry.at > latest) latest = entry.at;
    for (let note = notes[next]; note !== undefined && note.at < latest; note = notes[++next])
      entries.push(note);
    entries.push(entry);
  }
  entries.push(...notes.slice(next));
  return entries;
}
