/**
 * What the thread's agent has to do with whatever happens on the thread: who waits for it, what holds it back, what ends its run
 * and overtakes its suggestion. Each is a part of another decision, and costs a thread without an agent next to nothing.
 */
import type { Actor } from '../../protocol/resources/message.ts';
import type { ChannelOfThread } from './commands.ts';
import { agentOf, callAt, isAttended, mayAnswer } from './desk.ts';
import type { Draft } from './draft.ts';
import type { ThreadState } from './state.ts';
import { tellRun } from './tell-run.ts';

/** The key of the reminder that calls the agent. */
export const agentReminder = 'agent';

/** Notes which agent answers where the thread names none. */
export function noteChannel(
  { next }: Draft,
  { defaultAgentId: channelAgentId = null }: ChannelOfThread,
): void {
  if (channelAgentId !== next.desk.channelAgentId) next.desk = { ...next.desk, channelAgentId };
}

/**
 * The participant has written: the agent is to be called, if there is one. The reminder is set once for a burst: when it comes, it
 * looks whether the burst is over.
 */
export function noteInbound(draft: Draft, messageId: string, sequence: number, contact: Actor): void {
  const { next, now } = draft;
  if (!isAttended(next)) return;
  supersedeSuggestion(draft, contact);
  const { waiting } = next.desk;
  const noted = { inboundMessageId: messageId, messageSequence: sequence };
  if (!mayAnswer(next)) {
    next.desk = { ...next.desk, ...noted };
    return;
  }
  next.desk = { ...next.desk, ...noted, waiting: { since: waiting?.since ?? now, last: now } };
  if (waiting === null) callAgentAt(draft, callAt({ since: now, last: now }));
}

/** Somebody has sent: a human's message answers whatever waited. */
export function noteOutbound(draft: Draft, sequence: number, author: Actor, byHuman: boolean): void {
  const { next, now } = draft;
  supersedeSuggestion(draft, author);
  if (byHuman) {
    next.desk = { ...next.desk, humanAt: now, humanSequence: sequence, messageSequence: sequence };
    stopWaiting(draft);
  } else if (isAttended(next)) {
    next.desk = { ...next.desk, messageSequence: sequence };
  }
}

/** Somebody has taken the thread, or was given it. */
export function noteAssignment({ next, now }: Draft): void {
  if (next.assigneeUserId !== null) next.desk = { ...next.desk, humanAt: now };
}

/**
 * The thread was changed. Closed or paused, it lets go of its run and its suggestion; where it has another agent, of the run of the one
 * before, and what that would have answered waits for the new one.
 */
export function noteChanges(draft: Draft, before: ThreadState, author: Actor): void {
  const { next, now } = draft;
  const isOff = next.status !== 'open' && before.status === 'open';
  if (isOff || (next.agentMode === 'paused' && before.agentMode !== 'paused')) {
    cancelLive(draft, isOff ? `The thread was ${next.status}.` : 'The agent was paused.');
    supersedeSuggestion(draft, author);
    stopWaiting(draft);
    return;
  }
  const agentId = agentOf(next);
  if (agentId === agentOf(before)) return;
  const { live } = next.desk;
  if (live !== null && live.agentId === agentOf(before)) {
    cancelLive(draft, 'The thread was given another agent.');
    if (live.forMessage)
      next.desk = { ...next.desk, waiting: next.desk.waiting ?? { since: now, last: now } };
  }
  if (mayAnswer(next)) callWaiting(draft);
  else stopWaiting(draft);
}

/** What is known of the participant is erased: what was made of it must not be sent any more. */
export function noteErasure(draft: Draft, author: Actor): void {
  const { next } = draft;
  cancelLive(draft, 'The personal data of the thread was erased.');
  supersedeSuggestion(draft, author);
  stopWaiting(draft);
  if (next.desk.inboundMessageId !== null) next.desk = { ...next.desk, inboundMessageId: null };
}

/** Calls the agent for the messages that wait, if any: at once, or when their burst is over. */
export function callWaiting(draft: Draft): void {
  const { waiting } = draft.next.desk;
  if (waiting !== null) callAgentAt(draft, Math.max(draft.now, callAt(waiting)));
}

export function callAgentAt(draft: Draft, at: number): void {
  draft.remind({ key: agentReminder, at, command: 'callAgent', payload: {} });
}

/** No run is wanted any more. */
export function stopWaiting(draft: Draft): void {
  const { next } = draft;
  if (next.desk.waiting === null) return;
  next.desk = { ...next.desk, waiting: null };
  draft.forget(agentReminder);
}

/** Cancels the live run, if there is one: its answer is not taken any more. @param reason in words, as the run shows it */
export function cancelLive(draft: Draft, reason: string): void {
  const { next } = draft;
  const { live } = next.desk;
  if (live === null) return;
  const { projectId, environmentId } = next;
  next.desk = { ...next.desk, live: null };
  tellRun(draft, live.agentRunId, 'cancel', { projectId, environmentId, reason, by: 'thread' });
}

/** Something newer has overtaken the pending suggestion, if there is one. */
export function supersedeSuggestion(draft: Draft, actor: Actor): void {
  const { next, at: resolvedAt } = draft;
  const { suggestion } = next.desk;
  if (suggestion === null) return;
  const { projectId, environmentId } = next;
  const { agentRunId, basedOnSequence, reason, createdAt } = suggestion;
  const settlement = { status: 'superseded', resolvedAt, resolvedByUserId: null } as const;
  next.desk = { ...next.desk, suggestion: null };
  const shown = { basedOnSequence, reason, createdAt, ...settlement };
  const members = `"agentRunId":"${agentRunId}","suggestion":${JSON.stringify(shown)}`;
  draft.event('agent.suggestion.superseded', JSON.stringify(actor), members);
  tellRun(draft, agentRunId, 'settleSuggestion', { projectId, environmentId, settlement });
}
