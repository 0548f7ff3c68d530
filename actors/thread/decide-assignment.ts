/** Who answers in a thread. Whether the user may is checked by the asker: the thread knows no members. */
import type { Decision, Turn } from '../../runtime/actor.ts';
import type { Write } from '../../storage/writes.ts';
import { requireOwn } from '../tenancy.ts';
import { noteAssignment } from './agent-watch.ts';
import type { AssignThread } from './commands.ts';
import { settleWindow } from './decide-window.ts';
import { Draft } from './draft.ts';
import type { ThreadState } from './state.ts';
import { threadText } from './thread-text.ts';

/** Replies with the thread's JSON text; the assignee it already has is no change. 404 for another tenant's thread. */
export function assign(
  state: ThreadState,
  command: AssignThread,
  turn: Turn,
): Decision<ThreadState, string, Write> {
  requireOwn(state, command);
  const { assigneeUserId: previous } = state;
  const { userId, author, from = previous } = command;
  if (userId === previous || from !== previous) return { reply: threadText(state, turn.id, turn.now) };
  const draft = new Draft(state, turn);
  settleWindow(draft);
  draft.next.assigneeUserId = userId;
  const more = `,"previousAssigneeUserId":${JSON.stringify(previous)}`;
  draft.threadEvent('thread.assignment.changed', author, more);
  noteAssignment(draft);
  return draft.decide(threadText(draft.next, turn.id, turn.now));
}
