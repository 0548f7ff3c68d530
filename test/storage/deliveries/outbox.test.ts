/** Pages of the outbox, put together, are the open deliveries of a stitch in their order. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import type { Queries } from '../../../storage/database/index.ts';
import { findDelivery, findDeliveryTenant } from '../../../storage/deliveries/delivery-log.ts';
import { deriveDeliveryId } from '../../../storage/deliveries/subscriptions.ts';
import { ensurePartitions } from '../../../storage/retention/partitions.ts';
import { cancelDeliveries } from '../../../storage/deliveries/unfinished.ts';
import {
  dueDeliveries,
  failedHeads,
  nextDueAt,
  pendingDeliveries,
} from '../../../storage/deliveries/outbox.ts';
import fc from '../../support/fuzz.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const start = Date.parse('2026-11-20T10:00:00.120Z');
const stitches = ['stitch_1', 'stitch_2'] as const;
const count = 60;

interface Delivery {
  readonly deliveryId: string;
  readonly stitchId: string;
  readonly eventSeq: number;
  readonly threadId: string | null;
  readonly status: string;
}

// Three deliveries of each event: two of the first stitch, since a replay repeats an event, and one of the second.
const deliveries = Array.from({ length: count }, (_, i): Delivery => {
  const eventSeq = 1 + Math.floor(i / 3);
  return {
    deliveryId: `whd_${String(i).padStart(3, '0')}`,
    stitchId: i % 3 === 2 ? 'stitch_2' : 'stitch_1',
    eventSeq,
    threadId: eventSeq % 7 === 0 ? null : `thread_${eventSeq % 3}`,
    status: ['pending', 'pending', 'delivered', 'retrying'][eventSeq % 4] ?? '',
  };
});
await database.query(
  `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
   select unnest($1::text[]), 'prj_1', 'env_1', 'stitch', 'active', $2::timestamptz, $2, '{}', 1`,
  [stitches, new Date(start)],
);
await database.query(
  `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
     event_at, thread_id, status, trigger, next_attempt_at, updated_at)
   select d."deliveryId", $2, 'prj_1', 'env_1', d."stitchId", 'evt_' || d."eventSeq", d."eventSeq", 'thread.message.received', $2,
     d."threadId", d.status, 'replay', case d.status when 'retrying' then $2::timestamptz + d."eventSeq" * interval '1 second' end, $2
   from json_to_recordset($1::json) as d("deliveryId" text, "stitchId" text, "eventSeq" bigint, "threadId" text, status text)`,
  [JSON.stringify(deliveries), new Date(start)],
);

const stitchId = fc.constantFrom(...stitches);
const blocked = fc.subarray(['thread_0', 'thread_1', 'thread_2']);

t.test(
  'pending deliveries come in the order of their events, each once, without the blocked threads',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        stitchId,
        blocked,
        fc.integer({ min: 1, max: 8 }),
        async (stitchId, blocked, limit) => {
          const found: string[] = [];
          for (let from = 0, more = true; more;) {
            const [page] = await pendingDeliveries(database, [{ stitchId, from, blocked, limit }], 1_000);
            if (page === undefined) throw new Error('no page');
            found.push(...page.deliveries.map(({ deliveryId }) => deliveryId));
            ({ end: from, more } = page);
          }
          const wanted = deliveries.filter(
            each =>
              each.stitchId === stitchId &&
              each.status === 'pending' &&
              (each.threadId === null || !blocked.includes(each.threadId)),
          );
          if (found.join() !== wanted.map(({ deliveryId }) => deliveryId).join())
            throw new Error(found.join());
        },
      ),
      { numRuns: 40 },
    );
  },
);

t.test('one statement answers each stitch as a statement of its own would', async t => {
  const requests = stitches.map(stitchId => ({ stitchId, from: 3, blocked: ['thread_1'], limit: 5 }));
  const single = await Promise.all(requests.map(request => pendingDeliveries(database, [request], 1_000)));
  t.strictSame(await pendingDeliveries(database, requests, 1_000), single.flat());
});

t.test('retries are due when their time has come, and the next one is named', async t => {
  const own = deliveries.filter(each => each.stitchId === 'stitch_2' && each.status === 'retrying');
  for (const seconds of [0, 3, 10, 100]) {
    const now = start + seconds * 1_000;
    const due = await dueDeliveries(database, 'stitch_2', now, 100);
    t.strictSame(
      due.map(({ eventSeq }) => eventSeq),
      own.map(({ eventSeq }) => eventSeq).filter(eventSeq => eventSeq <= seconds),
    );
    const next = own.find(({ eventSeq }) => eventSeq > seconds);
    t.equal(
      await nextDueAt(database, 'stitch_2', now),
      next === undefined ? null : start + next.eventSeq * 1_000,
    );
  }
});

t.test('a stop cancels what was open then, whatever the clocks said', async t => {
  const until = new Date(start).toISOString();
  const at = (ms: number): Date => new Date(start + ms);
  await database.query(
    `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
     values ('stitch_3', 'prj_1', 'env_1', 'stitch', 'active', $1, $1, $2, 1)`,
    [at(0), JSON.stringify({ cancelUntil: until })],
  );
  const rows = [
    ['of_a_clock_ahead', 'scheduled', 'retrying', at(60_000)],
    ['under_way', 'scheduled', 'retrying', at(-1)],
    ['decided', 'scheduled', 'retrying', at(-1)],
    ['settled', 'scheduled', 'delivered', at(-1)],
    ['replayed_before', 'replay', 'pending', at(0)],
    ['replayed_since', 'replay', 'pending', at(1)],
  ] as const;
  await database.query(
    `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
       event_at, status, trigger, updated_at, attempt_count)
     select 'whd_' || name, made, 'prj_1', 'env_1', 'stitch_3', 'evt_1', 1, 'thread.message.received', made, status, trigger, made,
       case status when 'retrying' then 1 else 0 end
     from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) as r(name, trigger, status, made)`,
    [0, 1, 2, 3].map(column => rows.map(row => row[column])),
  );
  // The second was decided before the stop: its row has one attempt more.
  const except = [
    { deliveryId: 'whd_under_way', attempts: 1 },
    { deliveryId: 'whd_decided', attempts: 0 },
  ];
  const order = { stitchId: 'stitch_3', except, limit: 10, now: start };
  t.equal(
    await cancelDeliveries(database, { ...order, until: at(1).toISOString() }),
    0,
    'of a stop that is over: nothing',
  );
  t.equal(await cancelDeliveries(database, { ...order, until }), 3);
  const cancelled = await database.query<{ id: string }>(
    `select delivery_id as id from webhook_deliveries where stitch_id = 'stitch_3' and status = 'cancelled' order by 1`,
  );
  t.same(
    cancelled.map(({ id }) => id),
    ['whd_decided', 'whd_of_a_clock_ahead', 'whd_replayed_before'],
  );
});

t.test(
  'a delivery is found by its id in whichever day it is, with a row and without, and few days are read',
  async t => {
    await ensurePartitions(database, start, silentLog);
    const day = 86_400_000;
    const tenant = { projectId: 'prj_days', environmentId: 'env_days' };
    await database.query(
      `insert into project_streams (project_id, last_seq, epoch) values ('prj_days', 0, 'e')`,
    );
    await database.query(
      `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
     values ('stitch_days', 'prj_days', 'env_days', 'stitch', 'active', now(), now(), '{}', 1)`,
    );
    await database.query(`select skein_follow('stitch_days', '{}', 0, '{}', now())`);
    const midnight = Date.parse('2026-11-20T00:00:00.000Z');
    // The last and the first millisecond of days, and days that have no partition.
    const instants = [-30 * day, -1, 0, day - 1, day, 3 * day, 90 * day].map(ms => midnight + ms);
    const events = instants.flatMap((ms, index) =>
      [0, 1].map(of => ({
        seq: 2 * index + of + 1,
        at: new Date(ms),
        eventId: newId('event', ms),
        hasRow: of === 1,
      })),
    );
    await database.query(`update project_streams set last_seq = $1 where project_id = 'prj_days'`, [
      events.length,
    ]);
    for (const { seq, at, eventId, hasRow } of events) {
      await database.query(
        `insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, body)
       values ('prj_days', $1, $2, $3, 'thread.message.received', 'env_days', '{}')`,
        [seq, at, eventId],
      );
      if (!hasRow) continue;
      await database.query(
        `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
         event_at, status, trigger, updated_at)
       values ($1, $2, 'prj_days', 'env_days', 'stitch_days', $3, $4, 'thread.message.received', $2, 'delivered', 'scheduled', $2)`,
        [deriveDeliveryId(eventId, 'stitch_days'), at, eventId, seq],
      );
    }
    const read = new Set<string>();
    const watched: Queries = {
      ...database,
      async query(text, values, name) {
        const plan = await database.query<{ 'QUERY PLAN': string }>(
          `explain (analyze, costs off) ${text}`,
          values,
        );
        for (const line of plan) {
          const scanned = / on ((?:events|webhook_deliveries)_\w+) /.exec(line['QUERY PLAN'])?.[1];
          if (scanned !== undefined && !line['QUERY PLAN'].includes('never executed')) read.add(scanned);
        }
        return database.query(text, values, name);
      },
    };
    for (const { seq, at, eventId, hasRow } of events) {
      const deliveryId = deriveDeliveryId(eventId, 'stitch_days');
      read.clear();
      const found = await findDelivery(watched, tenant, deliveryId);
      t.match(found, {
        eventSeq: seq,
        eventAt: at.toISOString(),
        delivery: {
          deliveryId,
          eventId,
          status: hasRow ? 'delivered' : 'pending',
          createdAt: at.toISOString(),
        },
      });
      for (const table of ['events', 'webhook_deliveries']) {
        const days = [...read].filter(name => name.startsWith(table) && !name.endsWith('_default'));
        t.ok(days.length <= 3, `${days.join()} were read`);
      }
      t.match(await findDeliveryTenant(database, deliveryId), tenant);
      t.equal(await findDelivery(database, { ...tenant, environmentId: 'env_1' }, deliveryId), undefined);
    }
    const nobodys = deriveDeliveryId(newId('event', midnight), 'stitch_days');
    t.equal(await findDelivery(database, tenant, nobodys), undefined);
  },
);

t.test('of the threads whose heads have failed each has its heads, of each event the latest', async t => {
  // Not later than the server's, to the millisecond.
  const now = Date.now() - 10_000;
  const heads = [
    ['thread_a', 7, 0],
    ['thread_a', 3, 0],
    // A replay of that event, which failed later, and one that failed before.
    ['thread_a', 3, 3_000],
    ['thread_a', 3, -1_000],
    ['thread_a', 8, 0],
    ['thread_b', 5, 1_000],
    ['thread_c', 9, 0],
    ...Array.from({ length: 300 }, (_, n) => ['thread_many', 100 + n, 0] as const),
  ] as const;
  await database.query(
    `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
     values ('stitch_heads', 'prj_1', 'env_1', 'stitch', 'active', now(), now(), '{}', 1)`,
  );
  await database.query(
    `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
       event_at, thread_id, status, trigger, attempt_count, last_attempt_at, next_attempt_at, updated_at)
     select 'whd_head' || n, $4, 'prj_1', 'env_1', 'stitch_heads', 'evt_' || seq, seq, 'thread.message.received', $4, thread, 'retrying',
       'replay', 1, at, $4::timestamptz + interval '1 minute', $4
     from unnest($1::text[], $2::bigint[], $3::timestamptz[]) with ordinality as head(thread, seq, at, n)`,
    [
      heads.map(([thread]) => thread),
      heads.map(([, seq]) => seq),
      heads.map(([, , ms]) => new Date(now + ms)),
      new Date(now),
    ],
  );
  await database.query(
    `insert into webhook_attempts (delivery_id, number, attempted_at, project_id, trigger, duration_ms)
     select delivery_id, 1, last_attempt_at, project_id, trigger, 1 from webhook_deliveries where stitch_id = 'stitch_heads'`,
  );
  const find = async (threads: number): Promise<string[]> => {
    const times = { since: now - 60_000, dueUntil: now + 60_000 };
    const found = await failedHeads(database, 'stitch_heads', times, threads);
    return found.map(({ threadId, seq, firstAttemptAt }) => `${threadId} ${seq} ${firstAttemptAt - now}`);
  };
  const first = 'thread_a 3 3000';
  const second = 'thread_b 5 1000';
  const rest = ['thread_a 7 0', 'thread_a 8 0'];
  t.strictSame(await find(1), [first, ...rest.slice(0, 1)], 'twice as many as threads');
  t.strictSame(await find(2), [first, second, ...rest]);
  t.strictSame(await find(3), [first, second, 'thread_c 9 0', ...rest]);
  const few = await find(4);
  t.strictSame(few.slice(0, 5), [first, second, 'thread_c 9 0', 'thread_many 100 0', rest[0]]);
  t.equal(few.length, 8);
  const all = await find(1_000);
  const ofMany = all.filter(head => head.startsWith('thread_many'));
  t.equal(ofMany.length, 256, 'of one thread so many');
  t.equal(ofMany.at(-1), 'thread_many 355 0', 'those of its earliest events');
  t.equal(all.length, 256 + 5);
});
