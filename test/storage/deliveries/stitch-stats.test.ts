/** What is counted of a stitch's attempts, and what it has yet to deliver. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { maxBacklogCount } from '../../../protocol/resources/stitch.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { groupHours, readBacklog, readHours, summarise } from '../../../storage/deliveries/stitch-stats.ts';
import { deriveDeliveryId } from '../../../storage/deliveries/subscriptions.ts';
import { sweep } from '../../../storage/retention/sweep.ts';
import {
  countAttempts,
  type CountedAttempt,
  fromDurationClass,
  toDurationClass,
} from '../../../storage/writes/attempt-counts.ts';
import fc from '../../support/fuzz.ts';
import { startTestDatabase } from '../../support/database.ts';
import { Counter, openStore } from '../commit/counters.ts';
import { testHash } from '../../support/keyed-hash.ts';

const { database } = await startTestDatabase(t);
const { store } = openStore(database);
t.teardown(() => store.close());
const hour = 3_600_000;
const noon = Date.parse('2026-11-20T12:00:00.000Z');

/** A stitch that wants the names, of a project whose log is empty. */
async function newStitch(wanted: readonly string[] = []) {
  const [projectId, environmentId, stitchId] = [newId('project'), newId('environment'), newId('stitch')];
  await database.query(`insert into project_streams (project_id, last_seq, epoch) values ($1, 0, 'e')`, [
    projectId,
  ]);
  await database.query(
    `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
     values ($1, $2, $3, '', 'active', now(), now(), '{}', 1)`,
    [stitchId, projectId, environmentId],
  );
  await database.query(`select skein_follow($1, $2, 0, '{}', now())`, [stitchId, wanted]);
  return { tenant: { projectId, environmentId }, stitchId };
}

type Stitch = Awaited<ReturnType<typeof newStitch>>;

/** Events of that name after those that are there, a second apart. */
async function append({ tenant }: Stitch, count: number, name = 'thread.status.changed'): Promise<void> {
  await database.query(
    `with head as (
       update project_streams set last_seq = last_seq + $4 where project_id = $1 returning last_seq - $4 as base
     )
     insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, body)
     select $1, base + n, 'evt_' || lpad((base + n)::text, 10, '0') || $1, $3, $5::timestamptz + (base + n) * interval '1 second', $2, '{}'
     from head, generate_series(1, $4::int) n`,
    [tenant.projectId, tenant.environmentId, name, count, new Date(noon)],
  );
}

/** The row of a delivery of the event with that number. */
async function record({ tenant, stitchId }: Stitch, seq: number, status: string): Promise<void> {
  const eventId = `evt_${String(seq).padStart(10, '0')}${tenant.projectId}`;
  const at = new Date(noon + seq * 1_000);
  await database.query(
    `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
       event_at, status, trigger, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'thread.status.changed', $2, $8, 'scheduled', $2)`,
    [
      deriveDeliveryId(eventId, stitchId),
      at,
      tenant.projectId,
      tenant.environmentId,
      stitchId,
      eventId,
      seq,
      status,
    ],
  );
}

const attempts = fc.array(
  fc.record({
    at: fc.integer({ min: noon, max: noon + 3 * hour }),
    durationMs: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 60_000 })),
    hasSucceeded: fc.boolean(),
    waitMs: fc.integer({ min: 0, max: 1_000_000 }),
  }),
  { minLength: 1, maxLength: 60, size: 'max' },
);

t.test('counts of commits, put together, are those of all attempts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attempts, { minLength: 1, maxLength: 4, size: 'max' }), async batches => {
      const { tenant, stitchId } = await newStitch();
      const actor = new Counter();
      const commit = (batch: readonly CountedAttempt[]) =>
        store.commit(actor.next(countAttempts(stitchId, batch)));
      // One by itself, and then several in one transaction.
      await commit(batches[0] ?? []);
      await Promise.all(batches.slice(1).map(commit));
      const rows = await readHours(database, tenant, stitchId, new Date(noon));
      const all = batches.flat();
      check(summarise(rows), all);
      for (const { hour: start, ...stats } of groupHours(rows)) {
        const from = Date.parse(start);
        check(
          stats,
          all.filter(({ at }) => at >= from && at < from + hour),
        );
      }
    }),
    { numRuns: 30 },
  );
});

function check(stats: ReturnType<typeof summarise>, all: readonly CountedAttempt[]): void {
  const durations = all.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const succeeded = all.filter(({ hasSucceeded }) => hasSucceeded).length;
  const wanted = {
    attempts: all.length,
    succeeded,
    successRate: succeeded / all.length,
    longestWaitMs: Math.max(...all.map(({ waitMs }) => waitMs)),
  };
  for (const [name, value] of Object.entries(wanted)) {
    if (stats[name as keyof typeof wanted] !== value) throw new Error(`${name}: ${JSON.stringify(stats)}`);
  }
  for (const [found, share] of [
    [stats.p50Ms, 0.5],
    [stats.p95Ms, 0.95],
  ] as const) {
    const exact = durations[Math.ceil(all.length * share) - 1] ?? NaN;
    if (found === null || Math.abs(found - exact) > exact / 10 + 1) {
      throw new Error(`${share}: ${found} and not ${exact}`);
    }
  }
}

t.test('a class holds durations that differ by a fifth at most', async t => {
  t.equal(toDurationClass(0), toDurationClass(1));
  for (const ms of [2, 3, 10, 84, 999, 1_000, 14_999, 60_000]) {
    const [from, to] = [0, 1].map(more => fromDurationClass(toDurationClass(ms) + more));
    t.ok(from !== undefined && to !== undefined && from <= ms && ms < to && to / from < 1.2, String(ms));
  }
});

t.test('only the tenant reads them, from the hour on that was asked for', async t => {
  const { tenant, stitchId } = await newStitch();
  const one = { durationMs: 10, hasSucceeded: true, waitMs: 5 };
  const writes = countAttempts(stitchId, [
    { ...one, at: noon - 1 },
    { ...one, at: noon },
  ]);
  await store.commit(new Counter().next(writes));
  const read = async (scope = tenant, since = noon) =>
    groupHours(await readHours(database, scope, stitchId, new Date(since))).map(({ hour }) => hour);
  t.strictSame(await read(), ['2026-11-20T12:00:00.000Z']);
  t.strictSame(await read(tenant, noon - hour), ['2026-11-20T11:00:00.000Z', '2026-11-20T12:00:00.000Z']);
  t.strictSame(await read({ ...tenant, environmentId: newId('environment') }), []);
  t.strictSame(await read({ ...tenant, projectId: newId('project') }), []);
  await sweep({ database, hash: testHash, log: silentLog }, noon + 8 * 24 * hour - 1);
  t.equal((await read(tenant, noon - hour)).length, 1, 'eight days later the first is gone');
});

t.test('nothing was tried', async t => {
  t.strictSame(summarise([]), {
    attempts: 0,
    succeeded: 0,
    successRate: null,
    p50Ms: null,
    p95Ms: null,
    longestWaitMs: null,
  });
  const { tenant, stitchId } = await newStitch();
  t.strictSame(await readBacklog(database, tenant, stitchId), { count: 0, more: false, oldestSince: null });
});

t.test('the backlog is what has no row yet, and rows that are open', async t => {
  const stitch = await newStitch(['thread.*']);
  const { tenant, stitchId } = stitch;
  await append(stitch, 4);
  await append(stitch, 3, 'agent.run.completed');
  await append(stitch, 1, 'stitch.test.ping');
  const backlog = () => readBacklog(database, tenant, stitchId);
  const at = (seq: number) => new Date(noon + seq * 1_000).toISOString();
  t.strictSame(await backlog(), { count: 4, more: false, oldestSince: at(1) });
  await record(stitch, 1, 'delivered');
  t.strictSame(await backlog(), { count: 3, more: false, oldestSince: at(2) });
  await record(stitch, 3, 'retrying');
  t.strictSame(await backlog(), { count: 3, more: false, oldestSince: at(2) });
  await record(stitch, 2, 'failed');
  t.strictSame(await backlog(), { count: 2, more: false, oldestSince: at(3) }, 'the row is the oldest');
  const others = { ...tenant, environmentId: newId('environment') };
  t.match(await readBacklog(database, others, stitchId), { count: 0, oldestSince: null });
  await database.query(`select skein_follow($1, null, 0, '{}', now())`, [stitchId]);
  await database.query(`update webhook_deliveries set status = 'cancelled' where stitch_id = $1`, [stitchId]);
  t.match(await backlog(), { count: 0, more: false }, 'what is cancelled does not wait');
  await database.query(`select skein_follow($1, '{}', 0, '{}', now())`, [stitchId]);
  await append(stitch, 2);
  t.match(await backlog(), { count: 2, more: false }, 'enabled again');
  await append(stitch, 2 * maxBacklogCount);
  await database.query(`select skein_follow($1, null, 0, '{}', now())`, [stitchId]);
  await database.query(`select skein_follow($1, '{}', 0, '{}', now())`, [stitchId]);
  await append(stitch, 2);
  t.match(await backlog(), { count: 2, more: false }, 'what is cancelled is not looked at');
});

t.test('a large backlog is counted so far, and the answer says so', async t => {
  const stitch = await newStitch();
  await append(stitch, maxBacklogCount);
  const { tenant, stitchId } = stitch;
  t.match(await readBacklog(database, tenant, stitchId), { count: maxBacklogCount });
  await append(stitch, 30_000);
  t.match(await readBacklog(database, tenant, stitchId), {
    count: maxBacklogCount,
    more: true,
    oldestSince: new Date(noon + 1_000).toISOString(),
  });
  const rare = await newStitch(['agent.*']);
  await append(rare, 30_000);
  await append(rare, 1, 'agent.run.completed');
  t.match(await readBacklog(database, rare.tenant, rare.stitchId), { count: 0, more: true });
});
