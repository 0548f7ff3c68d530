/** The log and the tables of a stitch in memory: what its commands write, and what its loads read. */
import type { LoadOrder, StitchCommands } from '../../../actors/stitch/commands.ts';
import type { EventsRequest, LoadedPage, LoadRequest } from '../../../actors/stitch/queue-load.ts';
import type { Delivery } from '../../../actors/stitch/queue.ts';
import { holdMs } from '../../../actors/stitch/schedule.ts';
import type { StitchState } from '../../../actors/stitch/state.ts';
import type { ThreadPage } from '../../../storage/deliveries/followed-log.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Write } from '../../../storage/statements/statement.ts';

/** A delivery: an event that the stitch wants, and what its row says, if it has one. */
export interface Row extends Omit<Delivery, 'hasRow'> {
  hasRow: boolean;
  status: 'pending' | 'retrying' | 'delivered' | 'failed' | 'cancelled';
  attempts: number;
  firstAttemptAt: number | null;
  nextAttemptAt: number | null;
  lastAttemptAt: number | null;
}

export class Tables {
  readonly rows = new Map<string, Row>();
  readonly events: {
    readonly name: string;
    readonly only?: string;
    readonly except?: string;
    readonly body: string;
  }[] = [];
  readonly attempts: { readonly deliveryId: string; readonly number: number; readonly at: number }[] = [];

  /** Entries of the audit log. */
  readonly acts: object[] = [];

  /** Attempts that were counted as succeeded and as failed. */
  readonly counted = { succeeded: 0, failed: 0 };

  get open(): Row[] {
    return [...this.rows.values()].filter(({ status }) => status === 'pending' || status === 'retrying');
  }

  /** The number of the newest event. */
  head = 0;
  /** Deliveries of one page of events at most: a stitch that wants few of many events gets few at a time. */
  pageEvents = Infinity;
  /** From here on the stitch follows the log; null: it does not. */
  follows: { readonly after: number; readonly wanted: readonly string[] } | null = null;
  /** Deliveries without a row that were in flight when the stitch was disabled: nobody reads them from the log again. */
  #named: readonly string[] = [];

  /** An event that the stitch wants if it follows the log; or a row that waits for its first attempt. */
  insert(given: Pick<Delivery, 'threadId' | 'eventSeq' | 'trigger'>, now: number): void {
    const isScheduled = given.trigger === 'scheduled';
    if (isScheduled) this.head = Math.max(this.head, given.eventSeq);
    if (isScheduled && this.follows === null) return;
    const at = new Date(now).toISOString();
    const deliveryId = newId('delivery', now);
    this.rows.set(deliveryId, {
      deliveryId,
      createdAt: at,
      eventId: newId('event', now),
      eventAt: at,
      eventName: 'thread.message.received',
      status: 'pending',
      attempts: 0,
      firstAttemptAt: null,
      nextAttemptAt: now,
      lastAttemptAt: null,
      hasRow: !isScheduled,
      ...given,
    });
  }

  /** What a load finds. */
  read({ request }: LoadOrder, now: number): StitchCommands['loaded']['payload'] {
    const open = this.open.sort((a, b) => a.eventSeq - b.eventSeq);
    const retrying = open.filter(({ status }) => status === 'retrying');
    const isDue = ({ nextAttemptAt }: Row): boolean => (nextAttemptAt ?? 0) <= now;
    const due = retrying.filter(isDue).slice(0, request.due);
    const later = retrying.filter(row => !isDue(row)).map(({ nextAttemptAt }) => nextAttemptAt ?? 0);
    const holds = retrying.flatMap(({ threadId, eventSeq: seq, firstAttemptAt }) => {
      const until = (firstAttemptAt ?? 0) + holdMs;
      return threadId !== null && until > now ? [{ threadId, seq, until }] : [];
    });
    return {
      request,
      nextDueAt: request.due > 0 && later.length > 0 ? Math.min(...later) : null,
      page: {
        events: request.events && this.#readEvents(request.events),
        threads: request.threads.map(({ threadId, from }) =>
          this.#readThread(threadId, from, request.before),
        ),
        rows: request.rows && readRows(open, request.rows),
        hasOldRows: false,
        due: due.map(toDelivery),
        moreDue: due.length > 0 && due.length >= request.due,
        holds: request.holds ? keepLatest(holds).toSorted((a, b) => a.seq - b.seq) : [],
      },
    };
  }

  /** The events that the stitch wants, in the order of the log. */
  get #log(): Row[] {
    return [...this.rows.values()]
      .filter(({ trigger, deliveryId, hasRow }) => {
        return trigger === 'scheduled' && (hasRow || !this.#named.includes(deliveryId));
      })
      .sort((a, b) => a.eventSeq - b.eventSeq);
  }

  #readEvents({ from, limit, check, isFirst }: EventsRequest): LoadedPage['events'] {
    const wanted = this.#log.filter(({ eventSeq, status, hasRow }) => {
      const isCancelled = !hasRow && status === 'cancelled';
      return eventSeq >= from && !isCancelled;
    });
    const page = wanted.slice(0, Math.min(limit, this.pageEvents));
    // A stitch that does not check may not meet what has a row.
    if (!check && page.some(({ hasRow }) => hasRow))
      throw new Error('an event is read again without a look at its row');
    const more = wanted.length > page.length;
    return {
      deliveries: page.filter(({ hasRow }) => !hasRow).map(toDelivery),
      end: more ? (page.at(-1)?.eventSeq ?? 0) + 1 : Math.max(from, this.head + 1),
      more,
      ...(isFirst ? { head: this.head } : {}),
    };
  }

  #readThread(threadId: string, from: number, before: number): ThreadPage {
    const own = this.#log.filter(
      row => row.threadId === threadId && row.eventSeq >= from && row.eventSeq < before,
    );
    const page = own.slice(0, 3);
    return {
      threadId,
      deliveries: page.filter(({ hasRow, status }) => !hasRow && status === 'pending').map(toDelivery),
      next: own.length > page.length ? (page.at(-1)?.eventSeq ?? 0) + 1 : null,
    };
  }

  /** The law of a stitch's place in the log: nothing up to there is without a row, but what was cancelled. */
  #checkSettled(settled: number): void {
    for (const { eventSeq, hasRow, status } of this.#log) {
      if (eventSeq <= settled && !hasRow && status === 'pending')
        throw new Error(`${eventSeq} is said to be settled`);
    }
  }

  #cancelUnless(stays: (row: Row) => boolean): void {
    for (const row of this.rows.values()) {
      if (!row.hasRow && row.status === 'pending' && !stays(row)) row.status = 'cancelled';
    }
  }

  /** A snapshot was written. */
  keep({ settledSeq }: StitchState): void {
    this.#checkSettled(settledSeq);
  }

  write({ statement, values, event }: Write, now: number): void {
    const time = (value: unknown): number | null => (typeof value === 'string' ? Date.parse(value) : null);
    switch (statement.name) {
      case 'delivery.update': {
        const [deliveryId, , status, attempts, , , lastAttemptAt, nextAttemptAt] = values;
        const row = this.rows.get(deliveryId as string);
        if (row === undefined) throw new Error('an update of no row');
        if (row.status !== 'pending' && row.status !== 'retrying') return;
        row.status = status as Row['status'];
        row.attempts = attempts as number;
        row.lastAttemptAt = time(lastAttemptAt);
        row.firstAttemptAt ??= row.lastAttemptAt;
        row.nextAttemptAt = time(nextAttemptAt);
        return;
      }
      case 'delivery.record': {
        const [deliveryId] = values;
        const [status, attempts, , , lastAttemptAt, nextAttemptAt] = values.slice(11);
        const row = this.rows.get(deliveryId as string);
        if (row === undefined || row.trigger !== 'scheduled') throw new Error('a row for no event');
        // The row of another owner of the stitch: final states stay.
        if (row.hasRow && row.status !== 'pending' && row.status !== 'retrying') return;
        row.hasRow = true;
        row.status = status as Row['status'];
        row.attempts = attempts as number;
        row.lastAttemptAt = time(lastAttemptAt);
        row.firstAttemptAt ??= row.lastAttemptAt;
        row.nextAttemptAt = time(nextAttemptAt);
        return;
      }
      case 'stitch.follow': {
        const [, , wanted, settled, inFlight] = values as [
          string,
          string,
          readonly string[] | null,
          number,
          string[],
        ];
        this.#checkSettled(settled);
        this.follows = wanted === null ? null : (this.follows ?? { after: this.head, wanted });
        if (wanted !== null) return;
        this.#cancelUnless(({ deliveryId }) => inFlight.includes(deliveryId));
        this.#named = inFlight;
        return;
      }
      case 'stitch.in_flight_ends': {
        const [, inFlight] = values as [string, string[]];
        this.#cancelUnless(
          ({ deliveryId }) => !this.#named.includes(deliveryId) || inFlight.includes(deliveryId),
        );
        this.#named = this.#named.filter(id => inFlight.includes(id));
        return;
      }
      case 'attempt.insert':
        this.attempts.push({
          deliveryId: values[0] as string,
          number: values[1] as number,
          at: time(values[4]) ?? 0,
        });
        return;
      case 'attempts.count':
        this.counted.succeeded += Number(values[3]);
        this.counted.failed += Number(values[4]);
        return;
      case 'event.append': {
        const [only, except] = values.slice(-2);
        this.events.push({
          name: event?.eventName ?? '',
          body: event?.body ?? '',
          ...(typeof only === 'string' ? { only } : {}),
          ...(typeof except === 'string' ? { except } : {}),
        });
        return;
      }
      case 'audit.insert': {
        const [, , , , actor, , action, targetId, , , details] = values;
        this.acts.push({ action, actor, targetId, details: JSON.parse(details as string) as unknown });
        return;
      }
      case 'delivery.insert': {
        const [deliveryId, , , , eventId, eventSeq, eventName, eventAt, threadId, trigger, createdAt] =
          values;
        this.rows.set(deliveryId as string, {
          deliveryId: deliveryId as string,
          createdAt: createdAt as string,
          eventId: eventId as string,
          eventSeq: eventSeq as number,
          eventName: eventName as string,
          eventAt: eventAt as string,
          threadId: (threadId ?? null) as string | null,
          trigger: trigger as Row['trigger'],
          status: 'pending',
          attempts: 0,
          firstAttemptAt: null,
          lastAttemptAt: null,
          nextAttemptAt: now,
          hasRow: true,
        });
        return;
      }
      case 'limit.check':
        return;
      default:
        throw new Error(`an unexpected row of ${statement.name}`);
    }
  }
}

/** Of each event the latest, as the statement does. */
function keepLatest(holds: LoadedPage['holds']): LoadedPage['holds'] {
  const latest = new Map<string, LoadedPage['holds'][number]>();
  for (const hold of holds) {
    const key = `${hold.threadId} ${hold.seq}`;
    const known = latest.get(key);
    if (known === undefined || known.until < hold.until) latest.set(key, hold);
  }
  return [...latest.values()];
}

function readRows(
  open: readonly Row[],
  { from, limit, blocked }: NonNullable<LoadRequest['rows']>,
): LoadedPage['rows'] {
  const matching = open.filter(
    ({ status, eventSeq, threadId, hasRow }) =>
      hasRow &&
      status === 'pending' &&
      eventSeq >= from &&
      (threadId === null || !blocked.includes(threadId)),
  );
  const last = matching[limit - 1]?.eventSeq ?? Infinity;
  const page = matching.filter(({ eventSeq }) => eventSeq <= last);
  return {
    deliveries: page.map(toDelivery),
    end: (page.at(-1)?.eventSeq ?? from - 1) + 1,
    more: page.length >= limit,
  };
}

function toDelivery(row: Row): Delivery {
  const { status: _s, nextAttemptAt: _n, lastAttemptAt: _l, ...delivery } = row;
  return delivery;
}
