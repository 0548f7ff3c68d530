/** Agents that name a loom of another tenant or environment name none after the migration; all others keep theirs. */
import t from 'tap';
import { OwnLooms } from '../../../storage/migrations/own-looms.ts';
import { startTestDatabase } from '../../support/database.ts';

t.test('foreign looms go, own ones stay', async t => {
  const { database } = await startTestDatabase(t);
  await database.query(`
    insert into looms (loom_id, project_id, environment_id, name, status, created_at, updated_at)
    values ('loom_own', 'prj_1', 'env_1', 'loom', 'active', now(), now()),
      ('loom_of_production', 'prj_1', 'env_2', 'loom', 'active', now(), now()),
      ('loom_of_others', 'prj_2', 'env_3', 'loom', 'active', now(), now())`);
  await database.query(`
    insert into agents (agent_id, project_id, environment_id, name, loom_id, created_at, updated_at)
    select 'agt_' || loom_id, 'prj_1', 'env_1', 'agent', loom_id, now(), now()
    from unnest(array['loom_own', 'loom_of_production', 'loom_of_others', 'loom_of_nobody']) as loom_id`);
  const migration = new OwnLooms(database.orm.em.getDriver(), database.orm.config);
  migration.up();
  for (const query of migration.getQueries()) await database.query(String(query));
  const rows = await database.query<{ loom: string | null }>(
    'select loom_id as loom from agents order by agent_id',
  );
  t.same(
    rows.map(({ loom }) => loom),
    [null, null, null, 'loom_own'],
  );
});
