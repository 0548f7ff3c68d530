/**
 * Decisions: notes on a thread. The thread numbers the events of its notes and holds no note itself: the caller brings the note along as
 * it was read, and the commit is refused if the note has been deleted since.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import type { EventName } from '../../protocol/events.ts';
import type { Actor, ThreadNote } from '../../protocol/resources/index.ts';
import { deleteNote, insertNote, updateNote } from '../../storage/writes/index.ts';
import { requireSameTenancy } from '../base/index.ts';
import type { AddNote, EditNote, RemoveNote } from './commands.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import type { ThreadState } from './state.ts';

function addNoteEvent(
  builder: ThreadDecisionBuilder,
  eventName: EventName,
  author: Actor,
  note: ThreadNote,
): void {
  builder.addEvent(eventName, JSON.stringify(author), `"note":${JSON.stringify(note)}`);
}

/** Replies with the note. 404 for another tenant's thread. */
export function addNote(state: ThreadState, command: AddNote, turn: Turn): ThreadDecision<ThreadNote> {
  requireSameTenancy(state, command);
  const { threadNoteId, authorUserId, body, mentions = [], author } = command;
  const { projectId, environmentId } = state;
  const builder = new ThreadDecisionBuilder(state, turn);
  const { threadId, at } = builder;
  const written = { threadNoteId, projectId, threadId, authorUserId, body, mentions: [...mentions] };
  const note = { ...written, createdAt: at, updatedAt: at };
  builder.writes.push(insertNote({ ...note, environmentId }));
  addNoteEvent(builder, 'thread.note.created', author, note);
  return builder.decide(note);
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every(each => other.includes(each));

/** Replies with the note. The same body and mentions change nothing. 409 where the note is gone. */
export function editNote(state: ThreadState, command: EditNote, turn: Turn): ThreadDecision<ThreadNote> {
  requireSameTenancy(state, command);
  const { note: before, body, author } = command;
  const known = before.mentions ?? [];
  const mentions = command.mentions ?? known;
  if (body === before.body && isSameSet(mentions, known)) return { reply: before };
  const builder = new ThreadDecisionBuilder(state, turn);
  const note = { ...before, body, mentions: [...mentions], updatedAt: builder.at };
  builder.writes.push(updateNote({ ...note, threadId: builder.threadId }));
  addNoteEvent(builder, 'thread.note.updated', author, note);
  return builder.decide(note);
}

/** 409 where the note is gone. */
export function removeNote(state: ThreadState, command: RemoveNote, turn: Turn): ThreadDecision<null> {
  requireSameTenancy(state, command);
  const { note, author } = command;
  const builder = new ThreadDecisionBuilder(state, turn);
  builder.writes.push(deleteNote({ threadNoteId: note.threadNoteId, threadId: builder.threadId }));
  addNoteEvent(builder, 'thread.note.deleted', author, note);
  return builder.decide(null);
}
