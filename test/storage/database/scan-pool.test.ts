/** Lists that look for something wait for their like, and nothing else waits for them. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { startTestDatabase } from '../../support/database.ts';

const { database: db, url } = await startTestDatabase(t, { poolSize: 1 });
/** Lasts until {@link holdUp} ends. */
const slow = 'select pg_advisory_xact_lock_shared(7)';

/** Returns what lets the slow statements go on. */
async function holdUp(t: Test): Promise<() => Promise<void>> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('select pg_advisory_lock(7)');
  let ending: Promise<void> | undefined;
  const end = () => (ending ??= client.end());
  t.teardown(end);
  return end;
}

t.test('a project has half of the connections, and single reads have theirs', async t => {
  const letGo = await holdUp(t);
  const over: string[] = [];
  const note = (name: string) => (): void => void over.push(name);
  const lists = Array.from({ length: 8 }, () => db.scan('prj_1', slow, []).then(note('theirs')));
  await Promise.all([
    db.scan('prj_2', 'select 1', []).then(note('mine')),
    db.query('select 1').then(note('single')),
  ]);
  t.same(over.toSorted(), ['mine', 'single'], 'while theirs go on');
  await letGo();
  await Promise.all(lists);
});

t.test("a request beyond the queue's limit is refused for now", async t => {
  const letGo = await holdUp(t);
  const lists = Array.from({ length: 203 }, (_, i) => db.scan('prj_1', i < 2 ? slow : 'select 1', []));
  const settled = Promise.allSettled(lists);
  await letGo();
  const outcomes = await settled;
  const refused = outcomes.flatMap(outcome =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  );
  t.match(refused, [{ code: 'svc/runtime/unavailable', http: 503, retryAfterSeconds: 1 }]);
  t.equal(refused.length, 1);
  t.same(await db.scan('prj_1', 'select 1 as one', []), [{ one: 1 }], 'and is let in then');
});

t.test('a statement that fails makes room for the next', async t => {
  for (let i = 0; i < 5; i++) await t.rejects(db.scan('prj_1', 'select 1 / 0', []), { code: '22012' });
  t.same(await db.scan('prj_1', 'select 1 as one', []), [{ one: 1 }]);
});
