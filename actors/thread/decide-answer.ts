/**
 * Decisions: what becomes of a run's answer.
 *
 *   answer -> cancelled    its agent was paused, archived or replaced
 *   answer -> superseded   a human has answered since the run was opened
 *   answer -> suggestion   the run is in suggest mode; or it may not send by itself now, and nothing newer has been said;
 *                          or the thread has had too many automatic answers (answer-limits.ts)
 *   answer -> sent
 *
 * The thread decides in the turn that would send the answer. So a human who was faster has certainly been faster. What is decided about the
 * agent, the run has read when it offered the answer; the commit of the message is refused where that has changed, and then the run reads
 * and offers again. So an agent that was paused before the commit sends nothing.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import type { Actor, AgentMode } from '../../protocol/resources/index.ts';
import { requireAgent } from '../../storage/writes/index.ts';
import {
  runCommand,
  type AnswerDecision,
  type CurrentAgent,
  type Suggestion,
  type TakeAnswer,
} from '../run/index.ts';
import { requireSameTenancy } from '../base/index.ts';
import { createAnswerMessage, findSendObstacle, isTooLong, queueMessage } from './decide-outbound.ts';
import {
  addSuggestion,
  callForWaiting,
  getAgentId,
  isHumanActive,
  mayAgentAnswer,
  stopWaiting,
  updateHandling,
} from './agent-handling.ts';
import { countAnswer, findReachedLimit, type ReachedLimit, stopAnswers } from './answer-limits.ts';
import type { LiveRun, ThreadState } from './state.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';

/** The answer that the thread takes. */
interface Offered {
  readonly command: TakeAnswer;
  readonly live: LiveRun;
  readonly agent: Actor;
  /** The mode that counts now: the thread's, or else the agent's. */
  readonly mode: AgentMode;
}

/**
 * The answer of the live run. Offered again, or by a run that the thread has cancelled, it changes nothing. 404 for another tenant's
 * thread, 409 where the agent has changed since its rows were read.
 */
export function takeAnswer(state: ThreadState, command: TakeAnswer, turn: Turn): ThreadDecision<null> {
  requireSameTenancy(state, command);
  const { agentRunId, handoff, agent: current } = command;
  const { live } = state.agentHandling;
  if (live?.agentRunId !== agentRunId) return { reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  if (current === undefined) {
    builder.tellRun(agentRunId, 'resume', {});
    return { remind: builder.reminders, reply: null };
  }
  const agent: Actor = { type: 'agent', id: live.agentId };
  const { projectId, environmentId } = state;
  updateHandling(builder, { live: null, channelAgentId: current.channelAgentId });
  const checked = checkAgent(builder, current, live);
  const decision =
    'cancelled' in checked
      ? { outcome: 'cancelled' as const, reason: checked.cancelled }
      : settle(builder, state, { command, live, agent, mode: checked.mode });
  builder.tellRun(agentRunId, runCommand.answerDecided, { projectId, environmentId, ...decision });
  if (handoff !== undefined && decision.outcome !== 'cancelled') {
    handOff(builder, agentRunId, handoff.reason, agent);
  }
  extendSuggestion(builder, state.sequence);
  if (mayAgentAnswer(builder.next)) callForWaiting(builder);
  else stopWaiting(builder);
  return builder.decide(null);
}

/** The mode that counts for the run now, or why it is cancelled. What it would have answered waits for the agent that has replaced its own. */
function checkAgent(
  builder: ThreadDecisionBuilder,
  { mode: ownMode }: CurrentAgent,
  { agentId, forMessage, evenPaused }: LiveRun,
): { readonly mode: AgentMode } | { readonly cancelled: string } {
  const { next, now } = builder;
  if (forMessage && getAgentId(next) !== agentId) {
    updateHandling(builder, { waiting: next.agentHandling.waiting ?? { since: now, last: now } });
    return { cancelled: 'The thread was given another agent.' };
  }
  if (ownMode === null) return { cancelled: 'The agent was archived, or has no active version of a loom.' };
  const mode = next.agentMode ?? ownMode;
  if (mode === 'paused' && evenPaused !== true) return { cancelled: 'The agent was paused.' };
  return { mode };
}

/** What becomes of an answer that is not cancelled. Empty, it is only a hand-off. */
function settle(
  builder: ThreadDecisionBuilder,
  state: ThreadState,
  offered: Offered,
): Pick<AnswerDecision, 'outcome' | 'messageId' | 'suggestion'> {
  const { command, live, agent } = offered;
  const { at: createdAt } = builder;
  const { agentRunId, body } = command;
  const { basedOnSequence } = live;
  if (body === '') return { outcome: 'sent' };
  if (state.agentHandling.humanSequence > basedOnSequence) return supersede(body, basedOnSequence, createdAt);
  const reached = findReachedLimit(state.agentHandling, command.agent?.limits, builder.now);
  const hold = findHold(state, offered, builder.now, reached);
  if (hold === undefined) {
    const message = createAnswerMessage(agentRunId, body);
    requireUnchanged(builder, live);
    countAnswer(builder);
    queueMessage(builder, message, agent);
    return { outcome: 'sent', messageId: message.messageId };
  }
  // A suggestion that was written before the newest message would be superseded at once.
  const isOvertaken = state.agentHandling.messageSequence > basedOnSequence;
  const suggestion: Suggestion = { status: 'pending', body, basedOnSequence, ...hold, createdAt };
  if (!isOvertaken) addSuggestion(builder, agentRunId, suggestion, agent);
  if (hold.reason === 'limit_reached' && reached !== undefined) stopAnswers(builder, agentRunId, reached);
  return isOvertaken ? supersede(body, basedOnSequence, createdAt) : { outcome: 'suggested', suggestion };
}

function supersede(
  body: string,
  basedOnSequence: number,
  createdAt: string,
): Pick<AnswerDecision, 'outcome' | 'suggestion'> {
  const over = { status: 'superseded', resolvedAt: createdAt } as const;
  return { outcome: 'superseded', suggestion: { body, basedOnSequence, createdAt, ...over } };
}

/** Returns what prevents an automatic answer: without a reason, the run is in suggest mode. Undefined: the answer may be sent. */
function findHold(
  state: ThreadState,
  { command, mode }: Offered,
  now: number,
  reached: ReachedLimit | undefined,
): Pick<Suggestion, 'reason'> | undefined {
  if (command.mode !== 'auto') return {};
  if (mode !== 'auto') return { reason: 'mode_changed' };
  if (isHumanActive(state.agentHandling, now)) return { reason: 'human_active' };
  if (isTooLong(state, command.body)) return { reason: 'too_long' };
  if (findSendObstacle(state, now) !== undefined) return { reason: 'not_sendable' };
  return reached === undefined ? undefined : { reason: 'limit_reached' };
}

/** The message is sent only if what was read of the agent is still so in its commit. */
function requireUnchanged(
  builder: ThreadDecisionBuilder,
  { agentRunId, agentId, forMessage }: LiveRun,
): void {
  const { projectId, environmentId, channelId, agentId: ownAgentId, agentMode } = builder.next;
  const mode = agentMode === null ? 'auto' : null;
  const appointedBy = forMessage && ownAgentId === null ? channelId : null;
  builder.writes.push(
    requireAgent({
      agentRunId,
      projectId,
      environmentId,
      agentId,
      threadId: builder.threadId,
      mode,
      channelId: appointedBy,
    }),
  );
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
