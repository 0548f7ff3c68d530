import t from 'tap';
import pg from 'pg';
import { silentLog, type Log } from '../../../runtime/observability/log.ts';
import {
  dropPartitions,
  ensurePartitions,
  partitionedTables,
} from '../../../storage/retention/partitions.ts';
import { startTestDatabase } from '../../support/database.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 20, 23, 59, 59);

t.test('partitions', async t => {
  const { url, database } = await startTestDatabase(t);

  async function listPartitions(table: string): Promise<string[]> {
    const rows = await database.query<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1`,
      [table],
    );
    return rows.map(row => row.name);
  }
  async function drop(at: number, keepDays: number, log: Log = silentLog): Promise<string[]> {
    const dropped: string[] = [];
    for (const table of partitionedTables) {
      dropped.push(...(await dropPartitions(database, { table, now: at, keepDays, log })));
    }
    return dropped;
  }
  let seq = 0;
  async function insertEvent(at: number): Promise<string> {
    const [row] = await database.query<{ where: string }>(
      `insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, body)
       values ('prj_1', $1, 'evt_1', 'a.b.c', $2, 'env_1', '{}') returning tableoid::regclass::text as where`,
      [++seq, new Date(at)],
    );
    return row?.where ?? '';
  }

  t.test('are made from yesterday to a week ahead, once, by any number of nodes', async t => {
    const made = await Promise.all([1, 2, 3].map(() => ensurePartitions(database, now, silentLog)));
    const expected = Array.from({ length: 9 }, (_, i) => `events_202611${19 + i}`);
    t.strictSame(await listPartitions('events'), [...expected, 'events_default']);
    t.equal((await listPartitions('webhook_deliveries')).length, 10);
    t.equal((await listPartitions('webhook_attempts')).length, 10);
    t.ok(made.flat().length >= 27);
    t.strictSame(await ensurePartitions(database, now, silentLog), [], 'nothing is left to make');
  });

  t.test('take the rows of their day of UTC, with every index of their table', async t => {
    t.equal(await insertEvent(Date.UTC(2026, 10, 20)), 'events_20261120');
    t.equal(await insertEvent(Date.UTC(2026, 10, 20, 23, 59, 59, 999)), 'events_20261120');
    t.equal(await insertEvent(Date.UTC(2026, 10, 21)), 'events_20261121');
    t.equal(await insertEvent(Date.UTC(2026, 0, 1)), 'events_default');
    const rows = await database.query<{ table: string; indexes: number }>(
      `select tablename as table, count(*) as indexes from pg_indexes
       where tablename in ('events_20261120', 'events_default') group by 1 order by 1`,
    );
    t.strictSame(rows, [
      { table: 'events_20261120', indexes: 3 },
      { table: 'events_default', indexes: 3 },
    ]);
  });

  t.test('are dropped whole when every row of theirs is too old, and the default one is swept', async t => {
    const later = now + 31 * dayMs;
    await ensurePartitions(database, later, silentLog);
    const dropped = await drop(later, 30);
    t.strictSame(
      dropped.filter(name => name.startsWith('events')),
      ['events_20261119', 'events_20261120'],
    );
    t.equal(dropped.length, 6);
    const left = await database.query<{ at: Date }>('select occurred_at as at from events');
    t.strictSame(left, [{ at: new Date(Date.UTC(2026, 10, 21)) }], 'the last day that is kept is whole');
    t.strictSame(await drop(later, 30), []);
  });

  t.test(
    'are left alone while a reader is in the way, and a day in the default partition stays there',
    async t => {
      const later = now + 60 * dayMs;
      const reader = new pg.Client({ connectionString: url });
      await reader.connect();
      await reader.query('begin');
      await reader.query('select count(*) from events');
      const warned: unknown[] = [];
      const log = { ...silentLog, warn: (fields: object) => warned.push(fields) };
      let isOver = false;
      const dropping = drop(later, 58, log).finally(() => (isOver = true));
      const writer = new pg.Client({ connectionString: url });
      await writer.connect();
      await writer.query('set lock_timeout = 500');
      // Rejects if a write waits for longer.
      while (!isOver) {
        await writer.query(
          `insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, body)
           values ('prj_2', $1, 'evt_2', 'a.b.c', $2, 'env_1', '{}')`,
          [++seq, new Date(later)],
        );
      }
      await writer.end();
      const dropped = await dropping;
      t.notOk(dropped.some(name => name.startsWith('events')));
      t.match(warned, [{ partition: 'events_20261121' }]);
      t.equal(warned.length, 1, 'the next ones would wait, too');
      await reader.query('rollback');
      await reader.end();
      t.ok((await drop(later, 58)).includes('events_20261121'));

      const stray = Date.UTC(2027, 5, 1);
      t.equal(await insertEvent(stray), 'events_default');
      const made = await ensurePartitions(database, stray, silentLog);
      t.notOk(made.includes('events_20270601'));
      t.ok(made.includes('events_20270602'), 'the other days are made');
      t.equal(
        (await database.query('select 1 from events where occurred_at = $1', [new Date(stray)])).length,
        1,
      );
    },
  );
});
