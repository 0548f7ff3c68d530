/** Migrations of rows that earlier versions have written. Each test brings back the earlier state, and migrates it. */
import t from 'tap';
import type { Migration } from '@mikro-orm/migrations';
import type { Database } from '../../../storage/database/database.ts';
import { AccountActs } from '../../../storage/migrations/account-acts.ts';
import { ErasedThreads } from '../../../storage/migrations/erased-threads.ts';
import { FirstKeys } from '../../../storage/migrations/first-keys.ts';
import { LoomActivations } from '../../../storage/migrations/loom-activations.ts';
import { OwnLooms } from '../../../storage/migrations/own-looms.ts';
import { startTestDatabase } from '../../support/database.ts';

type MigrationClass = new (
  ...given: ConstructorParameters<typeof Migration>
) => Pick<Migration, 'up' | 'getQueries'>;

async function migrate({ orm, query }: Database, Class: MigrationClass): Promise<void> {
  const migration = new Class(orm.em.getDriver(), orm.config);
  await migration.up();
  for (const statement of migration.getQueries()) await query(String(statement));
}

t.test('acts on accounts lose address and browser, acts in the workspace keep theirs', async t => {
  const { database } = await startTestDatabase(t);
  await database.query(`
    insert into audit_logs (audit_log_id, workspace_id, project_id, actor_type, actor_id, action, address, details, created_at)
    select id, workspace, project, 'user', 'usr_1', action, '192.0.2.7', details::jsonb, now() from (values
      ('aud_1', 'ws_1', null, 'session.opened', '{"userAgent": "a browser"}'),
      ('aud_2', 'ws_1', null, 'user.password_reset', '{}'),
      ('aud_3', 'ws_1', null, 'workspace.updated', '{"fields": ["name"]}'),
      ('aud_4', 'ws_1', 'prj_1', 'api_key.created', '{}'),
      ('aud_5', null, null, 'user.removed', '{}')
    ) as a(id, workspace, project, action, details)`);
  await migrate(database, AccountActs);
  const rows = await database.query<{ address: string | null; details: unknown }>(
    'select address, details from audit_logs order by audit_log_id',
  );
  t.same(
    rows.map(({ address }) => address),
    [null, null, '192.0.2.7', '192.0.2.7', '192.0.2.7'],
  );
  t.same(rows[0]?.details, {});
  t.same(rows[2]?.details, { fields: ['name'] });
});

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
  await migrate(database, ErasedThreads);
  const rows = await database.query<{ state: unknown }>('select state from threads order by thread_id');
  t.same(
    rows.map(({ state }) => state),
    [{ sequence: 3, erased: '2026-02-03T04:05:06.070Z' }, { sequence: 3 }, { sequence: 3 }],
  );
});

t.test('every key of a chain gets its first one, a key by itself none', async t => {
  const { database } = await startTestDatabase(t);
  await database.query('alter table api_keys drop column first_key_id');
  await database.query(`
    insert into api_keys (api_key_id, project_id, environment_id, name, environment, key_prefix, key_hash, status, created_by_user_id,
      previous_key_id, created_at, updated_at)
    select id, 'prj_1', 'env_1', 'key', 'test', 'svc_test_', id::bytea, 'active', 'usr_1', previous, now(), now()
    from (values ('key_a', null), ('key_b', 'key_a'), ('key_c', 'key_b'), ('key_x', null)) as k(id, previous)`);
  await migrate(database, FirstKeys);
  const rows = await database.query<{ first: string | null }>(
    'select first_key_id as first from api_keys order by api_key_id',
  );
  t.same(
    rows.map(({ first }) => first),
    [null, 'key_a', 'key_a', null],
  );
});

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
  await migrate(database, OwnLooms);
  const rows = await database.query<{ loom: string | null }>(
    'select loom_id as loom from agents order by agent_id',
  );
  t.same(
    rows.map(({ loom }) => loom),
    [null, null, null, 'loom_own'],
  );
});

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
  await migrate(database, LoomActivations);
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
