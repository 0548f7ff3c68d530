/** How a run begins, goes on after a crash, and is ended from outside. */
import type { Turn } from '../../runtime/actor.ts';
import { ServiceError } from '../../protocol/errors.ts';
import type { AgentRun } from '../../protocol/resources/agent.ts';
import { conflict } from '../conflict.ts';
import { requireOwn } from '../tenancy.ts';
import type { BeginRun, CancelRun } from './commands.ts';
import { RunDraft, type RunDecision } from './draft.ts';
import { orderOf, type StepOrder } from './orders.ts';
import { briefRun } from './run-text.ts';
import { hasEnded, longestRunMs, longestWaitMs, mostAsks, type RunState } from './state.ts';

/** Whether there is anything that the run may still do. */
function isLive(state: RunState): boolean {
  return state.head !== null && !hasEnded(state.status);
}

/** Told twice, by the thread and by whoever waits for the answer, it is begun once. */
export function begin(state: RunState, command: BeginRun, turn: Turn): RunDecision<AgentRun> {
  if (state.head !== null) {
    requireOwn(state, command);
    return { reply: briefRun(state, turn.id) };
  }
  const { projectId, environmentId, threadId, head, inputMessageId, basedOnSequence, metadata } = command;
  const draft = new RunDraft(state, turn);
  const { next, at } = draft;
  Object.assign(next, {
    projectId,
    environmentId,
    threadId,
    head,
    inputMessageId,
    basedOnSequence,
    metadata,
  });
  next.createdAt = at;
  draft.runEvent('agent.run.queued', command.author);
  draft.expireAt(turn.now + longestWaitMs);
  draft.lookAgain();
  draft.makeStep();
  return draft.decide(briefRun(next, turn.id));
}

/** A place is free. Told again, it is the same first step. */
export function start(state: RunState, _: unknown, turn: Turn): RunDecision<StepOrder | null> {
  if (state.phase === 'thinking' && state.trace.steps.length === 0) {
    return { reply: orderOf(state, turn.id) };
  }
  if (state.phase !== 'waiting' || state.head === null) return { reply: null };
  const draft = new RunDraft(state, turn);
  const { next, at } = draft;
  Object.assign(next, { status: 'running', phase: 'thinking', startedAt: at });
  draft.expireAt(turn.now + longestRunMs);
  draft.runEvent('agent.run.started');
  return draft.decide(orderOf(next, turn.id));
}

/**
 * The tasks that the row stands for. Whoever is at one of them already, on this node, stays at it; and that this commits keeps an
 * activation that is stale from doing anything.
 */
export function resume(state: RunState, _: unknown, turn: Turn): RunDecision<null> {
  if (!isLive(state) || state.phase === 'answering') return { reply: null };
  const draft = new RunDraft(state, turn);
  draft.lookAgain();
  if (state.phase === 'calling') draft.makeCalls(false);
  else draft.makeStep();
  return draft.asItWas();
}

/** The reminder: the run is given up, or asks again for its thread's verdict. */
export function expire(state: RunState, _: unknown, turn: Turn): RunDecision<null> {
  if (!isLive(state)) return { reply: null };
  const draft = new RunDraft(state, turn);
  if (turn.now < state.deadline) {
    // The clock was put back since it was set.
    draft.expireAt(state.deadline);
    return draft.asItWas();
  }
  const isAnswered = state.phase === 'answering';
  if (isAnswered && state.asks < mostAsks) {
    draft.answer();
    return draft.decide(null);
  }
  draft.end({
    status: 'failed',
    errorCode: isAnswered ? 'internal_error' : 'timeout',
    errorMessage: isAnswered ? 'The thread has not taken the answer.' : `The run has taken too long.`,
  });
  draft.over();
  return draft.decide(null);
}

/**
 * 404 for another tenant, 409 for a run that has ended or whose answer is with its thread already. What the thread says of a run
 * that has ended changes nothing; of one that it has not begun yet, it is to say it again.
 */
export function cancel(state: RunState, command: CancelRun, turn: Turn): RunDecision<null> {
  const { by, reason } = command;
  if (state.head === null && by === 'thread') {
    throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
  }
  requireOwn(state, command);
  if (!isLive(state)) {
    if (by === 'thread') return { reply: null };
    throw conflict('The run has ended.', { status: state.status });
  }
  if (by === 'request' && state.phase === 'answering') {
    throw conflict('The run has answered, and its thread decides.', { status: state.status });
  }
  const draft = new RunDraft(state, turn);
  draft.end({ status: 'cancelled', errorMessage: reason });
  if (by === 'request') draft.over();
  return draft.decide(null);
}
