/** How a thread calls its agent and opens runs, and what it does when one ends by itself. What they answer: decide-answer.ts. */
import type { Decision, Turn } from '../../runtime/actor.ts';
import { numberedId } from '../../protocol/ids.ts';
import type { AgentMode } from '../../protocol/resources/thread.ts';
import type { Write } from '../../storage/writes.ts';
import { conflict } from '../conflict.ts';
import type { BeginRun } from '../run/commands.ts';
import { system } from '../system-actor.ts';
import { requireOwn, type Tenancy } from '../tenancy.ts';
import type { OpenedRun, OpenRun, RunOver } from './agent-commands.ts';
import { callAgentAt, callWaiting, cancelLive, stopWaiting } from './agent-watch.ts';
import { agentOf, callAt, mayAnswer } from './desk.ts';
import { Draft } from './draft.ts';
import type { ThreadState } from './state.ts';
import type { SummonAgent } from './summoner.ts';
import { tellRun } from './tell-run.ts';

type ThreadDecision<Reply> = Decision<ThreadState, Reply, Write>;

/** Between two calls of an agent for messages that go on waiting: the task was lost, or another run is live. */
const callEveryMs = 10_000;

/** The decision of a draft that only its desk has changed in: the thread itself is as it was. */
function quietly<Reply>(draft: Draft, state: ThreadState, reply: Reply): ThreadDecision<Reply> {
  draft.next.updatedAt = state.updatedAt;
  return draft.decide(reply);
}

/**
 * The reminder. It sets itself again, until a run is opened or none is wanted. Who the agent is, and whether a live run is
 * still pending, only the database knows: that is for the task.
 */
export function callAgent(
  state: ThreadState,
  _command: Readonly<Record<string, never>>,
  turn: Turn,
): ThreadDecision<null> {
  const { projectId, environmentId, desk } = state;
  const { waiting, live } = desk;
  const agentId = agentOf(state);
  if (waiting === null) return { reply: null };
  const draft = new Draft(state, turn);
  if (agentId === null || !mayAnswer(state)) {
    stopWaiting(draft);
    return quietly(draft, state, null);
  }
  const due = callAt(waiting);
  const isDue = turn.now >= due;
  callAgentAt(draft, isDue ? turn.now + callEveryMs : due);
  if (!isDue) return { remind: draft.reminders, reply: null };
  const payload: SummonAgent = { projectId, environmentId, agentId, liveRunId: live?.agentRunId ?? null };
  return {
    remind: draft.reminders,
    effects: [{ do: 'perform', task: 'summon', payload }],
    reply: null,
  };
}

/** 404 for another tenant's thread. */
export function dropCall(state: ThreadState, command: Tenancy, turn: Turn): ThreadDecision<null> {
  requireOwn(state, command);
  if (state.desk.waiting === null) return { reply: null };
  const draft = new Draft(state, turn);
  stopWaiting(draft);
  return quietly(draft, state, null);
}

/** 404 for another tenant's thread; a request is refused (409) on a thread that is not open, and while a run is live. */
export function openRun(state: ThreadState, command: OpenRun, turn: Turn): ThreadDecision<OpenedRun | null> {
  requireOwn(state, command);
  const { trigger, head: agent, supersedes, inputMessageId, metadata, author } = command;
  const { projectId, environmentId, sequence, desk } = state;
  const forMessage = trigger === 'message';
  const draft = new Draft(state, turn);
  const { live } = desk;
  const isHeldUp = live !== null && live.agentRunId !== supersedes;
  let mode: AgentMode = state.agentMode ?? agent.mode;
  if (forMessage) {
    // Whoever was called is not the one any more, or waits for the run before: the reminder comes again.
    if (desk.waiting === null || isHeldUp || agentOf(state) !== agent.agentId) return { reply: null };
    if (mode === 'paused' || !mayAnswer(state)) {
      stopWaiting(draft);
      return quietly(draft, state, null);
    }
  } else {
    if (state.status !== 'open') throw conflict(`The thread is ${state.status}: open it first.`);
    if (isHeldUp) throw conflict('Another run of the thread is live.', { agentRunId: live.agentRunId });
    if (mode === 'paused') mode = 'suggest';
  }
  cancelLive(draft, 'A newer run has taken its place.');
  stopWaiting(draft);

  const runs = desk.runs + 1;
  const agentRunId = numberedId('run', draft.now, draft.threadId, runs);
  const { agentId } = agent;
  const begin: BeginRun = {
    projectId,
    environmentId,
    threadId: draft.threadId,
    head: { ...agent, mode },
    inputMessageId: inputMessageId ?? desk.inboundMessageId,
    basedOnSequence: sequence,
    metadata,
    author,
  };
  const opened = { agentRunId, agentId, basedOnSequence: sequence, forMessage };
  draft.next.desk = { ...draft.next.desk, runs, live: opened };
  tellRun(draft, agentRunId, 'begin', begin);
  return quietly(draft, state, { agentRunId, begin });
}

const activity: Readonly<Record<AgentMode, number>> = { paused: 0, suggest: 1, auto: 2 };

/**
 * The run will not answer. Where a budget has stopped it, the thread falls to the mode that the budget names, unless it is as quiet
 * already. 404 for another tenant's thread.
 */
export function runOver(state: ThreadState, command: RunOver, turn: Turn): ThreadDecision<null> {
  requireOwn(state, command);
  if (state.desk.live?.agentRunId !== command.agentRunId) return { reply: null };
  const draft = new Draft(state, turn);
  const { next } = draft;
  next.desk = { ...next.desk, live: null };
  const mode = command.budget?.fallsTo;
  const falls = mode !== undefined && activity[mode] < activity[state.agentMode ?? 'auto'];
  if (falls) {
    next.agentMode = mode;
    const previous = JSON.stringify(state.agentMode);
    draft.threadEvent('thread.agent_mode.changed', system, `,"previousAgentMode":${previous}`);
  }
  if (mayAnswer(next)) callWaiting(draft);
  else stopWaiting(draft);
  return falls ? draft.decide(null) : quietly(draft, state, null);
}

/** Held in memory alone: a crash forgets who typed in the last seconds. 404 for another tenant's thread. */
export function noteTyping(state: ThreadState, command: Tenancy, turn: Turn): ThreadDecision<null> {
  requireOwn(state, command);
  return { state: { ...state, desk: { ...state.desk, typingAt: turn.now } }, transient: true, reply: null };
}
