/** The audit log as a file. */
import t from 'tap';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode } from '../auth/auth-fixture.ts';
import { membership, type User } from './membership-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const { joined } = membership(node, db);

/** Entries of before: as many as an export reads in several pages. */
const addEntries = (workspaceId: string, count: number) =>
  db.query(
    `insert into audit_logs (audit_log_id, workspace_id, actor_type, actor_id, action, target_id, details, created_at)
     select 'aud_00' || right($1, 12) || lpad(n::text, 12, '0'), $1, 'system', 'system', 'workspace.updated', $1,
       jsonb_build_object('n', n, 'name', E'line\none'), now() - interval '1 hour'
     from generate_series(1, $2) as n`,
    [workspaceId, count],
  );

async function getExport({ client }: User, query: string) {
  const response = await fetch(`${node.url}/audit-logs/export?${query}`, {
    headers: { authorization: `Bearer ${client.token ?? ''}` },
  });
  return { response, text: await response.text() };
}

const parse = (text: string): AuditLog[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as AuditLog);

t.test('all that the list has, a line each, in its order', async t => {
  const user = await node.signedUp();
  const { workspaceId } = user;
  await addEntries(workspaceId, 1_203);
  const { response, text } = await getExport(user, `workspaceId=${workspaceId}`);
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  t.equal(response.headers.get('content-disposition'), 'attachment; filename="audit-log.ndjson"');
  t.ok(text.endsWith('}\n'));
  const all = parse(text);
  t.equal(all.length, 1_206);
  const listed: AuditLog[] = [];
  for (let cursor = ''; ;) {
    const query = `workspaceId=${workspaceId}&limit=100${cursor}`;
    const { body } = await user.client.call('GET', `/audit-logs?${query}`);
    listed.push(...(body['data'] as AuditLog[]));
    if (body['nextCursor'] === null) break;
    cursor = `&cursor=${String(body['nextCursor'])}`;
  }
  t.strictSame(all, listed);
});

t.test('the filters of the list narrow it', async t => {
  const user = await node.signedUp();
  const { workspaceId, projectId } = user;
  await addEntries(workspaceId, 500);
  const of = async (query: string) => parse((await getExport(user, query)).text);
  const all = `workspaceId=${workspaceId}`;
  t.equal((await of(`${all}&action=workspace.updated`)).length, 500, 'a page that is full is the last');
  t.same(
    (await of(`${all}&action=workspace.created`)).map(({ action }) => action),
    ['workspace.created'],
  );
  t.equal((await of(`${all}&since=${new Date(Date.now() - 60_000).toISOString()}`)).length, 3);
  t.strictSame(await of(`projectId=${projectId}`), [], 'nothing is an empty file');
});

t.test('it is for admins; others are refused before the first line', async t => {
  const owner = await node.signedUp();
  const { workspaceId, projectId } = owner;
  const admin = await joined(owner, 'admin');
  const viewer = await joined(owner, 'viewer');
  const outsider = await node.signedUp();
  for (const query of [`workspaceId=${workspaceId}`, `projectId=${projectId}`]) {
    const status = async (user: User) => (await getExport(user, query)).response.status;
    t.equal(await status(admin), 200);
    t.equal(await status(viewer), 403);
    t.equal(await status(outsider), 404);
  }
  t.equal((await getExport(owner, '')).response.status, 422);
  t.equal((await getExport(owner, `workspaceId=${workspaceId}&projectId=${projectId}`)).response.status, 422);
});
