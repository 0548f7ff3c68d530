/** Keys that have replaced others know the first of them after the migration. */
import t from 'tap';
import { FirstKeys } from '../../../storage/migrations/first-keys.ts';
import { startTestDatabase } from '../../support/database.ts';

t.test('every key of a chain gets its first one, a key by itself none', async t => {
  const { database } = await startTestDatabase(t);
  await database.query('alter table api_keys drop column first_key_id');
  await database.query(`
    insert into api_keys (api_key_id, project_id, environment_id, name, environment, key_prefix, key_hash, status, created_by_user_id,
      previous_key_id, created_at, updated_at)
    select id, 'prj_1', 'env_1', 'key', 'test', 'svc_test_', id::bytea, 'active', 'usr_1', previous, now(), now()
    from (values ('key_a', null), ('key_b', 'key_a'), ('key_c', 'key_b'), ('key_x', null)) as k(id, previous)`);
  const migration = new FirstKeys(database.orm.em.getDriver(), database.orm.config);
  migration.up();
  for (const query of migration.getQueries()) await database.query(String(query));
  const rows = await database.query<{ first: string | null }>(
    'select first_key_id as first from api_keys order by api_key_id',
  );
  t.same(
    rows.map(({ first }) => first),
    [null, 'key_a', 'key_a', null],
  );
});
