/** Decisions: a thread is changed, assigned, or forgets its participant. */
import { isDeepStrictEqual } from 'node:util';
import type { Turn } from '../../runtime/actor/index.ts';
import { eraseThread } from '../../storage/writes/index.ts';
import { createAuditWrites, mergeObject, requireSameTenancy } from '../base/index.ts';
import { noteChanges, noteAssignment, noteErasure } from './agent-handling.ts';
import type { UpdateThread, AssignThread, EraseThread } from './commands.ts';
import { closeEndedWindow } from './service-window.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import type { ThreadState } from './state.ts';
import { toThreadJson } from './json.ts';

/**
 * PATCH. Each change has its event; what stays the same has none. Replies with the thread's JSON text. 404 for another tenant's thread,
 * 409 for a move that its status does not allow, 422 for a free-form object that becomes too large.
 */
export function update(state: ThreadState, command: UpdateThread, turn: Turn): ThreadDecision<string> {
  requireSameTenancy(state, command);
  const { changes, author } = command;
  const builder = new ThreadDecisionBuilder(state, turn);
  const { next } = builder;
  closeEndedWindow(builder);
  const isRestored = changes.archived === false && state.status === 'archived';
  const status = isRestored ? 'open' : changes.status;
  if (status !== undefined) builder.moveTo(status, author);

  const { agentMode, agentId } = changes;
  if (agentMode !== undefined && agentMode !== state.agentMode) {
    next.agentMode = agentMode;
    const previous = JSON.stringify(state.agentMode);
    builder.addThreadEvent('thread.agent_mode.changed', author, `,"previousAgentMode":${previous}`);
  }
  const tags = changes.tags === undefined ? state.tags : [...new Set(changes.tags)];
  if (!isDeepStrictEqual(tags, state.tags)) {
    next.tags = tags;
    const previous = JSON.stringify(state.tags);
    builder.addThreadEvent('thread.tags.changed', author, `,"previousTags":${previous}`);
  }
  const agentChanges = agentId !== undefined && agentId !== state.agentId;
  if (agentChanges) next.agentId = agentId;
  next.customFields = mergeObject('customFields', state.customFields, changes.customFields);
  next.metadata = mergeObject('metadata', state.metadata, changes.metadata);
  const fieldsChange =
    !isDeepStrictEqual(next.customFields, state.customFields) ||
    !isDeepStrictEqual(next.metadata, state.metadata);
  if (agentChanges || fieldsChange) builder.addThreadEvent('thread.lifecycle.updated', author);
  noteChanges(builder, state, author);

  if (next.sequence === state.sequence) return { reply: toThreadJson(state, turn.id, turn.now) };
  return builder.decide(toThreadJson(next, turn.id, turn.now));
}

/**
 * Assigns the thread to a user, or to nobody. The caller has checked that the user may answer: the thread knows no members. Assigning it
 * to its assignee changes nothing. Replies with the thread's JSON text. 404 for another tenant's thread.
 */
export function assign(state: ThreadState, command: AssignThread, turn: Turn): ThreadDecision<string> {
  requireSameTenancy(state, command);
  const { assigneeUserId: previous } = state;
  const { userId, author, from = previous } = command;
  if (userId === previous || from !== previous) return { reply: toThreadJson(state, turn.id, turn.now) };
  const builder = new ThreadDecisionBuilder(state, turn);
  closeEndedWindow(builder);
  builder.next.assigneeUserId = userId;
  const more = `,"previousAssigneeUserId":${JSON.stringify(previous)}`;
  builder.addThreadEvent('thread.assignment.changed', author, more);
  noteAssignment(builder);
  return builder.decide(toThreadJson(builder.next, turn.id, turn.now));
}

/**
 * Erases the participant's personal data. The thread forgets at once; its messages, notes, files and events up to now are emptied after
 * the commit. The thread lives on: what comes later is new. Replies with the instant. 404 for another tenant's thread.
 */
export function erase(state: ThreadState, command: EraseThread, turn: Turn): ThreadDecision<string> {
  requireSameTenancy(state, command);
  const builder = new ThreadDecisionBuilder(state, turn);
  const { next, threadId, at } = builder;
  const { projectId, environmentId, sequence: through } = state;
  next.externalRef = null;
  next.tags = [];
  next.customFields = {};
  next.metadata = {};
  next.participant = null;
  next.freeEntry = null;
  // Providers derive their ids from what they know of the participant. A receipt in transit reads the message again.
  next.recent = { last: [], forgottenUpTo: through, erasedUpTo: through };
  builder.writes.push(
    ...eraseThread({ threadId, projectId, environmentId, through, requestedAt: at }),
    ...createAuditWrites(command, state, turn, 'thread.personal_data_erased', {}),
  );
  builder.addThreadEvent('thread.lifecycle.erased', command.author);
  noteErasure(builder, command.author);
  return builder.decide(at);
}
