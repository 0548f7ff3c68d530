/** Decisions: results of model steps. */
import type { Turn } from '../../runtime/actor/index.ts';
import {
  addUse,
  type ModelAnswer,
  type ModelUse,
  type RequestedCall,
  type RunFailure,
  type StepCompleted,
  sumTokens,
} from './commands.ts';
import { createApproval, requestApprovals, takenOverReason } from './decide-approvals.ts';
import { continueWhenSettled, announceCall } from './decide-tools.ts';
import { RunDecisionBuilder, type RunDecision } from './decision-builder.ts';
import { maxCalls, maxSteps, maxRunTokens, type OpenCall, type RunState } from './state.ts';
import type { TracedCall, TracedStep } from './trace.ts';

const noAnswer: RunFailure = { errorCode: 'internal_error', errorMessage: 'The step has no answer.' };

/** A step that is in the trace already, or of a run that has ended, changes nothing. */
export function stepCompleted(state: RunState, command: StepCompleted, turn: Turn): RunDecision<null> {
  const { step, answer, failure } = command;
  if (state.phase !== 'thinking' || step !== state.trace.steps.length + 1) return { reply: null };
  const builder = new RunDecisionBuilder(state, turn);
  if (failure !== undefined) fail(builder, failure);
  else if (answer !== undefined) acceptAnswer(builder, command, answer);
  else fail(builder, noAnswer);
  return builder.decide(null);
}

/** Ends the run, and announces why. */
function fail(builder: RunDecisionBuilder, failure: RunFailure): void {
  const { errorCode, errorMessage, rejected, use, budget, agentMode } = failure;
  if (use !== undefined) countUse(builder, use);
  if (rejected !== undefined) builder.addEvent('byok.credential.rejected', { byokCredential: rejected });
  if (budget !== undefined) {
    builder.changeTrace({ budget });
    builder.addEvent('agent.budget.exceeded', { agentRunId: builder.runId, ...budget });
  }
  builder.end({ status: 'failed', errorCode, errorMessage });
  builder.tellRunOver(
    budget === undefined ? {} : { budget, ...(agentMode === undefined ? {} : { agentMode }) },
  );
}

function acceptAnswer(builder: RunDecisionBuilder, completed: StepCompleted, answer: ModelAnswer): void {
  const { next } = builder;
  const { handoff } = answer;
  const limit = answer.calls.length === 0 ? undefined : findReachedLimit(next, completed.step, answer);
  const calls = recordStep(builder, completed, answer, limit);
  for (const call of calls.slice(0, maxCalls)) if (call.status === 'failed') announceCall(builder, call);

  if (limit !== undefined && handoff === undefined) fail(builder, limit);
  else if (calls.length > 0 && handoff === undefined) makeCalls(builder, completed.step, answer);
  else conclude(builder, answer);
}

/** Adds the step to the trace, and its tokens and costs to the sums. Returns its calls. */
function recordStep(
  builder: RunDecisionBuilder,
  { step, startedAt, durationMs }: StepCompleted,
  answer: ModelAnswer,
  limit: RunFailure | undefined,
): readonly TracedCall[] {
  const { next } = builder;
  const { promptTokens, completionTokens, costMicros } = answer;
  let refusal: string | undefined;
  if (answer.handoff !== undefined) refusal = 'not made: the model asks for a human';
  else if (limit !== undefined) refusal = 'not made: the run is at its limit';
  const toolCalls = answer.calls.map((call, i) => traceCall(builder, step, call, i, refusal));
  const traced: TracedStep = {
    step,
    startedAt: new Date(startedAt).toISOString(),
    durationMs,
    promptCharacters: answer.promptCharacters,
    promptTokens,
    completionTokens,
    costMicros,
    finishReason: answer.finishReason,
    output: answer.text,
    toolCalls,
  };
  builder.changeTrace({ steps: [...next.trace.steps, traced] });
  countUse(builder, answer);
  next.toolCallCount += toolCalls.length;
  return toolCalls;
}

function countUse({ next }: RunDecisionBuilder, use: ModelUse): void {
  const { promptTokens, completionTokens, estimatedCostMicros: costMicros } = next;
  const used = addUse({ promptTokens, completionTokens, costMicros }, use);
  next.promptTokens = used.promptTokens;
  next.completionTokens = used.completionTokens;
  next.totalTokens = sumTokens(used);
  next.estimatedCostMicros = used.costMicros;
}

/** Makes the calls that the model wants; if all of them are refused, the next step follows at once. */
function makeCalls(builder: RunDecisionBuilder, step: number, answer: ModelAnswer): void {
  const { next, runId } = builder;
  next.turns = [...next.turns, ...answer.messages];
  next.calls = answer.calls.map(({ providerCallId, attemptMs = 0 }, i): OpenCall => ({
    callId: createCallId(runId, step, i),
    providerCallId,
    attemptMs,
  }));
  next.phase = 'calling';
  requestApprovals(builder);
  continueWhenSettled(builder);
  builder.performCalls(true);
}

/** There are no more calls: the thread decides whether to send the text. Without a thread the text stays in the trace. */
function conclude(builder: RunDecisionBuilder, { text, handoff }: ModelAnswer): void {
  const { next } = builder;
  if (text.trim() === '' && handoff === undefined) {
    fail(builder, { errorCode: 'empty_answer', errorMessage: 'The model has answered with nothing.' });
    return;
  }
  if (handoff !== undefined) builder.changeTrace({ handoff });
  if (next.threadId === null) {
    builder.end({ status: 'succeeded' });
    return;
  }
  builder.answer();
}

/** Why a run that wants to go on may not. */
function findReachedLimit(
  { promptTokens, completionTokens }: RunState,
  step: number,
  answer: ModelAnswer,
): RunFailure | undefined {
  if (step >= maxSteps) {
    return { errorCode: 'step_limit', errorMessage: `The model wanted more than ${maxSteps} steps.` };
  }
  const used = addUse({ promptTokens, completionTokens, costMicros: null }, answer);
  if ((sumTokens(used) ?? 0) >= maxRunTokens) {
    return { errorCode: 'token_limit', errorMessage: `The run has used up its ${maxRunTokens} tokens.` };
  }
  return undefined;
}

function createCallId(runId: string, step: number, index: number): string {
  return `${runId}.${step}.${index + 1}`;
}

/** The call as the trace shows it: begun by this commit, or refused at once. */
function traceCall(
  builder: RunDecisionBuilder,
  step: number,
  call: RequestedCall,
  index: number,
  refusal: string | undefined,
): TracedCall {
  const tooMany =
    index >= maxCalls ? `not made: no more than ${maxCalls} calls are made in one step` : undefined;
  const noTool = call.toolId === null ? 'there is no such tool' : undefined;
  const { isTakenOver } = builder.next;
  const takenOver = call.requiresApproval && isTakenOver ? `not made: ${takenOverReason}` : undefined;
  const error = refusal ?? call.refusal ?? noTool ?? tooMany ?? takenOver ?? null;
  const awaits = error === null && call.requiresApproval === true;
  const state = awaits
    ? ({ status: 'awaiting_approval', approval: createApproval(builder), attempts: 0 } as const)
    : ({ status: error === null ? 'pending' : 'failed', attempts: error === null ? 1 : 0 } as const);
  return {
    callId: createCallId(builder.runId, step, index),
    name: call.name,
    toolId: call.toolId,
    arguments: call.arguments,
    ...state,
    startedAt: builder.at,
    durationMs: null,
    httpStatus: null,
    result: null,
    error,
  };
}
