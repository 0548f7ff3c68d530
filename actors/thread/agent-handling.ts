/**
 * How a thread works with its agent, and with the humans who answer as well.
 *
 *   (idle) -> waiting           an inbound message, where an agent may answer
 *   waiting -> live             quiet for a while: a run is opened; at most one at a time
 *   waiting -> (idle)           a human answered, or no agent may answer any more
 *   live -> (sent, suggestion, superseded, cancelled)   the thread decides about the run's answer, once
 *   live -> (gone)              the run ended by itself, or the thread cancelled it: paused, closed, another agent
 *   suggestion -> (gone)        resolved by an operator, once; superseded by any newer message; or a day old
 *
 * A thread without an agent has {@link noAgentHandling}, which is not stored. The `note...` functions are parts of other decisions: they
 * decide what an event on the thread means for its agent, and are cheap in a thread without one.
 */
import type { Actor, AgentMode, ThreadStatus } from '../../protocol/resources/index.ts';
import type { Suggestion } from '../run/index.ts';
import {
  type Waiting,
  type AgentHandling,
  noAgentHandling,
  type PendingSuggestion,
  type ThreadState,
} from './state.ts';
import type { ThreadChannel } from './commands.ts';
import type { ThreadDecisionBuilder } from './decision-builder.ts';

/** The keys of the reminders that call the agent, and let a suggestion expire. */
const agentReminder = 'agent';
const suggestionReminder = 'suggestion';

/** How long a pause ends a burst of messages, in milliseconds: docs/contract-decisions.md ("Agents on threads"). */
const quietMs = 1_500;
/** The longest that the first message of a burst waits, in milliseconds. */
const maxAnswerDelayMs = 8_000;
/** A human who wrote, was assigned, or typed within this many milliseconds holds automatic answers back. */
const humanMs = 10_000;
/** How long a suggestion waits for an operator, in milliseconds. */
const suggestionMs = 86_400_000;

/** What decides whether an agent is involved in a thread. */
interface AgentInvolvement {
  readonly agentId: string | null;
  readonly agentHandling: AgentHandling;
}

/** What is stored: a field that is missing is as in {@link noAgentHandling}. */
export type StoredAgentHandling = Partial<Omit<AgentHandling, 'typingAt'>>;

/** Undefined: there is nothing to store. */
export function encodeAgentHandling(state: AgentInvolvement): StoredAgentHandling | undefined {
  const { agentHandling } = state;
  if (agentHandling === noAgentHandling) return undefined;
  if (!isAgentInvolved(state)) return agentHandling.runs === 0 ? undefined : { runs: agentHandling.runs };
  const stored = Object.entries(agentHandling).filter(
    ([name, value]) => name !== 'typingAt' && value !== noAgentHandling[name as keyof AgentHandling],
  );
  return stored.length === 0 ? undefined : Object.fromEntries(stored);
}

export function decodeAgentHandling(stored: StoredAgentHandling | undefined): AgentHandling {
  return stored === undefined ? noAgentHandling : { ...noAgentHandling, ...stored };
}

/** The agent that answers on the thread: the thread's own, or its channel's. */
export function getAgentId({ agentId, agentHandling }: AgentInvolvement): string | null {
  return agentId ?? agentHandling.channelAgentId;
}

/** Whether there is an agent, or a run or suggestion of one. Without, nothing is noted. */
function isAgentInvolved(state: AgentInvolvement): boolean {
  const { live, suggestion } = state.agentHandling;
  return getAgentId(state) !== null || live !== null || suggestion !== null;
}

/** Whether messages of the thread wait for its agent. The agent's own mode is looked at when the agent is called. */
export function mayAgentAnswer(
  state: AgentInvolvement & { readonly status: ThreadStatus; readonly agentMode: AgentMode | null },
): boolean {
  return state.status === 'open' && state.agentMode !== 'paused' && getAgentId(state) !== null;
}

export function isHumanActive({ humanAt, typingAt }: AgentHandling, now: number): boolean {
  return now - Math.max(humanAt, typingAt) < humanMs;
}

/** When messages have waited long enough for a run to be opened, in epoch milliseconds. */
export function getDispatchTime({ since, last }: Waiting): number {
  return Math.min(last + quietMs, since + maxAnswerDelayMs);
}

/** Changes some fields of the thread's agent handling. */
export function updateHandling({ next }: ThreadDecisionBuilder, changes: Partial<AgentHandling>): void {
  next.agentHandling = { ...next.agentHandling, ...changes };
}

/** Notes the channel's agent, which answers where the thread names none. */
export function noteChannel(
  builder: ThreadDecisionBuilder,
  { defaultAgentId: channelAgentId = null }: ThreadChannel,
): void {
  if (channelAgentId !== builder.next.agentHandling.channelAgentId)
    updateHandling(builder, { channelAgentId });
}

/**
 * The participant has written: the agent has to be called, if there is one. The reminder is set once for a burst; when it comes, it
 * looks whether the burst is over.
 *
 * @param hops automatic answers in a row that led to the message
 */
export function noteInbound(
  builder: ThreadDecisionBuilder,
  messageId: string,
  sequence: number,
  contact: Actor,
  hops: number,
): void {
  const { next, now } = builder;
  if (!isAgentInvolved(next)) return;
  supersedeSuggestion(builder, contact);
  const { waiting } = next.agentHandling;
  updateHandling(builder, { inboundMessageId: messageId, messageSequence: sequence, hops });
  if (!mayAgentAnswer(next)) return;
  updateHandling(builder, { waiting: { since: waiting?.since ?? now, last: now } });
  if (waiting === null) callAgentAt(builder, getDispatchTime({ since: now, last: now }));
}

/** Somebody has sent a message. A human's message answers whatever waited. */
export function noteOutbound(
  builder: ThreadDecisionBuilder,
  sequence: number,
  author: Actor,
  byHuman: boolean,
): void {
  supersedeSuggestion(builder, author);
  if (byHuman) {
    updateHandling(builder, {
      humanAt: builder.now,
      humanSequence: sequence,
      messageSequence: sequence,
    });
    stopWaiting(builder);
    tellOfHuman(builder);
  } else if (isAgentInvolved(builder.next)) {
    updateHandling(builder, { messageSequence: sequence });
  }
}

/** The thread was assigned to a human, or taken by one. */
export function noteAssignment(builder: ThreadDecisionBuilder): void {
  remindOfOldSuggestion(builder);
  if (builder.next.assigneeUserId === null) return;
  updateHandling(builder, { humanAt: builder.now });
  tellOfHuman(builder);
}

/** The live run asks nobody for approvals any more. */
function tellOfHuman(builder: ThreadDecisionBuilder): void {
  const { projectId, environmentId, agentHandling } = builder.next;
  const { live } = agentHandling;
  if (live !== null) builder.tellRun(live.agentRunId, 'humanTookOver', { projectId, environmentId });
}

/**
 * The thread was changed. If it was closed or its agent paused, its run is cancelled and its suggestion superseded. If it was given
 * another agent, the run of the one before is cancelled, and what that run would have answered waits for the new agent.
 */
export function noteChanges(builder: ThreadDecisionBuilder, before: ThreadState, author: Actor): void {
  const { next, now } = builder;
  // A person who changes the mode has seen why the agent stopped.
  if (next.agentMode !== before.agentMode && author.type === 'user') updateHandling(builder, { answers: 0 });
  const isOff = next.status !== 'open' && before.status === 'open';
  if (isOff || (next.agentMode === 'paused' && before.agentMode !== 'paused')) {
    cancelLiveRun(builder, isOff ? `The thread was ${next.status}.` : 'The agent was paused.');
    supersedeSuggestion(builder, author);
    stopWaiting(builder);
    return;
  }
  remindOfOldSuggestion(builder);
  const previousAgentId = getAgentId(before);
  if (getAgentId(next) === previousAgentId) return;
  const { live, waiting } = next.agentHandling;
  if (live !== null && live.agentId === previousAgentId) {
    cancelLiveRun(builder, 'The thread was given another agent.');
    if (live.forMessage) updateHandling(builder, { waiting: waiting ?? { since: now, last: now } });
  }
  if (mayAgentAnswer(next)) callForWaiting(builder);
  else stopWaiting(builder);
}

/** The participant's data is erased: what was made from it must not be sent any more. */
export function noteErasure(builder: ThreadDecisionBuilder, author: Actor): void {
  cancelLiveRun(builder, 'The personal data of the thread was erased.');
  supersedeSuggestion(builder, author);
  stopWaiting(builder);
  if (builder.next.agentHandling.inboundMessageId !== null) {
    updateHandling(builder, { inboundMessageId: null });
  }
}

/** Calls the agent for the messages that wait, if any: at once, or when their burst is over. */
export function callForWaiting(builder: ThreadDecisionBuilder): void {
  const { waiting } = builder.next.agentHandling;
  if (waiting !== null) callAgentAt(builder, Math.max(builder.now, getDispatchTime(waiting)));
}

export function callAgentAt(builder: ThreadDecisionBuilder, at: number): void {
  builder.remind({ key: agentReminder, at, command: 'callAgent', payload: {} });
}

/** No run is wanted any more. */
export function stopWaiting(builder: ThreadDecisionBuilder): void {
  if (builder.next.agentHandling.waiting === null) return;
  updateHandling(builder, { waiting: null });
  builder.forget(agentReminder);
}

/**
 * Cancels the live run, if there is one: its answer is not taken any more.
 *
 * @param reason in words, as the run shows it
 */
export function cancelLiveRun(builder: ThreadDecisionBuilder, reason: string): void {
  const { projectId, environmentId, agentHandling } = builder.next;
  const { live } = agentHandling;
  if (live === null) return;
  updateHandling(builder, { live: null });
  builder.tellRun(live.agentRunId, 'cancel', { projectId, environmentId, reason, by: 'thread' });
}

/** The agent's answer waits for an operator. An older suggestion, which a requested run may have left, is superseded. */
export function addSuggestion(
  builder: ThreadDecisionBuilder,
  agentRunId: string,
  shown: Suggestion,
  agent: Actor,
): void {
  const from = builder.next.sequence;
  supersedeSuggestion(builder, agent);
  const { basedOnSequence, reason, createdAt } = shown;
  const members = `"agentRunId":"${agentRunId}","suggestion":${JSON.stringify(shown)}`;
  const { sequence: to } = builder.addEvent('agent.suggestion.created', JSON.stringify(agent), members);
  const given = reason === undefined ? {} : { reason };
  const suggestion: PendingSuggestion = { agentRunId, basedOnSequence, ...given, createdAt, from, to };
  updateHandling(builder, { suggestion });
  remindOfSuggestion(builder, suggestion);
}

/** When the suggestion expires, in epoch milliseconds. */
export function getExpiry({ createdAt }: PendingSuggestion): number {
  return Date.parse(createdAt) + suggestionMs;
}

/** Sets the reminder that lets it expire. */
export function remindOfSuggestion(builder: ThreadDecisionBuilder, suggestion: PendingSuggestion): void {
  const { agentRunId } = suggestion;
  const at = getExpiry(suggestion);
  builder.remind({ key: suggestionReminder, at, command: 'expireSuggestion', payload: { agentRunId } });
}

/** Nodes of 0.1 set no reminder for a suggestion: the next change of its thread does. */
function remindOfOldSuggestion(builder: ThreadDecisionBuilder): void {
  const { suggestion } = builder.next.agentHandling;
  if (suggestion !== null) remindOfSuggestion(builder, suggestion);
}

/** The suggestion waits no more. */
export function forgetSuggestion(builder: ThreadDecisionBuilder): void {
  updateHandling(builder, { suggestion: null });
  builder.forget(suggestionReminder);
}

/** Something newer has overtaken the pending suggestion, if there is one. */
export function supersedeSuggestion(builder: ThreadDecisionBuilder, actor: Actor): void {
  endSuggestion(builder, 'superseded', actor);
}

/** Ends the pending suggestion, if there is one, without an operator. */
export function endSuggestion(
  builder: ThreadDecisionBuilder,
  status: 'superseded' | 'expired',
  actor: Actor,
): void {
  const { next, at: resolvedAt } = builder;
  const { suggestion } = next.agentHandling;
  if (suggestion === null) return;
  const { projectId, environmentId } = next;
  const { agentRunId, basedOnSequence, reason, createdAt } = suggestion;
  const settlement = { status, resolvedAt, resolvedByUserId: null };
  forgetSuggestion(builder);
  const shown = { basedOnSequence, reason, createdAt, ...settlement };
  const members = `"agentRunId":"${agentRunId}","suggestion":${JSON.stringify(shown)}`;
  builder.addEvent(`agent.suggestion.${status}`, JSON.stringify(actor), members);
  builder.tellRun(agentRunId, 'settleSuggestion', { projectId, environmentId, settlement });
}
