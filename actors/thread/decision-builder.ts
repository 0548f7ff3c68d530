/**
 * Builds the decision of one turn: the thread's next state, the rows and events that go with it, and the numbers they get. A builder
 * lives for one turn and changes nothing but itself.
 */
import type { ActorRef, Decision, Effect, Reminder, Turn } from '../../runtime/actor/index.ts';
import { formatEvent, type EventName } from '../../protocol/events.ts';
import { numberedId } from '../../protocol/ids.ts';
import {
  type Actor,
  maxPreviewLength,
  type SnoozeReason,
  type ThreadStatus,
} from '../../protocol/resources/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import {
  appendEvent,
  awaitFile,
  insertMessage,
  type KeptReply,
  type MessageRow,
  rememberKey,
  type RequestKey,
  takeAttachment,
} from '../../storage/writes/index.ts';
import { conflict } from '../../protocol/errors.ts';
import type { runCommand, RunCommands } from '../run/index.ts';
import type { NewMessage } from './commands.ts';
import { mayMove, type ThreadState } from './state.ts';
import { toEventThreadJson } from './json.ts';

/** What the thread decides in one turn. */
export type ThreadDecision<Reply> = Decision<ThreadState, Reply, Write>;

/** The key of the reminder that wakes a snoozed thread. */
export const snoozeReminder = 'snooze';

/** What a thread tells a run. Each is said once to a run, so the command's name is also the key of its reminder. */
type CommandToRun =
  | 'begin'
  | 'settleSuggestion'
  | 'humanTookOver'
  | 'cancel'
  | 'resume'
  | typeof runCommand.answerDecided;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

// The turns of one millisecond share their text.
let lastMs = -1;
let lastIso = '';

function toIso(ms: number): string {
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastIso;
}

/** An event as it was appended. */
export interface AppendedEvent {
  readonly eventId: string;
  readonly sequence: number;
  /** The text of `data`. */
  readonly data: string;
}

/** A message as it was added. */
export interface AddedMessage {
  readonly row: MessageRow;
  /** The message as JSON text, as REST and events show it. */
  readonly json: string;
}

export class ThreadDecisionBuilder {
  readonly threadId: string;
  /** The instant of the turn: epoch milliseconds, and ISO 8601. */
  readonly now: number;
  readonly at: string;
  /** A copy of the state, which may be changed until `decide`. */
  readonly next: Mutable<ThreadState>;
  readonly writes: Write[] = [];
  readonly reminders: Reminder[] = [];
  #forgotten: string[] | undefined;
  #effects: Effect[] | undefined;

  constructor(state: ThreadState, turn: Turn) {
    this.threadId = turn.id;
    this.now = turn.now;
    this.at = toIso(turn.now);
    this.next = { ...state, updatedAt: this.at };
  }

  /**
   * Appends an event of the thread as it stands now, under the thread's next sequence.
   *
   * @param actor who did it, as JSON text
   * @param members what `data` holds beside the members that all events have: JSON members, without braces
   */
  addEvent(eventName: EventName, actor: string, members: string): AppendedEvent {
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
        body: formatEvent({ eventId, eventName, occurredAt, projectId, data }),
      }),
    );
    return { eventId, sequence, data };
  }

  /**
   * Appends an event that carries the thread itself, with the sequence of that event.
   *
   * @param more further members of `data`, each with a comma before it
   */
  addThreadEvent(eventName: EventName, actor: Actor, more = ''): void {
    const thread = toEventThreadJson(
      { ...this.next, sequence: this.next.sequence + 1 },
      this.threadId,
      this.now,
    );
    this.addEvent(eventName, JSON.stringify(actor), `"thread":${thread}${more}`);
  }

  /**
   * Writes a message, which the next event announces, and takes its files. The commit is refused where another message has taken one
   * of the files before. It is what lists show of the thread from now on.
   *
   * @param actor its author, as JSON text
   */
  addMessage(
    message: NewMessage,
    direction: MessageRow['direction'],
    author: Actor,
    actor: string,
  ): AddedMessage {
    const { projectId, environmentId, channelId, sequence } = this.next;
    const { threadId } = this;
    const {
      messageId,
      body,
      attachments,
      metadata,
      files,
      awaitedFiles,
      externalMessageId = null,
      details,
    } = message;
    const row: MessageRow = {
      messageId,
      projectId,
      environmentId,
      threadId,
      channelId,
      sequence: sequence + 1,
      direction,
      body,
      externalMessageId,
      // Without a channel there is nothing to wait for.
      status: direction === 'inbound' || channelId === null ? null : 'queued',
      attachments: attachments.length === 0 ? '[]' : JSON.stringify(attachments),
      metadata: JSON.stringify(metadata),
      actor,
      createdAt: this.at,
      details: details === undefined ? null : JSON.stringify(details),
    };
    this.writes.push(insertMessage(row));
    this.next.preview = {
      messageId,
      direction,
      actorType: author.type,
      text: toPreviewText(body),
      contentType: details?.content?.type ?? null,
      attachmentCount: attachments.length,
    };
    if (files !== undefined) {
      for (const attachmentId of files) {
        this.writes.push(takeAttachment({ attachmentId, projectId, environmentId, threadId, messageId }));
      }
    }
    if (awaitedFiles !== undefined && channelId !== null) {
      const owner = { projectId, environmentId, channelId, threadId, messageId, at: this.at };
      for (const file of awaitedFiles) this.writes.push(awaitFile({ ...file, ...owner }));
    }
    return { row, json: toMessageJson(row) };
  }

  /** Moves the thread to a status and announces it. The status that it has is no move; a move that state.ts does not allow is a 409. */
  moveTo(status: ThreadStatus, actor: Actor): void {
    const { next } = this;
    const previous = next.status;
    if (previous === status) return;
    if (!mayMove(previous, status)) throw conflict(`A thread that is ${previous} cannot become ${status}.`);
    next.status = status;
    next.archivedAt = status === 'archived' ? this.at : null;
    if (status !== 'open') {
      next.waitingSince = null;
      next.failedSends = null;
    }
    this.addThreadEvent('thread.status.changed', actor, `,"previousStatus":"${previous}"`);
    if (status !== 'open') this.snooze(null, actor, 'status');
  }

  /** Snoozes the thread until an instant, ISO 8601, or wakes it (null), and announces it. What stays the same has no event. */
  snooze(until: string | null, actor: Actor, reason: SnoozeReason): void {
    const { next } = this;
    const previous = next.snoozedUntil;
    if (until === previous) return;
    next.snoozedUntil = until;
    if (until === null) this.forget(snoozeReminder);
    else this.remind({ key: snoozeReminder, at: Date.parse(until), command: 'wake', payload: {} });
    const more = `,"previousSnoozedUntil":${JSON.stringify(previous)},"reason":"${reason}"`;
    this.addThreadEvent('thread.snooze.changed', actor, more);
  }

  /** Keeps the reply under the idempotency key of the command. */
  keepReply(key: RequestKey | undefined, reply: KeptReply): void {
    if (key !== undefined) this.writes.push(rememberKey(key, reply));
  }

  /** Sets a reminder with the commit. It replaces one of the same key. */
  remind(reminder: Reminder): void {
    this.reminders.push(reminder);
  }

  /** Cancels the reminder of that key, but not one that this turn has set. */
  forget(key: string): void {
    (this.#forgotten ??= []).push(key);
  }

  /** Tells a run something with the commit. It is a reminder that is due at once, so that no crash keeps it from the run. */
  tellRun<Name extends CommandToRun>(
    agentRunId: string,
    command: Name,
    payload: RunCommands[Name]['payload'],
  ): void {
    this.remind({ key: command, at: this.now, to: { kind: 'run', id: agentRunId }, command, payload });
  }

  /** Tells another actor something after the commit: a hint, which may be lost. */
  tell(to: ActorRef, command: string, payload: unknown): void {
    (this.#effects ??= []).push({ do: 'tell', to, command, payload });
  }

  /** The decision as it stands, answered with `reply`. */
  decide<Reply>(reply: Reply): ThreadDecision<Reply> {
    const { next: state, writes, reminders: remind } = this;
    const forgotten = this.#forgotten;
    const effects = this.#effects;
    if (forgotten === undefined && effects === undefined) return { state, writes, remind, reply };
    return {
      state,
      writes,
      remind,
      ...(forgotten === undefined ? {} : { forget: forgotten }),
      ...(effects === undefined ? {} : { effects }),
      reply,
    };
  }
}

/** A cut text would keep the whole one in memory: a long one is copied. In UTF-16 units. */
const copiedLength = 1_024;

/**
 * The beginning of a text, as much as a row of a list shows. That it becomes one line is left to whoever shows it (json.ts): here it took
 * each message 5 of 70 microseconds.
 */
function toPreviewText(body: string): string {
  if (body.length <= maxPreviewLength) return body;
  const isHalf = (body.charCodeAt(maxPreviewLength - 2) & 0xfc00) === 0xd800;
  const start = body.slice(0, maxPreviewLength - (isHalf ? 2 : 1));
  return `${body.length > copiedLength ? Buffer.from(start).toString() : start}…`;
}

/**
 * The row of a message as JSON text, made once: it is the REST answer and a part of the event, from which a repeated request gets its
 * answer. Attachments and metadata are the same texts as in the row. Ids, times and states are our own and need no escaping.
 */
export function toMessageJson(row: MessageRow): string {
  const { channelId, externalMessageId, status, details } = row;
  return (
    `{"messageId":"${row.messageId}","threadId":"${row.threadId}","projectId":"${row.projectId}",` +
    `"environmentId":"${row.environmentId}","channelId":${channelId === null ? 'null' : `"${channelId}"`},` +
    `"sequence":${row.sequence},"direction":"${row.direction}","body":${JSON.stringify(row.body)},` +
    `"externalMessageId":${externalMessageId === null ? 'null' : JSON.stringify(externalMessageId)},` +
    `"status":${status === null ? 'null' : `"${status}"`},"attachments":${row.attachments},` +
    `"metadata":${row.metadata},"actor":${row.actor},"createdAt":"${row.createdAt}"` +
    `${details === null ? '' : `,${details.slice(1, -1)}`}}`
  );
}
