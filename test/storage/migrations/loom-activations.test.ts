/** What the audit log knows of active versions becomes the history of their looms. */
import t from 'tap';
import { LoomActivations } from '../../../storage/migrations/loom-activations.ts';
import { startTestDatabase } from '../../support/database.ts';

t.test('each loom has the activations that the audit log remembers, in their order', async t => {
  const { database } = await startTestDatabase(t);
  await database.query(`drop table loom_activations`);
  await database.query(`alter table looms drop column last_activation`);
  await database.query(`
    insert into looms (loom_id, project_id, environment_id, name, status, active_version_id, last_version, created_at, updated_at)
    values ('loom_a', 'prj_1', 'env_1', 'loom', 'active', 'lver_a1', 3, now(), now()),
      ('loom_b', 'prj_2', 'env_2', 'loom', 'active', 'lver_b1', 1, now(), now()),
      ('loom_forgotten', 'prj_2', 'env_2', 'loom', 'active', 'lver_c1', 1, now(), now())`);
  await database.query(`
    insert into loom_versions (loom_version_id, project_id, environment_id, loom_id, version, status, system_prompt, provider, model, created_at)
    select id, project, env, loom, n, 'published', 'Answer.', 'llm_provider_1', 'model-1', now()
    from (values ('lver_a1', 'prj_1', 'env_1', 'loom_a', 1), ('lver_a2', 'prj_1', 'env_1', 'loom_a', 2),
      ('lver_a3', 'prj_1', 'env_1', 'loom_a', 3), ('lver_b1', 'prj_2', 'env_2', 'loom_b', 1),
      ('lver_c1', 'prj_2', 'env_2', 'loom_forgotten', 1)) as v (id, project, env, loom, n)`);
  await database.query(`
    insert into audit_logs (audit_log_id, project_id, environment_id, actor_type, actor_id, action, target_id, details, created_at)
    select id, project, 'env', 'user', 'usr_1', action, target, details::jsonb, '2026-11-01T00:00:00Z'
    from (values
      ('aud_1', 'prj_1', 'loom.created', 'loom_a', '{"name":"loom","loomVersionId":"lver_a1"}'),
      ('aud_2', 'prj_2', 'loom.created', 'loom_b', '{"name":"loom","loomVersionId":"lver_b1"}'),
      ('aud_3', 'prj_1', 'loom_version.created', 'lver_a2', '{"loomId":"loom_a","version":2,"activated":true}'),
      ('aud_4', 'prj_1', 'loom_version.created', 'lver_a3', '{"loomId":"loom_a","version":3,"activated":false}'),
      ('aud_5', 'prj_1', 'loom_version.activated', 'lver_a1', '{"loomId":"loom_a","version":1}'),
      ('aud_6', 'prj_2', 'loom_version.activated', 'lver_a3', '{"loomId":"loom_a","version":3}')
    ) as a (id, project, action, target, details)`);
  const migration = new LoomActivations(database.orm.em.getDriver(), database.orm.config);
  migration.up();
  for (const query of migration.getQueries()) await database.query(String(query));
  const rows = await database.query(`
    select loom_id, number, project_id, environment_id, loom_version_id, previous_version_id, actor, reason
    from loom_activations order by loom_id, number`);
  const common = { actor: { type: 'user', id: 'usr_1' }, reason: null };
  const a = { loom_id: 'loom_a', project_id: 'prj_1', environment_id: 'env_1', ...common };
  const b = { loom_id: 'loom_b', project_id: 'prj_2', environment_id: 'env_2', ...common };
  t.strictSame(rows, [
    { ...a, number: 1, loom_version_id: 'lver_a1', previous_version_id: null },
    { ...a, number: 2, loom_version_id: 'lver_a2', previous_version_id: 'lver_a1' },
    { ...a, number: 3, loom_version_id: 'lver_a1', previous_version_id: 'lver_a2' },
    { ...b, number: 1, loom_version_id: 'lver_b1', previous_version_id: null },
  ]);
  const looms = await database.query(`select last_activation as last from looms order by loom_id`);
  t.strictSame(looms, [{ last: 3 }, { last: 1 }, { last: 0 }]);
});
