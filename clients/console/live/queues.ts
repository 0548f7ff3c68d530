/** The queues of the Console: which threads are in each, how they are asked for, and their order. */
import type { ListThreadsQuery, Queues, Thread } from '../../sdk/index.ts';

/** The inbox: the queues that the contract counts, and that a saved filter may be of. */
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
  'snoozed',
] as const;
export type CountedQueueName = (typeof countedQueueNames)[number];

/** `search` has the threads that a search has found; the others are of everybody's inbox. */
export const queueNames = [...countedQueueNames, 'search'] as const;
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
    snoozed: 'snoozed',
  };

export const isCounted = (name: QueueName): name is CountedQueueName =>
  (countedQueueNames as readonly QueueName[]).includes(name);

export const isQueueName = (name: string): name is QueueName =>
  (queueNames as readonly string[]).includes(name);

/** What the operator narrows a queue down to. A thread has one of the values of each. */
export interface ThreadFilters {
  readonly channelId?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly agentMode?: readonly ('auto' | 'suggest' | 'paused' | 'none')[] | undefined;
  readonly assigneeUserId?: readonly string[] | undefined;
  readonly unread?: boolean | undefined;
  /** The words of a search. */
  readonly q?: string | undefined;
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
  /** Below zero where the first thread comes before the second: as the server sorts. Default: the one with the newest message first. */
  readonly compare?: (one: Thread, other: Thread) => number;
  /** Threads come with the time alone, and no event tells. */
  readonly followsClock?: true;
  /** Filters that the queue has set already: it cannot be narrowed down by them. */
  readonly sets?: readonly (keyof ThreadFilters)[];
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
    sets: ['assigneeUserId'],
  },
  unassigned: {
    query: () => ({ status: ['open'], assigneeUserId: ['unassigned'] }),
    has: (thread, { now }) => isOpen(thread) && thread.assigneeUserId == null && !sleeps(thread, now),
    sets: ['assigneeUserId'],
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
    compare: (one, other) =>
      compareTexts(one.waitingSince ?? '', other.waitingSince ?? '') ||
      compareTexts(one.threadId, other.threadId),
  },
  closing: {
    query: ({ now }) => ({
      windowClosesBefore: toInstant(now + closingSoonMs),
      sort: 'windowClosesAt',
      order: 'asc',
    }),
    followsClock: true,
    has: (thread, { now }) => isOpen(thread) && (getWindowLeft(thread, now) ?? Infinity) <= closingSoonMs,
    compare: (one, other) =>
      getWindowMinute(one) - getWindowMinute(other) ||
      compareTexts(one.createdAt, other.createdAt) ||
      compareTexts(one.threadId, other.threadId),
  },
  failed: {
    query: () => ({ failedSends: true }),
    has: ({ failedSends = 0 }) => failedSends > 0,
  },
  paused: {
    query: () => ({ status: ['open'], agentMode: ['paused'] }),
    has: thread => isOpen(thread) && thread.agentMode === 'paused',
    sets: ['agentMode'],
  },
  closed: {
    query: () => ({ status: ['closed'] }),
    has: ({ status }) => status === 'closed',
  },
  snoozed: {
    query: () => ({ snoozed: true, sort: 'snoozedUntil', order: 'asc' }),
    has: (thread, { now }) => sleeps(thread, now),
    compare: (one, other) =>
      compareTexts(one.snoozedUntil ?? '', other.snoozedUntil ?? '') ||
      compareTexts(one.threadId, other.threadId),
  },
  // Which it found, and their order, the server says alone.
  search: { query: () => ({}), has: () => true, compare: () => 0 },
};

/** Those of the filters that say anything of the queue. */
export function getApplicable(name: QueueName, filters: ThreadFilters): ThreadFilters {
  const { sets = [] } = queues[name];
  const applicable = Object.entries(filters).filter(
    ([filter, value]) =>
      value !== undefined &&
      value !== false &&
      !sets.includes(filter as keyof ThreadFilters) &&
      (filter !== 'q' || name === 'search'),
  );
  return Object.fromEntries(applicable);
}

export const isApplicable = (name: QueueName, filter: keyof ThreadFilters): boolean =>
  queues[name].sets?.includes(filter) !== true;

/** The question for the threads of a queue. */
export function createQuery(
  name: QueueName,
  filters: ThreadFilters,
  surroundings: QueueSurroundings,
): ListThreadsQuery {
  return { ...queues[name].query(surroundings), ...getApplicable(name, filters) } as ListThreadsQuery;
}

/** Whether the thread belongs to the queue and fits the filters. */
export function belongs(
  thread: Thread,
  name: QueueName,
  filters: ThreadFilters,
  surroundings: QueueSurroundings,
): boolean {
  const { channelId, tag, agentMode, assigneeUserId, unread } = getApplicable(name, filters);
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

/** Below zero where the first thread comes before the second. Those of a search apart, no two have the same place. */
export function compare(name: QueueName, one: Thread, other: Thread): number {
  return (queues[name].compare ?? compareNewest)(one, other);
}

function compareNewest(one: Thread, other: Thread): number {
  return compareTexts(other.lastMessageAt, one.lastMessageAt) || compareTexts(other.threadId, one.threadId);
}

/** The server sorts by the minute in which the window closes. */
function getWindowMinute({ serviceWindow }: Thread): number {
  return Math.floor(Date.parse(serviceWindow?.expiresAt ?? '') / minuteMs) || 0;
}

/** By their characters, as the server sorts instants and ids. */
function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
