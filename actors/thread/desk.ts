/**
 * The desk of a thread: what it knows of its agent and of who else answers (decisions, section 5).
 *
 *   (nobody waits) -> waiting   an inbound message, where an agent may answer
 *   waiting -> live             quiet for a while: a run is opened; at most one at a time
 *   waiting -> (nobody waits)   a human answered, or no agent may any more
 *   live -> (sent, suggestion, superseded)   its answer is judged, once
 *   live -> (gone)              it ended by itself, or the thread cancelled it: paused, closed, another agent
 *   suggestion -> (gone)        resolved by an operator, once; or superseded by any newer message
 *
 * A thread that no agent has to do with has an empty desk, and writes nothing of it.
 */
import type { AgentMode, ThreadStatus } from '../../protocol/resources/thread.ts';
import type { Suggestion } from '../run/trace.ts';

/** Inbound messages that no run has been opened for. Epoch milliseconds, both. */
export interface Waiting {
  readonly since: number;
  /** The newest of them. */
  readonly last: number;
}

/** The run whose answer the thread will take. */
export interface LiveRun {
  readonly agentRunId: string;
  readonly agentId: string;
  /** The thread's sequence that it answers. */
  readonly basedOnSequence: number;
  /** Opened for a message that waited, and not because somebody asked for it. */
  readonly forMessage: boolean;
}

/** A suggestion that waits for an operator. Its text is the run's. */
export interface PendingSuggestion {
  readonly agentRunId: string;
  readonly basedOnSequence: number;
  readonly reason?: Suggestion['reason'];
  /** ISO 8601. */
  readonly createdAt: string;
  /** The thread's sequence before and after the turn that made it. */
  readonly from: number;
  readonly to: number;
}

export interface Desk {
  /** Runs opened so far: what their ids are numbered by. */
  readonly runs: number;
  /** The default agent of the thread's channel, as the newest command told. */
  readonly channelAgentId: string | null;
  readonly waiting: Waiting | null;
  readonly live: LiveRun | null;
  readonly suggestion: PendingSuggestion | null;
  readonly inboundMessageId: string | null;
  /** The thread's sequence of its newest message, and of the newest that a human sent; 0: none since an agent has to do with it. */
  readonly messageSequence: number;
  readonly humanSequence: number;
  /** When a human last sent or was assigned: epoch milliseconds, 0 for never. */
  readonly humanAt: number;
  /** When an operator was last seen typing; never stored. */
  readonly typingAt: number;
}

export const noDesk: Desk = {
  runs: 0,
  channelAgentId: null,
  waiting: null,
  live: null,
  suggestion: null,
  inboundMessageId: null,
  messageSequence: 0,
  humanSequence: 0,
  humanAt: 0,
  typingAt: 0,
};

/** The desk as it is stored: what is not there is as in {@link noDesk}. */
export type StoredDesk = Partial<Omit<Desk, 'typingAt'>>;

/** What decides whether an agent has to do with a thread. */
interface Attended {
  readonly agentId: string | null;
  readonly desk: Desk;
}

/** The agent that answers here; null: none. */
export function agentOf({ agentId, desk }: Attended): string | null {
  return agentId ?? desk.channelAgentId;
}

/** Whether an agent has to do with the thread: otherwise nothing is noted. */
export function isAttended(state: Attended): boolean {
  return agentOf(state) !== null || state.desk.live !== null || state.desk.suggestion !== null;
}

/** Whether messages of the thread wait for its agent. A mode that is the agent's own is looked at when it is called. */
export function mayAnswer(
  state: Attended & { readonly status: ThreadStatus; readonly agentMode: AgentMode | null },
): boolean {
  return state.status === 'open' && state.agentMode !== 'paused' && agentOf(state) !== null;
}

/** Undefined: there is nothing to store. */
export function storedDesk(state: Attended): StoredDesk | undefined {
  const { desk } = state;
  if (desk === noDesk) return undefined;
  if (!isAttended(state)) return desk.runs === 0 ? undefined : { runs: desk.runs };
  const stored = Object.entries(desk).filter(
    ([name, value]) => name !== 'typingAt' && value !== noDesk[name as keyof Desk],
  );
  return stored.length === 0 ? undefined : Object.fromEntries(stored);
}

export function decodeDesk(stored: StoredDesk | undefined): Desk {
  return stored === undefined ? noDesk : { ...noDesk, ...stored };
}

/** Quiet that ends a burst of messages, and the longest that the first of them waits, in milliseconds (decisions, section 5). */
const quietMs = 1_500;
const longestWaitMs = 8_000;

/** When messages have waited long enough: epoch milliseconds. */
export function callAt({ since, last }: Waiting): number {
  return Math.min(last + quietMs, since + longestWaitMs);
}

/** A human who wrote, was assigned, or typed so lately holds automatic answers back, in milliseconds (decisions, section 5). */
const humanMs = 10_000;

export function isHumanActive({ humanAt, typingAt }: Desk, now: number): boolean {
  return now - Math.max(humanAt, typingAt) < humanMs;
}
