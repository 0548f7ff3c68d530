/** Threads that were erased before the upgrade say when, after the migration. */
import t from 'tap';
import { ErasedThreads } from '../../../storage/migrations/erased-threads.ts';
import { startTestDatabase } from '../../support/database.ts';

t.test('a thread that was erased has the time of its last erasure, others stay as they were', async t => {
  const { database } = await startTestDatabase(t);
  await database.query(`
    insert into threads (thread_id, project_id, environment_id, status, last_message_at, active_second, created_at, updated_at, state, version)
    select id, 'prj_1', 'env_1', 'open', now(), 1, now(), now(), '{"sequence": 3}', 1
    from unnest(array['thread_a', 'thread_b', 'thread_c']) as id`);
  await database.query(`
    insert into audit_logs (audit_log_id, project_id, environment_id, actor_type, actor_id, action, target_id, created_at)
    select id, project, 'env_1', 'user', 'usr_1', action, target, at::timestamptz from (values
      ('aud_1', 'prj_1', 'thread.personal_data_erased', 'thread_a', '2026-01-02T03:04:05.678Z'),
      ('aud_2', 'prj_1', 'thread.personal_data_erased', 'thread_a', '2026-02-03T04:05:06.070Z'),
      ('aud_3', 'prj_2', 'thread.personal_data_erased', 'thread_b', '2026-01-02T03:04:05.678Z'),
      ('aud_4', 'prj_1', 'channel.updated', 'thread_c', '2026-01-02T03:04:05.678Z')
    ) as a(id, project, action, target, at)`);
  const migration = new ErasedThreads(database.orm.em.getDriver(), database.orm.config);
  migration.up();
  for (const query of migration.getQueries()) await database.query(String(query));
  const rows = await database.query<{ state: unknown }>('select state from threads order by thread_id');
  t.same(
    rows.map(({ state }) => state),
    [{ sequence: 3, erased: '2026-02-03T04:05:06.070Z' }, { sequence: 3 }, { sequence: 3 }],
  );
});
