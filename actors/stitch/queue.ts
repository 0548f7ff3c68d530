/**
 * The queue of a stitch: which of its open deliveries are in memory, and which of those may be sent now.
 *
 * A delivery in memory has one of three states. Those that wait are in `waiting`; the state of those that have started is set by `move`.
 *
 *   waiting  -> inFlight   started: its request was sent; at most as many at once as the window allows (window.ts)
 *   inFlight -> settling   answered: another may start; the result is being committed
 *   settling -> (gone)     the result is committed: only now may the next delivery of its thread start
 *   inFlight -> (gone)     the result is committed, and the actor learns of the answer only afterwards; or the project is archived, and
 *                          the request was not made: a later load finds the delivery again; or the stitch was stopped before it was made
 *   waiting  -> (gone)     skipped: its thread is held, or has more than its share here; a later load finds it again. Or another owner,
 *                          or this one before it was loaded again, had sent it, and its result is committed
 *
 * Order within a thread: a delivery starts only when no other of its thread is in flight or settling, none with a lower event number
 * waits before it, and the thread is not held by a head that failed. `next` says how far the log has been read: of a thread that is
 * not in `skipped`, every delivery below `next` is in memory or has a row. Deliveries that wait for their retry are not here; the reminder
 * `due` brings them back. Those that have a row before their first attempt (replays, tests) are read from the table.
 *
 * Everything here is a pure function of a queue. What a queue holds is bounded: see also queue-load.ts.
 */
import type { OpenDelivery, StartedAttempt } from '../../storage/deliveries/index.ts';
import { addHold, findHold, isHeldBack, keepHolds, type Hold } from './holds.ts';
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

/** A load in progress: what has happened to the queue since it was requested. */
export interface OngoingLoad {
  /** When it was requested, in epoch milliseconds. */
  readonly askedAt: number;
  /** The request as JSON: distinguishes its result from that of another activation's load, which may be of the same millisecond. */
  readonly request: string;
  /** The results that were committed since it began, by delivery: the load may have read the rows from before. */
  readonly committed: ReadonlyMap<string, Released>;
  /** What it brings is no longer needed. */
  readonly discard: boolean;
  /** What it asks for that nothing else in the queue says any more: threads by themselves, rows from that event number on (Infinity: none), holds. */
  readonly threads: readonly string[];
  readonly rowsFrom: number;
  readonly holds: boolean;
}

export interface DeliveryQueue {
  /** Events with this number or a higher one have not been read. */
  readonly next: number;
  /** Deliveries of events below this number may have a row already: another owner of the stitch, or this one, has begun with them. */
  readonly checkBelow: number;
  /** In the order of their events. */
  readonly waiting: readonly Delivery[];
  /** The deliveries in flight and settling, by id. */
  readonly started: ReadonlyMap<string, StartedDelivery>;
  readonly held: ReadonlyMap<string, Hold>;
  /** Threads of which deliveries below `next` were skipped, each with the lowest event number that may be among them. */
  readonly skipped: ReadonlyMap<string, number>;
  /** Those of the skipped threads that may be read now. */
  readonly ready: ReadonlySet<string>;
  /** The same as `skipped`, of deliveries that have a row. */
  readonly skippedRows: ReadonlyMap<string, number>;
  /** Pending rows of this event number or a higher one have not been read. */
  readonly nextRow: number;
  readonly load: OngoingLoad | null;
  /** There may be events from `next` on. */
  readonly mayHaveEvents: boolean;
  /** The newest event that the stitch was told of: what this node has in memory of the log may end before it. */
  readonly newest: number;
  /** There may be pending rows from `nextRow` on. */
  readonly mayHaveRows: boolean;
  /** There may be rows of scheduled deliveries that were not attempted: they come before all events from `next` on. */
  readonly mayHaveOldRows: boolean;
  /** There may be retries that are due and not in memory. */
  readonly mayHaveDue: boolean;
  /** The actor was just activated: the next load asks the table which threads are held, too. */
  readonly needsHolds: boolean;
  /** How many may be in flight. */
  readonly window: Window;
}

export const emptyQueue: DeliveryQueue = {
  next: 1,
  checkBelow: Infinity,
  waiting: [],
  started: new Map(),
  held: new Map(),
  skipped: new Map(),
  ready: new Set(),
  skippedRows: new Map(),
  nextRow: 0,
  load: null,
  mayHaveEvents: true,
  newest: 0,
  mayHaveRows: true,
  mayHaveOldRows: true,
  mayHaveDue: true,
  needsHolds: true,
  window: firstWindow,
};

/** With this many results on their way into the database nothing new is started. */
const maxSettling = 2 * maxInFlight;
/** Deliveries in flight and settling: what is in flight when that number is reached is answered, too. */
export const maxStarted = maxSettling + maxInFlight;

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

/** The ids of all deliveries that have begun: in flight, or with a result that is being committed. */
export function getStartedIds({ started }: DeliveryQueue): string[] {
  return [...started.keys()];
}

/** The attempts that have begun: each by its delivery, and how many were made before it. */
export function getStartedAttempts({ started }: DeliveryQueue): StartedAttempt[] {
  return [...started.values()].map(({ delivery: { deliveryId, attempts } }) => ({ deliveryId, attempts }));
}

/**
 * The number up to which every event is settled or has a row.
 *
 * @param recorded deliveries that the same commit gives their rows
 */
export function getSettledSeq(queue: DeliveryQueue, recorded: ReadonlySet<string> = new Set()): number {
  let lowest = queue.next;
  for (const seq of queue.skipped.values()) lowest = Math.min(lowest, seq);
  // In the order of their events.
  const waiting = queue.waiting.find(({ hasRow }) => !hasRow);
  if (waiting !== undefined) lowest = Math.min(lowest, waiting.eventSeq);
  for (const { delivery } of queue.started.values()) {
    if (!delivery.hasRow && !recorded.has(delivery.deliveryId)) lowest = Math.min(lowest, delivery.eventSeq);
  }
  return lowest - 1;
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
  return isHeldBack(queue.held.get(thread), seq, now);
}

/**
 * Takes up to `slots` deliveries that may be sent now.
 *
 * @param prefersNew of one slot: it goes to a delivery that was not attempted before, if one may be sent
 */
export function start(
  queue: DeliveryQueue,
  slots: number,
  now: number,
  prefersNew = false,
): { queue: DeliveryQueue; deliveries: Delivery[] } {
  if (slots <= 0 || queue.waiting.length === 0 || countInState(queue, 'settling') >= maxSettling) {
    return { queue, deliveries: [] };
  }
  const isNew = ({ attempts }: Delivery): boolean => attempts === 0;
  let taken = takeStartable(queue, slots, now, prefersNew ? isNew : () => true);
  if (prefersNew && taken.deliveries.length === 0) taken = takeStartable(queue, slots, now, () => true);
  const { deliveries, waiting } = taken;
  if (deliveries.length === 0) return { queue, deliveries };
  const started = new Map(queue.started);
  for (const delivery of deliveries) move(started, delivery, 'inFlight');
  return { queue: readSkipped({ ...queue, waiting, started }, getThreads(deliveries), now), deliveries };
}

/** Of those that may start, in their order: of each thread the first, unless another of it is under way, or it is held. */
function takeStartable(
  queue: DeliveryQueue,
  slots: number,
  now: number,
  suits: (delivery: Delivery) => boolean,
): { readonly deliveries: Delivery[]; readonly waiting: readonly Delivery[] } {
  const busy = new Set<string>();
  for (const { delivery } of queue.started.values()) {
    if (delivery.threadId !== null) busy.add(delivery.threadId);
  }
  const deliveries: Delivery[] = [];
  const waiting: Delivery[] = [];
  let seen = 0;
  for (const delivery of queue.waiting) {
    // Usually the first ones may start. Looking at all of them would mean to look at some 190.
    if (deliveries.length === slots) break;
    seen++;
    const { threadId } = delivery;
    const isBlocked =
      threadId !== null && (busy.has(threadId) || isHeld(queue, threadId, delivery.eventSeq, now));
    if (isBlocked || !suits(delivery)) waiting.push(delivery);
    else deliveries.push(delivery);
    if (threadId !== null) busy.add(threadId);
  }
  return { deliveries, waiting: waiting.concat(queue.waiting.slice(seen)) };
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
  /** Of what was not begun here. */
  const others = new Map<string, Released>();
  let hasEnded = false;
  for (const result of results) {
    const { deliveryId, threadId, eventSeq, attempts, holdUntil } = result;
    const known = started.get(deliveryId);
    if (known !== undefined) move(started, known.delivery, 'gone');
    else others.set(deliveryId, result);
    if (threadId === null) continue;
    const hold = held.get(threadId);
    if (holdUntil !== null && holdUntil > now) {
      held.set(threadId, addHold(hold, { seq: eventSeq, until: holdUntil }));
      continue;
    }
    const own = findHold(hold, eventSeq);
    // Not by the first attempt of another owner, whose clock was behind: the head is still to be delivered.
    if (own === undefined || (attempts !== null && own.until > now)) continue;
    const rest = keepHolds(hold, each => each === own);
    if (rest === undefined) held.delete(threadId);
    else held.set(threadId, rest);
    hasEnded = true;
  }
  let { load } = queue;
  if (load !== null) {
    const committed = new Map(load.committed);
    for (const result of results) committed.set(result.deliveryId, result);
    load = { ...load, committed };
  }
  // Due before it was committed: its reminder may have come and gone while a load could not see the row yet. So may that of a retry which
  // the hold kept back.
  const mayHaveDue =
    queue.mayHaveDue || hasEnded || results.some(({ retryAt }) => retryAt !== null && retryAt <= now);
  const waiting = dropSettled(queue.waiting, others);
  const released = skipHeld({ ...queue, waiting, started, held, load, mayHaveDue }, now);
  return readSkipped(queue.mayHaveOldRows ? readRows(released, 0) : released, getThreads(results), now);
}

/** Without those that were sent elsewhere, as they are here, and have a result by now: they would be sent a second time. */
function dropSettled(
  waiting: readonly Delivery[],
  results: ReadonlyMap<string, Released>,
): readonly Delivery[] {
  if (results.size === 0) return waiting;
  const left = waiting.filter(({ deliveryId, attempts }) => {
    const result = results.get(deliveryId);
    return result === undefined || (result.attempts !== null && attempts >= result.attempts);
  });
  return left.length === waiting.length ? waiting : left;
}

function getThreads(results: readonly { readonly threadId: string | null }[]): string[] {
  return results.flatMap(({ threadId }) => (threadId === null ? [] : [threadId]));
}

/** Takes the deliveries of held threads out of memory, so that they take no other thread's place. */
export function skipHeld(queue: DeliveryQueue, now: number): DeliveryQueue {
  if (queue.held.size === 0) return queue;
  const isSkipped = ({ threadId, eventSeq }: Delivery): boolean =>
    threadId !== null && isHeld(queue, threadId, eventSeq, now);
  const waiting = queue.waiting.filter(delivery => !isSkipped(delivery));
  if (waiting.length === queue.waiting.length) return queue;
  return { ...queue, ...skip(queue, queue.waiting.filter(isSkipped)), waiting };
}

/** The threads of the deliveries, with the lowest event number of each: from there on they are not in memory. */
export function skip(
  queue: DeliveryQueue,
  deliveries: readonly Delivery[],
): Pick<DeliveryQueue, 'skipped' | 'skippedRows'> {
  const skipped = new Map(queue.skipped);
  const skippedRows = new Map(queue.skippedRows);
  for (const { threadId, eventSeq, hasRow } of deliveries) {
    if (threadId === null) continue;
    const threads = hasRow ? skippedRows : skipped;
    threads.set(threadId, Math.min(threads.get(threadId) ?? eventSeq, eventSeq));
  }
  return { skipped, skippedRows };
}

/** What was skipped of these threads may be read, unless they are held or have deliveries waiting. */
export function readSkipped(queue: DeliveryQueue, threads: Iterable<string>, now: number): DeliveryQueue {
  if (queue.skipped.size === 0 && queue.skippedRows.size === 0) return queue;
  const waiting = new Set(queue.waiting.map(({ threadId }) => threadId));
  const ready = new Set(queue.ready);
  const skippedRows = new Map(queue.skippedRows);
  let nextRow = Infinity;
  for (const thread of threads) {
    if (waiting.has(thread) || isHeld(queue, thread, Infinity, now)) continue;
    if (queue.skipped.has(thread)) {
      ready.add(thread);
      continue;
    }
    const row = skippedRows.get(thread);
    if (row === undefined || row >= queue.next) continue;
    nextRow = Math.min(nextRow, row);
    skippedRows.delete(thread);
  }
  const next = { ...queue, ready, skippedRows };
  return nextRow === Infinity ? next : readRows(next, nextRow);
}

/** Drops the holds that have ended. */
export function dropEndedHolds(queue: DeliveryQueue, now: number): DeliveryQueue {
  const held = new Map(queue.held);
  const ended: string[] = [];
  for (const [thread, hold] of queue.held) {
    const rest = keepHolds(hold, ({ until }) => until <= now);
    if (rest === hold) continue;
    ended.push(thread);
    if (rest === undefined) held.delete(thread);
    else held.set(thread, rest);
  }
  return ended.length === 0 ? queue : readSkipped({ ...queue, held }, ended, now);
}

/** When the first of the holds ends, in epoch milliseconds. */
export function getNextHoldEnd(queue: DeliveryQueue): number | undefined {
  let first: number | undefined;
  for (const hold of queue.held.values()) {
    for (let each: Hold | undefined = hold; each !== undefined; each = each.later) {
      if (first === undefined || each.until < first) first = each.until;
    }
  }
  return first;
}

/** There are pending rows, of that event number or a higher one. */
export function readRows(queue: DeliveryQueue, from: number): DeliveryQueue {
  return { ...queue, nextRow: Math.min(queue.nextRow, from), mayHaveRows: true };
}

/** There may be new events: the newest that is known of has that number. */
export function noteNewEvents(queue: DeliveryQueue, newest = 0): DeliveryQueue {
  if (queue.mayHaveEvents && newest <= queue.newest) return queue;
  return { ...queue, mayHaveEvents: true, newest: Math.max(queue.newest, newest) };
}

/** Forgets what waits: it is cancelled. */
export function forgetWaiting(queue: DeliveryQueue): DeliveryQueue {
  const none = new Map<string, never>();
  const { next } = queue;
  return { ...unload(queue), next, held: none, skipped: none, skippedRows: none, ready: new Set() };
}

/** The requests of these deliveries were not made: they are found again as what waits, all of which leaves the memory. */
export function giveBack(queue: DeliveryQueue, deliveryIds: readonly string[]): DeliveryQueue {
  const { started, dropped } = dropInFlight(queue, deliveryIds);
  return unload({ ...queue, started, waiting: [...dropped, ...queue.waiting] });
}

/** The requests of these deliveries were not made, and will not be: they are cancelled. */
export function forgetStarted(queue: DeliveryQueue, deliveryIds: readonly string[]): DeliveryQueue {
  return { ...queue, started: dropInFlight(queue, deliveryIds).started };
}

function dropInFlight(
  queue: DeliveryQueue,
  deliveryIds: readonly string[],
): { readonly started: DeliveryQueue['started']; readonly dropped: readonly Delivery[] } {
  const started = new Map(queue.started);
  const dropped: Delivery[] = [];
  for (const id of deliveryIds) {
    const known = started.get(id);
    if (known?.state !== 'inFlight') continue;
    move(started, known.delivery, 'gone');
    dropped.push(known.delivery);
  }
  return { started, dropped };
}

/** Takes everything that waits out of memory. It is found again in the log and in the table. */
export function unload(queue: DeliveryQueue): DeliveryQueue {
  let { next, nextRow } = queue;
  for (const { threadId, hasRow, eventSeq } of queue.waiting) {
    if (hasRow) nextRow = Math.min(nextRow, eventSeq);
    else if (threadId === null) next = Math.min(next, eventSeq);
  }
  const { skipped } = skip(queue, queue.waiting);
  return {
    ...queue,
    next,
    checkBelow: Math.max(queue.checkBelow, queue.next),
    nextRow,
    waiting: [],
    skipped,
    ready: new Set(skipped.keys()),
    load: queue.load === null ? null : { ...queue.load, discard: true },
    mayHaveEvents: true,
    mayHaveRows: true,
    mayHaveDue: true,
  };
}
