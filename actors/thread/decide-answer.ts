/**
 * Decisions: what becomes of a run's answer, and of a suggestion.
 *
 *   answer -> superseded   a human has answered since the run was opened; or the thread has been paused
 *   answer -> suggestion   the run is in suggest mode; or it may not send by itself now, and nothing newer has been said
 *   answer -> sent
 *
 * The thread decides in the turn that would send the answer. So a human who was faster has certainly been faster, and of two
 * operators who resolve one suggestion exactly one wins.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import { type Actor, maxMessageLength } from '../../protocol/resources/index.ts';
import { invalid, ServiceError, conflict } from '../../protocol/errors.ts';
import {
  runCommand,
  type AnswerDecision,
  type Settlement,
  type Suggestion,
  type TakeAnswer,
} from '../run/index.ts';
import { requireSameTenancy } from '../base/index.ts';
import { createAnswerMessage, findSendObstacle, queueMessage } from './decide-outbound.ts';
import {
  callForWaiting,
  updateHandling,
  stopWaiting,
  supersedeSuggestion,
  isHumanActive,
  mayAgentAnswer,
} from './agent-handling.ts';
import type { LiveRun, ThreadState, PendingSuggestion } from './state.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import type { ResolveSuggestion } from './commands.ts';

type AnswerOutcome = 'send' | 'supersede' | { readonly suggest: Suggestion['reason'] };

/**
 * The answer of the live run. Told again, or by a run that the thread has cancelled, it changes nothing. 404 for another tenant's
 * thread.
 */
export function takeAnswer(state: ThreadState, command: TakeAnswer, turn: Turn): ThreadDecision<null> {
  requireSameTenancy(state, command);
  const { agentRunId, body, handoff } = command;
  const { live } = state.agentHandling;
  if (live?.agentRunId !== agentRunId) return { reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  const agent: Actor = { type: 'agent', id: live.agentId };
  const { projectId, environmentId } = state;
  updateHandling(builder, { live: null });
  const decision =
    body === '' ? { outcome: 'sent' as const } : applyOutcome(builder, state, command, live, agent);
  builder.tellRun(agentRunId, runCommand.answerDecided, { projectId, environmentId, ...decision });
  if (handoff !== undefined) handOff(builder, agentRunId, handoff.reason, agent);
  extendSuggestion(builder, state.sequence);
  if (mayAgentAnswer(builder.next)) callForWaiting(builder);
  else stopWaiting(builder);
  return builder.decide(null);
}

function chooseOutcome(state: ThreadState, command: TakeAnswer, live: LiveRun, now: number): AnswerOutcome {
  const { agentHandling, agentMode, status } = state;
  const { basedOnSequence } = live;
  if (agentHandling.humanSequence > basedOnSequence || status !== 'open') return 'supersede';
  const isAutomatic = command.mode === 'auto';
  if (isAutomatic && agentMode === 'paused') return 'supersede';
  let reason: Suggestion['reason'];
  if (isAutomatic) {
    if (agentMode === 'suggest') reason = 'mode_changed';
    else if (isHumanActive(agentHandling, now)) reason = 'human_active';
    else if (isTooLong(command.body)) reason = 'too_long';
    else if (findSendObstacle(state, now) !== undefined) reason = 'not_sendable';
    else return 'send';
  }
  // Anything written since the run was opened would have superseded the suggestion.
  return agentHandling.messageSequence > basedOnSequence ? 'supersede' : { suggest: reason };
}

/** By code points, of which there are never more than UTF-16 units. */
function isTooLong(body: string): boolean {
  return body.length > maxMessageLength && Array.from(body).length > maxMessageLength;
}

function applyOutcome(
  builder: ThreadDecisionBuilder,
  state: ThreadState,
  command: TakeAnswer,
  live: LiveRun,
  agent: Actor,
): Pick<AnswerDecision, 'outcome' | 'messageId' | 'suggestion'> {
  const { at: createdAt } = builder;
  const { agentRunId, body } = command;
  const { basedOnSequence } = live;
  const outcome = chooseOutcome(state, command, live, builder.now);
  if (outcome === 'send') {
    const message = createAnswerMessage(agentRunId, body);
    queueMessage(builder, message, agent);
    return { outcome: 'sent', messageId: message.messageId };
  }
  if (outcome === 'supersede') {
    const suggestion: Suggestion = {
      status: 'superseded',
      body,
      basedOnSequence,
      createdAt,
      resolvedAt: createdAt,
    };
    return { outcome: 'superseded', suggestion };
  }
  // A requested run may have left an older suggestion.
  supersedeSuggestion(builder, agent);
  const reason = outcome.suggest === undefined ? {} : { reason: outcome.suggest };
  const suggestion: Suggestion = { status: 'pending', body, basedOnSequence, ...reason, createdAt };
  const members = `"agentRunId":"${agentRunId}","suggestion":${JSON.stringify(suggestion)}`;
  const { sequence } = builder.addEvent('agent.suggestion.created', JSON.stringify(agent), members);
  updateHandling(builder, {
    suggestion: { agentRunId, basedOnSequence, ...reason, createdAt, from: state.sequence, to: sequence },
  });
  return { outcome: 'suggested', suggestion };
}

/** The agent has asked for a human: it is paused, and an event says why. */
function handOff(builder: ThreadDecisionBuilder, agentRunId: string, reason: string, agent: Actor): void {
  const { next } = builder;
  if (next.agentMode !== 'paused') {
    const previous = JSON.stringify(next.agentMode);
    next.agentMode = 'paused';
    builder.addThreadEvent('thread.agent_mode.changed', agent, `,"previousAgentMode":${previous}`);
  }
  const members = `"agentRunId":"${agentRunId}","reason":${JSON.stringify(reason)}`;
  builder.addEvent('agent.handoff.requested', JSON.stringify(agent), members);
}

/** All events of this turn belong to the suggestion that it has made, if any: an operator who has seen it has seen them. */
function extendSuggestion(builder: ThreadDecisionBuilder, from: number): void {
  const { sequence, agentHandling } = builder.next;
  const { suggestion } = agentHandling;
  if (suggestion?.from === from) updateHandling(builder, { suggestion: { ...suggestion, to: sequence } });
}

/**
 * An operator resolves the pending suggestion. Approving sends the message in the operator's name. A text over the message limit is
 * refused with 422, and like every refusal leaves the suggestion pending. Replies with the resolved suggestion. 404 for another
 * tenant's thread.
 */
export function resolveSuggestion(
  state: ThreadState,
  command: ResolveSuggestion,
  turn: Turn,
): ThreadDecision<Suggestion> {
  requireSameTenancy(state, command);
  const { agentRunId, action, body, expectedSequence, author } = command;
  const { projectId, environmentId } = state;
  const { suggestion: pending } = state.agentHandling;
  if (pending?.agentRunId !== agentRunId) {
    throw new ServiceError('svc/agent_runs/suggestion_already_resolved');
  }
  if (expectedSequence !== undefined && !isUpToDate(state, pending, expectedSequence)) {
    throw conflict('The thread has changed since.', { sequence: state.sequence });
  }
  const builder = new ThreadDecisionBuilder(state, turn);
  updateHandling(builder, { suggestion: null });
  const settlement: Settlement = {
    ...(action === 'approve' ? approve(builder, state, command) : ({ status: 'discarded' } as const)),
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
  return builder.decide(suggestion);
}

/** Sends the suggestion, in the operator's words where they differ. */
function approve(
  builder: ThreadDecisionBuilder,
  state: ThreadState,
  { agentRunId, body, editedBody, author }: ResolveSuggestion,
): Pick<Settlement, 'status' | 'sentBody' | 'messageId'> {
  const text = editedBody ?? body;
  if (isTooLong(text)) {
    const message = `must not have more than ${maxMessageLength} characters`;
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
