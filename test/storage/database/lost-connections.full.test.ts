/** The database dies: what the drivers say of it is known for what it is, and no connection is forgotten. */
import t from 'tap';
import { ForeignKeyConstraintViolationException } from '@mikro-orm/core';
import { silentLog } from '../../../runtime/observability/log.ts';
import { openDatabase } from '../../../storage/database/database.ts';
import { isTransient } from '../../../storage/database/errors.ts';
import { startTestDatabase, startTestServer } from '../../support/database.ts';
import { Proxy } from '../../support/proxy.ts';

/** More than the ORM has connections. */
const losses = 5;

t.test('lost transactions give their connections back, and their errors pass', async t => {
  const server = await startTestServer(t, { poolSize: 8 });
  const { database } = server;
  // A server at work, or being revived, keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  t.teardown(() => clearInterval(alive));
  for (let i = 0; i < losses; i++) {
    const begun = Promise.withResolvers<void>();
    const killed = Promise.withResolvers<void>();
    const idle = database.em().transactional(async em => {
      await em.execute('select 1');
      begun.resolve();
      await killed.promise;
      await em.execute('select 2');
    });
    await begun.promise;
    const errors: unknown[] = [];
    const note = (error: unknown): void => void errors.push(error);
    const lost = [
      database.query('select pg_sleep(60)').catch(note),
      database.em().execute('select pg_sleep(60)').catch(note),
      database.query('select pg_sleep(60)').catch(note),
      idle.catch(note),
    ];
    await asleep(database);
    const revived = server.kill9();
    await Promise.race(lost);
    killed.resolve();
    await Promise.all([
      ...lost,
      database.query('select 1').catch(note),
      database.em().execute('select 1').catch(note),
    ]);
    t.ok(errors.length >= lost.length, 'the fault was felt');
    t.same(
      errors.filter(error => !isTransient(error)),
      [],
      'all of it passes',
    );
    await revived;
  }
  t.same(await database.em().execute('select 1 as one'), [{ one: 1 }], 'the ORM has connections');
  t.same(await database.query('select 1 as one'), [{ one: 1 }]);
});

t.test('a server that falls silent is given up, and the next one is asked', async t => {
  const { url } = await startTestDatabase(t);
  const address = new URL(url);
  const proxy = new Proxy({ host: address.hostname, port: Number(address.port) });
  address.port = String(await proxy.listen());
  const database = await openDatabase({
    url: address.href,
    log: silentLog,
    statementTimeoutMs: 2_000,
    poolSize: 2,
  });
  t.teardown(async () => {
    await database.close();
    await proxy.close();
  });
  await Promise.all([database.query('select 1'), database.query('select 2')]);
  proxy.mute('server');
  // More than there are connections: some wait for one, and are told so.
  const asked = [1, 2, 3].map(() => database.query('select 1').catch((error: unknown) => error));
  await proxy.fired();
  for (const answer of await Promise.all(asked)) t.ok(isTransient(answer), String(answer));
  proxy.unmute();
  t.same(await database.query('select 1 as one'), [{ one: 1 }], 'on connections of its own');
});

t.test(
  'a connection that is lost while it is being verified fails the request, and nothing else',
  async t => {
    const { url } = await startTestDatabase(t);
    const address = new URL(url);
    const proxy = new Proxy({ host: address.hostname, port: Number(address.port) });
    address.port = String(await proxy.listen());
    const database = await openDatabase({ url: address.href, log: silentLog });
    t.teardown(async () => {
      await database.close();
      await proxy.close();
    });
    const works = [
      () => database.query('select 1'),
      () => database.em().execute('select 1'),
      () => database.scan('prj_1', 'select 1', []),
    ];
    for (const work of works) {
      proxy.breakAt('pg_is_in_recovery');
      const failure = await work().catch((error: unknown) => error);
      await proxy.fired();
      t.ok(isTransient(failure), String(failure));
      proxy.breakAt(undefined);
      t.equal((await work()).length, 1, 'the next connection is a new one');
    }
  },
);

t.test('no statement runs or waits without a limit', async t => {
  const { url } = await startTestDatabase(t);
  const hurried = { url, log: silentLog, poolSize: 4 };
  const short = await openDatabase({ ...hurried, statementTimeoutMs: 100 });
  t.teardown(() => short.close());
  const slept = [short.query('select pg_sleep(60)'), short.em().execute('select pg_sleep(60)')];
  for (const outcome of await Promise.allSettled(slept)) {
    t.match(outcome, { status: 'rejected', reason: { code: '57014' } });
  }

  const impatient = await openDatabase({ ...hurried, lockTimeoutMs: 100 });
  t.teardown(() => impatient.close());
  const lock = 'select pg_advisory_xact_lock(7)';
  const holder = impatient.em();
  await holder.begin();
  await holder.execute(lock);
  const waited = [impatient.query(lock), impatient.em().execute(lock)];
  for (const outcome of await Promise.allSettled(waited)) {
    t.match(outcome, { status: 'rejected', reason: { code: '55P03' } });
    t.ok(outcome.status === 'rejected' && isTransient(outcome.reason), 'which passes');
  }
  await holder.rollback();
});

t.test('permanent failures are distinguished from transient ones', async t => {
  const { database } = await startTestDatabase(t);
  for (const statement of ['select 1 / 0', 'select * from nowhere', 'selec 1']) {
    const failed = await Promise.allSettled([database.query(statement), database.em().execute(statement)]);
    for (const outcome of failed)
      t.notOk(outcome.status === 'fulfilled' || isTransient(outcome.reason), statement);
  }
  t.notOk(isTransient(new Error('some fault of ours')));
  t.notOk(isTransient(new ForeignKeyConstraintViolationException(new Error('a row is missing'))));
  t.notOk(isTransient(undefined));
  const sleep = 'set statement_timeout = 10; select pg_sleep(60)';
  await database.query(sleep).then(
    () => t.fail(),
    (error: unknown) => t.ok(isTransient(error), 'a statement that was given up passes'),
  );
});

/** Resolves once the server is at work on the three statements that do not end. */
async function asleep(database: { query(text: string): Promise<object[]> }): Promise<void> {
  const count = `select 1 from pg_stat_activity where state = 'active' and query = 'select pg_sleep(60)'`;
  while ((await database.query(count)).length < 3);
}
