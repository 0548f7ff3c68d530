/**
 * The queue of a stitch: which of its open deliveries are in memory, and which of those may be sent now.
 *
 * A delivery in memory has one of three states. Those that wait are in `waiting`; the state of those that have started is set by `move`.
 *
 *   waiting  -> inFlight   started: its request was sent; at most as many at once as the window allows (window.ts)
 *   inFlight -> settling   answered: another may start; the result is being committed
 *   settling -> (gone)     the result is committed: only now may the next delivery of its thread start
 *   inFlight -> (gone)     the result is committed, and the actor learns of the answer only afterwards
 *   waiting  -> (gone)     skipped: its thread is held, or has more than its share here; a later load finds it again
 *
 * Order within a thread: a delivery starts only when no other of its thread is in flight or settling, none with a lower event number
 * waits before it, and the thread is not held by a head that failed. `next` says how far the table has been read: of a thread that is
 * not in `skipped`, every pending delivery below `next` is in memory. Deliveries that wait for their retry are not here; the reminder
 * `due` brings them back.
 *
 * Everything here is a pure function of a queue. What a queue holds is bounded: see also queue-load.ts.
 */
import type { OpenDelivery } from '../../storage/deliveries/index.ts';
import { firstWindow, maxInFlight, type Window } from './window.ts';

/** An open delivery as it was read. */
export type Delivery = OpenDelivery;

export type StartedState = 'inFlight' | 'settling';

/** The moves of deliveries that start or have started. */
const moves: Readonly<Record<'waiting' | StartedState, readonly (StartedState | 'gone')[]>> = {
  waiting: ['inFlight'],
  inFlight: ['settling', 'gone'],
  settling: ['gone'],
};

interface StartedDelivery {
  readonly delivery: Delivery;
  readonly state: StartedState;
}

/** A thread waits until its head, the event with number `seq`, is delivered. */
export interface Hold {
  readonly seq: number;
  /** The thread waits until this instant at the latest, in epoch milliseconds. */
  readonly until: number;
}

/** What a committed result means for the thread of its delivery. */
export interface Released {
  readonly deliveryId: string;
  readonly threadId: string | null;
  readonly eventSeq: number;
  /** How many attempts were made, if there will be another; null when this was the last. */
  readonly attempts: number | null;
  /** When the next attempt is due, in epoch milliseconds. */
  readonly retryAt: number | null;
  /** Until when the thread waits for this delivery, in epoch milliseconds; null when the thread does not wait. */
  readonly holdUntil: number | null;
}

/** A load in progress: its request, and what has happened to the queue since. */
export interface OngoingLoad {
  /** When it was requested, in epoch milliseconds: distinguishes its result from that of another activation's load. */
  readonly askedAt: number;
  readonly from: number;
  readonly blocked: readonly string[];
  /** The results that were committed since it began, by delivery: the load may have read the rows from before. */
  readonly committed: ReadonlyMap<string, Released>;
  /** Where the next load begins, if that is before the end of this one's page. */
  readonly rewound: number | null;
  /** Threads of which deliveries that it cannot see were skipped since: what it brings of them may come too early. */
  readonly overtaken: readonly string[];
  /** Its pending deliveries are no longer needed. */
  readonly discard: boolean;
  /** New deliveries came after it began. */
  readonly again: boolean;
}

export interface DeliveryQueue {
  /** Pending deliveries with this event number or a higher one have not been read. */
  readonly next: number;
  /** In the order of their events. */
  readonly waiting: readonly Delivery[];
  /** The deliveries in flight and settling, by id. */
  readonly started: ReadonlyMap<string, StartedDelivery>;
  readonly held: ReadonlyMap<string, Hold>;
  /** Threads of which deliveries were skipped, each with the lowest event number that may be among them. */
  readonly skipped: ReadonlyMap<string, number>;
  readonly load: OngoingLoad | null;
  /** There may be pending deliveries from `next` on. */
  readonly mayHavePending: boolean;
  /** There may be retries that are due and not in memory. */
  readonly mayHaveDue: boolean;
  /** The actor was just activated: the next load asks the table which threads are held, too. */
  readonly needsHolds: boolean;
  /** How many may be in flight. */
  readonly window: Window;
}

export const emptyQueue: DeliveryQueue = {
  next: 0,
  waiting: [],
  started: new Map(),
  held: new Map(),
  skipped: new Map(),
  load: null,
  mayHavePending: false,
  mayHaveDue: false,
  needsHolds: true,
  window: firstWindow,
};

/** With this many results on their way into the database nothing new is started. */
const maxSettling = 2 * maxInFlight;

/** How many deliveries are in that state. */
export function countInState({ started }: DeliveryQueue, state: StartedState): number {
  let count = 0;
  for (const each of started.values()) if (each.state === state) count++;
  return count;
}

/** The ids of the deliveries in flight, in the order in which they started. */
export function getInFlightIds({ started }: DeliveryQueue): string[] {
  return [...started.values()]
    .filter(({ state }) => state === 'inFlight')
    .map(({ delivery }) => delivery.deliveryId);
}

/** The one place that sets the state of a delivery. Throws for a move that the diagram does not have. */
function move(started: Map<string, StartedDelivery>, delivery: Delivery, to: StartedState | 'gone'): void {
  const { deliveryId } = delivery;
  const from = started.get(deliveryId)?.state ?? 'waiting';
  if (!moves[from].includes(to)) throw new Error(`delivery ${deliveryId} cannot go from ${from} to ${to}`);
  if (to === 'gone') started.delete(deliveryId);
  else started.set(deliveryId, { delivery, state: to });
}

function isHeld(queue: DeliveryQueue, thread: string, seq: number, now: number): boolean {
  const hold = queue.held.get(thread);
  return hold !== undefined && hold.until > now && seq > hold.seq;
}

/** Takes up to `slots` deliveries that may be sent now. */
export function start(
  queue: DeliveryQueue,
  slots: number,
  now: number,
): { queue: DeliveryQueue; deliveries: Delivery[] } {
  const deliveries: Delivery[] = [];
  if (slots <= 0 || queue.waiting.length === 0 || countInState(queue, 'settling') >= maxSettling) {
    return { queue, deliveries };
  }
  const busy = new Set<string>();
  for (const { delivery } of queue.started.values()) {
    if (delivery.threadId !== null) busy.add(delivery.threadId);
  }
  const waiting: Delivery[] = [];
  let seen = 0;
  for (const delivery of queue.waiting) {
    // Usually the first ones may start. Looking at all of them would mean to look at some 190.
    if (deliveries.length === slots) break;
    seen++;
    const { threadId } = delivery;
    if (threadId === null) {
      deliveries.push(delivery);
      continue;
    }
    if (busy.has(threadId) || isHeld(queue, threadId, delivery.eventSeq, now)) waiting.push(delivery);
    else deliveries.push(delivery);
    busy.add(threadId);
  }
  if (deliveries.length === 0) return { queue, deliveries };
  const started = new Map(queue.started);
  for (const delivery of deliveries) move(started, delivery, 'inFlight');
  const next = { ...queue, waiting: waiting.concat(queue.waiting.slice(seen)), started };
  return { queue: readSkipped(next, getThreads(deliveries), now), deliveries };
}

/** The receivers have answered: others may start instead of these deliveries. The report may be late, or repeated. */
export function acknowledge(queue: DeliveryQueue, deliveryIds: readonly string[]): DeliveryQueue {
  const started = new Map(queue.started);
  for (const id of deliveryIds) {
    const known = started.get(id);
    if (known?.state === 'inFlight') move(started, known.delivery, 'settling');
  }
  return { ...queue, started };
}

/**
 * The results are committed: their threads continue, or are held. A result implies the answer. It may arrive before the report that its
 * delivery was answered, because that report had to find the actor first and the result did not.
 */
export function release(queue: DeliveryQueue, results: readonly Released[], now: number): DeliveryQueue {
  const started = new Map(queue.started);
  const held = new Map(queue.held);
  for (const { deliveryId, threadId, eventSeq, holdUntil } of results) {
    const known = started.get(deliveryId);
    if (known !== undefined) move(started, known.delivery, 'gone');
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
  // Due before it was committed: its reminder may have come and gone while a load could not see the row yet.
  const mayHaveDue = queue.mayHaveDue || results.some(({ retryAt }) => retryAt !== null && retryAt <= now);
  return readSkipped(skipHeld({ ...queue, started, held, load, mayHaveDue }, now), getThreads(results), now);
}

function getThreads(results: readonly { readonly threadId: string | null }[]): string[] {
  return results.flatMap(({ threadId }) => (threadId === null ? [] : [threadId]));
}

/** Takes the deliveries of held threads out of memory, so that they take no other thread's place. */
export function skipHeld(queue: DeliveryQueue, now: number): DeliveryQueue {
  if (queue.held.size === 0) return queue;
  const skipped = new Map(queue.skipped);
  const waiting = queue.waiting.filter(({ threadId, eventSeq }) => {
    if (threadId === null || !isHeld(queue, threadId, eventSeq, now)) return true;
    skipped.set(threadId, Math.min(skipped.get(threadId) ?? eventSeq, eventSeq));
    return false;
  });
  return waiting.length === queue.waiting.length ? queue : { ...queue, waiting, skipped };
}

/** Reads again what was skipped of these threads, unless they are still held or have deliveries waiting. */
export function readSkipped(queue: DeliveryQueue, threads: readonly string[], now: number): DeliveryQueue {
  if (queue.skipped.size === 0) return queue;
  let from = Infinity;
  const skipped = new Map(queue.skipped);
  const overtaken = [...(queue.load?.overtaken ?? [])];
  for (const thread of threads) {
    const lowest = skipped.get(thread);
    if (lowest === undefined || isBlocked(queue, thread, now)) continue;
    skipped.delete(thread);
    overtaken.push(thread);
    from = Math.min(from, lowest);
  }
  if (from === Infinity) return queue;
  const load = queue.load === null ? null : { ...queue.load, overtaken };
  return rewind({ ...queue, skipped, load }, from);
}

function isBlocked(queue: DeliveryQueue, thread: string, now: number): boolean {
  return isHeld(queue, thread, Infinity, now) || queue.waiting.some(delivery => delivery.threadId === thread);
}

/** Drops the holds that have ended. */
export function dropEndedHolds(queue: DeliveryQueue, now: number): DeliveryQueue {
  const ended = [...queue.held].filter(([, hold]) => hold.until <= now).map(([thread]) => thread);
  if (ended.length === 0) return queue;
  const held = new Map(queue.held);
  for (const thread of ended) held.delete(thread);
  return readSkipped({ ...queue, held }, ended, now);
}

/** When the first of the holds ends, in epoch milliseconds. */
export function getNextHoldEnd(queue: DeliveryQueue): number | undefined {
  let first: number | undefined;
  for (const { until } of queue.held.values()) if (first === undefined || until < first) first = until;
  return first;
}

/** Reads the pending deliveries from that event number on again. */
export function rewind(queue: DeliveryQueue, to: number): DeliveryQueue {
  const load =
    queue.load === null ? null : { ...queue.load, rewound: Math.min(queue.load.rewound ?? to, to) };
  return { ...queue, next: Math.min(queue.next, to), mayHavePending: true, load };
}

/** There may be new deliveries, at the end. */
export function noteNewDeliveries(queue: DeliveryQueue): DeliveryQueue {
  if (queue.load === null) return queue.mayHavePending ? queue : { ...queue, mayHavePending: true };
  return queue.load.again ? queue : { ...queue, load: { ...queue.load, again: true } };
}

/** Forgets what waits: it will be cancelled. */
export function forgetWaiting(queue: DeliveryQueue): DeliveryQueue {
  return { ...unload(queue), held: new Map() };
}

/** Takes everything that waits out of memory. It is found again in the table. */
export function unload(queue: DeliveryQueue): DeliveryQueue {
  const lowest = Math.min(queue.next, queue.waiting[0]?.eventSeq ?? Infinity, ...queue.skipped.values());
  const load = queue.load === null ? null : { ...queue.load, discard: true };
  return {
    ...queue,
    next: lowest,
    waiting: [],
    skipped: new Map(),
    load,
    mayHavePending: true,
    mayHaveDue: true,
  };
}
