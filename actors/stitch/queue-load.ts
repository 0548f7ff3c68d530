/** How a stitch's queue gets its deliveries from the log and from the table: what it asks for, and what it keeps of the result. */
import type { ThreadPage, ThreadRequest, WantedPage } from '../../storage/deliveries/index.ts';
import { addHold, findHold, isHeldBack } from './holds.ts';
import {
  maxStarted,
  readSkipped,
  skip,
  skipHeld,
  type Delivery,
  type DeliveryQueue,
  type OngoingLoad,
} from './queue.ts';
import { maxInFlight } from './window.ts';

/**
 * A load is requested when fewer deliveries than this wait. So at most this and a page wait, of each sort. With half
 * of both numbers, loads took longer than the waiting deliveries lasted (2,600 deliveries a second to one stitch instead of 3,400).
 */
const minLowWater = 128;
/** What is in flight is to be followed by as much. */
function getLowWater({ window }: DeliveryQueue): number {
  return Math.max(minLowWater, Math.floor(window.size));
}
/** The most deliveries of one load, of each sort. */
export const pageSize = 256;
/** The most of a stitch that tries one delivery at a time: then one that was not attempted before, and one that was, are at hand. */
const pageSizeProbing = 8;
/** Threads that one load reads by themselves. */
const maxThreads = 32;
/** The most deliveries of one thread that wait in memory while deliveries of others need the room. */
const threadShare = 8;
/** With this many held threads nothing is loaded that was not attempted: most of what the receiver gets fails. */
export const maxHeld = 1_000;
/**
 * The most threads that are held: at most `maxHeld` before the last load, its page of each sort, what waited, and what had started, of as many
 * threads. Whoever takes the stitch over asks for as many: a head that it does not know would be overtaken.
 */
export const maxHeads = maxHeld + 2 * pageSize + maxThreads + maxInFlight + maxStarted;
/**
 * With so many threads behind in the log, or as many among the rows (unless some are of an earlier version), neither is read further: first they
 * are read by themselves. More than are held, so that heads alone keep nothing back. A receiver that refuses every event of 8,000 threads or more
 * leaves some hundred of them behind (measured over 20 hours with ten events a second); of fewer threads it leaves all, since each page then has
 * more of held threads than are read by themselves, and of more it does as well where a burst has left every eighth behind. Each turn looks at
 * all of them.
 */
export const maxSkipped = 2 * maxHeads;

export interface EventsRequest {
  readonly from: number;
  readonly limit: number;
  /** Deliveries of these events may have a row. */
  readonly check: boolean;
  /** Begins where the stitch's spans of the log begin. */
  readonly isFirst: boolean;
  /** The newest event that the stitch was told of. */
  readonly newest: number;
}

/** What a load has to find. */
export interface LoadRequest {
  /** Epoch milliseconds. */
  readonly askedAt: number;
  /** Events from that number on, as many deliveries of them at most; null: none are wanted. */
  readonly events: EventsRequest | null;
  /** Not those of events while there are rows of scheduled deliveries. */
  readonly oldRowsFirst: boolean;
  /** Threads that are read by themselves, below the event number `before`. */
  readonly threads: readonly ThreadRequest[];
  readonly before: number;
  /** Pending rows from that event number on, without those of blocked threads; null: none are wanted. */
  readonly rows: {
    readonly from: number;
    readonly limit: number;
    readonly blocked: readonly string[];
  } | null;
  /** The most retries that are due; 0: none are wanted. */
  readonly due: number;
  /** Also which threads are held. */
  readonly holds: boolean;
}

/** Deliveries in the order of their events. */
interface Page {
  readonly deliveries: readonly Delivery[];
  /** Whatever follows has at least this event number. */
  readonly end: number;
  /** There may be more from `end` on. */
  readonly more: boolean;
}

export interface LoadedPage {
  /** Null: not read, or there are old rows. `head`, the log's newest number, is that of a first page. */
  readonly events: (Page & Pick<WantedPage, 'head'>) | null;
  readonly threads: readonly ThreadPage[];
  readonly rows: Page | null;
  readonly hasOldRows: boolean;
  readonly due: readonly Delivery[];
  readonly moreDue: boolean;
  /** The heads that hold their threads, if they were asked for. */
  readonly holds: readonly { readonly threadId: string; readonly seq: number; readonly until: number }[];
}

/** Requests a load if the queue has room, and there may be something to load. */
export function requestLoad(
  queue: DeliveryQueue,
  probing: boolean,
  now: number,
): { queue: DeliveryQueue; request: LoadRequest | undefined } {
  const isNew = ({ attempts }: Delivery): boolean => attempts === 0;
  const isFull = probing ? queue.waiting.some(isNew) : queue.waiting.length >= getLowWater(queue);
  if (queue.load !== null || isFull) return { queue, request: undefined };
  const limit = probing ? pageSizeProbing : pageSize;
  const takesNew = queue.held.size < maxHeld;
  // Old rows come before everything in the log, and what is skipped of the rows is read when the log has been read so far: with a bound here
  // neither would go on.
  const mayReadRows = queue.mayHaveOldRows || queue.skippedRows.size < maxSkipped;
  const wantsRows = takesNew && queue.mayHaveRows && mayReadRows;
  const mayReadOn = takesNew && queue.mayHaveEvents && queue.skipped.size < maxSkipped;
  const wantsEvents = mayReadOn && (wantsRows || !queue.mayHaveOldRows);
  const wantsDue = queue.mayHaveDue && (!probing || queue.waiting.every(isNew));
  const threads = takesNew ? takeReady(queue, probing ? 1 : maxThreads, now) : [];
  if (!wantsEvents && !wantsRows && threads.length === 0 && !wantsDue) return { queue, request: undefined };
  const request: LoadRequest = {
    askedAt: now,
    events: wantsEvents ? requestEvents(queue, limit) : null,
    oldRowsFirst: queue.mayHaveOldRows,
    threads,
    before: queue.next,
    rows: wantsRows ? { from: queue.nextRow, limit, blocked: listHeld(queue, now) } : null,
    due: wantsDue ? limit : 0,
    holds: queue.needsHolds,
  };
  const ready = new Set(queue.ready);
  for (const { threadId } of threads) ready.delete(threadId);
  const next: DeliveryQueue = {
    ...queue,
    ready,
    load: {
      askedAt: now,
      request: JSON.stringify(request),
      committed: new Map(),
      discard: false,
      threads: threads.map(({ threadId }) => threadId),
      rowsFrom: request.rows?.from ?? Infinity,
      holds: request.holds,
    },
    mayHaveDue: queue.mayHaveDue && !wantsDue,
    needsHolds: false,
    // What is noted while the load is under way comes after it.
    ...(wantsEvents ? { mayHaveEvents: false } : {}),
    ...(wantsRows ? { mayHaveRows: false, nextRow: Infinity } : {}),
  };
  return { queue: next, request };
}

function requestEvents({ next, checkBelow, newest }: DeliveryQueue, limit: number): EventsRequest {
  return { from: next, limit, check: next < checkBelow, isFirst: checkBelow === Infinity, newest };
}

/** The first of the skipped threads that may be read. */
function takeReady({ ready, skipped, held }: DeliveryQueue, limit: number, now: number): ThreadRequest[] {
  const threads: ThreadRequest[] = [];
  for (const threadId of ready) {
    if (threads.length === limit) break;
    const from = skipped.get(threadId);
    if (from !== undefined && !isHeldBack(held.get(threadId), Infinity, now))
      threads.push({ threadId, from });
  }
  return threads;
}

function listHeld({ held }: DeliveryQueue, now: number): string[] {
  return [...held].filter(([, hold]) => isHeldBack(hold, Infinity, now)).map(([thread]) => thread);
}

/** Takes in what a load has found. */
export function acceptLoad(
  queue: DeliveryQueue,
  request: LoadRequest,
  page: LoadedPage,
  now: number,
): DeliveryQueue {
  const { load } = queue;
  // The load was requested elsewhere, for example before the actor moved here. The one in progress here is another. What lies between
  // this queue and the page of a load that began elsewhere would never be read.
  if (load === null || load.request !== JSON.stringify(request)) return queue;
  if (load.discard) return dropLoad(queue, load, now);
  const { threads, rowsFrom } = load;
  const { rows } = request;
  const held = new Map(queue.held);
  const settled = page.holds.length === 0 ? new Set<string>() : listSettled(load);
  for (const { threadId, seq, until } of page.holds) {
    const hold = held.get(threadId);
    if (findHold(hold, seq) !== undefined || settled.has(`${threadId} ${seq}`)) continue;
    held.set(threadId, addHold(hold, { seq, until }));
  }
  const skippedRows = new Map(queue.skippedRows);
  for (const thread of rows?.blocked ?? []) {
    skippedRows.set(thread, Math.min(skippedRows.get(thread) ?? rowsFrom, rowsFrom));
  }
  const { events } = page;
  const hasMoreEvents = events === null ? request.events !== null : events.more;
  // What came meanwhile may have made them ready a second time. They are again below, if nothing of them waits.
  const ready = new Set([...queue.ready].filter(thread => !threads.includes(thread)));
  const taken = takeDeliveries({ ...queue, held, skippedRows, ready }, load, page, request.threads);
  const loaded: DeliveryQueue = {
    ...taken,
    load: null,
    mayHaveOldRows: queue.mayHaveOldRows && page.hasOldRows,
    mayHaveEvents: taken.mayHaveEvents || hasMoreEvents,
    nextRow: Math.min(queue.nextRow, page.rows?.end ?? rowsFrom),
    // Old rows that are under way are asked for again when their results are committed.
    mayHaveRows: queue.mayHaveRows || (page.rows?.more ?? false),
    mayHaveDue: queue.mayHaveDue || page.moreDue,
  };
  return readSkipped(skipHeld(loaded, now), [...loaded.skipped.keys(), ...loaded.skippedRows.keys()], now);
}

/** The load has ended, and nothing of it is taken: whatever it was to find is asked for again. */
export function dropLoad(queue: DeliveryQueue, load: OngoingLoad, now: number): DeliveryQueue {
  const next: DeliveryQueue = {
    ...queue,
    load: null,
    nextRow: Math.min(queue.nextRow, load.rowsFrom),
    mayHaveEvents: true,
    mayHaveRows: true,
    mayHaveDue: true,
    needsHolds: queue.needsHolds || load.holds,
  };
  return readSkipped(next, load.threads, now);
}

/** The heads that the load may have found and that are settled since, as thread and number. */
function listSettled({ committed }: OngoingLoad): Set<string> {
  const heads = new Set<string>();
  for (const { attempts, threadId, eventSeq } of committed.values()) {
    if (attempts === null && threadId !== null) heads.add(`${threadId} ${eventSeq}`);
  }
  return heads;
}

/** Puts what the page has into memory: first the skipped threads, then what is new of all others, then the rows, none before its time. */
function takeDeliveries(
  queue: DeliveryQueue,
  load: OngoingLoad,
  page: LoadedPage,
  asked: readonly ThreadRequest[],
): DeliveryQueue {
  const isNew = createFilter(queue, load);
  const skipped = new Map(queue.skipped);
  const ofThreads: Delivery[] = [];
  const from = new Map(asked.map(thread => [thread.threadId, thread.from]));
  for (const { threadId, deliveries, next } of page.threads) {
    // Deliveries before these left the memory meanwhile: they come first, and these with them.
    if (skipped.get(threadId) !== from.get(threadId)) continue;
    ofThreads.push(...deliveries.filter(isNew));
    if (next === null) skipped.delete(threadId);
    else skipped.set(threadId, next);
  }
  const waiting = merge(queue.waiting, [...page.due.filter(isNew), ...ofThreads]);
  const taken = takeEvents({ ...queue, skipped, waiting }, page.events, isNew);
  return takeRows(taken, page.rows?.deliveries.filter(isNew) ?? []);
}

function takeEvents(
  queue: DeliveryQueue,
  events: LoadedPage['events'],
  isNew: (delivery: Delivery) => boolean,
): DeliveryQueue {
  if (events === null) return queue;
  // Behind what was skipped of its thread nothing may be taken.
  const isBehind = ({ threadId }: Delivery): boolean => threadId !== null && queue.skipped.has(threadId);
  const fresh = events.deliveries.filter(isNew);
  const { taken, left } = share(
    queue,
    fresh.filter(delivery => !isBehind(delivery)),
  );
  return {
    ...queue,
    ...skip(queue, [...left, ...fresh.filter(isBehind)]),
    waiting: merge(queue.waiting, taken),
    next: Math.max(queue.next, events.end),
    // No other owner has begun with what came into the log since.
    checkBelow: Math.min(queue.checkBelow, events.head === undefined ? Infinity : events.head + 1),
  };
}

/**
 * A replay waits until all that comes before it in its thread is in memory: the log is read that far, whatever the stitch wants of it. A
 * scheduled delivery with a row comes before everything in the log.
 */
function takeRows(queue: DeliveryQueue, rows: readonly Delivery[]): DeliveryQueue {
  const isEarly = ({ threadId, eventSeq, trigger }: Delivery): boolean =>
    threadId !== null &&
    trigger !== 'scheduled' &&
    (eventSeq >= queue.next || (queue.skipped.get(threadId) ?? Infinity) <= eventSeq);
  const early = rows.filter(isEarly);
  return {
    ...queue,
    ...skip(queue, early),
    waiting: merge(
      queue.waiting,
      rows.filter(delivery => !isEarly(delivery)),
    ),
    mayHaveEvents: queue.mayHaveEvents || early.some(({ eventSeq }) => eventSeq >= queue.next),
  };
}

/** Tells what is not in memory, and was not changed by a commit since it was read. */
function createFilter(queue: DeliveryQueue, load: OngoingLoad): (delivery: Delivery) => boolean {
  const known = new Set<string>(queue.started.keys());
  for (const { deliveryId } of queue.waiting) known.add(deliveryId);
  return ({ deliveryId, attempts }) => {
    const committed = load.committed.get(deliveryId);
    return !known.has(deliveryId) && (committed === undefined || attempts === committed.attempts);
  };
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
