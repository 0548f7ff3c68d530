/** An operator's word on a suggestion: one decision of the thread, so that of two operators exactly one wins. */
import type { Decision, Turn } from '../../runtime/actor.ts';
import { invalid, ServiceError } from '../../protocol/errors.ts';
import { maxMessageLength } from '../../protocol/resources/message.ts';
import type { Write } from '../../storage/writes.ts';
import { conflict } from '../conflict.ts';
import type { Settlement, Suggestion } from '../run/trace.ts';
import { requireOwn } from '../tenancy.ts';
import type { ResolveSuggestion } from './agent-commands.ts';
import { answerMessage } from './answer-message.ts';
import { isTooLong } from './decide-answer.ts';
import type { PendingSuggestion } from './desk.ts';
import { Draft } from './draft.ts';
import { obstacle, post } from './outbound.ts';
import type { ThreadState } from './state.ts';
import { tellRun } from './tell-run.ts';

/**
 * Replies with the suggestion as it has become. Approving sends the message, by the operator; a text over the message limit is
 * refused with 422, and like every refusal leaves the suggestion pending. 404 for another tenant's thread.
 */
export function resolveSuggestion(
  state: ThreadState,
  command: ResolveSuggestion,
  turn: Turn,
): Decision<ThreadState, Suggestion, Write> {
  requireOwn(state, command);
  const { agentRunId, action, body, expectedSequence, author } = command;
  const { projectId, environmentId } = state;
  const { suggestion: pending } = state.desk;
  if (pending?.agentRunId !== agentRunId) {
    throw new ServiceError('svc/agent_runs/suggestion_already_resolved');
  }
  if (expectedSequence !== undefined && !isUpToDate(state, pending, expectedSequence)) {
    throw conflict('The thread has gone on since.', { sequence: state.sequence });
  }
  const draft = new Draft(state, turn);
  draft.next.desk = { ...draft.next.desk, suggestion: null };
  const settlement: Settlement = {
    ...(action === 'approve' ? approve(draft, state, command) : ({ status: 'discarded' } as const)),
    resolvedAt: draft.at,
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
  draft.event('agent.suggestion.resolved', JSON.stringify(author), members);
  tellRun(draft, agentRunId, 'settleSuggestion', { projectId, environmentId, settlement });
  return draft.decide(suggestion);
}

/** Sends it, in the words of the operator where those are others. */
function approve(
  draft: Draft,
  state: ThreadState,
  { agentRunId, body, editedBody, author }: ResolveSuggestion,
): Pick<Settlement, 'status' | 'sentBody' | 'messageId'> {
  const text = editedBody ?? body;
  if (isTooLong(text)) {
    const message = `must not have more than ${maxMessageLength} characters`;
    throw invalid([{ path: '/body/body', message, code: 'maxLength' }]);
  }
  const refusal = obstacle(state, draft.now);
  if (refusal !== undefined) throw refusal;
  const message = answerMessage(agentRunId, text);
  post(draft, message, author, true);
  const { messageId } = message;
  return text === body ? { status: 'approved', messageId } : { status: 'edited', sentBody: text, messageId };
}

/** Whether nothing has happened since that event but the suggestion itself. */
function isUpToDate({ sequence }: ThreadState, { from, to }: PendingSuggestion, expected: number): boolean {
  return expected === sequence || (sequence === to && expected >= from && expected < to);
}
