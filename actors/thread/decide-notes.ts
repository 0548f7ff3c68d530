/**
 * Notes on a thread. The thread numbers their events and holds none of them: whoever changes a note brings it along as it was
 * read, and the commit is refused where it has been deleted meanwhile.
 */
import type { Decision, Turn } from '../../runtime/actor.ts';
import type { EventName } from '../../protocol/events.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import type { ThreadNote } from '../../protocol/resources/note.ts';
import { deleteNote, insertNote, updateNote, type Write } from '../../storage/writes.ts';
import { requireOwn } from '../tenancy.ts';
import type { AddNote, EditNote, RemoveNote } from './commands.ts';
import { Draft } from './draft.ts';
import type { ThreadState } from './state.ts';

type NoteDecision<Reply> = Decision<ThreadState, Reply, Write>;

function announce(draft: Draft, eventName: EventName, author: Actor, note: ThreadNote): void {
  draft.event(eventName, JSON.stringify(author), `"note":${JSON.stringify(note)}`);
}

/** Replies with the note. 404 for another tenant's thread. */
export function addNote(state: ThreadState, command: AddNote, turn: Turn): NoteDecision<ThreadNote> {
  requireOwn(state, command);
  const { threadNoteId, authorUserId, body, author } = command;
  const { projectId, environmentId } = state;
  const draft = new Draft(state, turn);
  const { threadId, at } = draft;
  const note = { threadNoteId, projectId, threadId, authorUserId, body, createdAt: at, updatedAt: at };
  draft.writes.push(insertNote({ ...note, environmentId }));
  announce(draft, 'thread.note.created', author, note);
  return draft.decide(note);
}

/** Replies with the note; a body that it already has changes nothing. 409 where the note is gone. */
export function editNote(state: ThreadState, command: EditNote, turn: Turn): NoteDecision<ThreadNote> {
  requireOwn(state, command);
  const { note: before, body, author } = command;
  if (body === before.body) return { reply: before };
  const draft = new Draft(state, turn);
  const note = { ...before, body, updatedAt: draft.at };
  draft.writes.push(updateNote({ ...note, threadId: draft.threadId }));
  announce(draft, 'thread.note.updated', author, note);
  return draft.decide(note);
}

/** 409 where the note is gone. */
export function removeNote(state: ThreadState, command: RemoveNote, turn: Turn): NoteDecision<null> {
  requireOwn(state, command);
  const { note, author } = command;
  const draft = new Draft(state, turn);
  draft.writes.push(deleteNote({ threadNoteId: note.threadNoteId, threadId: draft.threadId }));
  announce(draft, 'thread.note.deleted', author, note);
  return draft.decide(null);
}
