/**
 * The queue of a stitch: which of its open deliveries are in memory, and which of those may be sent now.
 *
 * A delivery in memory is in one of three places:
 *
 *   waiting  -> flying     started: its request is out; at most 20 at once
 *   flying   -> settling   answered: the place is free, the result is on its way into the database
 *   settling -> (gone)     committed: only now may its thread's next one start
 *   flying   -> (gone)     committed, and the news of the answer is late
 *   waiting  -> (gone)     passed over: its thread is held, or has more than its share here; a later load finds it again
 *
 * Order within a thread: a delivery starts only when no other of its thread is flying or settling, none with a lower event
 * number waits before it, and the thread is not held by a head that failed. `next` says how far the table has been read: of
 * a thread that is not in `passed`, every pending delivery below `next` is in memory. Deliveries that wait for their retry
 * are not here; the reminder `due` brings them back.
 *
 * Everything here is a pure function of a queue; what it holds is bounded, see also load.ts.
 */
import type { OpenDelivery } from '../../storage/reads/open-deliveries.ts';

/** An open delivery as the queue holds it: as it was read. */
export type Delivery = OpenDelivery;

/** A thread waits for its head, the event with number `seq`, to be delivered: until then, at the latest. */
export interface Hold {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** What a load was asked for, and what happened to the queue since. */
export interface LoadUnderWay {
  /** By which its result is known from that of a load of another activation: epoch milliseconds. */
  readonly askedAt: number;
  readonly from: number;
  readonly blocked: readonly string[];
  /** What was committed since it began, by delivery: the load may still have seen what was before. */
  readonly committed: ReadonlyMap<string, Released>;
  /** Where to go on after it, when that is before the end of its page. */
  readonly rewound: number | null;
  /** Threads of which something that it cannot see was passed over since: what it brings of them may come too early. */
  readonly overtaken: readonly string[];
  /** Its pending deliveries are not wanted any more. */
  readonly discard: boolean;
  /** New deliveries came after it began. */
  readonly again: boolean;
}

export interface Queue {
  /** Pending deliveries with this event number or a higher one have not been looked at. */
  readonly next: number;
  /** In the order of their events. */
  readonly waiting: readonly Delivery[];
  readonly flying: ReadonlyMap<string, Delivery>;
  readonly settling: ReadonlyMap<string, Delivery>;
  readonly held: ReadonlyMap<string, Hold>;
  /** Threads of which deliveries were passed over, with the lowest event number that may be one. */
  readonly passed: ReadonlyMap<string, number>;
  readonly load: LoadUnderWay | null;
  /** There may be pending deliveries from `next` on. */
  readonly stale: boolean;
  /** Retries may be due that are not in memory. */
  readonly due: boolean;
  /** The queue was just loaded: ask the table which threads are held, too. */
  readonly fresh: boolean;
}

export const emptyQueue: Queue = {
  next: 0,
  waiting: [],
  flying: new Map(),
  settling: new Map(),
  held: new Map(),
  passed: new Map(),
  load: null,
  stale: false,
  due: false,
  fresh: true,
};

/** With this many results on their way into the database nothing new is started. */
export const mostSettling = 200;

function isHeld(queue: Queue, thread: string, seq: number, now: number): boolean {
  const hold = queue.held.get(thread);
  return hold !== undefined && hold.until > now && seq > hold.seq;
}

/** Takes up to `slots` deliveries that may go out now. */
export function start(queue: Queue, slots: number, now: number): { queue: Queue; started: Delivery[] } {
  const started: Delivery[] = [];
  if (slots <= 0 || queue.waiting.length === 0 || queue.settling.size >= mostSettling)
    return { queue, started };
  const busy = new Set<string>();
  for (const { threadId } of queue.flying.values()) if (threadId !== null) busy.add(threadId);
  for (const { threadId } of queue.settling.values()) if (threadId !== null) busy.add(threadId);
  const waiting: Delivery[] = [];
  let looked = 0;
  for (const delivery of queue.waiting) {
    // Mostly the first ones may start; whoever looks at all of them pays for 190.
    if (started.length === slots) break;
    looked++;
    const { threadId } = delivery;
    if (threadId === null) {
      started.push(delivery);
      continue;
    }
    if (busy.has(threadId) || isHeld(queue, threadId, delivery.eventSeq, now)) waiting.push(delivery);
    else started.push(delivery);
    busy.add(threadId);
  }
  if (started.length === 0) return { queue, started };
  const flying = new Map(queue.flying);
  for (const delivery of started) flying.set(delivery.deliveryId, delivery);
  const taken = { ...queue, waiting: waiting.concat(queue.waiting.slice(looked)), flying };
  return { queue: goOn(taken, threadsOf(started), now), started };
}

/** The answers are in: their places are free. Deliveries that are not flying are left out. */
export function land(queue: Queue, deliveryIds: readonly string[]): Queue {
  const flying = new Map(queue.flying);
  const settling = new Map(queue.settling);
  for (const id of deliveryIds) {
    const delivery = flying.get(id);
    if (delivery === undefined) continue;
    flying.delete(id);
    settling.set(id, delivery);
  }
  return { ...queue, flying, settling };
}

/** What a committed result means for the thread. */
export interface Released {
  readonly deliveryId: string;
  readonly threadId: string | null;
  readonly eventSeq: number;
  /** Attempts made, when there will be another; null when this was the end of it. */
  readonly attempts: number | null;
  /** When that is due, in epoch milliseconds. */
  readonly retryAt: number | null;
  /** Epoch milliseconds until which the thread waits for this one; null when it goes on. */
  readonly holdUntil: number | null;
}

/**
 * The results are committed: their threads go on, or are held. That they were answered may come later, when that news had to look
 * for the actor and this had not: it is implied.
 */
export function release(queue: Queue, results: readonly Released[], now: number): Queue {
  const flying = new Map(queue.flying);
  const settling = new Map(queue.settling);
  const held = new Map(queue.held);
  for (const { deliveryId, threadId, eventSeq, holdUntil } of results) {
    flying.delete(deliveryId);
    settling.delete(deliveryId);
    if (threadId === null) continue;
    const hold = held.get(threadId);
    if (holdUntil !== null && holdUntil > now) {
      if (hold === undefined || hold.until <= now || eventSeq <= hold.seq) {
        held.set(threadId, { seq: eventSeq, until: holdUntil });
      }
    } else if (hold?.seq === eventSeq) held.delete(threadId);
  }
  let { load } = queue;
  if (load !== null) {
    const committed = new Map(load.committed);
    for (const result of results) committed.set(result.deliveryId, result);
    load = { ...load, committed };
  }
  // Due before it was committed: the reminder of it may have come, and gone, while a load could not see it yet.
  const due = queue.due || results.some(({ retryAt }) => retryAt !== null && retryAt <= now);
  return goOn(passOver({ ...queue, flying, settling, held, load, due }, now), threadsOf(results), now);
}

function threadsOf(results: readonly { readonly threadId: string | null }[]): string[] {
  return results.flatMap(({ threadId }) => (threadId === null ? [] : [threadId]));
}

/** Takes what is held out of memory, so that it takes no other thread's place. */
export function passOver(queue: Queue, now: number): Queue {
  if (queue.held.size === 0) return queue;
  const passed = new Map(queue.passed);
  const waiting = queue.waiting.filter(({ threadId, eventSeq }) => {
    if (threadId === null || !isHeld(queue, threadId, eventSeq, now)) return true;
    passed.set(threadId, Math.min(passed.get(threadId) ?? eventSeq, eventSeq));
    return false;
  });
  return waiting.length === queue.waiting.length ? queue : { ...queue, waiting, passed };
}

/** Reads again what was passed over of these threads, unless they are held still or have deliveries waiting. */
export function goOn(queue: Queue, threads: readonly string[], now: number): Queue {
  if (queue.passed.size === 0) return queue;
  let from = Infinity;
  const passed = new Map(queue.passed);
  const overtaken = [...(queue.load?.overtaken ?? [])];
  for (const thread of threads) {
    const lowest = passed.get(thread);
    if (lowest === undefined || isBlocked(queue, thread, now)) continue;
    passed.delete(thread);
    overtaken.push(thread);
    from = Math.min(from, lowest);
  }
  if (from === Infinity) return queue;
  const load = queue.load === null ? null : { ...queue.load, overtaken };
  return rewind({ ...queue, passed, load }, from);
}

function isBlocked(queue: Queue, thread: string, now: number): boolean {
  return isHeld(queue, thread, Infinity, now) || queue.waiting.some(delivery => delivery.threadId === thread);
}

/** Drops the holds that have ended. */
export function expire(queue: Queue, now: number): Queue {
  const ended = [...queue.held].filter(([, hold]) => hold.until <= now).map(([thread]) => thread);
  if (ended.length === 0) return queue;
  const held = new Map(queue.held);
  for (const thread of ended) held.delete(thread);
  return goOn({ ...queue, held }, ended, now);
}

/** The end of the hold that ends first, epoch milliseconds. */
export function nextHoldEnd(queue: Queue): number | undefined {
  let first: number | undefined;
  for (const { until } of queue.held.values()) if (first === undefined || until < first) first = until;
  return first;
}

/** Looks at the pending deliveries from that event number on again. */
export function rewind(queue: Queue, to: number): Queue {
  const load =
    queue.load === null ? null : { ...queue.load, rewound: Math.min(queue.load.rewound ?? to, to) };
  return { ...queue, next: Math.min(queue.next, to), stale: true, load };
}

/** New deliveries may be there, at the end. */
export function wake(queue: Queue): Queue {
  if (queue.load === null) return queue.stale ? queue : { ...queue, stale: true };
  return queue.load.again ? queue : { ...queue, load: { ...queue.load, again: true } };
}

/** Forgets what waits: it is to be cancelled. */
export function clear(queue: Queue): Queue {
  return { ...unload(queue), held: new Map() };
}

/** Takes everything that waits out of memory; it is found again from the table. */
export function unload(queue: Queue): Queue {
  const lowest = Math.min(queue.next, queue.waiting[0]?.eventSeq ?? Infinity, ...queue.passed.values());
  const load = queue.load === null ? null : { ...queue.load, discard: true };
  return { ...queue, next: lowest, waiting: [], passed: new Map(), load, stale: true, due: true };
}
