/** What the thread says of the run's answer. */
import type { Turn } from '../../runtime/actor.ts';
import { ServiceError } from '../../protocol/errors.ts';
import { requireOwn } from '../tenancy.ts';
import type { SettleSuggestion, Verdict } from './commands.ts';
import { RunDraft, type RunDecision } from './draft.ts';
import type { RunState } from './state.ts';

/** The run ends as its thread says. Said again, or of a run that has been given up, it changes nothing. */
export function judged(state: RunState, verdict: Verdict, turn: Turn): RunDecision<null> {
  requireOwn(state, verdict);
  if (state.phase !== 'answering') return { reply: null };
  const draft = new RunDraft(state, turn);
  const { outcome, messageId, suggestion, failure } = verdict;
  if (suggestion !== undefined) draft.changeTrace({ suggestion });
  if (outcome === 'refused') {
    draft.end({
      status: 'failed',
      errorCode: failure?.errorCode ?? 'not_sendable',
      errorMessage: failure?.errorMessage ?? 'The thread does not take the answer.',
    });
  } else {
    draft.next.outputMessageId = messageId ?? null;
    draft.end({ status: 'succeeded' });
  }
  return draft.decide(null);
}

/** The one thing that changes after the end: what becomes of a pending suggestion. */
export function settleSuggestion(state: RunState, command: SettleSuggestion, turn: Turn): RunDecision<null> {
  requireOwn(state, command);
  if (state.phase === 'answering') {
    throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
  }
  const { suggestion } = state.trace;
  if (suggestion?.status !== 'pending') return { reply: null };
  const draft = new RunDraft(state, turn);
  const { settlement } = command;
  draft.changeTrace({ suggestion: { ...suggestion, ...settlement } });
  if (settlement.messageId !== undefined) draft.next.outputMessageId = settlement.messageId;
  return draft.decide(null);
}
