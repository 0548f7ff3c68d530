/**
 * The newest events of the projects that this node delivers, read once for all stitches that follow them. What this node commits is added
 * without reading it; what is missing is read from the log, from where the tail ends.
 *
 * A tail is one stretch of a project's log: of the numbers from `from` to `end` it has all events that exist. Older ones are dropped when
 * the tails together are too large; who asks for those gets them from the log, and they are not kept. So is what was read a while ago: it may
 * have been erased since (storage/retention/erasures.ts), and who comes that late gets it as it is now.
 */
import { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../../runtime/time/index.ts';
import type { Queries } from '../database/index.ts';
import { type AppendedEvent, newestStream } from '../statements/index.ts';

/** An event as those who follow the log need it. */
export interface TailEvent {
  readonly seq: number;
  readonly eventId: string;
  readonly eventName: string;
  readonly environmentId: string;
  /** ISO 8601. */
  readonly occurredAt: string;
  readonly threadId?: string | null;
  readonly exceptStitchId?: string | null;
  /** The envelope's exact text. */
  readonly body: string;
  readonly traceparent?: string | null;
}

export interface TailPage {
  /** In their order. */
  readonly events: readonly TailEvent[];
  /** The page has every event below this number, from where it was asked for. */
  readonly end: number;
  /** The log is known to have more. */
  readonly more: boolean;
  /** The newest event that is known of. */
  readonly head: number;
  /** What the project's stitches follow has at least this version: it judges the events of the page. */
  readonly subscriptions: number;
}

interface Tail {
  from: number;
  /** The number after the newest event that was looked for. */
  end: number;
  /** The newest event that is known of. */
  head: number;
  events: TailEvent[];
  size: number;
  subscriptions: number;
  reading: Promise<TailPage> | undefined;
  /** When something was added last; by the monotonic clock, as below. */
  readAt: number;
  /** What is below `seq` was read at `at` or before. In their order; one for each second at most. */
  readonly marks: { readonly seq: number; readonly at: number }[];
}

/** How long the text of an event is used after it was read, in milliseconds: no longer than an erasure may take to be complete. */
export const keptMs = 30_000;
/** Within so many milliseconds readings count as one. */
const markEveryMs = 1_000;

/** UTF-16 units of the bodies of all tails together. */
const maxSize = 64 * 1_048_576;
const maxTails = 512;
/** Events of one page, and bytes of their bodies that one statement brings along. */
const pageEvents = 1_000;
const pageBytes = 4_194_304;

export const tailColumns = `
  e.seq, e.event_id as "eventId", e.event_name as "eventName", e.environment_id as "environmentId", e.occurred_at as "occurredAt",
  e.thread_id as "threadId", e.except_stitch_id as "exceptStitchId", e.body, e.traceparent`;

// One statement, so that head and events are of one instant: what is not found below the head does not exist, and beyond it nothing is
// to be seen. It does not say so: by two bounds of which it knows nothing the planner expects few events, reads all that the log has
// beyond `$2` and sorts them, for each page anew.
const selectTail = `
  select p.last_seq as head, p.subscriptions, ${tailColumns}, e.found
  from ${newestStream('$1', 'p')} left join lateral (
    select * from (
      select page.*, count(*) over () as found,
        sum(octet_length(body)) over (order by seq rows unbounded preceding) - octet_length(body) as ahead
      from (select * from events where project_id = p.project_id and seq >= $2 order by seq limit $3) page
    ) sized where ahead < ${pageBytes}
  ) e on true
  order by e.seq`;

interface TailRow extends Omit<TailEvent, 'seq' | 'occurredAt'> {
  readonly seq: number | null;
  readonly occurredAt: Date;
  readonly head: number;
  readonly subscriptions: number;
  readonly found: number;
}

export class LogTail {
  readonly #db: Queries;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #tails = new LRUCache<string, Tail>({ max: maxTails });
  /** Counts the resets: a page that was read before the last one is not kept. */
  #resets = 0;
  /** What is being read elsewhere in the log, of each project one page at a time: the next reader may find what it needs in the tail. */
  readonly #elsewhere = new Map<string, Promise<unknown>>();

  constructor(db: Queries, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Adds what this node has committed to the project's tail, if it has one.
   *
   * @param first the number of the first event; the others follow it without gaps
   */
  add(projectId: string, first: number, events: readonly AppendedEvent[], subscriptions: number): void {
    const tail = this.#tails.peek(projectId);
    if (tail === undefined) return;
    tail.head = Math.max(tail.head, first + events.length - 1);
    // Otherwise what another node has committed in between is read first.
    if (tail.reading !== undefined || first !== tail.end) return;
    this.#dropOld(tail);
    this.#push(
      tail,
      events.map((event, index) => ({ ...event, seq: first + index })),
    );
    tail.end = first + events.length;
    tail.subscriptions = Math.max(tail.subscriptions, subscriptions);
    this.#trim(tail);
  }

  /** Somebody was told of this event, which another node has committed: whoever reads as far as the tail goes is to read on. */
  noteHead(projectId: string, seq: number): void {
    const tail = this.#tails.peek(projectId);
    if (tail !== undefined) tail.head = Math.max(tail.head, seq);
  }

  /** Drops all tails: the log may have gone back, and its numbers name other events. */
  reset(): void {
    this.#resets++;
    this.#tails.clear();
    this.#elsewhere.clear();
  }

  /** The events from that number on, up to `limit` of them, or a few more. Rejects as the database does. */
  async read(projectId: string, from: number, limit = pageEvents): Promise<TailPage> {
    for (;;) {
      const tail = this.#tails.get(projectId);
      if (tail !== undefined) this.#dropOld(tail);
      if (tail !== undefined && from >= tail.from && from <= tail.end) {
        if (from < tail.end) return toPage(tail, from, limit);
        tail.reading ??= this.#extend(projectId, tail).finally(() => {
          tail.reading = undefined;
        });
        return tail.reading;
      }
      const before = this.#elsewhere.get(projectId);
      if (before === undefined) break;
      await before.catch(() => undefined);
    }
    const reading = this.#readElsewhere(projectId, from, limit).finally(() => {
      if (this.#elsewhere.get(projectId) === reading) this.#elsewhere.delete(projectId);
    });
    this.#elsewhere.set(projectId, reading);
    return reading;
  }

  /** Reads on from where the tail ends. */
  async #extend(projectId: string, tail: Tail): Promise<TailPage> {
    const { head } = tail;
    const page = await readLog(this.#db, projectId, tail.end, pageEvents);
    this.#push(tail, page.events);
    tail.end = page.end;
    // What was known of before is in the page, or does not exist; what was heard of meanwhile may be newer than the page.
    if (tail.head === head || tail.head < page.head) tail.head = page.head;
    tail.subscriptions = Math.max(tail.subscriptions, page.subscriptions);
    this.#trim(tail);
    return { ...page, more: page.end <= tail.head, head: tail.head };
  }

  /**
   * Reads elsewhere in the log. The project gets a tail there if it has none, or if that is where its log ends; what comes right before its
   * tail is added to it.
   */
  async #readElsewhere(projectId: string, from: number, limit: number): Promise<TailPage> {
    const resets = this.#resets;
    const page = await readLog(this.#db, projectId, from, limit);
    if (resets !== this.#resets) return page;
    const { end, head, subscriptions } = page;
    const known = this.#tails.peek(projectId);
    if (known === undefined || end > known.end) {
      const tail: Tail = {
        from,
        end,
        head,
        events: [],
        size: 0,
        subscriptions,
        reading: undefined,
        readAt: this.#clock.monotonic(),
        marks: [],
      };
      this.#push(tail, page.events);
      this.#tails.set(projectId, tail);
    } else if (from < known.from && end >= known.from) {
      const before = page.events.filter(({ seq }) => seq < known.from);
      known.from = from;
      known.events = [...before, ...known.events];
      for (const { body } of before) known.size += body.length;
      known.subscriptions = Math.max(known.subscriptions, subscriptions);
      this.#trim(known);
    }
    return page;
  }

  /** Call it before `end` moves. */
  #push(tail: Tail, events: readonly TailEvent[]): void {
    const now = this.#clock.monotonic();
    const { readAt, marks } = tail;
    const isNewSecond =
      now - readAt >= markEveryMs || readAt - (marks.at(-1)?.at ?? -Infinity) >= markEveryMs;
    if (isNewSecond) marks.push({ seq: tail.end, at: readAt });
    tail.readAt = now;
    for (const event of events) {
      tail.events.push(event);
      tail.size += event.body.length;
    }
  }

  #dropOld(tail: Tail): void {
    const before = this.#clock.monotonic() - keptMs;
    const { marks } = tail;
    let from = tail.readAt <= before ? tail.end : 0;
    const old = marks.findLastIndex(({ at }) => at <= before);
    if (old >= 0) from = Math.max(from, ...marks.splice(0, old + 1).map(({ seq }) => seq));
    if (from <= tail.from) return;
    tail.from = from;
    for (const { body } of tail.events.splice(0, lowerBound(tail.events, from))) tail.size -= body.length;
  }

  #trim(tail: Tail): void {
    const share = maxSize / Math.max(1, this.#tails.size);
    if (tail.size <= share) return;
    // A half at a time: each cut moves what stays.
    let dropped = 0;
    while (tail.size > share / 2 && dropped < tail.events.length - 1)
      tail.size -= tail.events[dropped++]?.body.length ?? 0;
    tail.events.splice(0, dropped);
    tail.from = tail.events[0]?.seq ?? tail.end;
  }
}

function toPage({ events, end, head, subscriptions }: Tail, from: number, limit: number): TailPage {
  const start = lowerBound(events, from);
  const page = events.slice(start, start + limit);
  const isLast = start + page.length === events.length;
  const pageEnd = isLast ? end : (page.at(-1)?.seq ?? from) + 1;
  return { events: page, end: pageEnd, more: pageEnd <= head, head, subscriptions };
}

/** The place of the first event with that number or a higher one. */
function lowerBound(events: readonly TailEvent[], seq: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function readLog(db: Queries, projectId: string, from: number, limit: number): Promise<TailPage> {
  const rows = await db.query<TailRow>(selectTail, [projectId, from, limit], 'events.tail');
  const events = rows.flatMap(row => (row.seq === null ? [] : [toTailEvent({ ...row, seq: row.seq })]));
  const { head = 0, subscriptions = 0, found = 0 } = rows[0] ?? {};
  const last = events.at(-1)?.seq ?? from - 1;
  const isCut = events.length < found || found === limit;
  const end = isCut ? last + 1 : Math.max(from, head + 1);
  return { events, end, more: end <= head, head, subscriptions };
}

/** From a row with {@link tailColumns}. */
export function toTailEvent({
  seq,
  eventId,
  eventName,
  environmentId,
  occurredAt,
  threadId,
  exceptStitchId,
  body,
  traceparent,
}: Omit<TailEvent, 'occurredAt'> & { readonly occurredAt: Date }): TailEvent {
  return {
    seq,
    eventId,
    eventName,
    environmentId,
    occurredAt: occurredAt.toISOString(),
    ...(threadId === null || threadId === undefined ? {} : { threadId }),
    ...(exceptStitchId === null || exceptStitchId === undefined ? {} : { exceptStitchId }),
    body,
    ...(traceparent === null || traceparent === undefined ? {} : { traceparent }),
  };
}
