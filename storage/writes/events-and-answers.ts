/**
 * What a decision of any actor may write beside the rows of its own resource: events, and the answer that is kept for a repeated request.
 *
 * Rows of `events` are numbered per project, and are the outbox that stitches follow. Rows of `idempotency_keys` are written in the
 * transaction whose reply they keep (docs/contract-decisions.md, "Idempotency-Key"); a reply may be the message that an event of the same
 * commit carries.
 */
import {
  type AppendedEvent,
  lockStreams,
  newestStream,
  statement,
  type Statement,
  toParameters,
  type Value,
  type Write,
} from '../statements/index.ts';

/** The share of updates that begin another era of the project's row. */
const eraShare = 1 / 32;

/**
 * Takes the numbers and inserts the events, in one statement. It runs last in its transaction, because from here to the commit it locks
 * the project's row in `project_streams`; that lock makes `seq` dense and ordered by commits. The rows are locked in the order of their
 * ids first, so that two nodes do not deadlock.
 *
 * The row is found by its era, and one update in 32 begins another: an update that changes no indexed column is cheaper (a HOT update), but
 * while a long snapshot is open, each further one reads the versions since the last change of the era.
 *
 * Nobody's deliveries are written, however many stitches want the event: they follow the log. Only a test event, which is for one stitch,
 * brings its delivery along.
 *
 * Returns one row: `heads` (project id to the number before its first event here), `subscriptions` (project id to the version of what its
 * stitches follow), and `tested` (the stitches with a delivery of a test event).
 */
export const append = statement(
  'event.append',
  90,
  {
    project_id: 'text',
    environment_id: 'text',
    event_id: 'text',
    event_name: 'text',
    occurred_at: 'timestamptz',
    thread_id: 'text',
    channel_id: 'text',
    sequence: 'bigint',
    body: 'text',
    only_stitch_id: 'text',
    except_stitch_id: 'text',
    traceparent: 'text',
    n: 'int',
  },
  input => `
    with numbered as materialized (
      select * from ${input}
    ), counts as (
      select project_id, count(*) as total from numbered group by 1
    ), seen as materialized (
      select p.project_id, c.total, p.era from counts c cross join lateral ${newestStream('c.project_id', 'p')}
    ), locked as materialized (
      ${lockStreams('seen', 'for update of p')}
    ), heads as (
      update project_streams p set last_seq = p.last_seq + c.total, uncounted = true, era = p.era + (random() < ${eraShare})::int
      from seen c, locked l where p.project_id = c.project_id and p.era >= c.era and l.project_id = p.project_id
      returning p.project_id, p.last_seq - c.total as base, p.subscriptions
    ), stored as (
      insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, thread_id, channel_id, sequence, body,
        except_stitch_id, traceparent)
      select project_id, base + n, event_id, event_name, occurred_at, environment_id, thread_id, channel_id, sequence, body,
        except_stitch_id, traceparent
      from numbered join heads using (project_id)
    ), tested as (
      insert into webhook_deliveries (delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
        thread_id, status, attempt_count, trigger, next_attempt_at, created_at, updated_at)
      select skein_delivery_id(event_id, only_stitch_id), project_id, environment_id, only_stitch_id, event_id, base + n, event_name,
        occurred_at, thread_id, 'pending', 0, 'test', occurred_at, occurred_at, occurred_at
      from numbered join heads using (project_id) where only_stitch_id is not null
      returning stitch_id
    )
    select (select jsonb_object_agg(project_id, base) from heads) as heads,
      (select jsonb_object_agg(project_id, subscriptions) from heads) as subscriptions,
      array(select stitch_id from tested) as tested,
      case when (select count(*) from heads) < (select count(*) from counts)
        then skein_fence('project', array(select project_id from counts except select project_id from heads)) end`,
);

/**
 * Locks the rows of projects before anything else of a batch that would lock one of them earlier than {@link append} does: a change of
 * what a stitch follows (see `locks` of a write).
 */
export const lockProjects = statement(
  'project.lock',
  7,
  { project_id: 'text' },
  input => `
    with seen as materialized (
      select p.project_id, p.era from ${input} cross join lateral ${newestStream('input.project_id', 'p')}
    ) ${lockStreams('seen', 'for update of p')}`,
);

export interface EventRow extends AppendedEvent {
  readonly channelId?: string;
  /** The number of the event in its thread. */
  readonly sequence?: number;
  /** Deliver only to this stitch: for `stitch.test.ping`, which no stitch gets by following the log. */
  readonly onlyStitchId?: string;
}

/** Numbers the events of one batch within their projects, 1, 2, 3 ...: the last columns of each row of {@link append}. */
export class EventNumbers {
  readonly #last = new Map<string, number>();

  /** The values of an event's row, with its trace and its number. */
  complete(event: AppendedEvent, values: readonly Value[]): readonly Value[] {
    const n = (this.#last.get(event.projectId) ?? 0) + 1;
    this.#last.set(event.projectId, n);
    return [...values, event.traceparent, n];
  }
}

/** The parameters of {@link append} for these events, outside a batch. */
export function appendParameters(writes: readonly Write[]): Buffer[] {
  const numbers = new EventNumbers();
  const rows = writes.flatMap(({ event, values }) =>
    event === undefined ? [] : [numbers.complete(event, values)],
  );
  return toParameters(append, rows);
}

/** @param row `body` is stored as it is: the column keeps the exact text, which is what is signed */
export function appendEvent(row: EventRow): Write {
  return {
    statement: append,
    event: row,
    values: [
      row.projectId,
      row.environmentId,
      row.eventId,
      row.eventName,
      row.occurredAt,
      row.threadId,
      row.channelId,
      row.sequence,
      row.body,
      row.onlyStitchId,
      row.exceptStitchId,
    ],
  };
}

/** How long a key is kept, as SQL. Its age is judged by the database's clock alone, which all nodes share. */
export const idempotencyKept = "interval '24 hours'";

/** The status of a key whose work is done: any below 400. */
export const doneStatus = 201;

const keyColumns = {
  key_hash: 'text',
  fingerprint: 'text',
  body: 'text',
  event_id: 'text',
} as const;

// Sorted, so that two transactions with the same keys do not deadlock. The retention sweep removes expired keys; until then they conflict,
// which the request pipeline resolves when it reads the row.
const insertKeys = (input: string): string => `
  insert into idempotency_keys (key_hash, fingerprint, status, body, event_id, created_at, expires_at)
  select decode(key_hash, 'base64') as hash, decode(fingerprint, 'base64'), ${doneStatus}, body, event_id, now(),
    now() + ${idempotencyKept}
  from ${input} order by hash`;

// Keys are nearly always new: only a repeated request has one that exists. `on conflict` looks for each key first and logs each row twice,
// which takes 2.5 of 9 microseconds.
const remember: Statement = {
  ...statement('idempotency.remember', 50, keyColumns, insertKeys),
  conflictAware: statement(
    'idempotency.remember_conflict_aware',
    50,
    keyColumns,
    (input, column) => `
      with written as (${insertKeys(input)} on conflict (key_hash) do nothing returning key_hash)
      select skein_fence('idempotency', array(
        select unnest(${column('key_hash')}) except select encode(key_hash, 'base64') from written))`,
  ),
};

/** The Idempotency-Key of a request, as the commit that does its work carries it. Both are Base64 of 32 bytes. */
export interface RequestKey {
  /** Keyed hash of whom the key belongs to, the operation and the key. */
  readonly keyHash: string;
  /** Keyed hash of path and canonical body. */
  readonly fingerprint: string;
}

/**
 * What a repetition is told: a JSON text, or the message that an event of the same commit carries, which is not written twice (700 bytes
 * less in the log and the table for each message).
 */
export type KeptReply = { readonly body: string | null } | { readonly messageOf: string };

/** A taken key makes the commit fail with `Duplicate('idempotency', keyHash)`. */
export function rememberKey({ keyHash, fingerprint }: RequestKey, reply: KeptReply): Write {
  const body = 'body' in reply ? reply.body : null;
  const eventId = 'messageOf' in reply ? reply.messageOf : null;
  return {
    statement: remember,
    key: keyHash,
    unique: true,
    values: [keyHash, fingerprint, body, eventId],
  };
}
