/**
 * The log as the outbox of stitches: which of a project's events a stitch has yet to deliver, in their order. A scheduled delivery has no row
 * before its first attempt has ended; its id follows from event and stitch, so that whoever reads it, and however often, means the same.
 */
import type { Clock } from '../../runtime/time/index.ts';
import { type Queries, TimelineChanged } from '../database/index.ts';
import { type AppendedEvents, LogTail, tailColumns, type TailEvent, toTailEvent } from '../events/index.ts';
import type { OpenDelivery } from './outbox.ts';
import {
  deriveDeliveryId,
  isWanted,
  type Subscription,
  SubscriptionCache,
  type Subscriptions,
} from './subscriptions.ts';

export interface WantedRequest {
  readonly projectId: string;
  readonly stitchId: string;
  /** The lowest event number. */
  readonly from: number;
  /** The most deliveries. */
  readonly limit: number;
  /** Some of these deliveries may have a row: they are left out. */
  readonly check: boolean;
  /** Begins where the stitch's spans begin, which are read anew. */
  readonly isFirst: boolean;
  /** The newest event that the stitch was told of, wherever it was committed: absent where a node of an earlier version asks. */
  readonly newest?: number;
}

export interface WantedPage {
  readonly deliveries: readonly OpenDelivery[];
  /** Their bodies, by their ids. */
  readonly bodies: ReadonlyMap<string, string>;
  /** What follows has at least this event number. */
  readonly end: number;
  /** There is more from `end` on. */
  readonly more: boolean;
  /** On the first page, the number of the log's newest event. */
  readonly head?: number;
  /** The newest event of the log that is known of. */
  readonly newest: number;
}

/** A stitch, and where it is. */
export interface FollowingStitch {
  readonly projectId: string;
  readonly environmentId: string;
  readonly stitchId: string;
}

/** A thread of which deliveries were left out before. */
export interface ThreadRequest {
  readonly threadId: string;
  /** The lowest event number. */
  readonly from: number;
}

export interface ThreadPage {
  readonly threadId: string;
  readonly deliveries: readonly OpenDelivery[];
  /** Where the next page begins; null: this was the last. */
  readonly next: number | null;
}

/** Events that one page looks at: beyond it the stitch asks again, and others have their turn. */
const maxScanned = 5_000;
/** And at first, or as many as are wanted: often each of them is. */
const firstScan = 32;
/** Events of one thread in a page. */
const threadEvents = 16;

const selectThreads = `
  select t.n, ${tailColumns}
  from unnest($3::text[], $4::bigint[]) with ordinality as t(thread_id, start, n)
  cross join lateral (
    select * from events
    where thread_id = t.thread_id and project_id = $1 and environment_id = $2 and seq >= t.start and seq < $5
    order by seq limit ${threadEvents}
  ) e order by t.n, e.seq`;

// A scheduled delivery has the instant of its event, which names the partition. By the days of these events alone: joined with a list of 256 keys
// the planner reckons with a look into each partition for each of them, and reads the index of the whole table instead (in a table of 63,000 rows
// and 38 days 30 to 120 ms, and 0.4 in place of it; with 250 keys of all days 30 and 16).
const selectRecorded = `
  select delivery_id as id from webhook_deliveries
  where delivery_id = any ($1::text[]) and created_at >= $2::timestamptz and created_at <= $3::timestamptz`;

/** Those of the deliveries that have no row, in their order. */
export async function dropRecorded<T extends Pick<OpenDelivery, 'deliveryId' | 'createdAt'>>(
  db: Queries,
  deliveries: readonly T[],
): Promise<T[]> {
  if (deliveries.length === 0) return [];
  const ids = deliveries.map(({ deliveryId }) => deliveryId);
  // Texts of one format.
  const instants = deliveries.map(({ createdAt }) => createdAt).sort();
  const rows = await db.query<{ id: string }>(
    selectRecorded,
    [ids, instants[0], instants.at(-1)],
    'deliveries.recorded',
  );
  const recorded = new Set(rows.map(({ id }) => id));
  return deliveries.filter(({ deliveryId }) => !recorded.has(deliveryId));
}

/** The delivery of an event that the stitch wants, before its first attempt. */
export function toDelivery(stitchId: string, event: TailEvent): OpenDelivery {
  const { seq, eventId, eventName, occurredAt, threadId = null, traceparent } = event;
  return {
    deliveryId: deriveDeliveryId(eventId, stitchId),
    createdAt: occurredAt,
    eventId,
    eventSeq: seq,
    eventName,
    eventAt: occurredAt,
    threadId,
    trigger: 'scheduled',
    attempts: 0,
    firstAttemptAt: null,
    hasRow: false,
    ...(typeof traceparent === 'string' && { traceparent }),
  };
}

/** Ids of stitches. */
export type WantingLists = Iterable<readonly string[]>;

export class FollowedLog {
  readonly #db: Queries;
  readonly #tail: LogTail;
  readonly #subscriptions: SubscriptionCache;
  #resets = 0;

  constructor(db: Queries, clock?: Pick<Clock, 'monotonic'>) {
    this.#db = db;
    this.#tail = new LogTail(db, clock);
    this.#subscriptions = new SubscriptionCache(db);
  }

  /** Drops what is kept of the log, which may have gone back. Reads that are under way reject with `TimelineChanged`. */
  reset(): void {
    this.#resets++;
    this.#tail.reset();
    this.#subscriptions.reset();
  }

  /** This node has committed these events: who follows them here finds them without reading the log. */
  add({ projectId, first, events, subscriptions }: AppendedEvents): void {
    this.#tail.add(projectId, first, events, subscriptions);
  }

  /**
   * The stitches that want any of the events, in lists that are the same ones for the same stitches, and may name a stitch twice; a promise
   * where what they follow has to be read.
   */
  findWanting(appended: AppendedEvents): WantingLists | Promise<WantingLists> {
    const { projectId, subscriptions: version } = appended;
    const known = this.#subscriptions.peek(projectId, version);
    if (known !== undefined) return listWanting(known, appended);
    return this.#subscriptions.get(projectId, version).then(found => listWanting(found, appended));
  }

  /** Reads what the stitches of these projects follow where it is not known, at once. Rejects as the database does. */
  prepareSubscriptions(
    projects: readonly { readonly projectId: string; readonly version: number }[],
  ): Promise<void> {
    return this.#subscriptions.prepare(projects);
  }

  /** What the stitches of a project follow, in that version or a later one. Rejects as the database does. */
  getSubscriptions(projectId: string, version: number): Promise<Subscriptions> {
    return this.#subscriptions.get(projectId, version);
  }

  /** What the stitch has to deliver from that number on. Rejects as the database does. */
  readWanted(request: WantedRequest): Promise<WantedPage> {
    return this.#ofOneLog(() => this.#readWanted(request));
  }

  async #ofOneLog<T>(read: () => Promise<T>): Promise<T> {
    const resets = this.#resets;
    const found = await read();
    if (resets !== this.#resets) throw new TimelineChanged();
    return found;
  }

  async #readWanted(request: WantedRequest): Promise<WantedPage> {
    const { projectId, stitchId, limit, check, isFirst, newest: told = 0 } = request;
    let { from } = request;
    this.#tail.noteHead(projectId, told);
    let first: Pick<WantedPage, 'head'> = {};
    if (isFirst) {
      const { head, byStitch } = await this.#subscriptions.getLatest(projectId);
      first = { head };
      this.#tail.noteHead(projectId, head);
      from = Math.max(from, (byStitch.get(stitchId)?.spans[0]?.after ?? 0) + 1);
    }
    const wanted: TailEvent[] = [];
    let end = from;
    let newest = 0;
    let more = true;
    for (let scanned = 0; more && scanned < maxScanned && wanted.length < limit;) {
      const page = await this.#tail.read(
        projectId,
        end,
        scanned === 0 ? Math.max(firstScan, limit) : undefined,
      );
      const { byStitch } = await this.#subscriptions.get(projectId, page.subscriptions);
      scanned += page.events.length;
      newest = page.head;
      const taken = takeWanted(byStitch.get(stitchId), page.events, wanted, limit);
      ({ end, more } = taken === undefined ? page : { end: taken, more: true });
    }
    const deliveries = wanted.map(event => toDelivery(stitchId, event));
    const bodies = new Map(
      deliveries.map(({ deliveryId }, index) => [deliveryId, wanted[index]?.body ?? '']),
    );
    return {
      deliveries: check ? await dropRecorded(this.#db, deliveries) : deliveries,
      bodies,
      end,
      more,
      newest,
      ...first,
    };
  }

  /** What the stitch has to deliver of these threads, below the event number `before`. Rejects as the database does. */
  readThreads(
    stitch: FollowingStitch,
    threads: readonly ThreadRequest[],
    before: number,
  ): Promise<ThreadPage[]> {
    return this.#ofOneLog(() => this.#readThreads(stitch, threads, before));
  }

  async #readThreads(
    { projectId, environmentId, stitchId }: FollowingStitch,
    threads: readonly ThreadRequest[],
    before: number,
  ): Promise<ThreadPage[]> {
    if (threads.length === 0) return [];
    const rows = await this.#db.query<Parameters<typeof toTailEvent>[0] & { readonly n: number }>(
      selectThreads,
      [
        projectId,
        environmentId,
        threads.map(({ threadId }) => threadId),
        threads.map(({ from }) => from),
        before,
      ],
      'deliveries.threads',
    );
    // They were read before, with what was followed then.
    const { byStitch } = await this.#subscriptions.get(projectId, 0);
    const subscription = byStitch.get(stitchId);
    const found = Map.groupBy(rows, ({ n }) => n);
    const open = await dropRecorded(
      this.#db,
      rows
        .map(toTailEvent)
        .flatMap(event =>
          subscription !== undefined && isWanted(subscription, event) ? [toDelivery(stitchId, event)] : [],
        ),
    );
    const byThread = Map.groupBy(open, ({ threadId }) => threadId);
    return threads.map(({ threadId }, index) => {
      const own = found.get(index + 1) ?? [];
      const last = own.at(-1);
      const isLast = own.length < threadEvents || last === undefined;
      return { threadId, deliveries: byThread.get(threadId) ?? [], next: isLast ? null : last.seq + 1 };
    });
  }
}

/** Adds what the stitch wants of a page. Returns where the next page begins if there was no room for all. */
function takeWanted(
  subscription: Subscription | undefined,
  events: readonly TailEvent[],
  wanted: TailEvent[],
  limit: number,
): number | undefined {
  if (subscription === undefined) return undefined;
  for (const event of events) {
    if (!isWanted(subscription, event)) continue;
    if (wanted.length >= limit) return event.seq;
    wanted.push(event);
  }
  return undefined;
}

/** By environment and name, of which a commit has few, and not by event. */
function listWanting(subscriptions: Subscriptions, { first, events }: AppendedEvents): WantingLists {
  const wanting = new Set<readonly string[]>();
  const seen = new Set<string>();
  events.forEach(({ environmentId, eventName, exceptStitchId }, index) => {
    const sort = `${environmentId} ${eventName} ${exceptStitchId ?? ''}`;
    if (seen.has(sort)) return;
    seen.add(sort);
    wanting.add(subscriptions.findWanting({ seq: first + index, eventName, environmentId, exceptStitchId }));
  });
  return wanting;
}
