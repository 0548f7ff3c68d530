/** Commits that the server interrupts or has no resources for: they are refused, and hold up nobody else. */
import t, { type Test } from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { toServiceError } from '../../../runtime/actor/index.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { Counter, event, key, openStore, outcomes, projectId } from './counters.ts';

/** Long enough for a part without a culprit on a busy machine. */
const limits = { statementMs: 1_500, cautiousStatementMs: 750, outOfResourcesMs: 300 };

t.test('a slow tenant', async t => {
  const { database } = await startTestDatabase(t);
  const insertProject = 'insert into project_streams (project_id, last_seq, epoch) values ($1, 0, $2)';
  await database.query(insertProject, [projectId, 'e']);
  const open = (t: Test): ReturnType<typeof openStore> => {
    const opened = openStore(database, undefined, limits);
    t.teardown(() => opened.store.close());
    return opened;
  };
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

  await t.test('a tenant whose row is locked is refused at once, and the others go on', async t => {
    const locked = newId('project');
    await database.query(insertProject, [locked, 'e']);
    const { store } = open(t);
    const holder = database.em();
    await holder.begin();
    await holder.execute(`select from project_streams where project_id = '${locked}' for update`);

    const commits: Promise<void>[] = [];
    for (let i = 0; i < 60; i++) {
      const counter = new Counter();
      commits.push(store.commit(counter.next([event(counter.id, i % 2 === 0 ? locked : projectId)])));
    }
    const expected = commits.map((_, i) => (i % 2 === 0 ? 'StoreUnavailable' : 'ok'));
    t.same(await outcomes(commits), expected);

    const { transactions } = store.stats;
    const late = new Counter();
    t.same(await outcomes([store.commit(late.next([event(late.id, locked)]))]), ['StoreUnavailable']);
    t.equal(store.stats.transactions, transactions, 'without asking the database');
    t.same(await outcomes([store.commit(new Counter().next([event(late.id)]))]), ['ok']);
    await holder.rollback();
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
