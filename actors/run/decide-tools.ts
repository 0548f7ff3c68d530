/** Decisions: attempts and results of tool calls. */
import type { Turn } from '../../runtime/actor/index.ts';
import type { ToolOutcome, RunCommands } from './commands.ts';
import { isOpen, RunDecisionBuilder, type RunDecision } from './decision-builder.ts';
import { maxResultCharacters, type RunState, type OpenCall } from './state.ts';
import type { TracedCall } from './trace.ts';

/** The call, if its outcome is awaited. */
function findPendingCall(state: RunState, callId: string): TracedCall | undefined {
  if (state.phase !== 'calling') return undefined;
  const call = state.trace.steps.at(-1)?.toolCalls.find(call => call.callId === callId);
  return call?.status === 'pending' ? call : undefined;
}

/** Begins the next attempt, once: a later request for the same attempt must not make it. */
export function beginAttempt(
  state: RunState,
  { callId, attempt }: RunCommands['attempt']['payload'],
  turn: Turn,
): RunDecision<boolean> {
  const call = findPendingCall(state, callId);
  if (call === undefined || attempt !== call.attempts + 1) return { reply: false };
  const builder = new RunDecisionBuilder(state, turn);
  replaceCall(builder, { ...call, attempts: attempt, startedAt: builder.at });
  return builder.decide(true);
}

/** The first outcome of a call counts: what another attempt, on another node, reports later changes nothing. */
export function toolCompleted(state: RunState, outcome: ToolOutcome, turn: Turn): RunDecision<null> {
  const call = findPendingCall(state, outcome.callId);
  if (call === undefined) return { reply: null };
  const builder = new RunDecisionBuilder(state, turn);
  const { durationMs, httpStatus } = outcome;
  const settled: TracedCall = { ...call, durationMs, httpStatus, ...limitResult(builder, outcome) };
  replaceCall(builder, settled);
  announceCall(builder, settled);
  continueWhenSettled(builder);
  return builder.decide(null);
}

/** The result, if there is room for it. */
function limitResult(
  { next }: RunDecisionBuilder,
  { status, result, error }: ToolOutcome,
): Pick<TracedCall, 'status' | 'result' | 'error'> {
  const characters = next.resultCharacters + JSON.stringify(result ?? null).length;
  if (characters > maxResultCharacters) {
    return { status: 'failed', result: null, error: 'the results of this run have become too long' };
  }
  next.resultCharacters = characters;
  return { status, result: result ?? null, error };
}

/** Replaces the call of the newest step that has its id. */
export function replaceCall(builder: RunDecisionBuilder, changed: TracedCall): void {
  builder.changeStep(step => ({
    ...step,
    toolCalls: step.toolCalls.map(call => (call.callId === changed.callId ? changed : call)),
  }));
}

/** Goes on to the next step when every call has its outcome. */
export function continueWhenSettled(builder: RunDecisionBuilder): void {
  const { next } = builder;
  const calls = next.trace.steps.at(-1)?.toolCalls ?? [];
  if (calls.some(isOpen)) return;
  next.turns = [...next.turns, createToolResults(calls, next.calls)];
  builder.nextStep();
}

/** The event of a call that has its outcome. */
export function announceCall(
  builder: RunDecisionBuilder,
  { callId, toolId, status, durationMs, error }: TracedCall,
): void {
  const call = { agentRunId: builder.runId, callId, toolId };
  const duration = durationMs === null ? {} : { durationMs };
  if (status === 'succeeded') builder.addEvent('agent.tool.completed', { ...call, ...duration });
  else builder.addEvent('agent.tool.failed', { ...call, ...duration, error });
}

type ToolOutput =
  | { readonly type: 'json' | 'error-json'; readonly value: unknown }
  | { readonly type: 'error-text'; readonly value: string };

/** A call that has its result. */
type SettledCall = Pick<TracedCall, 'callId' | 'name' | 'status' | 'result' | 'error'>;

/** The results of its calls for the model, in the model library's form: one message for all calls of a step, in their order. */
export function createToolResults(
  calls: readonly SettledCall[],
  open: readonly Pick<OpenCall, 'providerCallId'>[],
): unknown {
  const content = calls.map((call, i) => ({
    type: 'tool-result',
    toolCallId: open[i]?.providerCallId ?? call.callId,
    toolName: call.name,
    output: toOutput(call),
  }));
  return { role: 'tool', content };
}

function toOutput({ status, result, error }: SettledCall): ToolOutput {
  if (status === 'succeeded') return { type: 'json', value: result };
  if (result !== null) return { type: 'error-json', value: result };
  return { type: 'error-text', value: error ?? 'the call has failed' };
}
