/**
 * What time brings: partitions for the coming days are created, usage is counted, graces of credentials end, and what has outlived its
 * use is removed. Any node may run a sweep, at any time.
 */
import type { Log } from '../../runtime/observability/index.ts';
import type { ExternalIdHash } from '../chatapp/index.ts';
import type { Database, Queries } from '../database/index.ts';
import { hasUndelivered } from '../deliveries/index.ts';
import { dropPartitions, ensurePartitions, type Hold, type PartitionedTable } from './partitions.ts';
import { erasePersonalData } from './erasures.ts';
import { deleteInactiveSandboxThreads } from './sandbox-threads.ts';
import { endApiKeyGraces, endByokGraces, endPartnerAppOverlaps, endToolGraces } from './credential-graces.ts';
import { countUsage, hasUncounted, rollUpDeliveries, storedDays } from '../usage/index.ts';

/**
 * How long things are kept, in days (docs/contract-decisions.md, "Retention").
 */
const keptDays = {
  /** Events, deliveries and attempts. */
  events: 30,
  /**
   * Events that stitches have yet to deliver: what begins on its last day has the time of all its attempts, which is 6.4 days if its receiver
   * asks for twice of every wait (actors/stitch/schedule.ts).
   */
  undelivered: 37,
  /** The trace of a run after its end. */
  traces: 30,
  /** The commit marker of a lane that commits nothing; it is created again when needed. */
  commitMarkers: 7,
  /** Sessions and tokens after their end, so that a late use is distinguished from an unknown one (they get different 401 errors). */
  ended: 7,
  /** Mail that was sent or given up. */
  mails: 30,
  /** Channel commands, which last as long as the events that they are, and dead letters. */
  finished: 30,
  /** The audit log, and what became of the connections of channels. */
  audit: 400,
  /** Keys after they were revoked or expired: they are listed for so long. */
  apiKeys: 90,
  /** Webhooks of the chat provider, which repeats unanswered ones for as long. Those that were given up stay as long as their dead letters. */
  chatappWebhooks: 7,
  /** Invitations after they were accepted, were revoked or expired: they are listed for so long. */
  invitations: 30,
  /** Hashes that recognise erased messages: the provider repeats a webhook for seven days. */
  erasedMessages: 30,
  /** Counts of attempts by the hour: a report has seven days. */
  hours: 8,
  /** Operators of automatic assignment, after they were last online. */
  operators: 7,
} as const;

const dayMs = 86_400_000;

/** Rows that one statement removes, so that no sweep locks many at once. */
const batchRows = 10_000;
/** Statements of one sweep for one table: the rest waits for the next sweep. */
const maxBatches = 100;

/** By table, the condition of the rows to remove; `$1`: now. */
const removable: Readonly<Record<string, string>> = {
  idempotency_keys: 'expires_at <= $1',
  parked_receipts: 'expires_at <= $1',
  stream_tickets: 'expires_at <= $1',
  login_challenges: 'expires_at <= $1',
  passkey_challenges: 'expires_at <= $1',
  sso_flows: 'expires_at <= $1',
  sessions: `expires_at <= $1::timestamptz - interval '${keptDays.ended} days'`,
  email_tokens: `expires_at <= $1::timestamptz - interval '${keptDays.ended} days'`,
  mails: `created_at <= $1::timestamptz - interval '${keptDays.mails} days' and next_attempt_at is null`,
  channel_commands: `occurred_at <= $1::timestamptz - interval '${keptDays.finished} days'`,
  dead_letters: `created_at <= $1::timestamptz - interval '${keptDays.finished} days'`,
  api_keys: `least(revoked_at, expires_at) <= $1::timestamptz - interval '${keptDays.apiKeys} days'`,
  invitations: `least(accepted_at, revoked_at, expires_at) <= $1::timestamptz - interval '${keptDays.invitations} days'`,
  channel_changes: `occurred_at <= $1::timestamptz - interval '${keptDays.audit} days'`,
  audit_logs: `created_at <= $1::timestamptz - interval '${keptDays.audit} days'`,
  chatapp_webhooks: `received_at <= $1::timestamptz - interval '${keptDays.chatappWebhooks} days' and not exists (
    select from chatapp_open_webhooks o where o.channel_id = chatapp_webhooks.channel_id and o.request_id = chatapp_webhooks.request_id)
    and not exists (
    select from dead_letters d where d.kind = 'channel' and d.name = 'reopenWebhook' and d.actor_id = chatapp_webhooks.channel_id
      and d.payload ->> 'requestId' = chatapp_webhooks.request_id)`,
  chatapp_uploads: 'expires_at <= $1',
  erased_messages: `erased_at <= $1::timestamptz - interval '${keptDays.erasedMessages} days'`,
  stored_bytes: `day <= ($1::timestamptz at time zone 'UTC')::date - ${storedDays}`,
  stitch_spans: `cancelled_at <= $1::timestamptz - interval '${keptDays.events} days'`,
  operators: `online_until <= $1::timestamptz - interval '${keptDays.operators} days'`,
  lane_marks: `updated_at <= $1::timestamptz - interval '${keptDays.commitMarkers} days'`,
};

/** Some jobs of a sweep failed. */
export class SweepFailed extends AggregateError {
  readonly jobs: readonly string[];

  constructor(failures: ReadonlyMap<string, unknown>) {
    super([...failures.values()], `jobs of the sweep failed: ${[...failures.keys()].join(', ')}`);
    this.jobs = [...failures.keys()];
  }
}

export interface SweepServices {
  readonly database: Database;
  readonly hash: ExternalIdHash;
  readonly log: Log;
}

/** The jobs of a sweep by their names, which are the labels of a metric. */
function createJobs(
  { database, hash, log }: SweepServices,
  now: number,
): Readonly<Record<string, () => Promise<unknown>>> {
  const drop = (table: PartitionedTable) => ({ table, now, keepDays: keptDays.events, log });
  return {
    makePartitions: () => ensurePartitions(database, now, log),
    countUsage: () => countUsage(database),
    rollUpDeliveries: () => rollUpDeliveries(database, new Date(now - keptDays.hours * dayMs)),
    dropEvents: () => dropPartitions(database, { ...drop('events'), holds: createEventHolds(database) }),
    // What tells that an event was delivered stays as long as the event.
    dropDeliveries: () =>
      dropPartitions(database, {
        ...drop('webhook_deliveries'),
        holds: [{ why: 'its events are kept', isNeeded: (from, to) => hasEvents(database, from, to) }],
      }),
    dropAttempts: () => dropPartitions(database, drop('webhook_attempts')),
    endGraces: () => endApiKeyGraces(database, now),
    endByokGraces: () => endByokGraces(database, now),
    endPartnerAppOverlaps: () => endPartnerAppOverlaps(database, now),
    endToolGraces: () => endToolGraces(database, now),
    erasePersonalData: () => erasePersonalData({ database, hash, log }, now),
    forgetSandboxThreads: () => deleteInactiveSandboxThreads(database, now),
    emptyTraces: () => emptyTraces(database, now),
    ...Object.fromEntries(
      Object.entries(removable).map(([table, condition]) => [
        `remove ${table}`,
        () => remove(database, table, condition, now),
      ]),
    ),
  };
}

/** Each holds back its own partitions, and no others. Counted usage outlives its events. */
function createEventHolds(database: Database): readonly Hold[] {
  return [
    {
      why: 'usage has not counted its events yet',
      isNeeded: (from, to) => hasUncounted(database, from, to),
    },
    {
      why: 'stitches have yet to deliver some of its events',
      isNeeded: (from, to) => hasUndelivered(database, from, to),
      limitDays: keptDays.undelivered,
    },
  ];
}

async function hasEvents(db: Queries, from: Date, to: Date): Promise<boolean> {
  const text = `select exists (select from events where occurred_at >= $1 and occurred_at < $2) as found`;
  const [row] = await db.query<{ found: boolean }>(text, [from, to]);
  return row?.found === true;
}

/**
 * One sweep; `now` in epoch milliseconds. May run on several nodes at once. Each job is bounded, and one that fails does not stop the
 * others: when all have run, rejects with {@link SweepFailed}. `isWanted` is asked before each.
 */
export async function sweep(
  services: SweepServices,
  now: number,
  isWanted: () => boolean = () => true,
): Promise<void> {
  const failures = new Map<string, unknown>();
  for (const [job, work] of Object.entries(createJobs(services, now))) {
    if (!isWanted()) break;
    try {
      await work();
    } catch (err) {
      services.log.warn({ err, job }, 'a job of the sweep failed; the next sweep repeats it');
      failures.set(job, err);
    }
  }
  if (failures.size > 0) throw new SweepFailed(failures);
}

async function remove(database: Database, table: string, condition: string, now: number): Promise<void> {
  const text = `
    with removed as (
      delete from ${table} where ctid = any (array(select ctid from ${table} where ${condition} limit ${batchRows})) returning 1
    ) select count(*)::int as count from removed`;
  for (let done = 0; done < maxBatches; done++) {
    const [row] = await database.query<{ count: number }>(text, [new Date(now)]);
    if (row?.count !== batchRows) return;
  }
}

/** Runs of one statement: a trace may be megabytes. */
const traceBatchRows = 500;

// A suggestion that was not resolved by then counts as expired. The version is raised, so that a node with the run in memory cannot write
// it back. An empty private state marks a run that is finished and takes it out of the index.
const emptyTrace = `
  with emptied as (
    update agent_runs set state = '{}', version = version + 1, suggestion_status = null, trace = case
      when trace #>> '{suggestion,status}' = 'pending'
      then jsonb_build_object('steps', '[]'::jsonb, 'suggestion', (trace -> 'suggestion') || '{"status": "expired", "body": ""}')
      else '{"steps": []}' end
    where ctid = any (array(
      select ctid from agent_runs where completed_at is not null and completed_at <= $1 and state <> '{}' limit ${traceBatchRows}))
    returning 1
  ) select count(*)::int as count from emptied`;

/**
 * Empties the traces of runs that ended long ago: what a run did is forgotten, that it ran is kept. `now` in epoch milliseconds. Rejects
 * where the database fails.
 */
export async function emptyTraces(db: Queries, now: number): Promise<void> {
  const before = new Date(now - keptDays.traces * dayMs);
  for (let done = 0; done < maxBatches; done++) {
    const [row] = await db.query<{ count: number }>(emptyTrace, [before]);
    if (row?.count !== traceBatchRows) return;
  }
}
