/**
 * The audit log is read by its indexes, whatever is asked for: also where nothing is to be found in a long one. What no index has is looked
 * for a bounded number of entries at a time.
 */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { auditPage, auditStatement, type AuditFilter } from '../../../storage/audit/audit-log.ts';
import { maxScannedRows } from '../../../storage/paging/bounded-scan.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const acts = 20_000;
const minute = 60_000;
const start = Date.parse('2026-11-20T12:00:00Z');
const projectId = newId('project');
const workspaceId = newId('workspace');

// One act a minute, by two people, of one sort, in production; another sort, person and target are to be found in another project only.
const instants = Array.from({ length: acts }, (_, i) => start + i * minute);
await db.query(
  `insert into audit_logs (audit_log_id, workspace_id, project_id, environment_id, actor_type, actor_id, action, target_id, created_at)
   select id, $3, $4, 'env_live', 'user', 'usr_' || n % 2, 'channel.created', 'ch_' || n, at
   from unnest($1::text[], $2::timestamptz[]) with ordinality as act (id, at, n)`,
  [instants.map(ms => newId('audit', ms)), instants.map(ms => new Date(ms)), workspaceId, projectId],
);
await db.query(
  `insert into audit_logs (audit_log_id, workspace_id, project_id, actor_type, actor_id, action, target_id, created_at)
   select id, 'ws_2', 'prj_2', 'user', 'usr_2', 'stitch.created', 'stitch_2', now() from unnest($1::text[]) as id`,
  [instants.map(ms => newId('audit', ms))],
);
// What happens to a user's account is an entry in each workspace of theirs: one here, and many elsewhere.
await db.query(
  `insert into audit_logs (audit_log_id, workspace_id, project_id, actor_type, actor_id, action, target_id, created_at)
   select id, case n when 1 then $2 else 'ws_3' end, case n when 1 then $3 else 'prj_3' end, 'system', 'system', 'user.login_failed',
     'usr_3', $4
   from unnest($1::text[]) with ordinality as act (id, n)`,
  [instants.map(() => newId('audit', start - minute)), workspaceId, projectId, new Date(start - minute)],
);
await db.query(
  `insert into environments (environment_id, project_id, kind, name, created_at, updated_at)
   values ('env_live', $1, 'production', 'Live', now(), now())`,
  [projectId],
);
await db.query('analyze audit_logs');

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

interface Explained {
  readonly 'QUERY PLAN': string;
}

/** Entries that the page looked at, wanted or not. */
async function lookedAt(filter: AuditFilter): Promise<number> {
  const { text, values, isScan } = auditStatement(filter);
  const explain = `explain (analyze, format json) ${text}`;
  const [row] = isScan
    ? await db.scan<Explained>('prj_1', explain, values)
    : await db.query<Explained>(explain, values);
  const count = (plan: Plan): number => {
    const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
    const beneath = (plan.Plans ?? []).reduce((sum, each) => sum + count(each), 0);
    return (plan['Relation Name'] === 'audit_logs' ? own * plan['Actual Loops'] : 0) + beneath;
  };
  const [{ Plan: plan }] = JSON.parse(row?.['QUERY PLAN'] ?? '[]') as [{ readonly Plan: Plan }];
  return count(plan);
}

/** All pages from the first one on: what they have, and how many there are. */
async function readAll(filter: AuditFilter) {
  const found: string[] = [];
  let pages = 0;
  for (let before: string | undefined; ;) {
    const { rows, end } = await auditPage(db, { ...filter, before });
    found.push(...rows.map(({ auditLogId }) => auditLogId));
    pages += 1;
    if (end === undefined) return { found, pages };
    before = end.auditLogId;
  }
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
      t.same(await auditPage(db, { ...filter, ...asked }), { rows: [], end: undefined }, name);
      const rows = await lookedAt({ ...filter, ...asked });
      t.ok(rows <= 200, `${name}: ${rows} rows`);
    }
  });

  t.test(`of ${Object.keys(scope).join()}: what is there is found`, async t => {
    const middle = start + 10_000 * minute;
    const span = { since: new Date(middle), until: new Date(middle + 3 * minute) };
    const { rows: found } = await auditPage(db, { ...filter, ...span });
    t.same(
      found.map(act => Date.parse(act.createdAt)),
      [2, 1, 0].map(n => middle + n * minute),
      'from an instant, to another one',
    );
    t.ok((await lookedAt({ ...filter, ...span })) <= 200);
    const { rows: targets } = await auditPage(db, { ...filter, targetId: 'ch_77' });
    t.match(targets, [{ targetId: 'ch_77', action: 'channel.created' }]);
    for (const asked of [{ actorId: 'usr_1' }, { action: 'channel.created' } as const]) {
      t.equal((await auditPage(db, { ...filter, ...asked })).rows.length, 51);
      t.ok((await lookedAt({ ...filter, ...asked })) <= 200);
    }
  });

  t.test(`of ${Object.keys(scope).join()}: what no index has is looked for page by page`, async t => {
    const rare: Readonly<Record<string, Partial<AuditFilter>>> = {
      'another environment': { environmentId: 'env_test' },
      'outside of production': { withoutProduction: true },
      'an action that the person has not done': { actorId: 'usr_1', action: 'stitch.created' },
      'an action of another target': { targetId: 'usr_3', action: 'channel.created' },
      'time and person': { actorId: 'usr_0', until: new Date(start - minute) },
    };
    for (const [name, asked] of Object.entries(rare)) {
      const wanted = { ...filter, ...asked };
      const rows = await lookedAt(wanted);
      // The last one is read again for its columns.
      t.ok(rows <= maxScannedRows + 1, `${name}: ${rows} rows`);
      const { rows: found } = await auditPage(db, wanted);
      t.same(found, [], name);
    }
    const { found, pages } = await readAll({ ...filter, withoutProduction: true });
    t.equal(found.length, 1, 'what lies behind all others is found');
    t.equal(pages, 1 + acts / maxScannedRows);
    t.strictSame((await readAll({ ...filter, environmentId: 'env_test' })).found, found);
    t.strictSame((await readAll({ ...filter, targetId: 'usr_3' })).found, found);
    t.ok((await lookedAt({ ...filter, targetId: 'usr_3' })) <= 2, 'and none of other workspaces is read');
  });
}
