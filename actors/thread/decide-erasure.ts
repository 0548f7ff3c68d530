/** Erasing what is known of a participant (decisions sections 2 and 9). */
import type { Decision, Turn } from '../../runtime/actor.ts';
import { eraseThread, type Write } from '../../storage/writes.ts';
import { actRows } from '../act.ts';
import { requireOwn } from '../tenancy.ts';
import { noteErasure } from './agent-watch.ts';
import type { EraseThread } from './commands.ts';
import { Draft } from './draft.ts';
import type { ThreadState } from './state.ts';

/**
 * The thread forgets at once; its messages, notes, files and events up to here are emptied after the commit. It lives on: what
 * comes later is new. Replies with the instant. 404 for another tenant's thread.
 */
export function erase(
  state: ThreadState,
  command: EraseThread,
  turn: Turn,
): Decision<ThreadState, string, Write> {
  requireOwn(state, command);
  const draft = new Draft(state, turn);
  const { next, threadId, at } = draft;
  const { projectId, environmentId, sequence: through } = state;
  next.externalRef = null;
  next.tags = [];
  next.customFields = {};
  next.metadata = {};
  // Ids that providers give are made of what they know of the participant. A receipt that was under way is read anew.
  next.recent = { last: [], forgottenUpTo: through, erasedUpTo: through };
  draft.writes.push(
    eraseThread({ threadId, projectId, environmentId, through, requestedAt: at }),
    ...actRows(command, state, turn, 'thread.personal_data_erased', {}),
  );
  draft.threadEvent('thread.lifecycle.erased', command.author);
  noteErasure(draft, command.author);
  return draft.decide(at);
}
