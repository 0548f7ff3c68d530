/**
 * A decision in the making: the next state, the events and rows it brings, and the numbers they get. It lives for one turn and
 * touches nothing but itself.
 */
import type { Decision, Reminder, Turn } from '../../runtime/actor.ts';
import { eventText, type EventName } from '../../protocol/events.ts';
import { numberedId } from '../../protocol/ids.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import { appendEvent, rememberKey, type IdempotencyRow, type Write } from '../../storage/writes.ts';
import type { IdempotencyKey } from './commands.ts';
import type { ThreadState } from './state.ts';
import { threadText } from './thread-text.ts';

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

// The turns of one millisecond share their text.
let lastMs = -1;
let lastText = '';

function instantText(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

/** An event as it was appended. */
export interface DraftedEvent {
  readonly eventId: string;
  readonly sequence: number;
  /** The text of `data`. */
  readonly data: string;
}

/** The decision of one turn, taken part by part; `decide` closes it. */
export class Draft {
  readonly threadId: string;
  /** The instant of the turn: epoch milliseconds, and ISO 8601. */
  readonly now: number;
  readonly at: string;
  /** A copy of the state, free to be changed until the decision is made. */
  readonly next: Mutable<ThreadState>;
  readonly writes: Write[] = [];
  readonly reminders: Reminder[] = [];
  #forgotten: string[] | undefined;

  constructor(state: ThreadState, turn: Turn) {
    this.threadId = turn.id;
    this.now = turn.now;
    this.at = instantText(turn.now);
    this.next = { ...state, updatedAt: this.at };
  }

  /**
   * Appends an event of the thread as it stands now.
   *
   * @param actor who did it, as JSON text
   * @param members what `data` holds beside the common members (decisions, section 7): JSON members, without braces
   */
  event(eventName: EventName, actor: string, members: string): DraftedEvent {
    const { projectId, environmentId, channelId } = this.next;
    const { threadId, at: occurredAt } = this;
    const sequence = ++this.next.sequence;
    const eventId = numberedId('event', this.now, threadId, sequence);
    const data =
      `{"environmentId":"${environmentId}","threadId":"${threadId}",` +
      `${channelId === null ? '' : `"channelId":"${channelId}",`}"sequence":${sequence},"actor":${actor},${members}}`;
    this.writes.push(
      appendEvent({
        projectId,
        environmentId,
        eventId,
        eventName,
        occurredAt,
        threadId,
        ...(channelId === null ? {} : { channelId }),
        sequence,
        body: eventText({ eventId, eventName, occurredAt, projectId, data }),
      }),
    );
    return { eventId, sequence, data };
  }

  /** An event that carries the thread itself, numbered with that event. */
  threadEvent(eventName: EventName, actor: Actor, more = ''): void {
    const thread = threadText({ ...this.next, sequence: this.next.sequence + 1 }, this.threadId, this.now);
    this.event(eventName, JSON.stringify(actor), `"thread":${thread}${more}`);
  }

  /** Keeps the answer under the key of its request. */
  remember(key: IdempotencyKey | undefined, answer: IdempotencyRow['answer']): void {
    if (key === undefined) return;
    const { keyHash, fingerprint } = key;
    this.writes.push(rememberKey({ keyHash, fingerprint, status: 201, answer, createdAt: this.at }));
  }

  /** Sets a reminder with the commit; one of the same key is replaced. */
  remind(reminder: Reminder): void {
    this.reminders.push(reminder);
  }

  /** Cancels the reminder of that key; not one that this turn has set. */
  forget(key: string): void {
    (this.#forgotten ??= []).push(key);
  }

  /** The decision as it stands, answered with `reply`. */
  decide<Reply>(reply: Reply): Decision<ThreadState, Reply, Write> {
    const { next: state, writes, reminders: remind } = this;
    const forgotten = this.#forgotten;
    return forgotten === undefined
      ? { state, writes, remind, reply }
      : { state, writes, remind, forget: forgotten, reply };
  }
}
