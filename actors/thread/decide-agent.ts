/** Decisions: a thread calls its agent, opens runs, and continues when a run ends without an answer. For answers see decide-answer.ts. */
import type { Turn } from '../../runtime/actor/index.ts';
import { numberedId } from '../../protocol/ids.ts';
import type { AgentMode } from '../../protocol/resources/index.ts';
import { conflict } from '../../protocol/errors.ts';
import { getProvider } from '../channel/index.ts';
import { beginInMode, type BeginRun, type RunOver } from '../run/index.ts';
import { createAuditWrites, requireSameTenancy, systemActor, type Tenancy } from '../base/index.ts';
import type { KeptRun, OpenedRun, OpenRun } from './commands.ts';
import {
  callAgentAt,
  callForWaiting,
  updateHandling,
  cancelLiveRun,
  stopWaiting,
  getAgentId,
  getDispatchTime,
  mayAgentAnswer,
} from './agent-handling.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import { toServiceWindow } from './json.ts';
import type { LiveRun, ThreadState } from './state.ts';
import type { DispatchAgent } from './agent-dispatcher.ts';

/** How often the agent is called again for messages that still wait: the task was lost, or another run is live. */
const callEveryMs = 10_000;

/** A decision that changes only the agent handling: the thread's `updatedAt` stays. */
function decideWithoutTouch<Reply>(
  builder: ThreadDecisionBuilder,
  state: ThreadState,
  reply: Reply,
): ThreadDecision<Reply> {
  builder.next.updatedAt = state.updatedAt;
  return builder.decide(reply);
}

/**
 * The reminder that calls the agent. It sets itself again until a run is opened or none is wanted. Only the database knows who the
 * agent is and whether a live run is still pending: its task finds out (agent-dispatcher.ts).
 */
export function callAgent(
  state: ThreadState,
  _command: Readonly<Record<string, never>>,
  turn: Turn,
): ThreadDecision<null> {
  const { projectId, environmentId, channelId, agentId, agentHandling } = state;
  const { waiting, live } = agentHandling;
  if (waiting === null) return { reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  if (!mayAgentAnswer(state)) {
    stopWaiting(builder);
    return decideWithoutTouch(builder, state, null);
  }
  const due = getDispatchTime(waiting);
  const isDue = turn.now >= due;
  callAgentAt(builder, isDue ? turn.now + callEveryMs : due);
  if (!isDue) return { remind: builder.reminders, reply: null };
  const payload: DispatchAgent = {
    projectId,
    environmentId,
    agentId,
    channelId,
    liveRunId: live?.agentRunId ?? null,
    showsTyping: mayShowTyping(state, turn.now),
  };
  return {
    remind: builder.reminders,
    effects: [{ do: 'perform', task: 'dispatchAgent', payload }],
    reply: null,
  };
}

/** Whether the channel's provider shows that somebody writes, and would take what is written. */
function mayShowTyping(state: ThreadState, now: number): boolean {
  return getProvider(state.channelKind)?.dispatch === 'send' && toServiceWindow(state, now)?.open === true;
}

/** No agent can answer: clears the pending agent call. 404 for another tenant's thread. */
export function dropCall(state: ThreadState, command: Tenancy, turn: Turn): ThreadDecision<null> {
  requireSameTenancy(state, command);
  if (state.agentHandling.waiting === null) return { reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  stopWaiting(builder);
  return decideWithoutTouch(builder, state, null);
}

/** 404 for another tenant's thread. A request is refused (409) on a thread that is not open, and while a run is live. */
export function openRun(state: ThreadState, command: OpenRun, turn: Turn): ThreadDecision<OpenedRun | null> {
  requireSameTenancy(state, command);
  const { trigger, head: agent, supersedes, channelAgentId, inputMessageId, metadata, author } = command;
  const { projectId, environmentId, sequence, agentHandling } = state;
  const forMessage = trigger === 'message';
  const builder = new ThreadDecisionBuilder(state, turn);
  if (channelAgentId !== undefined) updateHandling(builder, { channelAgentId });
  const { live, waiting } = agentHandling;
  const isBlocked = live !== null && live.agentRunId !== supersedes;
  const mode: AgentMode = state.agentMode ?? agent.mode;
  const isPaused = mode === 'paused';
  if (forMessage) {
    // The thread has another agent by now, or waits for its live run: the reminder fires again.
    if (waiting === null || isBlocked || getAgentId(builder.next) !== agent.agentId) return { reply: null };
    if (isPaused || !mayAgentAnswer(builder.next)) {
      stopWaiting(builder);
      return decideWithoutTouch(builder, state, null);
    }
  } else {
    if (state.status !== 'open') throw conflict(`The thread is ${state.status}: open it first.`);
    if (isBlocked) throw conflict('Another run of the thread is live.', { agentRunId: live.agentRunId });
  }
  cancelLiveRun(builder, 'A newer run has taken its place.');
  stopWaiting(builder);

  const runs = agentHandling.runs + 1;
  const agentRunId = numberedId('run', builder.now, builder.threadId, runs);
  const begin: BeginRun = {
    projectId,
    environmentId,
    threadId: builder.threadId,
    channelId: state.channelId,
    ...beginInMode(agent, mode),
    inputMessageId: inputMessageId ?? agentHandling.inboundMessageId,
    basedOnSequence: sequence,
    metadata,
    author,
  };
  const opened: LiveRun = {
    agentRunId,
    agentId: agent.agentId,
    basedOnSequence: sequence,
    forMessage,
    ...(isPaused ? { evenPaused: true } : {}),
  };
  updateHandling(builder, { runs, live: opened });
  builder.tellRun(agentRunId, 'begin', begin);
  const details = { agentId: agent.agentId, threadId: builder.threadId };
  const acts = createAuditWrites(command, state, turn, 'agent_run.created', details, agentRunId);
  builder.writes.push(...acts);
  return decideWithoutTouch(builder, state, { agentRunId, begin });
}

/**
 * What is kept of a run that a request has opened. Thread and instant stand where an erasure looks for them
 * (storage/retention/erasure-statements.ts).
 */
export function toKeptRun(opened: OpenedRun | null, _command: OpenRun, turn: Turn): KeptRun | null {
  if (opened === null) return null;
  return { ...opened.begin, agentRunId: opened.agentRunId, createdAt: new Date(turn.now).toISOString() };
}

/** How much an agent does by itself in each mode. */
const autonomy: Readonly<Record<AgentMode, number>> = { paused: 0, suggest: 1, auto: 2 };

/**
 * The live run will not answer. If a budget has stopped it, the thread falls back to the mode that the budget names, unless the mode that
 * counts allows no more already: the thread's own would go before that of an agent which is paused. 404 for another tenant's thread.
 */
export function runOver(state: ThreadState, command: RunOver, turn: Turn): ThreadDecision<null> {
  requireSameTenancy(state, command);
  const { live } = state.agentHandling;
  if (live?.agentRunId !== command.agentRunId) return { reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  const { next } = builder;
  updateHandling(builder, { live: null });
  const mode = command.budget?.fallsTo;
  const current = state.agentMode ?? command.agentMode ?? (live.evenPaused ? 'paused' : 'auto');
  const fallsBack = mode !== undefined && autonomy[mode] < autonomy[current];
  if (fallsBack) {
    next.agentMode = mode;
    const previous = JSON.stringify(state.agentMode);
    builder.addThreadEvent('thread.agent_mode.changed', systemActor, `,"previousAgentMode":${previous}`);
  }
  if (mayAgentAnswer(next)) callForWaiting(builder);
  else stopWaiting(builder);
  return fallsBack ? builder.decide(null) : decideWithoutTouch(builder, state, null);
}

/** Kept in memory alone: a crash forgets who typed in the last seconds. 404 for another tenant's thread. */
export function noteTyping(state: ThreadState, command: Tenancy, turn: Turn): ThreadDecision<null> {
  requireSameTenancy(state, command);
  return {
    state: { ...state, agentHandling: { ...state.agentHandling, typingAt: turn.now } },
    transient: true,
    reply: null,
  };
}
