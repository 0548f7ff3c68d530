/** How a stitch's queue gets its deliveries from the table: what it asks for, and what it keeps of what comes. */
import { goOn, passOver, type Delivery, type LoadUnderWay, type Queue } from './queue.ts';

/**
 * A load is asked for when fewer than this wait: so at most this and a page, of pending and of due ones each, are waiting. With
 * half of both, loads took longer than what waited lasted (2,600 deliveries a second to one stitch, not 3,400).
 */
const lowWater = 128;
/** Most deliveries of one load, of each sort. */
export const pageSize = 256;
/** The same two for an open circuit, which sends one delivery a minute. */
const lowWaterProbing = 1;
const pageSizeProbing = 8;
/** Deliveries of one thread that wait in memory while there are others to take their place. */
const threadShare = 8;
/** With this many held threads nothing new is loaded: the receiver fails at large. */
export const mostHeld = 1_000;

/** What a load is to find. */
export interface LoadRequest {
  /** When it was made, in epoch milliseconds. */
  readonly askedAt: number;
  /** The lowest event number of pending deliveries. */
  readonly from: number;
  /** Threads to leave out. */
  readonly blocked: readonly string[];
  /** Most pending deliveries; 0: none are wanted. */
  readonly pending: number;
  /** Most retries that are due; 0: none are wanted. */
  readonly due: number;
  /** Also which threads are held. */
  readonly holds: boolean;
}

export interface LoadedPage {
  /** Pending deliveries in the order of their events. */
  readonly pending: readonly Delivery[];
  /** Below this event number nothing pending was left out but what is blocked. */
  readonly end: number;
  /** There may be more from `end` on. */
  readonly more: boolean;
  readonly due: readonly Delivery[];
  readonly moreDue: boolean;
  /** The heads that hold their threads, when they were asked for. */
  readonly holds: readonly { readonly threadId: string; readonly seq: number; readonly until: number }[];
}

/** Asks for a load when the queue has room for one and something to gain. */
export function askLoad(
  queue: Queue,
  probing: boolean,
  now: number,
): { queue: Queue; request: LoadRequest | undefined } {
  const isFull = queue.waiting.length >= (probing ? lowWaterProbing : lowWater);
  if (queue.load !== null || isFull) return { queue, request: undefined };
  const pending = queue.stale && queue.held.size < mostHeld;
  if (!pending && !queue.due) return { queue, request: undefined };
  const blocked = new Set(queue.passed.keys());
  for (const [thread, hold] of queue.held) if (hold.until > now) blocked.add(thread);
  const limit = probing ? pageSizeProbing : pageSize;
  const request: LoadRequest = {
    askedAt: now,
    from: queue.next,
    blocked: [...blocked],
    pending: pending ? limit : 0,
    due: queue.due ? limit : 0,
    holds: queue.fresh,
  };
  const load: LoadUnderWay = { ...newLoad, askedAt: now, from: request.from, blocked: request.blocked };
  const next = { ...queue, load, due: false, fresh: false, stale: pending ? false : queue.stale };
  return { queue: next, request };
}

const newLoad = {
  committed: new Map<string, never>(),
  rewound: null,
  overtaken: [],
  discard: false,
  again: false,
};

/** Takes in what a load has found. */
export function accept(queue: Queue, request: LoadRequest, page: LoadedPage, now: number): Queue {
  const { load } = queue;
  // Of a load that was asked for elsewhere, before the actor came to live here, say: what is under way here is another one.
  if (load === null || load.askedAt !== request.askedAt) return queue;
  const idle = { ...queue, load: null };
  if (load.discard) return { ...idle, stale: true, due: true, fresh: queue.fresh || request.holds };
  const held = new Map(queue.held);
  for (const { threadId, seq, until } of page.holds)
    if (!held.has(threadId)) held.set(threadId, { seq, until });

  const known = new Set<string>([...queue.flying.keys(), ...queue.settling.keys()]);
  for (const { deliveryId } of queue.waiting) known.add(deliveryId);
  const isNew = ({ deliveryId, attempts }: Delivery): boolean => {
    const committed = load.committed.get(deliveryId);
    return !known.has(deliveryId) && (committed === undefined || attempts === committed.attempts);
  };
  const overtaken = new Set([...load.overtaken, ...queue.passed.keys()]);
  const pending = page.pending.filter(
    delivery => isNew(delivery) && (delivery.threadId === null || !overtaken.has(delivery.threadId)),
  );
  const { taken, left } = share(queue, pending);
  const waiting = merge(queue.waiting, [...page.due.filter(isNew), ...taken]);

  const passed = new Map(queue.passed);
  const pass = (thread: string, seq: number): void => {
    passed.set(thread, Math.min(passed.get(thread) ?? seq, seq));
  };
  for (const { threadId, eventSeq } of left) if (threadId !== null) pass(threadId, eventSeq);
  if (request.pending > 0) for (const thread of load.blocked) pass(thread, load.from);

  const end = request.pending > 0 ? Math.max(page.end, load.from) : queue.next;
  const loaded: Queue = {
    ...idle,
    waiting,
    held,
    passed,
    next: Math.min(end, load.rewound ?? Infinity),
    stale: queue.stale || load.again || load.rewound !== null || (request.pending > 0 && page.more),
    due: queue.due || page.moreDue,
  };
  return goOn(passOver(loaded, now), load.blocked, now);
}

/** Each thread's share of what came, and more of it while few are waiting. Of a thread the first ones are taken, never a later one. */
function share(queue: Queue, rows: readonly Delivery[]): { taken: Delivery[]; left: Delivery[] } {
  const counts = new Map<string, number>();
  for (const { threadId } of queue.waiting) {
    if (threadId !== null) counts.set(threadId, (counts.get(threadId) ?? 0) + 1);
  }
  const taken: Delivery[] = [];
  const over: Delivery[] = [];
  for (const delivery of rows) {
    const count = delivery.threadId === null ? 0 : (counts.get(delivery.threadId) ?? 0);
    if (count >= threadShare) {
      over.push(delivery);
      continue;
    }
    if (delivery.threadId !== null) counts.set(delivery.threadId, count + 1);
    taken.push(delivery);
  }
  const room = Math.max(0, lowWater - queue.waiting.length - taken.length);
  return { taken: [...taken, ...over.slice(0, room)], left: over.slice(room) };
}

function merge(waiting: readonly Delivery[], more: readonly Delivery[]): readonly Delivery[] {
  if (more.length === 0) return waiting;
  return [...waiting, ...more].sort(
    (a, b) => a.eventSeq - b.eventSeq || (a.deliveryId < b.deliveryId ? -1 : 1),
  );
}
