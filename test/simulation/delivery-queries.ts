/**
 * Answers the statements with which production reads what stitches deliver (storage/deliveries, storage/events/log-tail.ts), by their names,
 * from the tables in memory. Each does what its SQL says.
 */
import {
  type DeliverySources,
  findEvent,
  type LogEntry,
  type Query,
  type Row,
  type StitchSummary,
} from './delivery-sources.ts';
import { type DeliveryRow, type DeliveryTables, isFinal } from './delivery-tables.ts';
import { replayQueries } from './replay-queries.ts';

/** Events of one thread in a page. */
const threadEvents = 16;
/** A retry that has been due for so long has lost its reminder. */
const overdueMs = 60_000;
const hourMs = 3_600_000;
/** By so much the clocks of two nodes may differ, and no head is missed. */
const clocksDifferMs = 1_200_000;

const queries: Readonly<Record<string, Query>> = {
  ...replayQueries,
  'projects.archived': () => [{ isArchived: false }],
  'deliveries.subscriptions': ({ tables }, [projects]: readonly (readonly string[])[]) =>
    (projects ?? []).flatMap((projectId): readonly Row[] => {
      const { subscriptions: version, lastSeq: head } = tables.getStream(projectId);
      const spans = tables.spans.filter(span => span.projectId === projectId && span.cancelledAt === null);
      if (spans.length === 0) return [{ projectId, version, head, stitchId: null }];
      return [...spans]
        .sort((a, b) => compare(a.stitchId, b.stitchId) || a.after - b.after)
        .map(({ stitchId, environmentId, after, upto, eventNames }) => ({
          projectId,
          version,
          head,
          stitchId,
          environmentId,
          after,
          upto,
          eventNames,
        }));
    }),
  'events.tail': (sources, [projectId, from, limit]: readonly [string, number, number]) => {
    const { tables, log } = sources;
    const { lastSeq: head, subscriptions } = tables.getStream(projectId);
    const events = log(projectId)
      .filter(({ seq }) => seq >= from)
      .slice(0, limit);
    if (events.length === 0) return [{ head, subscriptions, seq: null, found: 0 }];
    return events.map(event => ({ ...toTailRow(sources, event), head, subscriptions, found: events.length }));
  },
  'deliveries.threads': (
    sources,
    [projectId, environmentId, threads, starts, before]: readonly [
      string,
      string,
      readonly string[],
      readonly number[],
      number,
    ],
  ) =>
    threads.flatMap((thread, index) =>
      sources
        .log(projectId)
        .filter(
          ({ seq, threadId, environmentId: own }) =>
            threadId === thread && own === environmentId && seq >= (starts[index] ?? 0) && seq < before,
        )
        .slice(0, threadEvents)
        .map(event => ({ ...toTailRow(sources, event), n: index + 1 })),
    ),
  'deliveries.recorded': ({ tables }, [ids, from, to]: readonly [readonly string[], string, string]) =>
    ids.flatMap(id => {
      const at = tables.deliveries.get(id)?.createdAt ?? '';
      return at >= from && at <= to ? [{ id }] : [];
    }),
  'deliveries.pending': (sources, [asked]: readonly string[]) =>
    (
      JSON.parse(asked ?? '[]') as readonly {
        readonly stitch_id: string;
        readonly from: number;
        readonly blocked: readonly string[];
        readonly limit: number;
      }[]
    ).flatMap(({ stitch_id: stitchId, from, blocked, limit }) => {
      const rows = openRows(sources, stitchId, 'pending').filter(
        ({ eventSeq, threadId }) => eventSeq >= from && (threadId === null || !blocked.includes(threadId)),
      );
      const last = rows[limit - 1];
      return rows
        .filter(({ eventSeq }) => last === undefined || eventSeq <= last.eventSeq)
        .map(row => ({ ...toOpenRow(row), firstAttemptAt: null, body: findBody(sources, row) }));
    }),
  'deliveries.scheduled': (sources, [stitchId]: readonly string[]) => [
    { found: openRows(sources, stitchId ?? '', 'pending').some(({ trigger }) => trigger === 'scheduled') },
  ],
  'deliveries.due': (sources, [stitchId, now, limit]: readonly [string, Date, number]) =>
    listRetries(sources, stitchId)
      .filter(({ at }) => at <= now.getTime())
      .slice(0, limit)
      .map(({ row }) => ({ ...toOpenRow(row), firstAttemptAt: findFirstAttempt(sources, row), body: null })),
  'deliveries.next_due': (sources, [stitchId, now]: readonly [string, Date]) => {
    const next = listRetries(sources, stitchId).find(({ at }) => at > now.getTime());
    return [{ at: next === undefined ? null : new Date(next.at) }];
  },
  'deliveries.heads': (sources, [stitchId, since, until, limit]: readonly [string, Date, Date, number]) => {
    const heads = openRows(sources, stitchId, 'retrying').flatMap(row => {
      const firstAttemptAt = findFirstAttempt(sources, row);
      const dueAt = Date.parse(row.nextAttemptAt ?? '');
      const isDue = dueAt > since.getTime() && dueAt <= until.getTime() + clocksDifferMs;
      const isRecent = row.lastAttemptAt !== null && Date.parse(row.lastAttemptAt) > since.getTime() && isDue;
      return row.threadId !== null && isRecent && firstAttemptAt !== null && firstAttemptAt > since
        ? [{ threadId: row.threadId, seq: row.eventSeq, firstAttemptAt }]
        : [];
    });
    const threads = [...new Set(heads.map(({ threadId }) => threadId))].slice(0, limit);
    // Of each event the latest. The bound of rows is not reached here.
    const byEvent = Map.groupBy(
      heads.filter(({ threadId }) => threads.includes(threadId)),
      ({ threadId, seq }) => `${threadId} ${seq}`,
    );
    return [...byEvent.values()].flatMap(ofEvent =>
      [...ofEvent].sort((a, b) => b.firstAttemptAt.getTime() - a.firstAttemptAt.getTime()).slice(0, 1),
    );
  },
  'deliveries.bodies': (
    { log, read },
    [projects, seqs, instants]: readonly [readonly string[], readonly number[], readonly string[]],
  ) =>
    seqs.flatMap((seq, index) => {
      const event = findEvent(log(projects[index] ?? ''), seq);
      if (event === undefined || event.occurredAt.toISOString() !== instants[index]) return [];
      return [{ n: index + 1, body: read(event) }];
    }),
  'deliveries.cancel': (
    { tables, stitches },
    [stitchId, until, begun, attempts, limit]: readonly [
      string,
      string,
      readonly string[],
      readonly number[],
      number,
    ],
  ) => {
    if (stitches().find(({ id }) => id === stitchId)?.cancelUntil !== until) return [];
    const except = new Map(begun.map((id, index) => [id, attempts[index]]));
    return Array.from({ length: tables.cancel(stitchId, until, except, limit) }, () => ({ one: 1 }));
  },
  'stitches.followed': ({ tables }, [after, limit]: readonly [string, number]) =>
    [...tables.streams]
      .filter(
        ([id]) => id > after && tables.spans.some(span => span.projectId === id && span.cancelledAt === null),
      )
      .sort(([a], [b]) => compare(a, b))
      .slice(0, limit)
      .map(([projectId, { lastSeq: head, subscriptions: version }]) => ({ projectId, head, version })),
  'events.newest': ({ log, now }, stretches: Stretches) =>
    listNewEvents(stretches, projectId =>
      log(projectId).filter(({ occurredAt }) => Math.abs(occurredAt.getTime() - now()) < hourMs),
    ),
  'events.newest_anywhere': ({ log }, stretches: Stretches) => listNewEvents(stretches, log),
  'stitches.below': ({ stitches }, [projects, below]: readonly [readonly string[], readonly number[]]) =>
    projects.flatMap((projectId, index) =>
      stitches()
        .filter(each => each.projectId === projectId && each.isLive && each.settledSeq < (below[index] ?? 0))
        .map(({ id }) => ({ projectId, stitchId: id })),
    ),
  'stitches.behind': ({ stitches }, [ids, targets]: readonly [readonly string[], readonly number[]]) =>
    stitches()
      .filter(({ id, isLive, settledSeq }) => isLive && settledSeq < (targets[ids.indexOf(id)] ?? 0))
      .map(({ id }) => ({ stitchId: id })),
  'stitches.unfinished': ({ tables, stitches }, [after, limit]: readonly [string, number]) =>
    stitches()
      .filter(stitch => stitch.id > after && isUnfinished(tables, stitch))
      .slice(0, limit)
      .map(({ id }) => ({ stitchId: id })),
  'stitches.with_rows': (sources, [after, limit]: readonly [string, number]) =>
    sources
      .stitches()
      .filter(({ id }) => id > after && openRows(sources, id, 'pending').length > 0)
      .slice(0, limit)
      .map(({ id }) => ({ stitchId: id })),
  'stitches.with_retries': (sources, [after, limit]: readonly [string, number]) =>
    sources
      .stitches()
      .filter(({ id }) => {
        const [first] = listRetries(sources, id);
        return id > after && first !== undefined && first.at < sources.now() - overdueMs;
      })
      .slice(0, limit)
      .map(({ id }) => ({ stitchId: id })),
};

/** Projects, and of each the numbers after which its events begin, and with which they end. */
type Stretches = readonly [readonly string[], readonly number[], readonly number[]];

function listNewEvents([projects, starts, ends]: Stretches, log: DeliverySources['log']): readonly Row[] {
  return projects.flatMap((projectId, index) => {
    const events = log(projectId).filter(
      ({ seq }) => seq > (starts[index] ?? 0) && seq <= (ends[index] ?? 0),
    );
    const byName = Map.groupBy(events, ({ environmentId, eventName }) => `${environmentId} ${eventName}`);
    return [...byName.values()].flatMap(ofName => {
      const last = ofName.at(-1);
      if (last === undefined) return [];
      const { environmentId, eventName, seq: newest } = last;
      return { projectId, environmentId, eventName, newest, events: ofName.length };
    });
  });
}

/** Throws for a statement that it does not know. */
export function answer(sources: DeliverySources, name: string, values: readonly unknown[]): readonly Row[] {
  const query = queries[name];
  if (query === undefined) throw new Error(`the simulation does not know the statement ${name}`);
  return query(sources, values as never);
}

function isUnfinished(tables: DeliveryTables, { id, hasUnfinishedWork }: StitchSummary): boolean {
  return (
    hasUnfinishedWork || tables.spans.some(({ stitchId, inFlight }) => stitchId === id && inFlight.length > 0)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function toTailRow({ read }: DeliverySources, event: LogEntry): Row {
  const { seq, eventId, eventName, environmentId, occurredAt, threadId, exceptStitchId } = event;
  return { seq, eventId, eventName, environmentId, occurredAt, threadId, exceptStitchId, body: read(event) };
}

/** In the order of their events. */
function openRows({ tables }: DeliverySources, stitchId: string, status: string): DeliveryRow[] {
  return [...tables.deliveries.values()]
    .filter(row => row.stitchId === stitchId && row.status === status && !isFinal(row))
    .sort((a, b) => a.eventSeq - b.eventSeq || compare(a.deliveryId, b.deliveryId));
}

/** By the instant of the next attempt, in epoch milliseconds. */
function listRetries(sources: DeliverySources, stitchId: string): { row: DeliveryRow; at: number }[] {
  return openRows(sources, stitchId, 'retrying')
    .flatMap(row => (row.nextAttemptAt === null ? [] : [{ row, at: Date.parse(row.nextAttemptAt) }]))
    .sort((a, b) => a.at - b.at);
}

function findFirstAttempt({ tables }: DeliverySources, { deliveryId }: DeliveryRow): Date | null {
  const at = tables.attempts.get(deliveryId)?.get(1);
  return at === undefined ? null : new Date(at);
}

function findBody(
  { log, read }: DeliverySources,
  { projectId, eventSeq, eventAt }: DeliveryRow,
): string | null {
  const event = findEvent(log(projectId), eventSeq);
  return event?.occurredAt.toISOString() === eventAt ? read(event) : null;
}

/** Instants as the text of the server. */
function toOpenRow(row: DeliveryRow): Row {
  const { createdAt, eventAt, ...rest } = row;
  const text = (iso: string): string => iso.replace('T', ' ').replace('Z', '');
  return { ...rest, createdAt: text(createdAt), eventAt: text(eventAt) };
}
