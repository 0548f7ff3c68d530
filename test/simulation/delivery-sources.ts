/** What the statements of stitches read in a simulation. */
import type { LoggedEvent } from '../../storage/events/event-log.ts';
import { deriveDeliveryId, isWanted } from '../../storage/deliveries/subscriptions.ts';
import { type DeliveryTables, isFinal } from './delivery-tables.ts';

/** An event of a project's log, as stitches need it. */
export interface LogEntry extends LoggedEvent {
  readonly eventId: string;
  readonly threadId: string | null;
  readonly exceptStitchId: string | null;
}

/** What the row of a stitch says of its work. */
export interface StitchSummary {
  readonly id: string;
  readonly projectId: string;
  readonly isLive: boolean;
  readonly settledSeq: number;
  readonly cancelUntil: string | null;
  /** A replay, a cancellation or a notice is not done. */
  readonly hasUnfinishedWork: boolean;
}

export interface DeliverySources {
  readonly tables: DeliveryTables;
  /** A project's log, without what was dropped of it. In its order, without gaps. */
  readonly log: (projectId: string) => readonly LogEntry[];
  /** The text of an event, or what an erasure has left of it. */
  readonly read: (event: LogEntry) => string;
  /** The rows of the stitches that exist, in the order of their ids. */
  readonly stitches: () => readonly StitchSummary[];
  /** What the database's clock shows, in epoch milliseconds. */
  readonly now: () => number;
}

export type Row = Readonly<Record<string, unknown>>;
export type Query = (sources: DeliverySources, values: never) => readonly Row[];

export function findEvent(log: readonly LogEntry[], seq: number): LogEntry | undefined {
  return log[seq - (log[0]?.seq ?? 1)];
}

/** `hasUndelivered` of production (storage/deliveries/undelivered.ts), by number: of events behind `after`, up to `upto`. */
export function hasUndelivered(
  { tables, log, stitches }: DeliverySources,
  projectId: string,
  after: number,
  upto: number,
): boolean {
  for (const row of tables.deliveries.values()) {
    if (row.projectId === projectId && !isFinal(row) && row.eventSeq > after && row.eventSeq <= upto)
      return true;
  }
  const events = log(projectId).filter(({ seq }) => seq > after && seq <= upto);
  return tables.spans.some(span => {
    if (span.projectId !== projectId || span.cancelledAt !== null) return false;
    const { stitchId, environmentId } = span;
    const settledSeq = stitches().find(({ id }) => id === stitchId)?.settledSeq ?? 0;
    return events.some(
      event =>
        event.seq > settledSeq &&
        isWanted({ stitchId, environmentId, spans: [span] }, event) &&
        !tables.deliveries.has(deriveDeliveryId(event.eventId, stitchId)),
    );
  });
}
