/** What comes of tool calls. */
import type { Turn } from '../../runtime/actor.ts';
import type { CallOutcome, RunCommands } from './commands.ts';
import { RunDraft, type RunDecision } from './draft.ts';
import { mostResultCharacters, type RunState } from './state.ts';
import { toolResults } from './tool-results.ts';
import type { TracedCall } from './trace.ts';

/** The call, if its outcome is waited for. */
function pendingCall(state: RunState, callId: string): TracedCall | undefined {
  if (state.phase !== 'calling') return undefined;
  const call = state.trace.steps.at(-1)?.toolCalls.find(call => call.callId === callId);
  return call?.status === 'pending' ? call : undefined;
}

/** Begins the next attempt, once: whoever asks for the same one later must not make it. */
export function attempt(
  state: RunState,
  { callId, attempt }: RunCommands['attempt']['payload'],
  turn: Turn,
): RunDecision<boolean> {
  const call = pendingCall(state, callId);
  if (call === undefined || attempt !== call.attempts + 1) return { reply: false };
  const draft = new RunDraft(state, turn);
  change(draft, { ...call, attempts: attempt, startedAt: draft.at });
  return draft.decide(true);
}

/** The first word on a call holds: what another attempt, on another node, says later changes nothing. */
export function called(state: RunState, outcome: CallOutcome, turn: Turn): RunDecision<null> {
  const call = pendingCall(state, outcome.callId);
  if (call === undefined) return { reply: null };
  const draft = new RunDraft(state, turn);
  const { durationMs, httpStatus } = outcome;
  const settled: TracedCall = { ...call, durationMs, httpStatus, ...kept(draft, outcome) };
  change(draft, settled);
  tellOfCall(draft, settled);
  goOn(draft);
  return draft.decide(null);
}

/** Of what came, what there is room for. */
function kept(
  { next }: RunDraft,
  { status, result, error }: CallOutcome,
): Pick<TracedCall, 'status' | 'result' | 'error'> {
  const characters = next.resultCharacters + JSON.stringify(result ?? null).length;
  if (characters > mostResultCharacters) {
    return { status: 'failed', result: null, error: 'the results of this run have become too long' };
  }
  next.resultCharacters = characters;
  return { status, result: result ?? null, error };
}

function change(draft: RunDraft, changed: TracedCall): void {
  draft.changeStep(step => ({
    ...step,
    toolCalls: step.toolCalls.map(call => (call.callId === changed.callId ? changed : call)),
  }));
}

/** Goes on to the next step when every call has its outcome. */
export function goOn(draft: RunDraft): void {
  const { next } = draft;
  const calls = next.trace.steps.at(-1)?.toolCalls ?? [];
  if (calls.some(({ status }) => status === 'pending')) return;
  next.turns = [...next.turns, toolResults(calls, next.calls)];
  draft.think();
}

/** The event of a call that has its outcome. */
export function tellOfCall(draft: RunDraft, { callId, toolId, status, durationMs, error }: TracedCall): void {
  const about = { agentRunId: draft.runId, callId, toolId };
  const took = durationMs === null ? {} : { durationMs };
  if (status === 'succeeded') draft.event('agent.tool.completed', { ...about, ...took });
  else draft.event('agent.tool.failed', { ...about, ...took, error });
}
