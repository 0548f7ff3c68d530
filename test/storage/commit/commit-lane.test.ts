/** Commits that the server interrupts, has no resources for, or lets wait for a lock: they do not hold up others. */
import t, { type Test } from 'tap';
import { type Id, newId } from '../../../protocol/ids.ts';
import { toServiceError } from '../../../runtime/actor/index.ts';
import { silentLog, type Log } from '../../../runtime/observability/log.ts';
import type { LaneLimits } from '../../../storage/commit/commit-lane.ts';
import type { PostgresStore } from '../../../storage/commit/postgres-store.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { Counter, event, key, message, openStore, outcomes, projectId } from './counters.ts';

/** Long enough for a part without a culprit on a busy machine. */
const limits = { statementMs: 1_500, cautiousStatementMs: 750, outOfResourcesMs: 300, lockMs: 100 };

t.test('a slow tenant', async t => {
  const { database } = await startTestDatabase(t);
  const insertProject = 'insert into project_streams (project_id, last_seq, epoch) values ($1, 0, $2)';
  await database.query(insertProject, [projectId, 'e']);
  const open = (t: Test, others: Partial<LaneLimits> = {}, log?: Log): ReturnType<typeof openStore> => {
    const opened = openStore(database, undefined, { ...limits, ...others }, log);
    t.teardown(() => opened.store.close());
    return opened;
  };
  /** A project whose row another transaction holds until `release` is called. */
  const holdProject = async (): Promise<{ readonly held: Id<'project'>; release(): Promise<void> }> => {
    const held = newId('project');
    await database.query(insertProject, [held, 'e']);
    const holder = database.em();
    await holder.begin();
    await holder.execute(`select from project_streams where project_id = '${held}' for update`);
    return { held, release: () => holder.rollback() };
  };
  const commitEvents = (store: PostgresStore, project: string, count: number): Promise<void>[] =>
    Array.from({ length: count }, () => {
      const counter = new Counter();
      return store.commit(counter.next([event(counter.id, project as Id<'project'>)]));
    });
  const countRows = async (table: string): Promise<number> => {
    const [row] = await database.query<{ count: number }>(`select count(*) from ${table}`);
    return row?.count ?? 0;
  };
  /** Runs the statement for each new row of threads, where the condition holds. */
  const onThread = async (name: string, condition: string, statement: string): Promise<void> => {
    await database.query(`create function ${name}() returns trigger language plpgsql as $$
      begin if ${condition} then ${statement}; end if; return new; end $$`);
    await database.query(
      `create trigger ${name} before insert or update on threads for each row execute function ${name}()`,
    );
  };

  await t.test('a commit that is too slow is found among 60 and refused, alone', async t => {
    await onThread('slow', `new.external_ref = 'slow'`, 'perform pg_sleep(60)');
    const { store, stored, events } = open(t);
    const neighbours = Array.from({ length: 59 }, () => new Counter());
    const culprit = new Counter();
    const chain = culprit.chain;
    const commits = neighbours.map(counter => counter.next([event(counter.id)]));
    const slow = culprit.next([event(culprit.id), key('slow')], 'slow');
    commits.splice(40, 0, slow, culprit.next([event(culprit.id)], 'slow'));
    const results = await Promise.allSettled(commits.map(commit => store.commit(commit)));

    const refused = results.flatMap((result, i) =>
      result.status === 'rejected' ? [[i, result.reason]] : [],
    );
    t.match(refused, [
      [40, { name: 'StoreUnavailable', cause: { code: '57014' } }],
      [41, { name: 'Fenced' }],
    ]);
    t.match(toServiceError(refused[0]?.[1]), { code: 'svc/runtime/unavailable', retryAfterSeconds: 1 });
    t.ok(chain.broken);
    t.equal(await stored(culprit), undefined, 'nothing of it was applied');
    t.equal(await countRows('idempotency_keys'), 0);
    const sent = commits.toSpliced(40, 2).map(({ writes }) => writes[0]?.event?.eventId);
    const numbered = await database.query<{ event_id: string }>('select event_id from events order by seq');
    t.same(
      numbered.map(row => row.event_id),
      sent,
      'the others have kept their order',
    );
    t.equal(events.length, 59);

    await database.query('drop trigger slow on threads');
    const again = new Counter();
    await store.commit(again.next([event(again.id), key('slow')], 'slow'));
    t.equal(await countRows('idempotency_keys'), 1, 'the repetition works once the cause is gone');
    t.equal(await countRows('events'), 60);
  });

  await t.test('commits of a project whose row is held wait for it, and the others go on', async t => {
    const { held, release } = await holdProject();
    const { store, stored } = open(t);
    const counter = new Counter();
    // Of one actor, with and without events.
    const waiting = [[event(counter.id, held)], [], [event(counter.id, held)]].map(writes =>
      store.commit(counter.next(writes)),
    );
    waiting.push(...commitEvents(store, held, 30));
    for (let i = 0; i < 3; i++)
      t.same(new Set(await outcomes(commitEvents(store, projectId, 30))), new Set(['ok']));
    t.equal(await stored(counter), undefined);
    await release();
    t.same(new Set(await outcomes(waiting)), new Set(['ok']));
    t.match(await stored(counter), { version: 3 });
  });

  await t.test('no commit of an actor overtakes one that was set aside, in a later batch either', async t => {
    const { held, release } = await holdProject();
    const warned = Promise.withResolvers<void>();
    const { store, stored } = open(t, {}, { ...silentLog, warn: () => warned.resolve() });
    const counter = new Counter();
    // The first one fills a batch.
    const long = message(counter.id, 1, 'x'.repeat(9 * 1_048_576));
    const waiting = [[event(counter.id, held), long], [], [event(counter.id, held)]].map(writes =>
      store.commit(counter.next(writes)),
    );
    await Promise.race([warned.promise, outcomes(waiting)]);
    await release();
    t.same(await outcomes(waiting), ['ok', 'ok', 'ok']);
    t.match(await stored(counter), { version: 3 });
  });

  await t.test('a project whose row is held for long is refused, until it is free', async t => {
    const { held, release } = await holdProject();
    const { store } = open(t, { heldMs: 200 });
    t.same(new Set(await outcomes(commitEvents(store, held, 10))), new Set(['StoreUnavailable']));
    await release();
    t.same(await outcomes(commitEvents(store, held, 1)), ['ok'], 'it did not fail by its own fault');
  });

  await t.test('waiting for a lock after a deadlock does not open the circuit of a tenant', async t => {
    await onThread(
      'deadlock',
      `new.external_ref = 'deadlock'`,
      `raise exception 'once' using errcode = '40P01'`,
    );
    const { held, release } = await holdProject();
    const warned = Promise.withResolvers<void>();
    const log = { ...silentLog, warn: () => warned.resolve() };
    const { store } = open(t, {}, log);
    const blocked = store.commit(new Counter().next([], 'deadlock'));
    t.same(await outcomes([blocked]), ['StoreUnavailable']);
    await database.query('drop trigger deadlock on threads');
    const waiting = commitEvents(store, held, 5);
    await warned.promise;
    t.same(new Set(await outcomes(commitEvents(store, projectId, 5))), new Set(['ok']));
    await release();
    t.same(new Set(await outcomes(waiting)), new Set(['ok']));
  });

  await t.test('nodes that commit for the same actors at once do not deadlock', async t => {
    const counters = [new Counter(), new Counter()];
    const { store } = open(t);
    const other = open(t).store;
    await Promise.all(counters.map(counter => store.commit(counter.next())));
    const chain = { broken: false };
    const rival = counters.map(counter => ({ ...counter.next(), chain })).toReversed();
    await database.query('create sequence updates');
    await onThread('pause', 'true', `perform nextval('updates'), pg_sleep(0.05)`);
    const won = rival.toReversed().map((commit, i) => ({ ...commit, chain: counters[i]?.chain ?? chain }));
    const results = await Promise.all([
      outcomes(won.map(commit => store.commit(commit))),
      outcomes(rival.map(commit => other.commit(commit))),
    ]);
    t.same(results.flat().toSorted(), ['Fenced', 'Fenced', 'ok', 'ok']);
    const [row] = await database.query<{ count: number }>('select last_value::int as count from updates');
    t.equal(row?.count, 2, 'no row was updated in vain');
    await database.query('drop trigger pause on threads');
  });

  await t.test('a tenant with more than its share of the commits leaves a lane for the others', async t => {
    const { held, release } = await holdProject();
    // The lanes of the large tenant wait for as long as the row is held.
    const { store } = open(t, { lockMs: 60_000, statementMs: 60_000 });
    const large = commitEvents(store, held, 6_500);
    const refused = new Set<string>();
    for (const each of large) each.catch((error: unknown) => refused.add((error as Error).name));
    for (let i = 0; i < 5; i++) t.same(await outcomes(commitEvents(store, projectId, 1)), ['ok']);
    t.same([...refused], ['StoreUnavailable'], 'and has a share of the queue');
    await release();
    const accepted = (await outcomes(large)).filter(outcome => outcome === 'ok');
    t.ok(accepted.length >= 5_000);
    t.same(await outcomes(commitEvents(store, projectId, 1)), ['ok']);
    const { transactions } = store.stats;
    t.same(new Set(await outcomes(commitEvents(store, held, 640))), new Set(['ok']));
    t.ok(store.stats.transactions - transactions >= 10, 'and has small batches beside them');
  });

  await t.test('a suspect has a transaction of its own, and its neighbours have theirs', async t => {
    const suspect = newId('project');
    await database.query(insertProject, [suspect, 'e']);
    await onThread('slow_once', `new.external_ref = 'slow'`, 'perform pg_sleep(60)');
    const { store } = open(t);
    const slow = new Counter();
    await t.rejects(store.commit(slow.next([event(slow.id, suspect)], 'slow')), { name: 'StoreUnavailable' });
    await database.query('drop trigger slow_once on threads');

    const { transactions } = store.stats;
    const commits = Array.from({ length: 40 }, (_, i) => {
      const counter = new Counter();
      return store.commit(counter.next([event(counter.id, i % 2 === 0 ? suspect : projectId)]));
    });
    t.same(new Set(await outcomes(commits)), new Set(['ok']));
    t.equal(store.stats.transactions - transactions, 2);
  });

  await t.test('an interruption that happens once refuses no commit', async t => {
    await database.query('create sequence interruptions');
    for (const state of ['57014', '40P01', '55P03', '53100', '53200']) {
      const name = `once_${state.toLowerCase()}`;
      await database.query('alter sequence interruptions restart');
      await onThread(
        name,
        `nextval('interruptions') = 1`,
        `raise exception 'once' using errcode = '${state}'`,
      );
      const { store } = open(t);
      const commits = Array.from({ length: 10 }, () => store.commit(new Counter().next()));
      t.same(new Set(await outcomes(commits)), new Set(['ok']), state);
      await database.query(`drop trigger ${name} on threads`);
    }
  });

  await t.test(
    'a server out of disk refuses all after a while, and takes them again once it has some',
    async t => {
      await onThread(
        'disk_full',
        'true',
        `raise exception 'no space left on device' using errcode = '53100'`,
      );
      const { store } = open(t);
      const commits = Array.from({ length: 10 }, () => store.commit(new Counter().next()));
      for (const result of await Promise.allSettled(commits))
        t.match(result, { reason: { name: 'StoreUnavailable', cause: { code: '53100' } } });
      await t.rejects(store.commit(new Counter().next()), { name: 'StoreUnavailable' });
      await database.query('drop trigger disk_full on threads');
      await eventually(
        'commit',
        async () => (await outcomes([store.commit(new Counter().next())]))[0] === 'ok',
      );
    },
  );

  await t.test('a server that takes no writes is left, and asked again by a new connection', async t => {
    const setReadOnly = (value: 'on' | 'off') =>
      database.query(`alter role current_user set default_transaction_read_only = ${value}`);
    const countSessions = async (): Promise<number> => {
      const [row] = await database.query<{ sessions: number }>(
        'select sessions from pg_stat_database where datname = current_database()',
      );
      return row?.sessions ?? 0;
    };
    await setReadOnly('on');
    const before = await countSessions();
    const { store } = open(t);
    const commit = store.commit(new Counter().next());
    await eventually('third connection', async () => (await countSessions()) >= before + 3);
    await setReadOnly('off');
    t.same(await outcomes([commit]), ['ok']);
  });
});
