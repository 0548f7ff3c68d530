/**
 * Decisions: calls of tools that a person has to approve.
 *
 *   awaiting_approval -> pending   approved: the call is begun by the same commit
 *   awaiting_approval -> failed    refused, by a person, after a day, or since a person has taken over the thread; the model is told
 *   awaiting_approval -> interrupted   the run has ended
 *
 * While a call waits, the run's time stands still. Nothing but its row waits: no task, and no reminder before the day is over.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import { conflict, notFound, ServiceError } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import { createAuditWrites, requireSameTenancy, systemActor, type Tenancy } from '../base/index.ts';
import type { ResolveCall } from './commands.ts';
import { announceCall, continueWhenSettled, replaceCall } from './decide-tools.ts';
import { RunDecisionBuilder, type RunDecision } from './decision-builder.ts';
import { hasEnded, maxApprovalMs, type RunState } from './state.ts';
import type { Approval, TracedCall } from './trace.ts';

export const takenOverReason = 'A person has taken over the conversation.';

/** The calls of the newest step that a person has to decide about. */
function listAwaiting({ trace }: Pick<RunState, 'trace'>): readonly TracedCall[] {
  return (trace.steps.at(-1)?.toolCalls ?? []).filter(({ status }) => status === 'awaiting_approval');
}

/** The approval of a call that waits from now on. */
export function createApproval({ now }: RunDecisionBuilder): Approval {
  return { status: 'pending', expiresAt: new Date(now + maxApprovalMs).toISOString() };
}

/** Asks for the approvals of the newest step, if it needs any, and lets the run's time stand still. */
export function requestApprovals(builder: RunDecisionBuilder): void {
  const awaiting = listAwaiting(builder.next);
  if (awaiting.length === 0) return;
  for (const { callId, toolId, approval } of awaiting) {
    const call = { agentRunId: builder.runId, callId, toolId };
    builder.addEvent('agent.tool.approval_requested', { ...call, expiresAt: approval?.expiresAt });
  }
  builder.stopTime(maxApprovalMs);
}

/**
 * A person decides about a call. 404 for another tenant's run, and for a call that the run has not made; 409 for a call that waits for
 * nobody, or has waited for a day, even where the reminder has not come yet.
 */
export function resolveCall(state: RunState, command: ResolveCall, turn: Turn): RunDecision<null> {
  requireSameTenancy(state, command);
  const { callId, action, reason, author } = command;
  const calls = state.trace.steps.flatMap(({ toolCalls }) => toolCalls);
  const call = calls.find(each => each.callId === callId);
  if (call === undefined) throw notFound('/body/toolCallId');
  const { approval } = call;
  const isOver = approval?.status === 'pending' && turn.now >= Date.parse(approval.expiresAt);
  if (call.status !== 'awaiting_approval' || isOver) {
    const status = isOver ? 'expired' : (approval?.status ?? null);
    throw conflict('The call does not wait for approval.', { status });
  }
  const builder = new RunDecisionBuilder(state, turn);
  builder.add(
    createAuditWrites(command, state, turn, 'agent_run.tool_call_resolved', { toolCallId: callId, action }),
  );
  if (action === 'approve') settleApproval(builder, call, { status: 'approved' }, author);
  else refuse(builder, call, { status: 'refused', ...(reason === undefined ? {} : { reason }) }, author);
  resumeTime(builder);
  if (action === 'approve') builder.performCall(callId);
  else continueWhenSettled(builder);
  return builder.decide(null);
}

/** The reminder: what nobody has approved for a day is refused. */
export function expireApprovals(state: RunState, _: unknown, turn: Turn): RunDecision<null> {
  const awaiting = listAwaiting(state);
  if (hasEnded(state.status) || awaiting.length === 0) return { reply: null };
  const builder = new RunDecisionBuilder(state, turn);
  if (turn.now < state.approvalsExpireAt) {
    // The clock was set back since.
    builder.remindOfApprovals();
    return builder.decideUnchanged();
  }
  for (const call of awaiting) refuse(builder, call, { status: 'expired' }, systemActor);
  resumeTime(builder);
  continueWhenSettled(builder);
  return builder.decide(null);
}

/**
 * A person has taken over the thread: calls that wait are refused, and so are those that the model wants from now on. 503 for a run that has
 * not begun, so that the thread tells it again.
 */
export function humanTookOver(state: RunState, command: Tenancy, turn: Turn): RunDecision<null> {
  if (state.head === null) throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
  requireSameTenancy(state, command);
  if (hasEnded(state.status) || state.isTakenOver) return { reply: null };
  const builder = new RunDecisionBuilder(state, turn);
  builder.next.isTakenOver = true;
  const awaiting = listAwaiting(state);
  const refusal = { status: 'refused', reason: takenOverReason } as const;
  for (const call of awaiting) refuse(builder, call, refusal, systemActor);
  if (awaiting.length > 0) {
    resumeTime(builder);
    continueWhenSettled(builder);
  }
  return builder.decide(null);
}

type Resolution = Pick<Approval, 'status' | 'reason'>;

/** The model is told that the call was not made, and why. */
function refuse(builder: RunDecisionBuilder, call: TracedCall, resolution: Resolution, by: Actor): void {
  const { status, reason } = resolution;
  const why = status === 'expired' ? 'nobody has approved it within a day' : 'it was refused';
  const error = `the call was not made: ${why}${reason === undefined ? '' : `: ${reason}`}`;
  announceCall(builder, settleApproval(builder, call, resolution, by, { status: 'failed', error }));
}

/** Records what was decided about the call, and announces it. An approved call is begun with that. */
function settleApproval(
  builder: RunDecisionBuilder,
  call: TracedCall,
  resolution: Resolution,
  by: Actor,
  change: Partial<TracedCall> = { status: 'pending', attempts: 1, startedAt: builder.at },
): TracedCall {
  const { callId, toolId, approval } = call;
  if (approval === undefined) throw new Error('the call needs no approval');
  const resolvedByUserId = by.type === 'user' ? by.id : null;
  const settled: TracedCall = {
    ...call,
    ...change,
    approval: { ...approval, ...resolution, resolvedAt: builder.at, resolvedByUserId },
  };
  replaceCall(builder, settled);
  const members = { agentRunId: builder.runId, callId, toolId, ...resolution };
  builder.addEvent('agent.tool.approval_resolved', members, by);
  return settled;
}

/** The run's time goes on when no call waits any more. */
function resumeTime(builder: RunDecisionBuilder): void {
  builder.scheduleResume();
  if (listAwaiting(builder.next).length === 0) builder.resumeTime();
}
