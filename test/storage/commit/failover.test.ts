/** Commits over a failover: what was decided on the old log is decided again, whatever versions the new one has. */
import t from 'tap';
import { silentLog } from '../../../runtime/observability/log.ts';
import { Timeline } from '../../../storage/database/index.ts';
import { startTestDatabase } from '../../support/database.ts';
import { Counter, openStore, outcomes } from './counters.ts';

t.test('a commit that waited over a failover is fenced, and the next one is taken', async t => {
  const { database } = await startTestDatabase(t);
  const [{ system } = { system: '' }] = await database.query<{ system: string }>(
    'select system_identifier::text as system from pg_control_system()',
  );
  // As a node that has last seen the server before its promotion.
  const timeline = new Timeline(silentLog);
  const former = { standby: false, system, timeline: '00000000', generation: 0 };
  await timeline.follow({ query: () => Promise.resolve({ rows: [former] }) } as never);
  await database.query(`update log_generation set timeline = 0`);
  let changes = 0;
  timeline.onChange(() => changes++);

  const { store, stored } = openStore({ ...database, timeline });
  t.teardown(() => store.close());
  const before = new Counter();
  t.same(await outcomes([store.commit(before.next()), store.commit(before.next())]), ['Fenced', 'Fenced']);
  t.equal(await stored(before), undefined, 'nothing of it was applied');
  t.ok(before.chain.broken);
  t.same([timeline.generation, changes], [1, 1]);
  t.same(await database.query('select generation from log_generation'), [{ generation: 1 }]);

  const after = new Counter();
  t.same(await outcomes([store.commit(after.next())]), ['ok']);
  t.match(await stored(after), { version: 1 });
});
