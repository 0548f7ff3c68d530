/** How a stitch's queue gets its deliveries from the table: what it asks for, and what it keeps of the result. */
import { readSkipped, skipHeld, type Delivery, type DeliveryQueue, type OngoingLoad } from './queue.ts';

/**
 * A load is requested when fewer deliveries than this wait. So at most this and a page wait, of pending and of due ones each. With half
 * of both numbers, loads took longer than the waiting deliveries lasted (2,600 deliveries a second to one stitch instead of 3,400).
 */
const minLowWater = 128;
/** What is in flight is to be followed by as much. */
function getLowWater({ window }: DeliveryQueue): number {
  return Math.max(minLowWater, Math.floor(window.size));
}
/** The most deliveries of one load, of each sort. */
export const pageSize = 256;
/** The same for an open circuit, which sends one delivery a minute. */
const lowWaterProbing = 1;
const pageSizeProbing = 8;
/** The most deliveries of one thread that wait in memory while deliveries of others need the room. */
const threadShare = 8;
/** With this many held threads nothing new is loaded: most of what the receiver gets fails. */
export const maxHeld = 1_000;

/** What a load has to find. */
export interface LoadRequest {
  /** Epoch milliseconds. */
  readonly askedAt: number;
  /** The lowest event number of pending deliveries. */
  readonly from: number;
  /** Threads to leave out. */
  readonly blocked: readonly string[];
  /** The most pending deliveries; 0: none are wanted. */
  readonly pending: number;
  /** The most retries that are due; 0: none are wanted. */
  readonly due: number;
  /** Also which threads are held. */
  readonly holds: boolean;
}

export interface LoadedPage {
  /** Pending deliveries in the order of their events. */
  readonly pending: readonly Delivery[];
  /** Below this event number no pending delivery was left out, except those of blocked threads. */
  readonly end: number;
  /** There may be more from `end` on. */
  readonly more: boolean;
  readonly due: readonly Delivery[];
  readonly moreDue: boolean;
  /** The heads that hold their threads, if they were asked for. */
  readonly holds: readonly { readonly threadId: string; readonly seq: number; readonly until: number }[];
}

const newLoad = {
  committed: new Map<string, never>(),
  rewound: null,
  overtaken: [],
  discard: false,
  again: false,
};

/** Requests a load if the queue has room, and there may be something to load. */
export function requestLoad(
  queue: DeliveryQueue,
  probing: boolean,
  now: number,
): { queue: DeliveryQueue; request: LoadRequest | undefined } {
  const isFull = queue.waiting.length >= (probing ? lowWaterProbing : getLowWater(queue));
  if (queue.load !== null || isFull) return { queue, request: undefined };
  const wantsPending = queue.mayHavePending && queue.held.size < maxHeld;
  if (!wantsPending && !queue.mayHaveDue) return { queue, request: undefined };
  const blocked = new Set(queue.skipped.keys());
  for (const [thread, hold] of queue.held) if (hold.until > now) blocked.add(thread);
  const limit = probing ? pageSizeProbing : pageSize;
  const request: LoadRequest = {
    askedAt: now,
    from: queue.next,
    blocked: [...blocked],
    pending: wantsPending ? limit : 0,
    due: queue.mayHaveDue ? limit : 0,
    holds: queue.needsHolds,
  };
  const load: OngoingLoad = {
    ...newLoad,
    askedAt: now,
    from: request.from,
    blocked: request.blocked,
  };
  const next: DeliveryQueue = {
    ...queue,
    load,
    mayHaveDue: false,
    needsHolds: false,
    mayHavePending: wantsPending ? false : queue.mayHavePending,
  };
  return { queue: next, request };
}

/** Takes in what a load has found. */
export function acceptLoad(
  queue: DeliveryQueue,
  request: LoadRequest,
  page: LoadedPage,
  now: number,
): DeliveryQueue {
  const { load } = queue;
  // The load was requested elsewhere, for example before the actor moved here. The one in progress here is another.
  if (load === null || load.askedAt !== request.askedAt) return queue;
  const idle = { ...queue, load: null };
  if (load.discard) {
    return {
      ...idle,
      mayHavePending: true,
      mayHaveDue: true,
      needsHolds: queue.needsHolds || request.holds,
    };
  }
  const held = new Map(queue.held);
  for (const { threadId, seq, until } of page.holds) {
    if (!held.has(threadId)) held.set(threadId, { seq, until });
  }

  const { pending, due } = findNew(queue, load, page);
  const { taken, left } = share(queue, pending);
  const waiting = merge(queue.waiting, [...due, ...taken]);

  const skipped = new Map(queue.skipped);
  const skip = (thread: string, seq: number): void => {
    skipped.set(thread, Math.min(skipped.get(thread) ?? seq, seq));
  };
  for (const { threadId, eventSeq } of left) if (threadId !== null) skip(threadId, eventSeq);
  if (request.pending > 0) for (const thread of load.blocked) skip(thread, load.from);

  const end = request.pending > 0 ? Math.max(page.end, load.from) : queue.next;
  const hasMorePending = load.again || load.rewound !== null || (request.pending > 0 && page.more);
  const loaded: DeliveryQueue = {
    ...idle,
    waiting,
    held,
    skipped,
    next: Math.min(end, load.rewound ?? Infinity),
    mayHavePending: queue.mayHavePending || hasMorePending,
    mayHaveDue: queue.mayHaveDue || page.moreDue,
  };
  return readSkipped(skipHeld(loaded, now), load.blocked, now);
}

/** What of the page is not in memory, and was not changed by a commit since it was read. */
function findNew(
  queue: DeliveryQueue,
  load: OngoingLoad,
  page: LoadedPage,
): { readonly pending: readonly Delivery[]; readonly due: readonly Delivery[] } {
  const known = new Set<string>(queue.started.keys());
  for (const { deliveryId } of queue.waiting) known.add(deliveryId);
  const isNew = ({ deliveryId, attempts }: Delivery): boolean => {
    const committed = load.committed.get(deliveryId);
    return !known.has(deliveryId) && (committed === undefined || attempts === committed.attempts);
  };
  const overtaken = new Set([...load.overtaken, ...queue.skipped.keys()]);
  const pending = page.pending.filter(
    delivery => isNew(delivery) && (delivery.threadId === null || !overtaken.has(delivery.threadId)),
  );
  return { pending, due: page.due.filter(isNew) };
}

/** Takes each thread's share, and more of it while few wait. Of a thread the first deliveries are taken, never a later one. */
function share(
  queue: DeliveryQueue,
  deliveries: readonly Delivery[],
): { taken: Delivery[]; left: Delivery[] } {
  const counts = new Map<string, number>();
  for (const { threadId } of queue.waiting) {
    if (threadId !== null) counts.set(threadId, (counts.get(threadId) ?? 0) + 1);
  }
  const taken: Delivery[] = [];
  const over: Delivery[] = [];
  for (const delivery of deliveries) {
    const count = delivery.threadId === null ? 0 : (counts.get(delivery.threadId) ?? 0);
    if (count >= threadShare) {
      over.push(delivery);
      continue;
    }
    if (delivery.threadId !== null) counts.set(delivery.threadId, count + 1);
    taken.push(delivery);
  }
  const room = Math.max(0, getLowWater(queue) - queue.waiting.length - taken.length);
  return { taken: [...taken, ...over.slice(0, room)], left: over.slice(room) };
}

function merge(waiting: readonly Delivery[], more: readonly Delivery[]): readonly Delivery[] {
  if (more.length === 0) return waiting;
  return [...waiting, ...more].sort(
    (a, b) => a.eventSeq - b.eventSeq || (a.deliveryId < b.deliveryId ? -1 : 1),
  );
}
