/**
 * What has to be delivered, and what was: the invariants of stitches. What a stitch wants is judged here by its row alone, in the moment
 * when an event is appended; nothing is read of what production keeps for that (spans, cursor).
 */
import { schedules, holdMs } from '../../actors/stitch/schedule.ts';
import { matchesEventNames } from '../../protocol/events.ts';
import { deriveDeliveryId } from '../../storage/deliveries/subscriptions.ts';
import type { EnvironmentKind } from '../../protocol/resources/index.ts';
import type { LogEntry } from './delivery-sources.ts';
import { refill } from '../support/memory-store.ts';
import { type DeliveryRow, isFinal, type DeliveryTables } from './delivery-tables.ts';
import type { StoredStitch } from './delivery-tables.ts';
import { type DeliveriesOptions, Erasures } from './erasures.ts';
import type { Violation } from './invariants.ts';
import { type BegunDelivery, type HeardResult, KnownToNodes } from './known-to-nodes.ts';
import { type Expected, Replays } from './replays.ts';

/** What a stitch is about to send. */
export interface StartedBatch {
  readonly deliveries: readonly (BegunDelivery & {
    readonly eventSeq: number;
    readonly eventName: string;
    readonly trigger: string;
  })[];
  /** The number of the last stop that the stitch knows. */
  readonly stops: number;
}

/** When a stitch stopped while a delivery was open. */
interface Stop {
  /** Virtual milliseconds. */
  readonly at: number;
  readonly number: number;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly erasures: Erasures;
  readonly #replays: Replays;
  readonly #stitches = new Map<string, { readonly row: StoredStitch; readonly isLive: boolean }>();
  /** By delivery, in the order of the log. */
  readonly #expected = new Map<string, Expected>();
  /** By stitch and thread, in the order of the log. */
  readonly #threads = new Map<string, Expected[]>();
  /** The first stop at which it was open, by delivery. */
  readonly #stopped = new Map<string, Stop>();
  readonly #known = new KnownToNodes();
  /** Deliveries of events that the database has lost, and when, in virtual milliseconds. */
  readonly #lost = new Map<string, number>();
  #tables: DeliveryTables | undefined;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.erasures = new Erasures(options);
    this.#replays = new Replays(options.verdict);
  }

  /**
   * Keeps what is owed as it is now. Call the returned function when the database has lost what came since: that is no longer owed. What a
   * receiver has got it keeps.
   */
  snapshot(): () => void {
    const stitches = new Map(this.#stitches);
    const expected = new Map([...this.#expected].map(([id, each]) => [id, { ...each }]));
    const stopped = new Map(this.#stopped);
    const replays = this.#replays.snapshot();
    return () => {
      refill(this.#stitches, stitches);
      for (const [id, each] of this.#expected) {
        const before = expected.get(id);
        if (before === undefined) this.#lose(id);
        else Object.assign(each, before, { isTaken: each.isTaken });
      }
      for (const [key, thread] of this.#threads)
        this.#threads.set(
          key,
          thread.filter(({ deliveryId }) => this.#expected.has(deliveryId)),
        );
      refill(this.#stopped, stopped);
      replays();
      this.#known.forget();
    };
  }

  #lose(deliveryId: string): void {
    this.#expected.delete(deliveryId);
    this.#lost.set(deliveryId, this.#options.now());
  }

  /** The tables are made after this, which they tell of their changes. */
  watch(tables: DeliveryTables): void {
    this.#tables = tables;
  }

  get #rows(): ReadonlyMap<string, DeliveryRow> {
    return this.#tables?.deliveries ?? new Map<string, never>();
  }

  /** How many deliveries there are to be. */
  get count(): number {
    return this.#expected.size;
  }

  /** A node reads the row of the stitch: what it knew of it before is forgotten. */
  loads(node: string, stitchId: string): void {
    this.#known.load(node, stitchId, this.#options.now());
  }

  /** A stitch on that node is told of results that are committed. */
  hears(node: string, stitchId: string, results: readonly HeardResult[]): void {
    this.#known.hear(node, stitchId, results);
  }

  /** A stitch on that node was stopped: what it had begun before and is not out yet is not to go out. */
  withdraws(node: string, stitchId: string, stops: number): void {
    this.#known.withdraw(node, stitchId, stops);
  }

  /** The turn of a request has come, and it is sent. */
  goesOut(node: string, stitchId: string, deliveryId: string): void {
    if (!this.#known.isWithdrawn(node, stitchId, deliveryId)) return;
    const detail = `${node} sends ${deliveryId} to ${stitchId}, which was stopped before its turn came`;
    this.#options.verdict.broken('nothing is delivered that nobody wants', detail);
  }

  /** A commit has written the row of the stitch. */
  wrote(stitchId: string, row: StoredStitch): void {
    const wasLive = this.#stitches.get(stitchId)?.isLive ?? false;
    const isLive = row['archived_at'] === null && row['status'] !== 'disabled';
    this.#stitches.set(stitchId, { row, isLive });
    this.#replays.wrote(stitchId, row, isLive, source => this.#listReplayable(source));
    if (isLive || !wasLive) return;
    const { stops } = row['state'] as { readonly stops: number };
    const stop = { at: this.#options.now(), number: stops };
    for (const each of this.#expected.values()) {
      if (each.stitchId !== stitchId || this.#isSettled(each) || each.cancelledAt !== undefined) continue;
      each.cancelledAt = stop.at;
      this.#stopped.set(each.deliveryId, stop);
    }
    for (const each of this.#rows.values()) {
      const { deliveryId, trigger } = each;
      if (each.stitchId !== stitchId || trigger === 'scheduled' || isFinal(each)) continue;
      if (!this.#stopped.has(deliveryId)) this.#stopped.set(deliveryId, stop);
    }
  }

  /** A commit has appended the event, behind the rows that it has written. */
  appended(projectId: string, event: LogEntry): void {
    for (const [stitchId, { row, isLive }] of this.#stitches) {
      const isOwn = row['project_id'] === projectId && row['environment_id'] === event.environmentId;
      if (!isLive || !isOwn || event.exceptStitchId === stitchId) continue;
      if (!matchesEventNames(row['event_names'] as readonly string[], event.eventName)) continue;
      const { seq, threadId, eventName, occurredAt } = event;
      const deliveryId = deriveDeliveryId(event.eventId, stitchId);
      const expected = {
        stitchId,
        deliveryId,
        seq,
        projectId,
        eventName,
        occurredAt,
        threadId,
        cancelledAt: undefined,
        isDropped: false,
        isTaken: false,
        hasReplay: false,
      };
      this.#expected.set(deliveryId, expected);
      if (threadId === null) continue;
      const key = `${stitchId} ${threadId}`;
      const thread = this.#threads.get(key) ?? [];
      this.#threads.set(key, thread);
      thread.push(expected);
    }
  }

  /** Of what the stitch was to deliver, that of which it is certain by now what became of it. */
  #listReplayable(stitchId: string): Expected[] {
    const inFlight = new Set((this.#tables?.spans ?? []).flatMap(span => span.inFlight));
    return [...this.#expected.values()].filter(each => {
      const isCancelled = each.cancelledAt !== undefined && !inFlight.has(each.deliveryId);
      return each.stitchId === stitchId && (isCancelled || this.#isSettled(each));
    });
  }

  /** The events of the project up to that number are no longer kept. */
  dropped(projectId: string, upto: number): void {
    for (const each of this.#expected.values()) {
      if (each.projectId === projectId && each.seq <= upto) each.isDropped = true;
    }
  }

  /**
   * A stitch on that node has begun to send. Whatever had happened when the node read its row is known to it, and so is every result of which it
   * was told since, and the last stop that it says.
   */
  starts(node: string, stitchId: string, { deliveries, stops }: StartedBatch): void {
    const { verdict } = this.#options;
    const loadedAt = this.#known.getLoadedAt(node, stitchId);
    for (const delivery of deliveries) {
      const { deliveryId, eventSeq, eventName, trigger, attempts } = delivery;
      const settledAt = this.#rows.get(deliveryId)?.settledAt;
      if (this.#known.begin(node, stitchId, delivery, stops, settledAt)) {
        const detail = `${node} sends ${deliveryId} of event ${eventSeq} to ${stitchId}, which it has settled`;
        verdict.broken('nothing is settled twice', detail);
      }
      const expected = this.#expected.get(deliveryId);
      const stop = this.#stopped.get(deliveryId);
      const isCancelled = stop !== undefined && (stop.at < loadedAt || stop.number <= stops);
      // A node that has read the stitch's row since knows nothing of what is lost, unless an attempt that was under way has left a row.
      const isLost = (this.#lost.get(deliveryId) ?? -Infinity) > (attempts > 0 ? 0 : loadedAt);
      const isKnown = expected !== undefined || trigger !== 'scheduled' || isLost;
      if (!isCancelled && isKnown) continue;
      const detail = `${node} sends event ${eventSeq} (${eventName}) to ${stitchId}, which does not want it`;
      verdict.broken('nothing is delivered that nobody wants', detail);
    }
  }

  /**
   * The receiver has taken a delivery.
   *
   * @param sentAt when it was sent, by the clock of its node, in epoch milliseconds
   */
  taken(stitchId: string, deliveryId: string, sentAt: number): void {
    const expected = this.#expected.get(deliveryId);
    if (expected === undefined) return this.#takeReplay(stitchId, deliveryId);
    if (expected.isTaken) return;
    expected.isTaken = true;
    const { threadId, seq } = expected;
    if (threadId === null) return;
    for (const earlier of this.#threads.get(`${stitchId} ${threadId}`) ?? []) {
      if (earlier.seq >= seq) return;
      const { isTaken, hasReplay, isDropped } = earlier;
      const isOver = isTaken || hasReplay || isDropped || earlier.cancelledAt !== undefined;
      if (isOver || this.#isSettled(earlier)) continue;
      if (sentAt >= this.#getHoldEnd(earlier)) continue;
      const detail = `${stitchId} has got event ${seq} of ${threadId} before event ${earlier.seq}`;
      this.#options.verdict.broken('a thread is delivered in order', detail);
    }
  }

  /** The receiver has the event, whatever becomes of its first delivery: what comes later need not wait for that. */
  #takeReplay(stitchId: string, deliveryId: string): void {
    const { eventId } = this.#rows.get(deliveryId) ?? {};
    const replayed =
      eventId === undefined ? undefined : this.#expected.get(deriveDeliveryId(eventId, stitchId));
    if (replayed !== undefined) replayed.hasReplay = true;
  }

  /** What is still to come. */
  listOpen(): Pick<Violation, 'invariant' | 'detail'>[] {
    const open: Pick<Violation, 'invariant' | 'detail'>[] = [];
    const invariant = 'every wanted event is delivered';
    for (const expected of this.#expected.values()) {
      const { stitchId, deliveryId, seq, cancelledAt, isDropped } = expected;
      const row = this.#rows.get(deliveryId);
      // Nothing need become of what was cancelled or dropped; a row that it has is settled all the same.
      const isOver = row === undefined && (cancelledAt !== undefined || isDropped);
      if (isOver || this.#isSettled(expected)) continue;
      const status = row?.status ?? 'without a row';
      open.push({
        invariant: cancelledAt === undefined ? invariant : 'a stop leaves nothing open',
        detail: `${deliveryId} of event ${seq} to ${stitchId} is ${status}`,
      });
    }
    for (const row of this.#rows.values()) {
      const { deliveryId, trigger, stitchId, status } = row;
      if (isFinal(row) || this.#expected.has(deliveryId)) continue;
      const detail = `${deliveryId} (${trigger}) to ${stitchId} is ${status}`;
      open.push({
        invariant: this.#stopped.has(deliveryId) ? 'a stop leaves nothing open' : invariant,
        detail,
      });
    }
    for (const { stitchId, inFlight } of this.#tables?.spans ?? []) {
      for (const id of inFlight.filter(id => !this.#rows.has(id))) {
        const detail = `${id} to ${stitchId} is said to be pending, and nobody sends it`;
        open.push({ invariant: 'a stop leaves nothing open', detail });
      }
    }
    for (const detail of this.#replays.listOpen()) {
      open.push({ invariant: 'a replay is whole, and comes once', detail });
    }
    return open;
  }

  /** What can only be looked at in the end. */
  check(): void {
    const { verdict } = this.#options;
    for (const row of this.#rows.values()) {
      const expected = this.#expected.get(row.deliveryId);
      if (row.trigger === 'scheduled' && expected === undefined && !this.#lost.has(row.deliveryId)) {
        const detail = `${row.stitchId} has a delivery of event ${row.eventSeq} (${row.eventName})`;
        verdict.broken('nothing is delivered that nobody wants', detail);
      }
      if (expected === undefined || expected.isDropped) continue;
      if (row.status === 'delivered' && !expected.isTaken) {
        const detail = `${row.deliveryId} of event ${row.eventSeq} is delivered, and ${row.stitchId} never got it`;
        verdict.broken('every wanted event is delivered', detail);
      }
      if (
        row.status === 'failed' &&
        !this.#isExhausted(row.stitchId, row.attempts) &&
        row.responseStatus !== 410
      ) {
        const detail = `${row.deliveryId} of event ${row.eventSeq} has failed after ${row.attempts} attempts`;
        verdict.broken('every wanted event is delivered', detail);
      }
      if (row.status === 'cancelled' && expected.cancelledAt === undefined) {
        const detail = `${row.deliveryId} of event ${row.eventSeq} was cancelled, and ${row.stitchId} was not stopped`;
        verdict.broken('every wanted event is delivered', detail);
      }
    }
    for (const expected of this.#expected.values()) {
      if (this.#rows.has(expected.deliveryId) || expected.isDropped || this.#isInSpan(expected)) continue;
      const { deliveryId, seq, stitchId } = expected;
      verdict.broken(
        'every delivery is listed',
        `${deliveryId} of event ${seq} to ${stitchId} is in no list`,
      );
    }
    this.#replays.check([...this.#rows.values()]);
  }

  /** Whether lists find it without a row: it was cancelled, in a part of the log that is noted as cancelled. */
  #isInSpan({ stitchId, seq, eventName }: Expected): boolean {
    const spans = this.#tables?.spans ?? [];
    return spans.some(
      span =>
        span.stitchId === stitchId &&
        span.cancelledAt !== null &&
        seq > span.after &&
        seq <= (span.upto ?? 0) &&
        matchesEventNames(span.eventNames, eventName),
    );
  }

  #isExhausted(stitchId: string, attempts: number): boolean {
    const { environmentKind } = this.#stitches.get(stitchId)?.row['state'] as {
      environmentKind: EnvironmentKind;
    };
    return attempts >= schedules[environmentKind].length;
  }

  #isSettled({ deliveryId }: Expected): boolean {
    const row = this.#rows.get(deliveryId);
    return row !== undefined && isFinal(row);
  }

  /** Until when the thread waits for a delivery that has failed, in epoch milliseconds. */
  #getHoldEnd({ deliveryId }: Expected): number {
    const firstAttempt = this.#tables?.attempts.get(deliveryId)?.get(1);
    return firstAttempt === undefined ? Infinity : Date.parse(firstAttempt) + holdMs;
  }
}
