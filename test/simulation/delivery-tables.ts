/**
 * The tables of stitches in memory: what each follows of the log (`stitch_spans`), their deliveries and the attempts. They take the rows of
 * the production's commits, statement by statement, as storage/writes and the SQL function `skein_follow` do; delivery-queries.ts reads them.
 */
import type { Write } from '../../storage/statements/statement.ts';
import type { Span } from '../../storage/deliveries/subscriptions.ts';
import { type MemoryWrite, refill } from '../support/memory-store.ts';
import type { Verdict } from './invariants.ts';

/** A row of `stitches` as it is stored: the columns, with jsonb parsed. */
export type StoredStitch = Readonly<Record<string, unknown>>;

/** All stitches are of one environment. */
export const environmentId = 'environment';

/** A row of production among the rows of a commit. */
export interface StatementWrite extends MemoryWrite {
  readonly write: Write;
}

export interface SpanRow extends Span {
  readonly stitchId: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** ISO 8601; null while it is delivered. */
  readonly cancelledAt: string | null;
  readonly inFlight: readonly string[];
}

export interface DeliveryRow {
  readonly deliveryId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly stitchId: string;
  readonly eventId: string;
  readonly eventSeq: number;
  readonly eventName: string;
  readonly eventAt: string;
  readonly threadId: string | null;
  readonly trigger: string;
  readonly createdAt: string;
  readonly status: string;
  readonly attempts: number;
  readonly responseStatus: number | null;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
  /** When its status became final, in virtual milliseconds. */
  readonly settledAt?: number;
}

/** A delivery without what became of it. */
type NewDelivery = Omit<
  DeliveryRow,
  'status' | 'attempts' | 'responseStatus' | 'lastAttemptAt' | 'nextAttemptAt' | 'settledAt'
>;

export interface Stream {
  lastSeq: number;
  /** Counts the changes of what the project's stitches follow. */
  subscriptions: number;
}

const finalStatuses: ReadonlySet<string> = new Set(['delivered', 'failed', 'cancelled']);

export function isFinal({ status }: Pick<DeliveryRow, 'status'>): boolean {
  return finalStatuses.has(status);
}

export interface DeliveryTablesOptions {
  /** Virtual milliseconds. */
  readonly now: () => number;
  readonly verdict: Verdict;
}

export class DeliveryTables {
  readonly streams: ReadonlyMap<string, Stream>;
  spans: SpanRow[] = [];
  /** By id. */
  readonly deliveries = new Map<string, DeliveryRow>();
  /** When each attempt was made (ISO 8601), by delivery; the first has the number 1. */
  readonly attempts = new Map<string, Map<number, string>>();
  /** What `stitch_hours` says. */
  countedAttempts = 0;
  readonly #attemptRows = new Set<string>();
  readonly #options: DeliveryTablesOptions;

  constructor(projects: readonly string[], options: DeliveryTablesOptions) {
    this.streams = new Map(projects.map(id => [id, { lastSeq: 0, subscriptions: 0 }]));
    this.#options = options;
  }

  /** Keeps everything as it is now. Call the returned function to go back to it. */
  snapshot(): () => void {
    const streams = [...this.streams].map(([id, stream]) => [id, { ...stream }] as const);
    const { spans } = this;
    const deliveries = new Map(this.deliveries);
    const attempts = new Map([...this.attempts].map(([id, made]) => [id, new Map(made)]));
    return () => {
      for (const [id, stream] of streams) Object.assign(this.getStream(id), stream);
      this.spans = spans;
      refill(this.deliveries, deliveries);
      refill(this.attempts, attempts);
    };
  }

  getStream(projectId: string): Stream {
    const stream = this.streams.get(projectId);
    if (stream === undefined) throw new Error(`there is no project ${projectId}`);
    return stream;
  }

  /** Does what the statement of the row does. Events are numbered and appended by the database. */
  apply({ statement, values }: Write): void {
    switch (statement.name) {
      case 'stitch.follow':
        return this.#follow(values as unknown as FollowValues);
      case 'stitch.in_flight_ends':
        return this.#endInFlight(values as unknown as readonly [string, readonly string[]]);
      case 'delivery.insert':
        return this.#insert(values as unknown as InsertValues);
      case 'delivery.record':
        return this.#record(values as unknown as RecordValues);
      case 'delivery.update':
        return this.#update(values as unknown as UpdateValues);
      case 'attempt.insert':
      case 'attempt.insert_new':
        return this.#attempt(values as unknown as AttemptValues);
      case 'attempts.count':
        this.countedAttempts += Number(values[3]) + Number(values[4]);
        return;
      case 'audit.insert':
      case 'limit.check':
      case 'limit.check_hosts':
        return;
      default:
        throw new Error(`the simulation does not know the statement ${statement.name}`);
    }
  }

  /** The rows of `webhook_attempts`: of one delivery, two owners of its stitch may each have made the first attempt. */
  get attemptCount(): number {
    return this.#attemptRows.size;
  }

  /** Whether the statement is refused because its attempt has a row. */
  isRefused({ statement, values }: Write): boolean {
    if (statement.name !== 'attempt.insert_new') return false;
    const [deliveryId, number, , , attemptedAt] = values as unknown as AttemptValues;
    return this.#attemptRows.has(`${deliveryId}/${number}/${attemptedAt}`);
  }

  /** A test event brings its delivery along. */
  addTest(row: Omit<NewDelivery, 'trigger'>): void {
    this.#put({
      ...row,
      trigger: 'test',
      status: 'pending',
      attempts: 0,
      responseStatus: null,
      lastAttemptAt: null,
      nextAttemptAt: row.createdAt,
    });
  }

  /** Cancels what is open, as `cancelDeliveries` does, but for the attempts that have begun. Returns how many. */
  cancel(
    stitchId: string,
    until: string,
    except: ReadonlyMap<string, number | undefined>,
    limit: number,
  ): number {
    const open = [...this.deliveries.values()]
      .filter(
        row =>
          row.stitchId === stitchId &&
          !isFinal(row) &&
          (row.trigger === 'scheduled' || row.createdAt <= until) &&
          except.get(row.deliveryId) !== row.attempts,
      )
      .sort((a, b) => a.eventSeq - b.eventSeq)
      .slice(0, limit);
    for (const row of open) this.#put({ ...row, status: 'cancelled', nextAttemptAt: null });
    return open.length;
  }

  // What the migration `followed-log.ts` says in SQL.
  #follow([projectId, stitchId, wanted, settled, started, at]: FollowValues): void {
    const stream = this.getStream(projectId);
    stream.subscriptions++;
    const head = stream.lastSeq;
    const isOwn = (span: SpanRow): boolean => span.stitchId === stitchId && span.cancelledAt === null;
    this.spans = this.spans.filter(span => !(isOwn(span) && span.upto !== null && span.upto <= settled));
    if (wanted === null) {
      this.spans = this.spans
        .map(span =>
          span.stitchId === stitchId && span.cancelledAt !== null && span.inFlight.length > 0
            ? { ...span, inFlight: started }
            : span,
        )
        .filter(span => !(isOwn(span) && Math.max(span.after, settled) >= (span.upto ?? head)))
        .map(span =>
          isOwn(span)
            ? {
                ...span,
                after: Math.max(span.after, settled),
                upto: span.upto ?? head,
                cancelledAt: at,
                inFlight: started,
              }
            : span,
        );
      return;
    }
    const open = this.spans.find(span => span.stitchId === stitchId && span.upto === null);
    if (open !== undefined && JSON.stringify(open.eventNames) === JSON.stringify(wanted)) return;
    this.spans = this.spans
      .filter(span => !(span === open && span.after >= head))
      .map(span => (span === open ? { ...span, upto: head } : span));
    this.spans.push({
      stitchId,
      projectId,
      environmentId,
      after: head,
      upto: null,
      eventNames: wanted,
      cancelledAt: null,
      inFlight: [],
    });
  }

  #endInFlight([stitchId, started]: readonly [string, readonly string[]]): void {
    this.spans = this.spans.map(span =>
      span.stitchId === stitchId && span.cancelledAt !== null && span.inFlight.length > 0
        ? { ...span, inFlight: span.inFlight.filter(id => started.includes(id)) }
        : span,
    );
  }

  #insert(values: InsertValues): void {
    const { createdAt, ...row } = toRow(values);
    this.#put({
      ...row,
      createdAt,
      status: 'pending',
      attempts: 0,
      responseStatus: null,
      lastAttemptAt: null,
      nextAttemptAt: createdAt,
    });
  }

  /** Also where another owner of the stitch has recorded the same delivery: final states stay. */
  #record(values: RecordValues): void {
    const [status, attempts, responseStatus, , lastAttemptAt, nextAttemptAt] = values.slice(
      11,
    ) as unknown as OutcomeValues;
    const row = toRow(values);
    const before = this.deliveries.get(row.deliveryId);
    if (before !== undefined && isFinal(before)) return;
    this.#put({ ...row, status, attempts, responseStatus, lastAttemptAt, nextAttemptAt });
  }

  #update([deliveryId, createdAt, ...outcome]: UpdateValues): void {
    const [status, attempts, responseStatus, , lastAttemptAt, nextAttemptAt] = outcome;
    const before = this.deliveries.get(deliveryId);
    if (before === undefined || before.createdAt !== createdAt || isFinal(before)) return;
    this.#put({
      ...before,
      status,
      attempts,
      responseStatus,
      lastAttemptAt: lastAttemptAt ?? before.lastAttemptAt,
      nextAttemptAt,
    });
  }

  #attempt([deliveryId, number, , , attemptedAt]: AttemptValues): void {
    const attempts = this.attempts.get(deliveryId) ?? new Map<number, string>();
    this.attempts.set(deliveryId, attempts);
    if (!attempts.has(number)) attempts.set(number, attemptedAt);
    this.#attemptRows.add(`${deliveryId}/${number}/${attemptedAt}`);
  }

  #put(row: DeliveryRow): void {
    const { now, verdict } = this.#options;
    const before = this.deliveries.get(row.deliveryId);
    if (before !== undefined && isFinal(before)) {
      const detail = `${row.deliveryId} of ${row.stitchId} was ${before.status} and became ${row.status}`;
      verdict.broken('nothing is settled twice', detail);
    }
    this.deliveries.set(row.deliveryId, { ...row, ...(isFinal(row) ? { settledAt: now() } : {}) });
  }
}

// The columns of the statements in storage/writes/deliveries.ts, in their order.
type FollowValues = readonly [string, string, readonly string[] | null, number, readonly string[], string];
type InsertValues = readonly [
  string,
  string,
  string,
  string,
  string,
  number,
  string,
  string,
  string?,
  string?,
  string?,
];
type OutcomeValues = readonly [
  string,
  number,
  number | null,
  string | null,
  string | null,
  string | null,
  string,
];
type RecordValues = readonly [...Required<InsertValues>, ...OutcomeValues];
type UpdateValues = readonly [string, string, ...OutcomeValues];
type AttemptValues = readonly [string, number, string, string, string];

function toRow(values: InsertValues | RecordValues): NewDelivery {
  const [deliveryId, projectId, environment, stitchId, eventId, eventSeq, eventName, eventAt] = values;
  const [, , , , , , , , threadId = null, trigger = '', createdAt = ''] = values;
  return {
    deliveryId,
    projectId,
    environmentId: environment,
    stitchId,
    eventId,
    eventSeq,
    eventName,
    eventAt,
    threadId,
    trigger,
    createdAt,
  };
}
