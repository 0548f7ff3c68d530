/** PATCH: what changed gets its event, and what did not change gets none. */
import { isDeepStrictEqual } from 'node:util';
import type { Decision, Turn } from '../../runtime/actor.ts';
import type { Write } from '../../storage/writes.ts';
import { noteChanges } from './agent-watch.ts';
import type { UpdateThread } from './commands.ts';
import { settleWindow } from './decide-window.ts';
import { Draft } from './draft.ts';
import { requireOwn } from '../tenancy.ts';
import type { ThreadState } from './state.ts';
import { moveTo } from './status.ts';
import { threadText } from './thread-text.ts';

/**
 * Replies with the thread's JSON text. 404 for another tenant's thread, 409 for a move that its status does not
 * allow.
 */
export function update(
  state: ThreadState,
  command: UpdateThread,
  turn: Turn,
): Decision<ThreadState, string, Write> {
  requireOwn(state, command);
  const { changes, author } = command;
  const draft = new Draft(state, turn);
  const { next } = draft;
  settleWindow(draft);
  if (changes.status !== undefined) moveTo(draft, changes.status, author);

  const { agentMode, agentId, customFields } = changes;
  if (agentMode !== undefined && agentMode !== state.agentMode) {
    next.agentMode = agentMode;
    const previous = JSON.stringify(state.agentMode);
    draft.threadEvent('thread.agent_mode.changed', author, `,"previousAgentMode":${previous}`);
  }
  const tags = changes.tags === undefined ? state.tags : [...new Set(changes.tags)];
  if (!isDeepStrictEqual(tags, state.tags)) {
    next.tags = tags;
    draft.threadEvent('thread.tags.changed', author, `,"previousTags":${JSON.stringify(state.tags)}`);
  }
  const agentChanges = agentId !== undefined && agentId !== state.agentId;
  if (agentChanges) next.agentId = agentId;
  const fieldsChange = customFields !== undefined && !isDeepStrictEqual(customFields, state.customFields);
  if (fieldsChange) next.customFields = customFields;
  if (agentChanges || fieldsChange) draft.threadEvent('thread.lifecycle.updated', author);
  noteChanges(draft, state, author);

  if (next.sequence === state.sequence) return { reply: threadText(state, turn.id, turn.now) };
  return draft.decide(threadText(next, turn.id, turn.now));
}
