/** What the log of a workspace said of its members' accounts before the upgrade. */
import t from 'tap';
import { AccountActs } from '../../../storage/migrations/account-acts.ts';
import { startTestDatabase } from '../../support/database.ts';

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
  const migration = new AccountActs(database.orm.em.getDriver(), database.orm.config);
  migration.up();
  for (const query of migration.getQueries()) await database.query(String(query));
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
