/**
 * Decisions: what becomes of a suggestion that waits.
 *
 *   pending -> approved, edited, discarded   by an operator: of two who resolve one suggestion exactly one wins
 *   pending -> superseded                    by a newer message (agent-handling.ts)
 *   pending -> expired                       after a day
 */
import type { Turn } from '../../runtime/actor/index.ts';
import { invalid, ServiceError, conflict } from '../../protocol/errors.ts';
import type { Settlement, Suggestion } from '../run/index.ts';
import { createAuditWrites, requireSameTenancy, systemActor } from '../base/index.ts';
import {
  createAnswerMessage,
  findSendObstacle,
  getMaxTextLength,
  isTooLong,
  queueMessage,
} from './decide-outbound.ts';
import { endSuggestion, forgetSuggestion, getExpiry, remindOfSuggestion } from './agent-handling.ts';
import type { ThreadState, PendingSuggestion } from './state.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import type { ExpireSuggestion, ResolveSuggestion } from './commands.ts';

/**
 * An operator resolves the pending suggestion. After its day it is refused, even where the reminder has not come yet. Approving sends the message in the operator's name. A text over the message limit is
 * refused with 422, and like every refusal leaves the suggestion pending. Replies with the resolved suggestion. 404 for another
 * tenant's thread.
 */
export function resolveSuggestion(
  state: ThreadState,
  command: ResolveSuggestion,
  turn: Turn,
): ThreadDecision<Suggestion> {
  requireSameTenancy(state, command);
  const { agentRunId, action, body, expectedSequence, author, reason: discardReason } = command;
  const { projectId, environmentId } = state;
  const { suggestion: pending } = state.agentHandling;
  if (pending?.agentRunId !== agentRunId || turn.now >= getExpiry(pending)) {
    throw new ServiceError('svc/agent_runs/suggestion_already_resolved');
  }
  if (expectedSequence !== undefined && !isUpToDate(state, pending, expectedSequence)) {
    throw conflict('The thread has changed since.', { sequence: state.sequence });
  }
  const builder = new ThreadDecisionBuilder(state, turn);
  forgetSuggestion(builder);
  const settlement: Settlement = {
    ...(action === 'approve' ? approve(builder, state, command) : ({ status: 'discarded' } as const)),
    ...(discardReason === undefined ? {} : { discardReason }),
    resolvedAt: builder.at,
    resolvedByUserId: author.type === 'user' ? author.id : null,
  };
  const { basedOnSequence, reason, createdAt } = pending;
  const suggestion: Suggestion = {
    body,
    basedOnSequence,
    ...(reason === undefined ? {} : { reason }),
    createdAt,
    ...settlement,
  };
  const members = `"agentRunId":"${agentRunId}","suggestion":${JSON.stringify(suggestion)}`;
  builder.addEvent('agent.suggestion.resolved', JSON.stringify(author), members);
  builder.tellRun(agentRunId, 'settleSuggestion', { projectId, environmentId, settlement });
  const details = { threadId: builder.threadId, resolution: settlement.status };
  const acts = createAuditWrites(command, state, turn, 'agent_run.suggestion_resolved', details, agentRunId);
  builder.writes.push(...acts);
  return builder.decide(suggestion);
}

/** What is kept of a resolved suggestion. The thread stands where an erasure looks for it (storage/retention/erasure-statements.ts). */
export function toKeptSuggestion(suggestion: Suggestion, _command: ResolveSuggestion, turn: Turn): object {
  return { threadId: turn.id, ...suggestion };
}

/** Sends the suggestion, in the operator's words where they differ. */
function approve(
  builder: ThreadDecisionBuilder,
  state: ThreadState,
  { agentRunId, body, editedBody, author }: ResolveSuggestion,
): Pick<Settlement, 'status' | 'sentBody' | 'messageId'> {
  const text = editedBody ?? body;
  if (isTooLong(state, text)) {
    const message = `must not have more than ${getMaxTextLength(state)} characters`;
    throw invalid([{ path: '/body/body', message, code: 'maxLength' }]);
  }
  const obstacle = findSendObstacle(state, builder.now);
  if (obstacle !== undefined) throw obstacle;
  const message = createAnswerMessage(agentRunId, text);
  queueMessage(builder, message, author, true);
  const { messageId } = message;
  return text === body ? { status: 'approved', messageId } : { status: 'edited', sentBody: text, messageId };
}

/** Whether nothing has happened since that event but the suggestion itself. */
function isUpToDate({ sequence }: ThreadState, { from, to }: PendingSuggestion, expected: number): boolean {
  return expected === sequence || (sequence === to && expected >= from && expected < to);
}

/** The reminder: a suggestion that nobody has resolved for a day is not for the conversation as it is now. */
export function expireSuggestion(
  state: ThreadState,
  { agentRunId }: ExpireSuggestion,
  turn: Turn,
): ThreadDecision<null> {
  const { suggestion } = state.agentHandling;
  if (suggestion?.agentRunId !== agentRunId) return { reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  if (turn.now < getExpiry(suggestion)) {
    // The clock was set back since.
    remindOfSuggestion(builder, suggestion);
    return { remind: builder.reminders, reply: null };
  }
  endSuggestion(builder, 'expired', systemActor);
  return builder.decide(null);
}
