/** The migration for runs: messages that waited for a channel which they do not have wait no more, and all others are as they were. */
import t from 'tap';
import { Runs } from '../../../storage/migrations/runs.ts';
import { startTestDatabase } from '../../support/database.ts';

t.test('only messages without a channel lose their status', async t => {
  const { database } = await startTestDatabase(t);
  await database.query(`
    insert into messages (message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body, status, actor,
      created_at, updated_at)
    select 'msg_' || n, 'prj_1', 'env_1', 'thread_1', channel, n, 'outbound', 'hello', status, '{}', now(), now()
    from unnest(array[null, null, 'ch_1', 'ch_1'], array['queued', null, 'queued', 'sent']) with ordinality as r(channel, status, n)`);
  const migration = new Runs(database.orm.em.getDriver(), database.orm.config);
  migration.up();
  const queries = migration.getQueries().map(String);
  for (const query of queries.filter(each => each.startsWith('update'))) await database.query(query);
  const rows = await database.query<{ status: string | null }>(
    'select status from messages order by sequence',
  );
  t.same(
    rows.map(({ status }) => status),
    [null, null, 'queued', 'sent'],
  );
});
