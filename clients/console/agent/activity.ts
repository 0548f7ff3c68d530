/**
 * What agents do in a thread: what one is writing, what it suggests, what it asks a person for. It comes from the runs as they are read and
 * from live events, in any order.
 *
 * A suggestion is pending, then approved, edited, discarded, superseded or expired; once it has ended it stays so, whatever was read before.
 */
import type { AgentRun, EndedSuggestion, EphemeralEvent, SkeinEvent, Suggestion } from '../../sdk/index.ts';
import type { AgentMode } from './modes.ts';

export interface ShownSuggestion {
  readonly agentRunId: string;
  /** Of one that has ended the events have no text. */
  readonly body: string;
  readonly suggestion: Suggestion | EndedSuggestion;
}

export interface WaitingCall {
  readonly agentRunId: string;
  readonly callId: string;
  readonly expiresAt: string;
  /** Of its tool, and what it is called with: of a call that an event has announced, both are read with the run. */
  readonly name?: string;
  readonly input?: unknown;
}

export interface Writing {
  readonly agentRunId: string;
  /** With `…` for what was missed. */
  readonly text: string;
  /** The step that it belongs to, and how much of it there was by now, as the server counts it. Undefined: an earlier release does not say. */
  readonly step: number | undefined;
  readonly end: number;
  /** When the last piece of it was written. */
  readonly at: string;
}

export interface AgentActivity {
  /** What a model is writing at this moment. */
  readonly writing: Writing | undefined;
  /** The run that is at work. */
  readonly running: AgentRun | undefined;
  /** The last one, pending or ended. */
  readonly suggestion: ShownSuggestion | undefined;
  readonly waitingCalls: readonly WaitingCall[];
  /** When events last said of a run which calls wait: a run that was read as it was before then does not say it. */
  readonly waitingSaidAt: ReadonlyMap<string, string>;
  /** Why an agent asked for a person, last. */
  readonly handoff: { readonly reason: string; readonly at: string } | undefined;
  /** When somebody last let it go on: what it had asked before is over. Empty: not that it is known. */
  readonly resumedAt: string;
  /** When it was last paused on the thread, and the thread's own mode until then; null: it had none, and that of its agent counted. */
  readonly pause: { readonly at: string; readonly before: AgentMode | null } | undefined;
  readonly runs: ReadonlyMap<string, AgentRun>;
}

export const noActivity: AgentActivity = {
  writing: undefined,
  running: undefined,
  suggestion: undefined,
  waitingCalls: [],
  waitingSaidAt: new Map(),
  handoff: undefined,
  resumedAt: '',
  pause: undefined,
  runs: new Map(),
};

const runRanks = { pending: 0, running: 1, succeeded: 2, failed: 2, cancelled: 2 } as const;
const hasEnded = (run: AgentRun | undefined): boolean => run !== undefined && runRanks[run.status] === 2;

/** Whether the suggestion of that run still waits for a decision. */
export const isPending = ({ suggestion }: AgentActivity, agentRunId: string): boolean =>
  suggestion?.agentRunId === agentRunId && suggestion.suggestion.status === 'pending';

/** Whether the suggestion of that run was sent with that very text. */
export function wasSent({ suggestion }: AgentActivity, agentRunId: string, text: string): boolean {
  if (suggestion?.agentRunId !== agentRunId) return false;
  const { status, sentBody } = suggestion.suggestion;
  return status === 'approved' ? suggestion.body === text : status === 'edited' && sentBody === text;
}

/** With runs as they were read, or as their events have them. A run does not go back. */
export function addRuns(activity: AgentActivity, given: readonly AgentRun[]): AgentActivity {
  const runs = new Map(activity.runs);
  for (const run of given) {
    const known = runs.get(run.agentRunId);
    if (known === undefined || runRanks[known.status] <= runRanks[run.status]) runs.set(run.agentRunId, run);
  }
  const newest = [...runs.values()].sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  let next: AgentActivity = { ...activity, runs, running: newest.find(run => !hasEnded(run)) };
  next = removeCalls(next, call => hasEnded(runs.get(call.agentRunId)));
  if (next.writing !== undefined && hasEnded(runs.get(next.writing.agentRunId)))
    next = { ...next, writing: undefined };
  const suggesting = newest.find(run => run.trace.suggestion !== undefined);
  const suggestion = suggesting?.trace.suggestion;
  if (suggesting !== undefined && suggestion !== undefined)
    next = addSuggestion(next, suggesting.agentRunId, suggestion, suggestion.body);
  const asking = newest.find(run => run.trace.handoff !== undefined);
  const reason = asking?.trace.handoff?.reason;
  if (asking === undefined || reason === undefined || next.handoff !== undefined) return next;
  return addHandoff(next, reason, asking.completedAt ?? asking.updatedAt);
}

function addHandoff(activity: AgentActivity, reason: string, at: string): AgentActivity {
  const { handoff, resumedAt } = activity;
  const isOver = at <= resumedAt || at < (handoff?.at ?? '');
  return isOver ? activity : { ...activity, handoff: { reason, at } };
}

/** With what is known of the agent's mode and its questions from events of the past or of now, in any order. */
export function takeModeEvent(activity: AgentActivity, event: SkeinEvent): AgentActivity {
  const at = event.occurredAt;
  if (event.eventName === 'agent.handoff.requested')
    return 'erased' in event.data ? activity : addHandoff(activity, event.data.reason, at);
  if (event.eventName !== 'thread.agent_mode.changed') return activity;
  const { thread, previousAgentMode: before } = event.data;
  if (thread.agentMode === 'paused') {
    if (before === undefined || at < (activity.pause?.at ?? '')) return activity;
    return { ...activity, pause: { at, before } };
  }
  if (at < activity.resumedAt) return activity;
  const isOver = activity.handoff !== undefined && activity.handoff.at <= at;
  return { ...activity, resumedAt: at, handoff: isOver ? undefined : activity.handoff };
}

function addSuggestion(
  activity: AgentActivity,
  agentRunId: string,
  suggestion: Suggestion | EndedSuggestion,
  body: string,
): AgentActivity {
  const known = activity.suggestion;
  if (known?.agentRunId === agentRunId) {
    if (known.suggestion.status !== 'pending') return activity;
    return { ...activity, suggestion: { agentRunId, suggestion, body: body === '' ? known.body : body } };
  }
  // Of two suggestions the later one counts.
  if (known !== undefined && known.suggestion.createdAt > suggestion.createdAt) return activity;
  return { ...activity, suggestion: { agentRunId, suggestion, body } };
}

const addCall = (activity: AgentActivity, call: WaitingCall): AgentActivity => ({
  ...activity,
  waitingCalls: [...activity.waitingCalls.filter(({ callId }) => callId !== call.callId), call],
});

const removeCalls = (activity: AgentActivity, isOver: (call: WaitingCall) => boolean): AgentActivity => ({
  ...activity,
  waitingCalls: activity.waitingCalls.filter(call => !isOver(call)),
});

/** With the calls of a run that wait for a person, as its whole trace has them, unless events have said something newer. */
export function addWaitingCalls(
  activity: AgentActivity,
  { agentRunId, trace, status, updatedAt }: AgentRun,
): AgentActivity {
  if (updatedAt < (activity.waitingSaidAt.get(agentRunId) ?? '')) return activity;
  let next = removeCalls(activity, call => call.agentRunId === agentRunId);
  if (status !== 'running' && status !== 'pending') return next;
  for (const call of trace.steps.flatMap(step => step.toolCalls)) {
    const { callId, name, approval, arguments: input } = call;
    if (call.status === 'awaiting_approval')
      next = addCall(next, { agentRunId, callId, name, input, expiresAt: approval?.expiresAt ?? '' });
  }
  return next;
}

/** With the time at which an event has said which calls of the run wait. */
function noteWaiting(activity: AgentActivity, agentRunId: string, at: string): AgentActivity {
  if (at <= (activity.waitingSaidAt.get(agentRunId) ?? '')) return activity;
  return { ...activity, waitingSaidAt: new Map(activity.waitingSaidAt).set(agentRunId, at) };
}

/** What a model has written before it wanted a tool is in its run, and nobody writes it any more. */
function endWriting(activity: AgentActivity, agentRunId: string, at: string): AgentActivity {
  const { writing } = activity;
  // The event may come when the next step is being written already.
  return writing?.agentRunId === agentRunId && writing.at <= at
    ? { ...activity, writing: undefined }
    : activity;
}

export function takeAgentEvent(activity: AgentActivity, event: SkeinEvent): AgentActivity {
  switch (event.eventName) {
    case 'agent.run.queued':
    case 'agent.run.started':
    case 'agent.run.succeeded':
    case 'agent.run.failed':
    case 'agent.run.cancelled':
      return addRuns(activity, [event.data.agentRun]);
    case 'agent.suggestion.created':
    case 'agent.suggestion.resolved': {
      const { agentRunId, suggestion } = event.data;
      return addSuggestion({ ...activity, writing: undefined }, agentRunId, suggestion, suggestion.body);
    }
    case 'agent.suggestion.superseded':
    case 'agent.suggestion.expired':
      return addSuggestion(activity, event.data.agentRunId, event.data.suggestion, '');
    case 'agent.handoff.requested':
    case 'thread.agent_mode.changed':
      return takeModeEvent(activity, event);
    case 'agent.tool.approval_requested': {
      const { agentRunId, callId, expiresAt } = event.data;
      const next = noteWaiting(
        endWriting(activity, agentRunId, event.occurredAt),
        agentRunId,
        event.occurredAt,
      );
      return addCall(next, { agentRunId, callId, expiresAt });
    }
    case 'agent.tool.approval_resolved': {
      const { agentRunId, callId } = event.data;
      return removeCalls(noteWaiting(activity, agentRunId, event.occurredAt), call => call.callId === callId);
    }
    case 'agent.tool.completed':
    case 'agent.tool.failed':
      return endWriting(activity, event.data.agentRunId, event.occurredAt);
    case 'thread.message.created':
      return event.data.message.actor?.type === 'agent' ? { ...activity, writing: undefined } : activity;
    case 'thread.lifecycle.erased':
      return noActivity;
    default:
      return activity;
  }
}

/** A piece of what a model writes. Pieces of a run that has ended come too late, and so do those of an earlier step. */
export function takeDelta(
  activity: AgentActivity,
  { data, occurredAt: at }: Extract<EphemeralEvent, { eventName: 'agent.output.delta' }>,
): AgentActivity {
  const { agentRunId, delta, step } = data;
  if (hasEnded(activity.runs.get(agentRunId)) || activity.suggestion?.agentRunId === agentRunId)
    return activity;
  const known = activity.writing?.agentRunId === agentRunId ? activity.writing : undefined;
  if (step !== undefined && step < (known?.step ?? step)) return activity;
  if (delta === '') return { ...activity, writing: undefined };
  const before = known?.step === step ? known : undefined;
  const offset = data.offset ?? before?.end ?? 0;
  const text = `${toTextBefore(before, offset)}${delta}`;
  return { ...activity, writing: { agentRunId, text, step, end: offset + delta.length, at } };
}

/** What is shown before the piece that begins there. A step that is asked again begins anew. */
function toTextBefore(known: Writing | undefined, offset: number): string {
  if (known !== undefined && offset === known.end) return known.text;
  if (known !== undefined && offset > known.end) return `${known.text}…`;
  return offset === 0 ? '' : '…';
}
