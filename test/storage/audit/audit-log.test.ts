/** The audit log is read by its indexes, whatever is asked for: also where nothing is to be found in a long one. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { auditPage, auditStatement, type AuditFilter } from '../../../storage/audit/audit-log.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const acts = 20_000;
const minute = 60_000;
const start = Date.parse('2026-11-20T12:00:00Z');
const projectId = newId('project');
const workspaceId = newId('workspace');

// One act a minute, by two people, of one sort; another sort, person and target are to be found in another project only.
const instants = Array.from({ length: acts }, (_, i) => start + i * minute);
await db.query(
  `insert into audit_logs (audit_log_id, workspace_id, project_id, actor_type, actor_id, action, target_id, created_at)
   select id, $3, $4, 'user', 'usr_' || n % 2, 'channel.created', 'ch_' || n, at
   from unnest($1::text[], $2::timestamptz[]) with ordinality as act (id, at, n)`,
  [instants.map(ms => newId('audit', ms)), instants.map(ms => new Date(ms)), workspaceId, projectId],
);
await db.query(
  `insert into audit_logs (audit_log_id, workspace_id, project_id, actor_type, actor_id, action, target_id, created_at)
   select id, 'ws_2', 'prj_2', 'user', 'usr_2', 'stitch.created', 'stitch_2', now() from unnest($1::text[]) as id`,
  [instants.map(ms => newId('audit', ms))],
);
await db.query('analyze audit_logs');

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Rows that the page looked at, wanted or not. */
async function lookedAt(filter: AuditFilter): Promise<number> {
  const { text, values } = auditStatement(filter);
  const [row] = await db.query<{ 'QUERY PLAN': string }>(`explain (analyze, format json) ${text}`, values);
  const count = (plan: Plan): number =>
    (plan.Plans ?? []).reduce(
      (sum, each) => sum + count(each),
      (plan.Plans === undefined ? plan['Actual Rows'] : 0) * plan['Actual Loops'] +
        (plan['Rows Removed by Filter'] ?? 0) * plan['Actual Loops'],
    );
  const [{ Plan: plan }] = JSON.parse(row?.['QUERY PLAN'] ?? '[]') as [{ readonly Plan: Plan }];
  return count(plan);
}

const places = [{ projectId }, { workspaceId }] as const;
const day = 1_440 * minute;

for (const scope of places) {
  const filter = { scope, withoutProduction: false, limit: 51 };
  t.test(`of ${Object.keys(scope).join()}: nothing is found without a look at everything`, async t => {
    const absent: Readonly<Record<string, Partial<AuditFilter>>> = {
      action: { action: 'stitch.created' },
      actor: { actorId: 'usr_2' },
      target: { targetId: 'stitch_3' },
      'time before': { until: new Date(start - day) },
      'time after': { since: new Date(start + acts * minute + day) },
    };
    for (const [name, asked] of Object.entries(absent)) {
      t.same(await auditPage(db, { ...filter, ...asked }), [], name);
      const rows = await lookedAt({ ...filter, ...asked });
      t.ok(rows <= 200, `${name}: ${rows} rows`);
    }
  });

  t.test(`of ${Object.keys(scope).join()}: what is there is found`, async t => {
    const middle = start + 10_000 * minute;
    const span = { since: new Date(middle), until: new Date(middle + 3 * minute) };
    const found = await auditPage(db, { ...filter, ...span });
    t.same(
      found.map(act => Date.parse(act.createdAt)),
      [2, 1, 0].map(n => middle + n * minute),
      'from an instant, to another one',
    );
    t.ok((await lookedAt({ ...filter, ...span })) <= 200);
    const [target] = await auditPage(db, { ...filter, targetId: 'ch_77' });
    t.match(target, { targetId: 'ch_77', action: 'channel.created' });
    for (const asked of [{ actorId: 'usr_1' }, { action: 'channel.created' } as const]) {
      t.equal((await auditPage(db, { ...filter, ...asked })).length, 51);
      t.ok((await lookedAt({ ...filter, ...asked })) <= 200);
    }
  });
}
