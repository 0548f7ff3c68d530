/** The moves of a thread's status: the table that state.ts tells in prose. */
import type { Actor } from '../../protocol/resources/message.ts';
import type { ThreadStatus } from '../../protocol/resources/thread.ts';
import type { Draft } from './draft.ts';
import { conflict } from '../conflict.ts';

const moves: Readonly<Record<ThreadStatus, readonly ThreadStatus[]>> = {
  open: ['closed', 'archived'],
  closed: ['open', 'archived'],
  archived: ['open'],
};

/** Moves the thread and says so; the status it already has is no move. An impossible one is a 409. */
export function moveTo(draft: Draft, status: ThreadStatus, actor: Actor): void {
  const { next } = draft;
  const previous = next.status;
  if (previous === status) return;
  if (!moves[previous].includes(status))
    throw conflict(`A thread that is ${previous} cannot become ${status}.`);
  next.status = status;
  next.archivedAt = status === 'archived' ? draft.at : null;
  draft.threadEvent('thread.status.changed', actor, `,"previousStatus":"${previous}"`);
}
