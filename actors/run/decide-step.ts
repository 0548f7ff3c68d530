/** What comes of a model step. */
import type { Turn } from '../../runtime/actor.ts';
import type { ModelAnswer, RunFailure, Thought, WantedCall } from './commands.ts';
import { goOn, tellOfCall } from './decide-call.ts';
import { RunDraft, type RunDecision } from './draft.ts';
import { mostCalls, mostSteps, mostTokens, type OpenCall, type RunState } from './state.ts';
import type { TracedCall, TracedStep } from './trace.ts';

/** A step that is in the trace already, or of a run that has ended, changes nothing. */
export function thought(state: RunState, command: Thought, turn: Turn): RunDecision<null> {
  const { step, answer, failure } = command;
  if (state.phase !== 'thinking' || step !== state.trace.steps.length + 1) return { reply: null };
  const draft = new RunDraft(state, turn);
  if (failure !== undefined) fail(draft, failure);
  else if (answer !== undefined) take(draft, command, answer);
  else fail(draft, noAnswer);
  return draft.decide(null);
}

const noAnswer: RunFailure = { errorCode: 'internal_error', errorMessage: 'The step has no answer.' };

/** Ends the run, and tells whom it concerns why. */
export function fail(draft: RunDraft, failure: RunFailure): void {
  const { errorCode, errorMessage, rejected, budget } = failure;
  if (rejected !== undefined) draft.event('byok.credential.rejected', { byokCredential: rejected });
  if (budget !== undefined) {
    draft.changeTrace({ budget });
    draft.event('agent.budget.exceeded', { agentRunId: draft.runId, ...budget });
  }
  draft.end({ status: 'failed', errorCode, errorMessage });
  draft.over(budget === undefined ? {} : { budget });
}

function take(draft: RunDraft, thought: Thought, answer: ModelAnswer): void {
  const { next, runId } = draft;
  const { promptTokens, completionTokens, costMicros } = answer;
  const limit = answer.calls.length === 0 ? undefined : limitReached(next, thought.step, answer);
  const refused =
    answer.handoff !== undefined
      ? 'not made: the model asks for a human'
      : limit && 'not made: the run is at its limit';
  const calls = answer.calls.map((call, i) => traced(draft, thought.step, call, i, refused));
  const step: TracedStep = {
    step: thought.step,
    startedAt: new Date(thought.startedAt).toISOString(),
    durationMs: thought.durationMs,
    promptCharacters: answer.promptCharacters,
    ...{ promptTokens, completionTokens, costMicros },
    finishReason: answer.finishReason,
    output: answer.text,
    toolCalls: calls,
  };
  draft.changeTrace({ steps: [...next.trace.steps, step] });
  next.promptTokens = sum(next.promptTokens, promptTokens);
  next.completionTokens = sum(next.completionTokens, completionTokens);
  next.totalTokens = sum(next.promptTokens, next.completionTokens);
  next.estimatedCostMicros = sum(next.estimatedCostMicros, costMicros);
  next.toolCallCount += calls.length;
  for (const call of calls.slice(0, mostCalls)) if (call.status === 'failed') tellOfCall(draft, call);

  if (limit !== undefined && answer.handoff === undefined) fail(draft, limit);
  else if (calls.length > 0 && answer.handoff === undefined) {
    next.turns = [...next.turns, ...answer.messages];
    next.calls = answer.calls.map(({ providerCallId, attemptMs = 0 }, i): OpenCall => ({
      callId: idOf(runId, step.step, i),
      providerCallId,
      attemptMs,
    }));
    next.phase = 'calling';
    goOn(draft);
    draft.makeCalls(true);
  } else conclude(draft, answer);
}

/** No more calls: the thread decides what becomes of the text. Without a thread it stays in the trace. */
function conclude(draft: RunDraft, { text, handoff }: ModelAnswer): void {
  const { next } = draft;
  if (text.trim() === '' && handoff === undefined) {
    fail(draft, { errorCode: 'empty_answer', errorMessage: 'The model has answered with nothing.' });
    return;
  }
  if (handoff !== undefined) draft.changeTrace({ handoff });
  if (next.threadId === null) {
    draft.end({ status: 'succeeded' });
    return;
  }
  draft.answer();
}

/** Why a run that wants to go on may not. */
function limitReached(
  { promptTokens, completionTokens }: RunState,
  step: number,
  answer: ModelAnswer,
): RunFailure | undefined {
  if (step >= mostSteps) {
    return { errorCode: 'step_limit', errorMessage: `The model wanted more than ${mostSteps} steps.` };
  }
  const spent = [promptTokens, completionTokens, answer.promptTokens, answer.completionTokens];
  if (spent.reduce<number>((total, tokens) => total + (tokens ?? 0), 0) >= mostTokens) {
    return { errorCode: 'token_limit', errorMessage: `The run has used up its ${mostTokens} tokens.` };
  }
  return undefined;
}

function idOf(runId: string, step: number, index: number): string {
  return `${runId}.${step}.${index + 1}`;
}

/** Begun by this commit, or refused at once. */
function traced(
  draft: RunDraft,
  step: number,
  call: WantedCall,
  index: number,
  refused: string | undefined,
): TracedCall {
  const tooMany =
    index >= mostCalls ? `not made: no more than ${mostCalls} calls are made in one step` : undefined;
  const noTool = call.toolId === null ? 'there is no such tool' : undefined;
  const error = refused ?? call.refusal ?? noTool ?? tooMany ?? null;
  return {
    callId: idOf(draft.runId, step, index),
    name: call.name,
    toolId: call.toolId,
    arguments: call.arguments,
    status: error === null ? 'pending' : 'failed',
    attempts: error === null ? 1 : 0,
    startedAt: draft.at,
    durationMs: null,
    httpStatus: null,
    result: null,
    error,
  };
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}
