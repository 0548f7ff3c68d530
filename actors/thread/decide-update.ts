/** Decisions: a thread is changed, assigned, or forgets its participant. */
import { isDeepStrictEqual } from 'node:util';
import { conflict, invalid } from '../../protocol/errors.ts';
import { type Actor, type AssignmentReason, maxTags } from '../../protocol/resources/index.ts';
import type { Turn } from '../../runtime/actor/index.ts';
import { eraseThread } from '../../storage/writes/index.ts';
import { createAuditWrites, mergeObject, requireSameTenancy, systemActor } from '../base/index.ts';
import { noteChanges, noteAssignment, noteErasure } from './agent-handling.ts';
import type {
  UpdateThread,
  AssignAutomatically,
  AssignThread,
  EraseThread,
  RetagThread,
  Seen,
} from './commands.ts';
import { changeParticipant } from './participant.ts';
import { closeEndedWindow } from './service-window.ts';
import { changeSnooze } from './snooze.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import type { ThreadState } from './state.ts';
import { toThreadJson } from './json.ts';

/**
 * PATCH. Each change has its event; what stays the same has none. Replies with the thread's JSON text. 404 for another tenant's thread,
 * 409 for a move that its status does not allow, and where the participant has written after `expectedSequence`; 422 for a free-form object
 * that becomes too large.
 */
export function update(state: ThreadState, command: UpdateThread, turn: Turn): ThreadDecision<string> {
  requireSameTenancy(state, command);
  const { changes, author } = command;
  requireSeen(state, command);
  const builder = new ThreadDecisionBuilder(state, turn);
  const { next } = builder;
  closeEndedWindow(builder);
  const isRestored = changes.archived === false && state.status === 'archived';
  const status = isRestored ? 'open' : changes.status;
  if (status !== undefined) builder.moveTo(status, author);
  if (changes.snoozedUntil !== undefined) changeSnooze(builder, changes.snoozedUntil, author);

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
  if (changes.participant !== undefined) changeParticipant(builder, changes.participant);
  if (changes.subject !== undefined) next.subject = changes.subject;
  const fieldsChange =
    next.participant !== state.participant ||
    next.subject !== state.subject ||
    !isDeepStrictEqual(next.customFields, state.customFields) ||
    !isDeepStrictEqual(next.metadata, state.metadata);
  if (agentChanges || fieldsChange) builder.addThreadEvent('thread.lifecycle.updated', author);
  noteChanges(builder, state, author);
  recordUpdate(builder, state, command, turn);

  if (next.sequence === state.sequence) return { reply: toThreadJson(state, turn.id, turn.now) };
  return builder.decide(toThreadJson(next, turn.id, turn.now));
}

/**
 * What else has happened since is no reason to refuse: a colleague's note or a receipt is not put away by it. Neither is what a provider
 * only reports of the participant, which wakes nobody.
 */
function requireSeen({ sequence, inboundSequence }: ThreadState, { expectedSequence }: Seen): void {
  if (expectedSequence === undefined || expectedSequence >= inboundSequence) return;
  throw conflict('The participant has written since.', { sequence });
}

/**
 * The audit record of a change of who answers, and whether anybody does. Tags, fields and names are for those who work with the thread, who
 * have their events.
 */
function recordUpdate(
  { next, writes }: ThreadDecisionBuilder,
  before: ThreadState,
  command: UpdateThread,
  turn: Turn,
): void {
  // Most changes are none of these, and the comparison is all that they cost.
  const { status, agentMode, agentId } = next;
  const details = {
    ...(status === before.status ? {} : { status, previousStatus: before.status }),
    ...(agentMode === before.agentMode ? {} : { agentMode, previousAgentMode: before.agentMode }),
    ...(agentId === before.agentId ? {} : { agentId, previousAgentId: before.agentId }),
  };
  if (Object.keys(details).length === 0) return;
  writes.push(...createAuditWrites(command, before, turn, 'thread.updated', details));
}

/** PATCH of the tags, by those that come and go. */
export function retag(state: ThreadState, command: RetagThread, turn: Turn): ThreadDecision<string> {
  requireSameTenancy(state, command);
  const { add, remove, ...rest } = command;
  const tags = [...new Set([...state.tags, ...add])].filter(tag => !remove.includes(tag));
  if (tags.length > maxTags) {
    const message = `would be ${tags.length} on this thread, which may have ${maxTags}`;
    throw invalid([{ path: '/body/tags', message, code: 'maxItems' }]);
  }
  return update(state, { ...rest, changes: { tags } }, turn);
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
  changeAssignee(builder, userId, author, command.from === undefined ? 'request' : 'access_lost');
  noteAssignment(builder);
  const details = { assigneeUserId: userId, previousAssigneeUserId: previous };
  builder.writes.push(...createAuditWrites(command, state, turn, 'thread.assigned', details));
  return builder.decide(toThreadJson(builder.next, turn.id, turn.now));
}

/** How long an agent is left alone with what waits, in milliseconds: as long as a run may work. */
export const agentAloneMs = 120_000;

/**
 * Assigns a thread that waits for somebody to an operator whom a task has chosen; what has happened meanwhile decides. It is no human's act: it
 * does not hold the agent back. Replies whether it was assigned. 404 for another tenant's thread.
 */
export function assignAutomatically(
  state: ThreadState,
  command: AssignAutomatically,
  turn: Turn,
): ThreadDecision<boolean> {
  requireSameTenancy(state, command);
  if (!waitsForOperator(state, turn.now)) return { reply: false };
  const builder = new ThreadDecisionBuilder(state, turn);
  changeAssignee(builder, command.userId, systemActor, 'automatic');
  return builder.decide(true);
}

/** Only an open thread waits. While its agent is at work on the answer, nobody else is needed. */
function waitsForOperator(state: ThreadState, now: number): boolean {
  const { assigneeUserId, waitingSince, snoozedUntil, agentHandling } = state;
  if (assigneeUserId !== null || waitingSince === null || snoozedUntil !== null) return false;
  const isAgentAtWork = agentHandling.live !== null || agentHandling.waiting !== null;
  return !isAgentAtWork || now - Date.parse(waitingSince) >= agentAloneMs;
}

function changeAssignee(
  builder: ThreadDecisionBuilder,
  userId: string | null,
  author: Actor,
  reason: AssignmentReason,
): void {
  closeEndedWindow(builder);
  const previous = JSON.stringify(builder.next.assigneeUserId);
  builder.next.assigneeUserId = userId;
  const more = `,"previousAssigneeUserId":${previous},"reason":"${reason}"`;
  builder.addThreadEvent('thread.assignment.changed', author, more);
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
  next.subject = null;
  next.freeEntry = null;
  next.preview = null;
  // Nobody can see it any more.
  next.inboundSequence = 0;
  next.erasedAt = at;
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
