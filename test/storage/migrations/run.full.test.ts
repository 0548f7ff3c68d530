/** A database of the first schema is brought to the newest one while others write to it, whatever else happens meanwhile. */
import { EventEmitter, once } from 'node:events';
import pg from 'pg';
import t, { type Test } from 'tap';
import { createFirstSchema, Writer } from './first-schema.ts';
import { silentLog, type Log } from '../../../runtime/observability/log.ts';
import { openDatabase, type Database } from '../../../storage/database/database.ts';
import { separateIndexes } from '../../../storage/migrations/indexes.ts';
import { dropPartitions, ensurePartitions } from '../../../storage/retention/partitions.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const { database: control, createDatabase } = await startTestDatabase(t);

let made = 0;

/** A database of the first schema. */
async function createOld(messages = 0): Promise<string> {
  const url = await createDatabase(`old_${++made}`);
  await createFirstSchema(url, messages);
  return url;
}

async function open(t: Test, url: string, log: Log = silentLog): Promise<Database> {
  const database = await openDatabase({ url, log, poolSize: 2 });
  t.teardown(() => database.close());
  return database;
}

/** Columns, indexes, functions and triggers, without the partitions of days. */
function describe(database: Database): Promise<object[]> {
  return database.query(
    `select table_name as "in", column_name as name, concat_ws(' ', data_type, is_nullable, column_default) as is
     from information_schema.columns where table_schema = 'public' and table_name !~ '_[0-9]{8}$'
     union all
     select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' and tablename !~ '_[0-9]{8}$'
       and indexname !~ '^webhook_deliveries_default_'
     union all
     select '', proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
     union all
     select '', tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal and tgparentid = 0
     order by 1, 2, 3`,
  );
}

/** Its schema is the newest one, and every index is complete. */
async function checkSchema(t: Test, database: Database): Promise<void> {
  t.same(await describe(database), await describe(control));
  const broken = await database.query<{ name: string }>(
    'select indexrelid::regclass::text as name from pg_index where not indisvalid',
  );
  t.same(broken, [], 'every index is valid');
  const names = await database.query<{ name: string }>('select name from migrations order by id');
  const expected = await control.query<{ name: string }>('select name from migrations order by id');
  t.same(names, expected, 'each migration ran once');
}

/** A log that tells each line to whoever waits for its message. */
function createLog(): { readonly log: Log; readonly said: EventEmitter } {
  const said = new EventEmitter();
  return { log: { ...silentLog, info: (fields, message) => void said.emit(message, fields) }, said };
}

/** A connection with a transaction that has run the statement, and goes on until it is ended. */
async function begin(t: Test, url: string, statement: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  t.teardown(() => client.end());
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return client;
}

/** Resolves when a concurrent build waits for older transactions, to its process. */
async function findWaitingBuild(): Promise<number> {
  let pid: number | undefined;
  await eventually('build that waits', async () => {
    const [row] = await control.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'skein-migrate' and wait_event = 'virtualxid'`,
    );
    pid = row?.pid;
    return pid !== undefined;
  });
  return pid ?? 0;
}

/** Writes for which a wait of a second is an error. It is told by `stop`. */
async function startWriter(t: Test, url: string): Promise<Writer> {
  const writer = await Writer.start(url, 1_000);
  t.teardown(() => writer.stop().catch(() => undefined));
  return writer;
}

t.test('50,000 messages, and nobody who writes waits a second for a lock', async t => {
  const url = await createOld(50_000);
  const writers = await Promise.all([1, 2].map(() => startWriter(t, url)));
  const database = await open(t, url);
  await database.migrate();
  const done = writers.map(writer => writer.take());
  for (const writer of writers) await writer.stop();
  t.ok(done.every(({ count }) => count > 0));
  t.comment(`the longest write took ${Math.round(Math.max(...done.map(each => each.longestMs)))} ms`);
  await checkSchema(t, database);
  const [row] = await database.query<{ count: number }>('select count(*) as count from messages');
  t.ok((row?.count ?? 0) >= 50_000 + done.reduce((sum, each) => sum + each.count, 0));
});

t.test('a table that somebody reads for long is waited for, and its writers are not held up', async t => {
  const url = await createOld();
  const reader = await begin(t, url, 'lock table attachments in access share mode');
  const writer = await startWriter(t, url);
  const { log, said } = createLog();
  const database = await open(t, url, log);
  const migrated = database.migrate();
  for (let tries = 0; tries < 3; tries++) await once(said, 'a migration found a table locked; will retry');
  await reader.query('commit');
  await migrated;
  await writer.stop();
  await checkSchema(t, database);
});

t.test('a transaction that writes for long holds up a build, and nobody else', async t => {
  const url = await createOld();
  const database = await open(t, url);
  const long = await begin(t, url, 'lock table threads in row exclusive mode');
  const writer = await startWriter(t, url);
  const migrated = database.migrate();
  await findWaitingBuild();
  writer.take();
  let count = 0;
  const writes = eventually('writes beside the build', async () => (count += writer.take().count) >= 20);
  await Promise.race([writes, writer.ended]);
  await long.query('commit');
  await migrated;
  await writer.stop();
  await checkSchema(t, database);
});

t.test('nodes that start meanwhile wait, and do not stand in the way of builds', async t => {
  const url = await createOld();
  const nodes = await Promise.all([1, 2, 3].map(() => open(t, url)));
  await Promise.all(nodes.map(node => node.migrate()));
  const [first] = nodes;
  if (first === undefined) throw new Error('there is no node');
  await checkSchema(t, first);
});

t.test('what a node that died has left is finished by the next one', async t => {
  const url = await createOld();
  // The build waits for this snapshot, and the node dies meanwhile.
  const reader = await begin(t, url, 'set transaction isolation level repeatable read; select 1');
  const first = await open(t, url);
  const dying = t.rejects(first.migrate());
  const database = await open(t, url);
  await control.query('select pg_terminate_backend($1)', [await findWaitingBuild()]);
  await dying;
  const [left] = await database.query<{ count: number }>(
    'select count(*) as count from pg_index where not indisvalid',
  );
  t.equal(left?.count, 1, 'an index that is not complete');
  await reader.query('commit');
  await database.migrate();
  await checkSchema(t, database);
});

t.test('partitions that come and go while indexes are built on them', async t => {
  const url = await createOld();
  const { log, said } = createLog();
  const database = await open(t, url, log);
  const table = 'webhook_deliveries';
  const changed = new Promise<void>((resolve, reject) => {
    said.on('built an index', (fields: { readonly table: string }) => {
      if (!fields.table.startsWith(`${table}_`)) return;
      said.removeAllListeners('built an index');
      const now = Date.now() + 30 * 86_400_000;
      Promise.all([
        ensurePartitions(database, now, silentLog),
        dropPartitions(database, { table, now, keepDays: 32, log: silentLog }),
      ]).then(() => resolve(), reject);
    });
  });
  await database.migrate();
  await changed;
  await checkSchema(t, database);
  const [row] = await database.query<{ count: number }>(
    `select count(*) as count from pg_inherits p where p.inhparent = '${table}'::regclass and not exists (
       select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
       where i.inhparent = 'webhook_deliveries_undelivered'::regclass and x.indrelid = p.inhrelid)`,
  );
  t.equal(row?.count, 0, 'every partition has the index');
});

t.test('which indexes are built beside writes', t => {
  t.same(
    separateIndexes([
      'create table fresh (a int)',
      'create index fresh_a on fresh (a)',
      'alter table old add b int',
      `create unique index old_b on old
        (b) where b > 0`,
      'create index old_a on old using brin (a)',
    ]),
    {
      changes: [
        'create table fresh (a int)',
        'create index fresh_a on fresh (a)',
        'alter table old add b int',
      ],
      indexes: [
        { name: 'old_b', table: 'old', isUnique: true, rest: '(b) where b > 0' },
        { name: 'old_a', table: 'old', isUnique: false, rest: 'using brin (a)' },
      ],
    },
  );
  t.end();
});
