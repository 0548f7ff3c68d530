/** Decisions: a run begins, resumes after a crash, gets its thread's decision, and is ended from outside. */
import type { Turn } from '../../runtime/actor/index.ts';
import { ServiceError, conflict } from '../../protocol/errors.ts';
import type { AgentRun } from '../../protocol/resources/index.ts';
import { createAuditWrites, requireSameTenancy } from '../base/index.ts';
import type { BeginRun, CancelRun, SettleSuggestion, AnswerDecision } from './commands.ts';
import { isOpen, RunDecisionBuilder, type RunDecision } from './decision-builder.ts';
import { createStepRequest, type StepRequest } from './task-requests.ts';
import { toBriefRun } from './json.ts';
import { hasEnded, maxRunMs, maxPendingMs, type RunState } from './state.ts';

/** Whether the run may still do anything. */
function isLive(state: RunState): boolean {
  return state.head !== null && !hasEnded(state.status);
}

/** Whether nothing is left to do until people have decided about calls. */
function isWaitingForPeople({ phase, trace }: RunState): boolean {
  const open = trace.steps.at(-1)?.toolCalls.filter(isOpen) ?? [];
  return phase === 'calling' && open.every(({ status }) => status === 'awaiting_approval');
}

/** Told twice, by the thread and by a caller who waits for the answer, the run begins once. */
export function begin(state: RunState, command: BeginRun, turn: Turn): RunDecision<AgentRun> {
  if (state.head !== null) {
    requireSameTenancy(state, command);
    return { reply: toBriefRun(state, turn.id) };
  }
  const builder = new RunDecisionBuilder(state, turn);
  const { next } = builder;
  next.projectId = command.projectId;
  next.environmentId = command.environmentId;
  next.threadId = command.threadId;
  next.channelId = command.channelId ?? null;
  next.head = command.head;
  next.evenPaused = command.evenPaused ?? false;
  next.inputMessageId = command.inputMessageId;
  next.basedOnSequence = command.basedOnSequence;
  next.metadata = command.metadata;
  next.createdAt = builder.at;
  builder.addRunEvent('agent.run.queued', command.author);
  // Of a run in a thread, the commit that opens it has the record.
  builder.add(createAuditWrites(command, next, turn, 'agent_run.created', { agentId: command.head.agentId }));
  builder.expireAt(turn.now + maxPendingMs);
  builder.scheduleResume();
  builder.performStep();
  return builder.decide(toBriefRun(next, turn.id));
}

/** There is room for the first step. Told again, the reply is the same step. */
export function start(state: RunState, _: unknown, turn: Turn): RunDecision<StepRequest | null> {
  if (state.phase === 'thinking' && state.trace.steps.length === 0) {
    return { reply: createStepRequest(state, turn.id) };
  }
  if (state.phase !== 'waiting' || state.head === null) return { reply: null };
  const builder = new RunDecisionBuilder(state, turn);
  const { next } = builder;
  next.status = 'running';
  next.phase = 'thinking';
  next.startedAt = builder.at;
  builder.expireAt(turn.now + maxRunMs);
  builder.addRunEvent('agent.run.started');
  return builder.decide(createStepRequest(next, turn.id));
}

/**
 * Starts the tasks that the row stands for. Running tasks are not duplicated. This decision commits, so a stale activation fails here
 * and starts nothing.
 */
export function resume(state: RunState, _: unknown, turn: Turn): RunDecision<null> {
  if (!isLive(state) || isWaitingForPeople(state)) return { reply: null };
  const builder = new RunDecisionBuilder(state, turn);
  builder.scheduleResume();
  if (state.phase === 'calling') builder.performCalls(false);
  else if (state.phase === 'answering') builder.performOffer();
  else builder.performStep();
  return builder.decideUnchanged();
}

/** The reminder: the run is given up. */
export function expire(state: RunState, _: unknown, turn: Turn): RunDecision<null> {
  if (!isLive(state)) return { reply: null };
  const builder = new RunDecisionBuilder(state, turn);
  if (turn.now < state.deadline) {
    // The clock was set back since.
    builder.expireAt(state.deadline);
    return builder.decideUnchanged();
  }
  const isAnswered = state.phase === 'answering';
  builder.end({
    status: 'failed',
    errorCode: isAnswered ? 'internal_error' : 'timeout',
    errorMessage: isAnswered ? 'The thread has not taken the answer.' : 'The run has taken too long.',
  });
  builder.tellRunOver();
  return builder.decide(null);
}

/**
 * 404 for another tenant's run, 409 for a run that has ended or has offered its answer to its thread. From the thread: a run that has
 * ended stays as it is; a run that has not begun answers 503, so that the thread tells it again.
 */
export function cancel(state: RunState, command: CancelRun, turn: Turn): RunDecision<null> {
  const { by, reason } = command;
  if (state.head === null && by === 'thread') {
    throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
  }
  requireSameTenancy(state, command);
  if (!isLive(state)) {
    if (by === 'thread') return { reply: null };
    throw conflict('The run has ended.', { status: state.status });
  }
  if (by === 'request' && state.phase === 'answering') {
    throw conflict('The run has answered, and its thread decides.', { status: state.status });
  }
  const builder = new RunDecisionBuilder(state, turn);
  builder.end({ status: 'cancelled', errorMessage: reason });
  builder.add(createAuditWrites(command, state, turn, 'agent_run.cancelled', {}));
  if (by === 'request') builder.tellRunOver();
  return builder.decide(null);
}

/** The run ends as its thread has decided. Told again, or to a run that was given up, it changes nothing. */
export function answerDecided(state: RunState, decision: AnswerDecision, turn: Turn): RunDecision<null> {
  requireSameTenancy(state, decision);
  if (state.phase !== 'answering') return { reply: null };
  const builder = new RunDecisionBuilder(state, turn);
  const { outcome, messageId, suggestion, reason } = decision;
  if (suggestion !== undefined) builder.changeTrace({ suggestion });
  builder.next.outputMessageId = messageId ?? null;
  if (outcome === 'cancelled') builder.end({ status: 'cancelled', errorMessage: reason ?? '' });
  else builder.end({ status: 'succeeded' });
  return builder.decide(null);
}

/** The one thing that changes after the end: what becomes of a pending suggestion. */
export function settleSuggestion(state: RunState, command: SettleSuggestion, turn: Turn): RunDecision<null> {
  requireSameTenancy(state, command);
  if (state.phase === 'answering') {
    throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
  }
  const { suggestion } = state.trace;
  if (suggestion?.status !== 'pending') return { reply: null };
  const builder = new RunDecisionBuilder(state, turn);
  const { settlement } = command;
  builder.changeTrace({ suggestion: { ...suggestion, ...settlement } });
  if (settlement.messageId !== undefined) builder.next.outputMessageId = settlement.messageId;
  return builder.decide(null);
}
