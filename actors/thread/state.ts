/**
 * A thread: a lasting conversation in one project, environment and channel.
 *
 *   (nothing) -> open          created, or its participant wrote for the first time
 *   open      -> closed        PATCH
 *   closed    -> open          PATCH, an inbound message, or an outbound message by a human
 *   open, closed -> archived   PATCH
 *   archived  -> open          PATCH, or an inbound message
 *
 * The state is small and holds no messages, because many thousands of threads are in memory at once. It is never changed in place:
 * every decision makes a new one.
 */
import type { AgentMode, ChannelKind, ThreadPreview, ThreadStatus } from '../../protocol/resources/index.ts';
import type { Metadata } from '../base/index.ts';
import type { Suggestion } from '../run/index.ts';
import type { ServiceWindowRule } from '../channel/index.ts';
import { noChanges, type RecentChanges } from './recent-changes.ts';

/** Flat: values are not nested. */
export type CustomFields = Readonly<Record<string, string | number | boolean | null>>;

/** All that a thread knows. */
export interface ThreadState {
  /** Empty while the thread does not exist. */
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string | null;
  readonly channelKind: ChannelKind | null;
  /** The participant's name in the channel, or what else identifies the thread to its owner. */
  readonly externalRef: string | null;
  readonly status: ThreadStatus;
  readonly agentMode: AgentMode | null;
  readonly agentId: string | null;
  readonly assigneeUserId: string | null;
  readonly tags: readonly string[];
  readonly customFields: CustomFields;
  readonly metadata: Metadata;
  /** These four are ISO 8601. */
  readonly lastMessageAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt: string | null;
  /** The number of the thread's last event: 1, 2, 3 ... without gaps. */
  readonly sequence: number;
  readonly window: ServiceWindow | null;
  readonly freeEntry: FreeEntry | null;
  /** Null while only their name in the channel is known. */
  readonly participant: ParticipantDetails | null;
  readonly subject: string | null;
  readonly recent: RecentChanges;
  readonly agentHandling: AgentHandling;
  /** The last message; null: there is none, or it was written before there were previews, or erased. */
  readonly preview: Preview | null;
  /** Messages of the participant, counted since there are previews. */
  readonly inboundCount: number;
  /**
   * The thread's sequence at the newest message of the participant that waits for an answer or has had one. 0: there is none, or it was
   * written before this was kept, or erased.
   */
  readonly inboundSequence: number;
  /** Since when the participant waits for an answer by anybody, ISO 8601: see decision-builder.ts. */
  readonly waitingSince: string | null;
  /** Messages that could not be sent, which nobody has made good: see decide-receipts.ts. */
  readonly failedSends: FailedSends | null;
  /** ISO 8601; null: it is not snoozed. Only an open thread is: see snooze.ts. */
  readonly snoozedUntil: string | null;
  /** When the personal data of what came before was last erased, ISO 8601; null: never. */
  readonly erasedAt: string | null;
}

/** The last message as a list shows it. Its instant is the thread's `lastMessageAt`. */
export type Preview = Omit<ThreadPreview, 'at'>;

/** At least one. A message that is written after that sequence of the thread, and is sent, makes them good. */
export interface FailedSends {
  readonly count: number;
  readonly sequence: number;
}

const moves: Readonly<Record<ThreadStatus, readonly ThreadStatus[]>> = {
  open: ['closed', 'archived'],
  closed: ['open', 'archived'],
  archived: ['open'],
};

/** Whether the diagram above allows the move. */
export function mayMove(from: ThreadStatus, to: ThreadStatus): boolean {
  return moves[from].includes(to);
}

/** The inbound messages that no run has been opened for. */
export interface Waiting {
  /** When the first of them arrived, in epoch milliseconds. */
  readonly since: number;
  /** When the newest of them arrived. */
  readonly last: number;
}

/** The run whose answer the thread will take. */
export interface LiveRun {
  readonly agentRunId: string;
  readonly agentId: string;
  /** The thread's sequence that the run answers. */
  readonly basedOnSequence: number;
  /** Opened for a message that waited, not by a request. */
  readonly forMessage: boolean;
  /** Requested while the agent was paused: that it is does not cancel the run. */
  readonly evenPaused?: true;
}

/** A suggestion that waits for an operator. The run has its text. */
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

/** What the thread knows of its agent, and of who else answers: see agent-handling.ts. */
export interface AgentHandling {
  /** How many runs the thread has opened; numbers their ids. */
  readonly runs: number;
  /** The default agent of the thread's channel, from the newest command that named the channel. */
  readonly channelAgentId: string | null;
  readonly waiting: Waiting | null;
  readonly live: LiveRun | null;
  readonly suggestion: PendingSuggestion | null;
  readonly inboundMessageId: string | null;
  /** The thread's sequence at its newest message, and at the newest one by a human. 0: none since an agent is involved. */
  readonly messageSequence: number;
  readonly humanSequence: number;
  /** When a human last sent a message or was assigned, in epoch milliseconds; 0 for never. */
  readonly humanAt: number;
  /** When an operator was last seen typing, in epoch milliseconds. Never stored. */
  readonly typingAt: number;
  /** Start of the hour in which automatic answers are counted, in epoch milliseconds, and their number: see answer-limits.ts. */
  readonly answersFrom: number;
  readonly answers: number;
  /** Automatic answers in a row that led to the newest inbound message, as its sender counts them. */
  readonly hops: number;
}

export const noAgentHandling: AgentHandling = {
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
  answersFrom: 0,
  answers: 0,
  hops: 0,
};

/** What is known of the participant beside `externalRef`. */
export interface ParticipantDetails {
  readonly displayName: string | null;
  /** BCP 47. */
  readonly locale: string | null;
  /** What the provider or the channel's owner knows of them; of a chatapp participant, see actors/chatapp. */
  readonly attributes: Metadata;
}

/** A time without charges by the provider: see free-entry.ts. */
export interface FreeEntry {
  readonly status: 'pending' | 'open' | 'closed';
  /** Epoch milliseconds, as are the following: when the participant came by the referral. */
  readonly referredAt: number;
  /** Until when a message has to be delivered. */
  readonly pendingUntil: number;
  readonly openedAt: number | null;
  readonly expiresAt: number | null;
}

/** The service window of a participant who has written: see service-window.ts. */
export interface ServiceWindow {
  readonly phase: 'open' | 'closing' | 'closed';
  /** The first instant after the window, in epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * Whether free-form messages may be sent. The clock decides, not the phase: the reminder that moves the phase may be late.
 *
 * @param now epoch milliseconds
 */
export function isWindowOpen(window: ServiceWindow | null, rule: ServiceWindowRule, now: number): boolean {
  if (window === null) return rule.openBeforeFirstInbound;
  return window.phase !== 'closed' && now < window.expiresAt;
}

/** A thread that does not exist. */
export function blankThread(): ThreadState {
  return {
    projectId: '',
    environmentId: '',
    channelId: null,
    channelKind: null,
    externalRef: null,
    status: 'open',
    agentMode: null,
    agentId: null,
    assigneeUserId: null,
    tags: [],
    customFields: {},
    metadata: {},
    lastMessageAt: '',
    createdAt: '',
    updatedAt: '',
    archivedAt: null,
    sequence: 0,
    window: null,
    freeEntry: null,
    participant: null,
    subject: null,
    recent: noChanges,
    agentHandling: noAgentHandling,
    preview: null,
    inboundCount: 0,
    inboundSequence: 0,
    waitingSince: null,
    failedSends: null,
    snoozedUntil: null,
    erasedAt: null,
  };
}
