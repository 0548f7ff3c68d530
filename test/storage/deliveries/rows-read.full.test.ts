/**
 * What reads of deliveries cost: the rows that a page needs, and not what lies beside it. In a database as it is after some days, with
 * many retries, and by both of the plans that a prepared statement may have.
 */
import t from 'tap';
import { holdMs, longestWaitOfHead } from '../../../actors/stitch/schedule.ts';
import { executeBound, type Queries } from '../../../storage/database/database.ts';
import { dropRecorded } from '../../../storage/deliveries/followed-log.ts';
import { findOldestOpen } from '../../../storage/deliveries/oldest-open.ts';
import { emptyEvents } from '../../../storage/retention/erasure-statements.ts';
import {
  dueDeliveries,
  failedHeads,
  hasScheduledRows,
  nextDueAt,
  pendingDeliveries,
} from '../../../storage/deliveries/outbox.ts';
import { readDeadLetters } from '../../../storage/deliveries/dead-letters.ts';
import { replayEvents, type ReplaySource } from '../../../storage/deliveries/replays.ts';
import { unrecordedPage } from '../../../storage/deliveries/unrecorded.ts';
import {
  cancelDeliveries,
  stitchesWithRetries,
  stitchesWithRows,
} from '../../../storage/deliveries/unfinished.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const day = 86_400_000;
const days = 38;
/** Of the events, the deliveries of one stitch, and the retries of another. */
const count = 20_000;
/** Stitches that have replays, and as many that have overdue retries. */
const many = 200;
const tenant = { projectId: 'prj_1', environmentId: 'env_1' };
const now = Date.now();
const stoppedAt = new Date(now).toISOString();
const today = now - (now % day);

for (const table of ['events', 'webhook_deliveries', 'webhook_attempts']) {
  for (let n = 1 - days; n <= 1; n++) {
    const from = new Date(today + n * day).toISOString();
    const to = new Date(today + (n + 1) * day).toISOString();
    const name = `${table}_${from.slice(0, 10).replaceAll('-', '')}`;
    await database.query(
      `create table ${name} partition of ${table} for values from ('${from}') to ('${to}')`,
    );
  }
}
/** Ten seconds ago, and before that as many days as there are; four events at each instant. */
const at = `$1::timestamptz - (${count} - n + n % 4) * interval '${Math.floor(((days - 2) * day) / count)} ms' - interval '10 s'`;
const eventId = `'evt_' || lpad(n::text, 26, '0')`;
const statements = [
  `insert into project_streams (project_id, last_seq, epoch) values ('prj_1', ${count}, 'e')`,
  `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
   select 'stitch_' || name, 'prj_1', 'env_1', name, 'active', now(), now(), '{"cancelUntil": "${stoppedAt}"}', 1
   from unnest('{delivered,failed,idle,retries,follower}'::text[]) name`,
  // It was disabled for a moment long ago, and has nothing to deliver since.
  `insert into stitch_spans (stitch_id, after_seq, upto_seq, project_id, environment_id, event_names, cancelled_at)
   values ('stitch_follower', 10, 20, 'prj_1', 'env_1', '{}', now()), ('stitch_follower', 20, null, 'prj_1', 'env_1', '{thread.tags.*}', null)`,
  // As the migration says of those that have any.
  `update stitches set has_old_rows = true where stitch_id = 'stitch_retries'`,
];
for (const text of statements) await database.query(text);
const filled = [
  `insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, thread_id, sequence, body)
   select 'prj_1', n, ${at}, ${eventId}, 'thread.message.received', 'env_1', 'thread_' || n % 1000, n, '{"occurredAt":"","apiVersion":"","data":{}}'
   from generate_series(1, ${count}) n`,
  ...(
    [
      ['delivered', 'delivered'],
      ['failed', 'failed'],
      ['retries', 'retrying'],
    ] as const
  ).map(
    ([stitch, status]) => `
    insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
      event_at, thread_id, status, trigger, attempt_count, last_attempt_at, next_attempt_at, updated_at)
    select skein_delivery_id(${eventId}, 'stitch_${stitch}'), ${at}, 'prj_1', 'env_1', 'stitch_${stitch}', ${eventId}, n,
      'thread.message.received', ${at}, 'thread_' || n % 1000, '${status}', 'scheduled', 1,
      $1::timestamptz - interval '1 s', ${stitch === 'retries' ? `$1::timestamptz + n * interval '10 s'` : 'null'}, $1
    from generate_series(1, ${count}) n`,
  ),
  `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
     event_at, thread_id, status, trigger, updated_at)
   select 'whd_replay' || n, $1, 'prj_1', 'env_1', 'stitch_delivered', ${eventId}, n, 'thread.message.received', ${at}, null, 'pending',
     'replay', $1
   from generate_series(1, ${count}, 8) n`,
  // Of another project: many stitches that have replays, and as many that have retries which are overdue.
  ...(['pending', 'retrying'] as const).map(
    status => `
    insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
      event_at, thread_id, status, trigger, next_attempt_at, updated_at)
    select 'whd_${status}' || n, $1, 'prj_many', 'env_many', 'stitch_${status}_' || n % ${many}, ${eventId}, n, 'thread.message.received',
      $1, null, '${status}', 'replay', $1::timestamptz - interval '1 hour', $1
    from generate_series(1, ${3 * many}) n`,
  ),
  `insert into webhook_attempts (delivery_id, number, attempted_at, project_id, trigger, duration_ms, response_body)
   select delivery_id, 1, created_at + interval '1 s', project_id, trigger, 1, 'answer' from webhook_deliveries
   where status in ('delivered', 'retrying') and created_at < $1`,
];
for (const text of filled) await database.query(text, [new Date(now)]);
await database.query('vacuum analyze events');
await database.query('vacuum analyze webhook_deliveries');
await database.query('vacuum analyze webhook_attempts');

/** Looks into tables and indexes count, too: each partition that is looked into has one at least. */
const rowsRead = `
  select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + seq_scan + coalesce(idx_scan, 0))::int as n
  from pg_stat_xact_user_tables where relname ~ '^(events|webhook_)'`;

/** What the work reads of the partitioned tables in its dearest statement, by the dearer of the two plans. */
async function countRows(work: (db: Queries) => Promise<unknown>): Promise<number> {
  const statements: [text: string, values: readonly unknown[]][] = [];
  await work({
    query: (text, values = []) => {
      statements.push([text, values]);
      return database.query(text, values);
    },
  });
  let most = 0;
  for (const mode of ['custom', 'generic']) {
    for (const [text, values] of statements) {
      await database.em().transactional(async em => {
        await executeBound(em, `set local plan_cache_mode = force_${mode}_plan`, []);
        // The connection may have counts of its last transaction.
        const [before] = await executeBound<{ n: number }>(em, rowsRead, []);
        await executeBound(em, text, values);
        const [after] = await executeBound<{ n: number }>(em, rowsRead, []);
        most = Math.max(most, (after?.n ?? 0) - (before?.n ?? 0));
      });
    }
  }
  return most;
}

const replays = { stitchId: 'stitch_delivered', from: 0, blocked: [], limit: 256 };
const retries = { ...replays, stitchId: 'stitch_retries' };
const source: ReplaySource = {
  sourceStitchId: 'stitch_delivered',
  since: new Date(today - 10 * day).toISOString(),
  until: new Date(today).toISOString(),
  eventNames: [],
  statuses: [],
  after: null,
};
const idle = { ...source, sourceStitchId: 'stitch_idle' };
const followed = { ...source, sourceStitchId: 'stitch_follower' };
const inLog = {
  createdAt: source.since,
  eventSeq: 10,
  inLog: true,
  open: { after: 10, upto: count, head: count },
} as const;
const follower = { ...tenant, stitchId: 'stitch_follower' };
const erased = ['thread_7', tenant.projectId, tenant.environmentId, count, new Date(now), new Date(now)];

const reads: Record<string, [most: number, work: (db: Queries) => Promise<unknown>]> = {
  'a page of replays, with their events': [1_500, db => pendingDeliveries(db, [replays], 1_000_000)],
  'replays where there are only retries': [100, db => pendingDeliveries(db, [retries], 1_000_000)],
  'rows of an earlier version': [100, db => hasScheduledRows(db, retries.stitchId)],
  'the same where there never were any': [0, db => hasScheduledRows(db, replays.stitchId)],
  'stitches with replays': [1_000, db => stitchesWithRows(db, 500)],
  'stitches with retries': [1_000, db => stitchesWithRetries(db, 500)],
  'heads of threads': [
    1_000,
    db =>
      failedHeads(db, retries.stitchId, { since: now - holdMs, dueUntil: now + longestWaitOfHead }, 1_000),
  ],
  'retries that are due': [14_000, db => dueDeliveries(db, retries.stitchId, now + day, 256)],
  'the next retry': [100, db => nextDueAt(db, retries.stitchId, now + 20_000)],
  'a page of what is replayed': [7_000, db => replayEvents(db, source, 200)],
  'a page of a replay of nothing': [7_000, db => replayEvents(db, idle, 200)],
  'a page of a replay of what has failed': [
    2_000,
    db => replayEvents(db, { ...source, sourceStitchId: 'stitch_failed', statuses: ['failed'] }, 200),
  ],
  'a page of the log of a replay': [2_000, db => replayEvents(db, { ...followed, after: inLog }, 200)],
  'a page of what has no row, the newest first': [
    4_000,
    db => unrecordedPage(db, follower, 'desc', undefined, 100),
  ],
  'a page of what has no row, the oldest first': [
    4_000,
    db => unrecordedPage(db, follower, 'asc', undefined, 100),
  ],
  'a page of what has no row, from the middle': [
    4_000,
    db => unrecordedPage(db, follower, 'asc', 5_000, 100),
  ],
  'a page of dead letters': [
    4_000,
    db => readDeadLetters(db, { ...source, sourceStitchId: 'stitch_failed' }, 200),
  ],
  'an erasure of 20 events': [9_000, db => db.query(emptyEvents, [0, ...erased])],
  'the oldest that is open': [2_500, db => findOldestOpen(db)],
  'a page of what is cancelled': [
    4_000,
    db =>
      cancelDeliveries(db, { stitchId: retries.stitchId, until: stoppedAt, except: [], limit: 1_000, now }),
  ],
};
for (const [name, [most, work]] of Object.entries(reads)) {
  t.test(name, async t => {
    const read = await countRows(work);
    t.ok(read <= most, `${read} rows were read`);
    t.equal(read > 0, most > 0, 'the rows were counted');
  });
}

t.test('which of a page of the log have a row is looked up in the days of the page', async t => {
  const rows = await database.query<{ deliveryId: string; createdAt: Date }>(
    `select delivery_id as "deliveryId", created_at as "createdAt" from webhook_deliveries
     where stitch_id = 'stitch_delivered' and trigger = 'scheduled' order by event_seq desc limit 255`,
  );
  const page = rows.map(row => ({ ...row, createdAt: row.createdAt.toISOString() }));
  const unknown = { deliveryId: 'whd_unknown', createdAt: stoppedAt };
  // What an index alone has is no row that was fetched.
  const entries = `
    select sum(pg_stat_get_xact_tuples_returned(oid))::int as n from pg_class where relname ~ '^webhook_deliveries_'`;
  for (const mode of ['custom', 'generic']) {
    await database.em().transactional(async em => {
      const count = async (): Promise<number> =>
        (await executeBound<{ n: number }>(em, entries, []))[0]?.n ?? 0;
      await executeBound(em, `set local plan_cache_mode = force_${mode}_plan`, []);
      const before = await count();
      const db: Queries = { query: (text, values = []) => executeBound(em, text, values) };
      t.strictSame(await dropRecorded(db, [unknown, ...page]), [unknown]);
      const read = (await count()) - before;
      t.ok(read > 0 && read <= 2_000, `${read} entries were read`);
    });
  }
});

t.test('stitches with rows are found page by page, in the order of their ids', async t => {
  for (const [find, status] of [
    [stitchesWithRows, 'pending'],
    [stitchesWithRetries, 'retrying'],
  ] as const) {
    const found: string[] = [];
    for (let page: string[] | undefined; page?.length !== 0;) {
      page = await find(database, 37, found.at(-1));
      found.push(...page);
    }
    const rows = await database.query<{ id: string }>(
      `select distinct stitch_id as id from webhook_deliveries
       where status = $1 and (status = 'pending' or next_attempt_at < now() - interval '1 minute') order by 1`,
      [status],
    );
    t.ok(found.length >= many);
    t.strictSame(
      found,
      rows.map(({ id }) => id),
    );
  }
});

t.test(
  'pages of a replay have each delivery of the span once and in order, however many others there are',
  async t => {
    const span = { ...source, since: new Date(today - 5 * day).toISOString() };
    const rows = await database.query<{ seq: number }>(
      `select event_seq as seq from webhook_deliveries
     where stitch_id = $1 and trigger = 'scheduled' and created_at >= $2 and created_at < $3 order by 1`,
      [span.sourceStitchId, span.since, span.until],
    );
    // A page ends between events of one instant, too.
    for (const limit of [150, 5_000]) {
      const found: number[] = [];
      for (let after: ReplaySource['after'] = null, more = true; more;) {
        const { events, next } = await replayEvents(
          database,
          { ...span, statuses: ['delivered'], after },
          limit,
        );
        found.push(...events.map(({ eventSeq }) => eventSeq));
        t.ok(events.length <= limit);
        more = next !== null;
        after = next;
      }
      t.ok(found.length > 2_000);
      t.strictSame(
        found,
        rows.map(({ seq }) => seq),
      );
    }
    const nothing = await replayEvents(
      database,
      { ...span, ...idle, since: span.since, statuses: ['failed'] },
      200,
    );
    t.strictSame(nothing, { events: [], next: null });
  },
);

t.test(
  'a replay reads of the log what its span of time has, however old the oldest is that has no row',
  async t => {
    const recent = { ...followed, since: new Date(now - day).toISOString(), until: stoppedAt };
    let statements = 0;
    let pages = 0;
    const counted: Queries = {
      query: (text, values, name) => {
        statements++;
        return database.query(text, values, name);
      },
    };
    for (let after: ReplaySource['after'] = null, more = true; more; pages++) {
      const { events, next } = await replayEvents(counted, { ...recent, after }, 200);
      t.strictSame(events, []);
      more = next !== null;
      after = next;
    }
    t.ok(pages <= 3, `${pages} pages`);
    t.ok(statements <= 20, `${statements} statements`);
    const old = { ...followed, since: new Date(0).toISOString(), until: stoppedAt };
    const { events } = await replayEvents(database, { ...old, after: inLog }, 200);
    t.strictSame(
      events.map(({ eventSeq }) => eventSeq),
      Array.from({ length: 10 }, (_, n) => 11 + n),
      'what was cancelled long ago is found where the span has it',
    );
  },
);

t.test('a replay goes on where more deliveries than it looks at have one instant', async t => {
  const [first, second] = [new Date(today - 2 * day), new Date(today - day)];
  await database.query(
    `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
     values ('stitch_burst', 'prj_1', 'env_2', 'burst', 'active', now(), now(), '{}', 1)`,
  );
  await database.query(
    `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
       event_at, status, trigger, updated_at)
     select 'whd_burst' || n, case when n <= 2500 then $1::timestamptz else $2 end, 'prj_1', 'env_2', 'stitch_burst', 'evt_' || n, n,
       'thread.message.received', $1, 'failed', 'scheduled', $2 from generate_series(1, 2600) n`,
    [first, second],
  );
  const burst = {
    ...source,
    sourceStitchId: 'stitch_burst',
    since: first.toISOString(),
    statuses: ['failed'],
  };
  const found: number[] = [];
  let after: ReplaySource['after'] = null;
  for (let page = 0; page < 50; page++) {
    const { events, next } = await replayEvents(database, { ...burst, after }, 200);
    found.push(...events.map(({ eventSeq }) => eventSeq));
    after = next;
    if (next === null) break;
  }
  t.equal(after, null, 'it comes to its end');
  t.strictSame(
    found,
    Array.from({ length: 2_600 }, (_, n) => n + 1),
  );
});

t.test('the oldest that is open is the oldest of all days', async t => {
  const oldestOfAll = async (): Promise<number | undefined> => {
    const [row] = await database.query<{ at: Date }>(
      `select min(created_at) as at from webhook_deliveries where status in ('pending', 'retrying')`,
    );
    return row?.at.getTime();
  };
  t.equal(await findOldestOpen(database), await oldestOfAll());
  for (const ago of [39, 50, 90]) {
    await database.query(
      `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
         event_at, status, trigger, updated_at)
       values ($1, $2, 'prj_1', 'env_1', 'stitch_idle', 'evt_1', 1, 'thread.message.received', $2, 'pending', 'replay', $2)`,
      [`whd_${ago}`, new Date(today - ago * day)],
    );
    t.equal(await findOldestOpen(database), today - ago * day);
  }
});
