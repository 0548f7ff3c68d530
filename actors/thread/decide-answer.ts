/**
 * What becomes of a run's answer. It is decided here, in the turn that would send it, so that a human who was faster has been faster
 * for certain:
 *
 *   -> superseded   a human has answered since the run was opened; or the thread has been paused
 *   -> suggestion   the run suggests; or it may not send by itself now, and nothing newer has been said
 *   -> sent
 */
import type { Decision, Turn } from '../../runtime/actor.ts';
import { maxMessageLength, type Actor } from '../../protocol/resources/message.ts';
import type { Write } from '../../storage/writes.ts';
import type { Verdict } from '../run/commands.ts';
import type { Suggestion } from '../run/trace.ts';
import { requireOwn } from '../tenancy.ts';
import type { TakeAnswer } from './agent-commands.ts';
import { answerMessage } from './answer-message.ts';
import { callWaiting, stopWaiting, supersedeSuggestion } from './agent-watch.ts';
import { isHumanActive, mayAnswer, type LiveRun } from './desk.ts';
import { Draft } from './draft.ts';
import { obstacle, post } from './outbound.ts';
import type { ThreadState } from './state.ts';
import { tellRun } from './tell-run.ts';

type Fate = 'send' | 'supersede' | { readonly suggest: Suggestion['reason'] };

/** Told twice, or by a run that the thread has let go of, it changes nothing. 404 for another tenant's thread. */
export function takeAnswer(
  state: ThreadState,
  command: TakeAnswer,
  turn: Turn,
): Decision<ThreadState, null, Write> {
  requireOwn(state, command);
  const { agentRunId, body, handoff } = command;
  const { live } = state.desk;
  if (live?.agentRunId !== agentRunId) return { reply: null };
  const draft = new Draft(state, turn);
  const { next } = draft;
  const agent: Actor = { type: 'agent', id: live.agentId };
  const { projectId, environmentId } = state;
  next.desk = { ...next.desk, live: null };
  const verdict = body === '' ? { outcome: 'sent' as const } : judge(draft, state, command, live, agent);
  tellRun(draft, agentRunId, 'judged', { projectId, environmentId, ...verdict });
  if (handoff !== undefined) handOver(draft, agentRunId, handoff.reason, agent);
  noteExtent(draft, state.sequence);
  if (mayAnswer(next)) callWaiting(draft);
  else stopWaiting(draft);
  return draft.decide(null);
}

function fateOf(state: ThreadState, command: TakeAnswer, live: LiveRun, now: number): Fate {
  const { desk, agentMode, status } = state;
  const { basedOnSequence } = live;
  if (desk.humanSequence > basedOnSequence || status !== 'open') return 'supersede';
  const automatic = command.mode === 'auto';
  if (automatic && agentMode === 'paused') return 'supersede';
  let reason: Suggestion['reason'];
  if (automatic) {
    if (agentMode === 'suggest') reason = 'mode_changed';
    else if (isHumanActive(desk, now)) reason = 'human_active';
    else if (isTooLong(command.body)) reason = 'too_long';
    else if (obstacle(state, now) !== undefined) reason = 'not_sendable';
    else return 'send';
  }
  // What somebody has written meanwhile would have overtaken it.
  return desk.messageSequence > basedOnSequence ? 'supersede' : { suggest: reason };
}

/** By code points, of which there are no more than UTF-16 units. */
export function isTooLong(body: string): boolean {
  return body.length > maxMessageLength && Array.from(body).length > maxMessageLength;
}

function judge(
  draft: Draft,
  state: ThreadState,
  command: TakeAnswer,
  live: LiveRun,
  agent: Actor,
): Pick<Verdict, 'outcome' | 'messageId' | 'suggestion'> {
  const { next, at: createdAt } = draft;
  const { agentRunId, body } = command;
  const { basedOnSequence } = live;
  const fate = fateOf(state, command, live, draft.now);
  if (fate === 'send') {
    const message = answerMessage(agentRunId, body);
    post(draft, message, agent);
    return { outcome: 'sent', messageId: message.messageId };
  }
  if (fate === 'supersede') {
    const suggestion = {
      status: 'superseded',
      body,
      basedOnSequence,
      createdAt,
      resolvedAt: createdAt,
    } as const;
    return { outcome: 'superseded', suggestion };
  }
  // A requested run may have left an older one.
  supersedeSuggestion(draft, agent);
  const reason = fate.suggest === undefined ? {} : { reason: fate.suggest };
  const suggestion: Suggestion = { status: 'pending', body, basedOnSequence, ...reason, createdAt };
  const members = `"agentRunId":"${agentRunId}","suggestion":${JSON.stringify(suggestion)}`;
  const { sequence } = draft.event('agent.suggestion.created', JSON.stringify(agent), members);
  next.desk = {
    ...next.desk,
    suggestion: { agentRunId, basedOnSequence, ...reason, createdAt, from: state.sequence, to: sequence },
  };
  return { outcome: 'suggested', suggestion };
}

/** The agent has asked for a human: it is paused, and says why. */
function handOver(draft: Draft, agentRunId: string, reason: string, agent: Actor): void {
  const { next } = draft;
  if (next.agentMode !== 'paused') {
    const previous = JSON.stringify(next.agentMode);
    next.agentMode = 'paused';
    draft.threadEvent('thread.agent_mode.changed', agent, `,"previousAgentMode":${previous}`);
  }
  const members = `"agentRunId":"${agentRunId}","reason":${JSON.stringify(reason)}`;
  draft.event('agent.handoff.requested', JSON.stringify(agent), members);
}

/** All that this turn has said belongs to the suggestion that it has made, if any. */
function noteExtent({ next }: Draft, from: number): void {
  const { suggestion } = next.desk;
  if (suggestion !== null && suggestion.from === from) {
    next.desk = { ...next.desk, suggestion: { ...suggestion, to: next.sequence } };
  }
}
