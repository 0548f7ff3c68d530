/** Commits on a real PostgreSQL: batches, fences, duplicates, bad commits, and connections that die at the worst time. */
import t, { type Test } from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { toServiceError } from '../../../runtime/actor/failures.ts';
import { Duplicate, Fenced } from '../../../runtime/actor/store.ts';
import { appendEvent } from '../../../storage/writes/index.ts';
import { startTestDatabase, startTestServer } from '../../support/database.ts';
import { Proxy } from '../../support/proxy.ts';
import {
  at,
  Counter,
  environmentId,
  event,
  key,
  message,
  openStore,
  outcomes,
  projectId,
} from './counters.ts';

t.test('commits', async t => {
  const { database, url } = await startTestDatabase(t);
  await database.query('insert into project_streams (project_id, last_seq, epoch) values ($1, 0, $2)', [
    projectId,
    'e',
  ]);
  const { store, events, stored } = openStore(database);
  t.teardown(() => store.close());
  /** A store whose connections lead through a proxy, which has forwarded a commit of the counter. */
  const openThroughProxy = async (t: Test) => {
    const target = new URL(url);
    const proxy = new Proxy({ host: target.hostname, port: Number(target.port) });
    target.port = String(await proxy.listen());
    t.teardown(() => proxy.close());
    const opened = openStore({ ...database, url: target.toString() });
    t.teardown(() => opened.store.close());
    const counter = new Counter();
    await opened.store.commit(counter.next([event(counter.id)]));
    return { ...opened, proxy, counter };
  };
  const orphan = () =>
    appendEvent({
      projectId: newId('project'),
      environmentId,
      eventId: newId('event'),
      eventName: 'thread.message.received',
      occurredAt: at,
      body: '{}',
    });

  await t.test(
    'commits of one actor merge into one write, and their events are numbered densely',
    async t => {
      const counter = new Counter();
      const from = events.length;
      const commits = Array.from({ length: 40 }, () => store.commit(counter.next([event(counter.id)])));
      t.same(new Set(await outcomes(commits)), new Set(['ok']));
      t.match(await stored(counter), { version: 40, state: { count: 40 } });
      const numbers = events.slice(from).map(({ seq }) => seq);
      t.same(
        numbers,
        numbers.map((_, i) => (numbers[0] ?? 0) + i),
      );
      const rows = await database.query<{ seq: number; body: string }>(
        'select seq, body from events where thread_id = $1 order by seq',
        [counter.id],
      );
      t.same(
        rows.map(row => row.body),
        events.slice(from).map(({ body }) => body),
        'bodies keep their text',
      );
    },
  );

  await t.test('a commit from an old version is fenced, and so is what is based on it', async t => {
    const counter = new Counter();
    await store.commit(counter.next());
    const zombie = new Counter();
    const stale = { ...zombie.next(), actor: { kind: 'thread', id: counter.id } };
    const onTop = { ...zombie.next(), actor: { kind: 'thread', id: counter.id } };
    const other = new Counter();
    t.same(await outcomes([store.commit(stale), store.commit(onTop), store.commit(other.next())]), [
      'Fenced',
      'Fenced',
      'ok',
    ]);
    t.match(await stored(counter), { version: 1 });
  });

  await t.test('a commit without a snapshot is fenced too', async t => {
    const counter = new Counter();
    await store.commit(counter.next());
    const { snapshot: _, ...writesOnly } = counter.next([event(counter.id)]);
    await store.commit(writesOnly);
    await t.rejects(store.commit({ ...writesOnly, base: 7, chain: { broken: false } }), Fenced);
    await t.rejects(store.commit({ ...writesOnly, base: 0, chain: { broken: false } }), Fenced);
  });

  await t.test('a key is taken once: in one batch, and later', async t => {
    const [first, second, third] = [new Counter(), new Counter(), new Counter()];
    const results = await outcomes([
      store.commit(first.next([key('once')])),
      store.commit(second.next([key('once')])),
    ]);
    t.same(results, ['ok', 'Duplicate']);
    await t.rejects(store.commit(third.next([key('once')])), Duplicate);
    t.equal(await stored(second), undefined);
  });

  await t.test(
    'of one batch, the commits whose keys are taken are refused at once, and no others',
    async t => {
      // Its own: a lane that has met a taken key lately expects more of them.
      const { store } = openStore(database);
      t.teardown(() => store.close());
      const taken = ['this', 'that', 'the other'];
      await store.commit(new Counter().next(taken.map(key)));
      for (const knowing of ['unaware', 'conflict-aware']) {
        const before = store.stats.transactions;
        const names = ['new', 'this', 'newer', 'the other', 'that', 'newest'];
        const commits = names.map(name => {
          const mine = taken.includes(name) ? name : `${knowing} ${name}`;
          return store.commit(new Counter().next([key(mine)]));
        });
        const results = await Promise.allSettled(commits);
        t.same(
          results.map(result => (result.status === 'rejected' ? (result.reason as Duplicate).scope : 'ok')),
          names.map(name => (taken.includes(name) ? 'idempotency' : 'ok')),
          knowing,
        );
        t.equal(store.stats.transactions - before, 1, knowing);
      }
    },
  );

  await t.test('a lane starts within a turn of the event loop once enough commits wait', async t => {
    const before = store.stats.transactions;
    const turn = Array.from({ length: 100 }, () => store.commit(new Counter().next()));
    await Promise.all(turn);
    t.equal(store.stats.transactions - before, 2, '64 went at once, the others when those were committed');
  });

  await t.test('a bad commit fails alone; earlier ones stay, those based on it are fenced', async t => {
    const [good, bad, other] = [new Counter(), new Counter(), new Counter()];
    const results = await outcomes([
      store.commit(good.next([message(good.id, 1, 'a')])),
      store.commit(bad.next([message(bad.id, 1, 'b')])),
      store.commit(bad.next([message(bad.id, 1, 'the same sequence again')])),
      store.commit(bad.next([message(bad.id, 3, 'c')])),
      store.commit(other.next([message(other.id, 1, 'd')])),
    ]);
    t.same(results, ['ok', 'ok', 'Duplicate', 'Fenced', 'ok']);
    t.match(await stored(bad), { version: 1 });
  });

  await t.test(
    'an event of a project without a stream is an error, and nothing of the commit stays',
    async t => {
      const counter = new Counter();
      t.same(await outcomes([store.commit(counter.next([orphan()])), store.commit(new Counter().next())]), [
        'error',
        'ok',
      ]);
      t.equal(await stored(counter), undefined);
    },
  );

  for (const lost of ['server', 'client'] as const) {
    const what = lost === 'server' ? 'the answer to a COMMIT' : 'the COMMIT itself';
    await t.test(`${what} is lost: settled by the marker, applied exactly once`, async t => {
      const { proxy, counter, ...opened } = await openThroughProxy(t);
      proxy.mute(lost);
      const commit = opened.store.commit(counter.next([event(counter.id)]));
      await proxy.fired();
      if (lost === 'server') {
        // The server commits whether or not anybody hears it.
        for (;;) {
          const [row] = await database.query<{ version: number }>(
            'select version from threads where thread_id = $1',
            [counter.id],
          );
          if (row?.version === 2) break;
        }
      }
      proxy.cut();
      await commit;
      await opened.store.commit(counter.next([event(counter.id)]));
      const rows = await database.query('select seq from events where thread_id = $1', [counter.id]);
      t.equal(rows.length, 3);
      t.match(await stored(counter), { version: 3 });
      t.same(
        opened.behind,
        lost === 'server' ? [projectId] : [],
        'numbers that were lost are announced as unknown',
      );
    });
  }

  await t.test('a store that closes while an outcome is in doubt says that it is unknown', async t => {
    const { proxy, counter, store } = await openThroughProxy(t);
    proxy.mute('server');
    const commit = store.commit(counter.next([event(counter.id)]));
    await proxy.fired();
    await proxy.leave();
    const [[outcome]] = await Promise.all([Promise.allSettled([commit]), store.close(0)]);
    t.match(outcome, { reason: { name: 'OutcomeUnknown' } });
    t.match(toServiceError((outcome as PromiseRejectedResult).reason), { details: { reason: 'connection' } });
    await proxy.listen();
  });

  await t.test('statements behind a BEGIN that was refused have no effect', async t => {
    const { proxy, counter, store, stored } = await openThroughProxy(t);
    const replaced = proxy.replaceNext('begin', 'bogus');
    const other = new Counter();
    t.same(await outcomes([store.commit(other.next([orphan()])), store.commit(counter.next())]), [
      'error',
      'ok',
    ]);
    await replaced;
    t.equal(await stored(other), undefined);
    t.match(await stored(counter), { version: 2 });
  });

  await t.test('a lane takes another marker before its row has many versions', async t => {
    const own = openStore(database);
    t.teardown(() => own.store.close());
    const count = async (): Promise<number> => {
      const [row] = await database.query<{ n: number }>('select count(*)::int as n from lane_marks');
      return row?.n ?? 0;
    };
    const before = await count();
    await own.store.commit(new Counter().next());
    const [first] = await database.query<{ id: string }>(
      'select lane_id as id from lane_marks order by updated_at desc limit 1',
    );
    for (let i = 0; i < 200; i++) await own.store.commit(new Counter().next());
    t.same(await database.query('select from lane_marks where lane_id = $1', [first?.id]), []);
    t.equal(await count(), before + 1, 'the rows of earlier markers are deleted');
  });

  await t.test('a row that does not decode fails alone', async t => {
    const [good, bad] = [new Counter(), new Counter()];
    await Promise.all([store.commit(good.next()), store.commit(bad.next())]);
    await database.query(`update threads set state = 'null' where thread_id = $1`, [bad.id]);
    const [found, broken] = await Promise.allSettled([stored(good), stored(bad)]);
    t.match(found, { value: { version: 1 } });
    t.match(broken, { reason: { message: `the row of thread ${bad.id} cannot be decoded` } });
  });

  await t.test('a lane recreates its deleted marker', async t => {
    const counter = new Counter();
    await store.commit(counter.next());
    await database.query('delete from lane_marks');
    await store.commit(counter.next());
    t.match(await stored(counter), { version: 2 });
  });

  await t.test('a listener that throws does not undo a commit', async t => {
    const own = openStore(database, () => {
      throw new Error('a listener at fault');
    });
    t.teardown(() => own.store.close());
    const counter = new Counter();
    await own.store.commit(counter.next([event(counter.id)]));
    t.match(await stored(counter), { version: 1 });
  });

  await t.test('large commits share no transaction that would outgrow the memory', async t => {
    const large = Array.from({ length: 6 }, () => new Counter());
    const before = store.stats.transactions;
    const text = 'x'.repeat(5 * 1_048_576);
    t.same(
      new Set(await outcomes(large.map(c => store.commit(c.next([message(c.id, 1, text)]))))),
      new Set(['ok']),
    );
    t.ok(store.stats.transactions - before >= 3);
  });

  await t.test('a killed database: every commit settles, what was acknowledged is there, once', async t => {
    const durable = await startTestServer(t, { durable: true });
    await durable.database.query(
      'insert into project_streams (project_id, last_seq, epoch) values ($1, 0, $2)',
      [projectId, 'e'],
    );
    const opened = openStore(durable.database);
    t.teardown(() => opened.store.close());
    const all = Array.from({ length: 30 }, () => new Counter());
    let acknowledged = 0;
    const work = all.map(async counter => {
      for (let i = 0; i < 20; i++) {
        await opened.store.commit(counter.next([event(counter.id)]));
        acknowledged++;
      }
    });
    while (acknowledged < 100) await new Promise(resolve => setImmediate(resolve));
    await durable.kill9();
    await Promise.all(work);
    const [row] = await durable.database.query<{ events: number; last: number }>(
      'select (select count(*) from events) as events, (select last_seq from project_streams) as last',
    );
    t.same(row, { events: 600, last: 600 });
  });
});
