/** The tables of a stitch in memory: what its commands write, and what its loads read. */
import type { StitchCommands } from '../../../actors/stitch/commands.ts';
import type { LoadRequest } from '../../../actors/stitch/queue-load.ts';
import type { Delivery } from '../../../actors/stitch/queue.ts';
import { holdMs } from '../../../actors/stitch/schedule.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Write } from '../../../storage/statements/statement.ts';

/** A row of webhook_deliveries. */
export interface Row extends Delivery {
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

  get open(): Row[] {
    return [...this.rows.values()].filter(({ status }) => status === 'pending' || status === 'retrying');
  }

  /** A delivery as the commit of an event makes it. */
  insert(given: Pick<Delivery, 'threadId' | 'eventSeq' | 'trigger'>, now: number): void {
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
      ...given,
    });
  }

  /** What a load finds. */
  read(request: LoadRequest, now: number): StitchCommands['loaded']['payload'] {
    const open = this.open.sort((a, b) => a.eventSeq - b.eventSeq);
    const blocked = new Set(request.blocked);
    const matching = open.filter(
      ({ status, eventSeq, threadId }) =>
        status === 'pending' && eventSeq >= request.from && (threadId === null || !blocked.has(threadId)),
    );
    const last = matching[request.pending - 1]?.eventSeq ?? Infinity;
    const pending = request.pending === 0 ? [] : matching.filter(({ eventSeq }) => eventSeq <= last);
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
        pending: pending.map(toDelivery),
        end: (pending.at(-1)?.eventSeq ?? request.from - 1) + 1,
        more: request.pending > 0 && pending.length >= request.pending,
        due: due.map(toDelivery),
        moreDue: due.length > 0 && due.length >= request.due,
        holds: request.holds ? holds.sort((a, b) => a.seq - b.seq) : [],
      },
    };
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
      case 'attempt.insert':
        this.attempts.push({
          deliveryId: values[0] as string,
          number: values[1] as number,
          at: time(values[4]) ?? 0,
        });
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

function toDelivery(row: Row): Delivery {
  const { status: _s, nextAttemptAt: _n, lastAttemptAt: _l, ...delivery } = row;
  return delivery;
}
