/** What operators of the service see of its database: numbers, ids and names, and nothing that a tenant has written. */
import t from 'tap';
import { findStitchPlaces, readDatabaseState, readGivenUp } from '../../../storage/system/index.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);

t.test('the state of the database', async t => {
  const state = await readDatabaseState(database);
  t.match(state, { version: /^\d+/, waitingForLocks: 0 });
  t.ok(state.connections >= 1 && state.maxConnections > state.connections);
  t.ok(state.roundTripMs >= 0);
});

t.test('a transaction that is open, and a statement that waits for its lock', async t => {
  const locked = Promise.withResolvers<undefined>();
  const seen = Promise.withResolvers<undefined>();
  const holding = database.em().transactional(async em => {
    await em.execute('lock table dead_letters in access exclusive mode');
    locked.resolve(undefined);
    await seen.promise;
  });
  await locked.promise;
  const waiting = database.query('select count(*) from dead_letters');
  let state = await readDatabaseState(database);
  while (state.waitingForLocks === 0) state = await readDatabaseState(database);
  t.equal(state.waitingForLocks, 1);
  t.ok((state.longestTransactionSeconds ?? 0) > 0);
  seen.resolve(undefined);
  await Promise.all([holding, waiting]);
});

t.test('what was given up: the newest, without its words, and how many up to a thousand', async t => {
  t.strictSame(await readGivenUp(database, 20), { count: 0, more: false, newest: [] });
  const insert = (rows: number) =>
    database.query(
      `insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
       select 'thread', 'thr_' || i, 'remind', '{"body":"secret words"}', 'secret words', 3, now() + i * interval '1 second'
       from generate_series(1, $1) i`,
      [rows],
    );
  await insert(30);
  const { count, more, newest } = await readGivenUp(database, 20);
  t.strictSame([count, more, newest.length], [30, false, 20]);
  t.match(newest[0], { kind: 'thread', actorId: 'thr_30', name: 'remind', attempts: 3, createdAt: Date });
  t.notMatch(JSON.stringify(newest), /secret/);
  await insert(1_000);
  t.match(await readGivenUp(database, 1), { count: 1_000, more: true, newest: { length: 1 } });
});

t.test('the newest are found by the index, however many there are', async t => {
  await database.query('analyze dead_letters');
  const plan = await database.query<{ 'QUERY PLAN': string }>(
    'explain select kind from dead_letters order by created_at desc limit 20',
  );
  t.match(plan.map(line => line['QUERY PLAN']).join('\n'), /Index Scan Backward using dead_letters_created/);
});

t.test('no stitch is looked for where none is behind, and what is there no more is left out', async t => {
  t.strictSame(await findStitchPlaces({ query: () => t.fail('no question') as never }, []), []);
  t.strictSame(await findStitchPlaces(database, ['stc_gone']), []);
});
