/** The audit log as a file. */
import { once } from 'node:events';
import t from 'tap';
import { auditHandlers } from '../../../gateway/handlers/audit.ts';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import type { Database } from '../../../storage/database/database.ts';
import { maxScannedRows } from '../../../storage/paging/bounded-scan.ts';
import { Cursors } from '../../../storage/paging/cursors.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import { freshKey } from '../../support/accounts.ts';
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

t.test('what lies behind many others: the list comes to it by short pages, the export by itself', async t => {
  const user = await node.signedUp();
  const { workspaceId } = user;
  await addEntries(workspaceId, maxScannedRows + 100);
  await db.query(
    `insert into audit_logs (audit_log_id, workspace_id, actor_type, actor_id, action, target_id, created_at)
     values ('aud_00' || right($1, 12) || lpad('0', 12, '0'), $1, 'system', 'system', 'workspace.created', $1, now())`,
    [workspaceId],
  );
  const query = `workspaceId=${workspaceId}&actorId=system&action=workspace.created`;
  const { body: first } = await user.client.call('GET', `/audit-logs?${query}`);
  t.match(first, { data: [], hasMore: true, nextCursor: String });
  const { body: second } = await user.client.call(
    'GET',
    `/audit-logs?${query}&cursor=${String(first['nextCursor'])}`,
  );
  t.match(second, { data: [{ action: 'workspace.created' }], hasMore: false, nextCursor: null });
  const { text } = await getExport(user, query);
  t.strictSame(parse(text), second['data']);
});

t.test('an export that finds nothing ends where nobody reads it any more', async t => {
  let reads = 0;
  let onThird: () => unknown = () => undefined;
  // A log without an end, of which nothing is wanted.
  const scan = (): Promise<object[]> => {
    reads += 1;
    if (reads === 3) onThird();
    if (reads > 20) return Promise.reject(new Error('it is still read'));
    return Promise.resolve([
      { auditLogId: 'aud_1', createdAt: new Date(), scanned: maxScannedRows, matches: false },
    ]);
  };
  const source = { scan, query: scan } as unknown as Database;
  const { exportAuditLogs } = auditHandlers(source, new Cursors(new KeyRing(freshKey())));
  const call = {
    caller: undefined,
    project: undefined,
    query: { projectId: 'prj_1', actorId: 'usr_1', action: 'workspace.created' },
  } as unknown as Parameters<typeof exportAuditLogs>[0];
  const { stream } = await exportAuditLogs(call);
  if (stream === undefined) throw new Error('there is no stream');
  onThird = () => stream.destroy();
  stream.on('error', () => undefined);
  const closed = once(stream, 'close');
  stream.resume();
  await closed;
  t.equal(reads, 3);
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
