/** Rows of `webhook_deliveries` and `webhook_attempts` (docs/contract-decisions.md, "Stitches"). */
import { statement, type Statement, type Write } from '../statements/index.ts';

const insert = statement(
  'delivery.insert',
  60,
  {
    delivery_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    stitch_id: 'text',
    event_id: 'text',
    event_seq: 'bigint',
    event_name: 'text',
    event_at: 'timestamptz',
    thread_id: 'text',
    trigger: 'text',
    created_at: 'timestamptz',
  },
  input => `
    insert into webhook_deliveries (delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
      thread_id, status, attempt_count, trigger, next_attempt_at, created_at, updated_at)
    select delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at, thread_id,
      'pending', 0, trigger, created_at, created_at, created_at from ${input}`,
);

export interface DeliveryRow {
  readonly deliveryId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly stitchId: string;
  readonly eventId: string;
  /** The event's number in its project: with `eventAt` it finds the event's body. */
  readonly eventSeq: number;
  readonly eventName: string;
  readonly eventAt: string;
  readonly threadId?: string;
  readonly trigger: 'scheduled' | 'manual' | 'replay' | 'test';
  readonly createdAt: string;
}

/** A replay: a new delivery of the same event. A scheduled delivery has no row until its first attempt has ended. */
export function insertDelivery(row: DeliveryRow): Write {
  return {
    statement: insert,
    values: [
      row.deliveryId,
      row.projectId,
      row.environmentId,
      row.stitchId,
      row.eventId,
      row.eventSeq,
      row.eventName,
      row.eventAt,
      row.threadId,
      row.trigger,
      row.createdAt,
    ],
  };
}

const recordColumns = {
  delivery_id: 'text',
  project_id: 'text',
  environment_id: 'text',
  stitch_id: 'text',
  event_id: 'text',
  event_seq: 'bigint',
  event_name: 'text',
  event_at: 'timestamptz',
  thread_id: 'text',
  trigger: 'text',
  created_at: 'timestamptz',
  status: 'text',
  attempt_count: 'int',
  response_status: 'int',
  last_error: 'text',
  last_attempt_at: 'timestamptz',
  next_attempt_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const;

const insertRecord = (input: string): string => `
  insert into webhook_deliveries (${Object.keys(recordColumns).join(', ')})
  select * from ${input}`;

// The row is there only when another owner of the stitch has recorded the same attempt, which hardly ever happens.
const record: Statement = {
  ...statement('delivery.record', 61, recordColumns, insertRecord),
  conflictAware: statement(
    'delivery.record_conflict_aware',
    61,
    recordColumns,
    input => `${insertRecord(input)}
      on conflict (delivery_id, created_at) do update set status = excluded.status, attempt_count = excluded.attempt_count,
        response_status = excluded.response_status, last_error = excluded.last_error, last_attempt_at = excluded.last_attempt_at,
        next_attempt_at = excluded.next_attempt_at, updated_at = excluded.updated_at
      where webhook_deliveries.status not in ('delivered', 'failed', 'cancelled')`,
  ),
};

/** What became of a scheduled delivery at its first attempt: its row, which it did not have until now. Final states stay. */
export function recordDelivery(
  row: DeliveryRow,
  outcome: Omit<DeliveryUpdateRow, 'deliveryId' | 'createdAt'>,
): Write {
  return {
    statement: record,
    key: row.deliveryId,
    values: [
      row.deliveryId,
      row.projectId,
      row.environmentId,
      row.stitchId,
      row.eventId,
      row.eventSeq,
      row.eventName,
      row.eventAt,
      row.threadId,
      row.trigger,
      row.createdAt,
      outcome.status,
      outcome.attemptCount,
      outcome.responseStatus,
      outcome.lastError,
      outcome.lastAttemptAt,
      outcome.nextAttemptAt,
      outcome.at,
    ],
  };
}

// `created_at` is part of the key of the partitioned table: with it the update reads one partition.
const update = statement(
  'delivery.update',
  62,
  {
    delivery_id: 'text',
    created_at: 'timestamptz',
    status: 'text',
    attempt_count: 'int',
    response_status: 'int',
    last_error: 'text',
    last_attempt_at: 'timestamptz',
    next_attempt_at: 'timestamptz',
    at: 'timestamptz',
  },
  input => `
    update webhook_deliveries d set status = input.status, attempt_count = input.attempt_count,
      response_status = input.response_status, last_error = input.last_error,
      last_attempt_at = coalesce(input.last_attempt_at, d.last_attempt_at),
      next_attempt_at = input.next_attempt_at, updated_at = input.at
    from ${input}
    where d.delivery_id = input.delivery_id and d.created_at = input.created_at
      and d.status not in ('delivered', 'failed', 'cancelled')`,
);

export interface DeliveryUpdateRow {
  readonly deliveryId: string;
  /** The created_at of the row, to the millisecond. */
  readonly createdAt: string;
  readonly status: 'pending' | 'delivering' | 'delivered' | 'retrying' | 'failed' | 'cancelled';
  readonly attemptCount: number;
  readonly responseStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly at: string;
}

/** Final states stay: an update of a delivered, failed or cancelled delivery changes nothing. */
export function updateDelivery(row: DeliveryUpdateRow): Write {
  return {
    statement: update,
    key: row.deliveryId,
    values: [
      row.deliveryId,
      row.createdAt,
      row.status,
      row.attemptCount,
      row.responseStatus,
      row.lastError,
      row.lastAttemptAt,
      row.nextAttemptAt,
      row.at,
    ],
  };
}

const attemptColumns = {
  delivery_id: 'text',
  number: 'int',
  project_id: 'text',
  trigger: 'text',
  attempted_at: 'timestamptz',
  duration_ms: 'int',
  response_status: 'int',
  response_body: 'text',
  error_class: 'text',
  error: 'text',
  next_attempt_at: 'timestamptz',
} as const;

const insertAttempts = (input: string): string => `
  insert into webhook_attempts (${Object.keys(attemptColumns).join(', ')})
  select * from ${input} on conflict do nothing`;

const attempt = statement('attempt.insert', 63, attemptColumns, insertAttempts);

const attemptKey = `delivery_id || '/' || number`;
const newAttempt = statement(
  'attempt.insert_new',
  63,
  attemptColumns,
  (input, column) => `
    with written as (${insertAttempts(input)} returning ${attemptKey} as key)
    select skein_fence('attempt', array(
      select unnest(${column('delivery_id')}) || '/' || unnest(${column('number')}) except select key from written))`,
);

export interface AttemptRow {
  readonly deliveryId: string;
  /** 1, 2, 3 ... */
  readonly number: number;
  readonly projectId: string;
  readonly trigger: string;
  readonly attemptedAt: string;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  /** The first 16 KiB, made storable (no NUL, no lone surrogates). */
  readonly responseBody: string | null;
  readonly errorClass: string | null;
  readonly error: string | null;
  readonly nextAttemptAt: string | null;
}

/** One attempt of a delivery. A second row of the same attempt is dropped. */
export function insertAttempt(row: AttemptRow): Write {
  return {
    statement: attempt,
    values: [
      row.deliveryId,
      row.number,
      row.projectId,
      row.trigger,
      row.attemptedAt,
      row.durationMs,
      row.responseStatus,
      row.responseBody,
      row.errorClass,
      row.error,
      row.nextAttemptAt,
    ],
  };
}

/** The same, for a result that is reported again: a row that exists makes the commit fail with `Duplicate('attempt', ...)`. */
export function insertNewAttempt(row: AttemptRow): Write {
  const { values } = insertAttempt(row);
  return { statement: newAttempt, key: `${row.deliveryId}/${row.number}`, unique: true, values };
}

// Before the events: those of the same commit find the stitch as it is from now on. Both lock the project's row, and so does the trigger
// on `stitches`: such a batch locks the rows of all its projects first.
const follow = statement(
  'stitch.follow',
  89,
  {
    project_id: 'text',
    stitch_id: 'text',
    wanted: 'text[]',
    settled: 'bigint',
    in_flight: 'text[]',
    at: 'timestamptz',
  },
  input => `
    select skein_follow(stitch_id, wanted, settled, in_flight, at)
    from (select *, row_number() over () as n from ${input} order by project_id, n) as changed`,
);

export interface FollowRow {
  readonly projectId: string;
  readonly stitchId: string;
  /** The names and patterns that it wants from now on, empty for all; null when it accepts nothing any more. */
  readonly wanted: readonly string[] | null;
  /** Every event up to this number is settled or has a row. */
  readonly settled: number;
  /** Deliveries that are not cancelled although the stitch accepts no more: their requests are out, or answered and not recorded. */
  readonly inFlight: readonly string[];
  /** ISO 8601. */
  readonly at: string;
}

/**
 * What the stitch follows from this commit on. The moment counts by `seq`, exactly: the commit holds the lock under which events are
 * numbered. What a stitch that accepts no more has not settled is cancelled, as a span of the log.
 */
export function followLog({ projectId, stitchId, wanted, settled, inFlight, at }: FollowRow): Write {
  const values = [projectId, stitchId, wanted, settled, inFlight, at];
  return { statement: follow, locks: projectId, values };
}

// Of the spans that were cancelled; who was woken by them is found by stitch_spans_in_flight until none is left.
const inFlightEnds = statement(
  'stitch.in_flight_ends',
  88,
  { stitch_id: 'text', in_flight: 'text[]' },
  input => `
    update stitch_spans s set in_flight = array(select unnest(s.in_flight) intersect select unnest(input.in_flight))
    from ${input} where s.stitch_id = input.stitch_id and s.cancelled_at is not null and s.in_flight <> '{}'`,
);

/**
 * Of what was in flight when the stitch was disabled only these still are, now that it accepts events again. The others have a row, or
 * were lost with their node and are cancelled.
 */
export function endInFlight({ stitchId, inFlight }: Pick<FollowRow, 'stitchId' | 'inFlight'>): Write {
  return { statement: inFlightEnds, key: stitchId, values: [stitchId, inFlight] };
}
