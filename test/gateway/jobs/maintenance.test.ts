/** Maintenance removes by the database's time, and nothing at all on a machine whose clock is another. What fails counts, and stops nothing else. */
import { once, EventEmitter } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startMaintenance } from '../../../gateway/jobs/maintenance.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { DatabaseClock } from '../../../storage/database/database-clock.ts';
import type { Database } from '../../../storage/database/database.ts';
import { Media } from '../../../storage/media/media.ts';
import { ensurePartitions } from '../../../storage/retention/partitions.ts';
import { silentLog, type Log } from '../../../runtime/observability/log.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { ShiftedClock } from '../../support/stitch-node.ts';

const dayMs = 86_400_000;

/** An event of twenty days ago in the partition of its day, a file that is to be sent, and a key that ends in an hour. */
async function fill(database: Database): Promise<void> {
  const now = Date.now();
  await ensurePartitions(database, now - 20 * dayMs, silentLog);
  await database.query(
    `insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, body)
     values ('prj_1', 1, 'evt_1', 'a.b.c', now() - interval '20 days', 'env_1', '{}')`,
  );
  await database.query(
    `insert into attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key,
       created_at)
     values ('att_1', 'prj_1', 'env_1', 'pending', 'f', 'text/plain', 1, 'k', now())`,
  );
  await database.query(
    `insert into idempotency_keys (key_hash, fingerprint, created_at, expires_at)
     values ('\\x01', '\\x01', now(), now() + interval '1 hour'), ('\\x02', '\\x02', now(), now() - interval '1 hour')`,
  );
}

async function count(database: Database, table: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*)::int as count from ${table}`);
  return row?.count ?? -1;
}

async function openMedia(t: Test): Promise<Media> {
  const folder = await mkdtemp(join(tmpdir(), `skein-test-${process.pid}-media-`));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return new Media({ kind: 'folder', folder }, 0);
}

const proofs = { find: () => Promise.resolve(undefined) };

t.test('a machine forty days ahead removes nothing until its clock is right', async t => {
  const { database } = await startTestDatabase(t);
  await fill(database);
  const said = new EventEmitter();
  const log: Log = { ...silentLog, warn: (_, message) => void said.emit(message) };
  const machine = new ShiftedClock();
  machine.shift(40 * dayMs);
  const clock = new DatabaseClock({ database, log, machine });
  const node = { ask: () => Promise.reject(new Error('nobody is asked')) };
  const media = await openMedia(t);
  const stop = startMaintenance(
    { database, clock, media, node, proofs, log, metrics: new Metrics(), everyMs: 5 },
    () => true,
  );
  t.teardown(stop);
  const waits = "maintenance waits: this machine's clock is not the database's";
  for (let tries = 0; tries < 3; tries++) await once(said, waits);
  t.same(
    await Promise.all(['events', 'attachments', 'idempotency_keys'].map(each => count(database, each))),
    [1, 1, 2],
    'nothing is gone',
  );

  machine.shift(-40 * dayMs);
  await eventually('removal of what is over', async () => (await count(database, 'idempotency_keys')) === 1);
  await stop();
  t.same(
    await Promise.all(['events', 'attachments', 'idempotency_keys'].map(each => count(database, each))),
    [1, 1, 1],
    'and only that',
  );
});

t.test(
  'a store that removes nothing counts as failing, and holds up neither other jobs nor the end',
  async t => {
    const { database } = await startTestDatabase(t);
    await database.query(
      `insert into attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key,
       created_at)
     select 'att_' || n, 'prj_1', 'env_1', 'erased', 'f', 'text/plain', 1, 'k' || n, now() from generate_series(1, 1000) n`,
    );
    const asked = new EventEmitter();
    let hangs = false;
    const media = {
      remove: () => {
        asked.emit('remove');
        return hangs ? new Promise<void>(() => undefined) : Promise.reject(new Error('AccessDenied'));
      },
    };
    const metrics = new Metrics();
    const countFailures = async (): Promise<number> => {
      const { values = [] } =
        (await metrics.registry.getSingleMetric('skein_sweep_failures_total')?.get()) ?? {};
      return values.find(({ labels }) => labels['job'] === 'media')?.value ?? 0;
    };
    const clock = new DatabaseClock({ database, log: silentLog });
    const node = { ask: () => Promise.reject(new Error('nobody is asked')) };
    const stop = startMaintenance(
      { database, clock, media, node, proofs, log: silentLog, metrics, everyMs: 5 },
      () => true,
    );
    t.teardown(stop);
    await once(asked, 'remove');
    await database.query(
      `insert into erasures (thread_id, project_id, environment_id, through, requested_at, due_at)
     values ('thr_1', 'prj_1', 'env_1', 1, now() - interval '1 hour', now())`,
    );
    await eventually('erasure', async () => (await count(database, 'erasures')) === 0);
    await eventually('count of failures', async () => (await countFailures()) >= 2);
    t.equal(await count(database, 'attachments'), 1_000);

    hangs = true;
    await once(asked, 'remove');
    await stop();
    const failures = await countFailures();
    t.ok(failures >= 2, 'nothing is waited for');
  },
);
