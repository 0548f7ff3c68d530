/** The queues of the Console: which threads are in each, how they are asked for, and their order. */
import type { ListThreadsQuery, Queues, Thread } from '../../sdk/index.ts';

/** Those that the contract counts, and that a saved filter may be of. */
export const countedQueueNames = [
  'mine',
  'unassigned',
  'all',
  'approval',
  'waiting',
  'closing',
  'failed',
  'paused',
  'closed',
] as const;
export type CountedQueueName = (typeof countedQueueNames)[number];

export const queueNames = [...countedQueueNames, 'snoozed'] as const;
export type QueueName = (typeof queueNames)[number];

/** What the contract calls the queues. */
export const contractNames: Readonly<Record<CountedQueueName, Exclude<keyof Queues['queues'], 'mentions'>>> =
  {
    mine: 'mine',
    unassigned: 'unassigned',
    all: 'allOpen',
    approval: 'needsApproval',
    waiting: 'waitingLongest',
    closing: 'windowClosing',
    failed: 'failedSends',
    paused: 'paused',
    closed: 'closed',
  };

export const isCounted = (name: QueueName): name is CountedQueueName => name !== 'snoozed';

export const isQueueName = (name: string): name is QueueName =>
  (queueNames as readonly string[]).includes(name);

/** What the operator narrows a queue down to. A thread has one of the values of each. */
export interface ThreadFilters {
  readonly channelId?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly agentMode?: readonly ('auto' | 'suggest' | 'paused' | 'none')[] | undefined;
  readonly assigneeUserId?: readonly string[] | undefined;
  readonly unread?: boolean | undefined;
}

/** What decides on who is in a queue, beside the thread. */
export interface QueueSurroundings {
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Queue {
  readonly query: (surroundings: QueueSurroundings) => ListThreadsQuery;
  readonly has: (thread: Thread, surroundings: QueueSurroundings) => boolean;
  /** Default: the one with the newest message first. */
  readonly sort?: 'waitingSince';
}

/** A window that closes so soon wants an answer now, in milliseconds. */
export const closingSoonMs = 7_200_000;
/** Times of the query are cut to it, so that the same question is asked for a while. */
const minuteMs = 60_000;

const toInstant = (ms: number): string => new Date(Math.ceil(ms / minuteMs) * minuteMs).toISOString();
const isOpen = ({ status }: Thread): boolean => status === 'open';

/** Whether the thread sleeps: it comes back on time, or with a message. */
function sleeps({ snoozedUntil }: Thread, now: number): boolean {
  return snoozedUntil != null && Date.parse(snoozedUntil) > now;
}

/** Milliseconds until the service window closes; undefined where it is closed, or there is none. */
export function getWindowLeft({ serviceWindow }: Thread, now: number): number | undefined {
  if (serviceWindow?.open !== true || serviceWindow.expiresAt === null) return undefined;
  const left = Date.parse(serviceWindow.expiresAt) - now;
  return left > 0 ? left : undefined;
}

export const queues: Readonly<Record<QueueName, Queue>> = {
  mine: {
    query: ({ userId }) => ({ status: ['open'], assigneeUserId: [userId] }),
    has: (thread, { userId, now }) =>
      isOpen(thread) && thread.assigneeUserId === userId && !sleeps(thread, now),
  },
  unassigned: {
    query: () => ({ status: ['open'], assigneeUserId: ['unassigned'] }),
    has: (thread, { now }) => isOpen(thread) && thread.assigneeUserId == null && !sleeps(thread, now),
  },
  all: {
    query: () => ({ status: ['open'] }),
    has: (thread, { now }) => isOpen(thread) && !sleeps(thread, now),
  },
  approval: {
    query: () => ({ hasPendingSuggestion: true }),
    has: ({ pendingSuggestion }) => pendingSuggestion != null,
  },
  waiting: {
    query: () => ({ sort: 'waitingSince', order: 'asc' }),
    has: (thread, { now }) => thread.waitingSince != null && !sleeps(thread, now),
    sort: 'waitingSince',
  },
  closing: {
    query: ({ now }) => ({ windowClosesBefore: toInstant(now + closingSoonMs) }),
    has: (thread, { now }) => (getWindowLeft(thread, now) ?? Infinity) <= closingSoonMs,
  },
  failed: {
    query: () => ({ failedSends: true }),
    has: ({ failedSends = 0 }) => failedSends > 0,
  },
  paused: {
    query: () => ({ status: ['open'], agentMode: ['paused'] }),
    has: thread => isOpen(thread) && thread.agentMode === 'paused',
  },
  closed: {
    query: () => ({ status: ['closed'] }),
    has: ({ status }) => status === 'closed',
  },
  snoozed: {
    query: () => ({ snoozed: true }),
    has: (thread, { now }) => sleeps(thread, now),
  },
};

/** The question for the threads of a queue. */
export function createQuery(
  name: QueueName,
  filters: ThreadFilters,
  surroundings: QueueSurroundings,
): ListThreadsQuery {
  const { assigneeUserId, ...others } = filters;
  const query = queues[name].query(surroundings);
  const given = Object.fromEntries(
    Object.entries(others).filter(([, value]) => value !== undefined && value !== false),
  );
  // Two of the queues are those of an assignee already.
  const assignee =
    assigneeUserId === undefined || query.assigneeUserId !== undefined ? {} : { assigneeUserId };
  return { ...query, ...given, ...assignee } as ListThreadsQuery;
}

/** Whether the thread belongs to the queue and fits the filters. */
export function belongs(
  thread: Thread,
  name: QueueName,
  filters: ThreadFilters,
  surroundings: QueueSurroundings,
): boolean {
  const { channelId, tag, agentMode, assigneeUserId, unread } = filters;
  const has = (wanted: readonly string[] | undefined, value: string): boolean =>
    wanted === undefined || wanted.length === 0 || wanted.includes(value);
  return (
    queues[name].has(thread, surroundings) &&
    has(channelId, thread.channelId ?? '') &&
    has(agentMode, thread.agentMode ?? 'none') &&
    has(assigneeUserId, thread.assigneeUserId ?? 'unassigned') &&
    (tag === undefined || tag.length === 0 || tag.some(each => thread.tags?.includes(each) === true)) &&
    (unread !== true || (thread.unreadCount ?? 0) > 0)
  );
}

/** Below zero where the first thread comes before the second. No two threads have the same place. */
export function compare(name: QueueName, one: Thread, other: Thread): number {
  const byTime =
    queues[name].sort === 'waitingSince'
      ? compareTexts(one.waitingSince ?? '', other.waitingSince ?? '')
      : compareTexts(other.lastMessageAt, one.lastMessageAt);
  return byTime === 0 ? compareTexts(other.threadId, one.threadId) : byTime;
}

/** By their characters, as the server sorts instants and ids. */
function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
