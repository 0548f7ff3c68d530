/** The audit log as a file. */
import { once } from 'node:events';
import t from 'tap';
import { auditHandlers } from '../../../gateway/handlers/audit.ts';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import type { Database } from '../../../storage/database/database.ts';
import { maxScannedRows } from '../../../storage/paging/bounded-scan.ts';
import { Cursors } from '../../../storage/paging/cursors.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import type { Client, ListOf } from '../../node/client.ts';
import { freshKey } from '../../support/accounts.ts';
import { shareSkein } from '../../support/skein.ts';

type Query = Readonly<Record<string, string>>;

const skein = await shareSkein(t);

/** Entries of before: as many as an export reads in several pages. */
const addEntries = (workspaceId: string, count: number) =>
  skein.database.query(
    `insert into audit_logs (audit_log_id, workspace_id, actor_type, actor_id, action, target_id, details, created_at)
     select 'aud_00' || right($1, 12) || lpad(n::text, 12, '0'), $1, 'system', 'system', 'workspace.updated', $1,
       jsonb_build_object('n', n, 'name', E'line\none'), now() - interval '1 hour'
     from generate_series(1, $2) as n`,
    [workspaceId, count],
  );

async function getExport(person: Client, query: Query): Promise<AuditLog[]> {
  const { status, text, headers } = await person.ask('exportAuditLogs', { query });
  t.equal(status, 200);
  t.equal(headers['content-disposition'], 'attachment; filename="audit-log.ndjson"');
  t.ok(text === '' || text.endsWith('}\n'));
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as AuditLog);
}

t.test('an export has all entries of the list in its order, by the same filters', async t => {
  const { person, workspaceId, projectId } = await skein.tenant();
  await addEntries(workspaceId, 1_000);
  const all = await getExport(person, { workspaceId });
  t.strictSame(all, await person.all<AuditLog>('listAuditLogs', { query: { workspaceId } }));
  t.ok(all.length > 1_000);
  const updated = await getExport(person, { workspaceId, action: 'workspace.updated' });
  t.equal(updated.length, 1_000, 'a full page is the last');
  const since = new Date(Date.now() - 600_000).toISOString();
  t.equal((await getExport(person, { workspaceId, since })).length, all.length - 1_000);
  t.strictSame(await getExport(person, { projectId, action: 'workspace.updated' }), []);
});

t.test('an entry behind many others: the list has short pages before it, the export finds it', async t => {
  const { person, workspaceId } = await skein.tenant();
  await addEntries(workspaceId, maxScannedRows + 100);
  await skein.database.query(
    `insert into audit_logs (audit_log_id, workspace_id, actor_type, actor_id, action, target_id, created_at)
     values ('aud_00' || right($1, 12) || lpad('0', 12, '0'), $1, 'system', 'system', 'workspace.created', $1, now())`,
    [workspaceId],
  );
  const query = { workspaceId, actorId: 'system', action: 'workspace.created' };
  const first = await person.get<ListOf<AuditLog>>('listAuditLogs', { query });
  t.match(first, { data: [], hasMore: true, nextCursor: String });
  const next = { query: { ...query, cursor: String(first.nextCursor) } };
  const second = await person.get<ListOf<AuditLog>>('listAuditLogs', next);
  t.match(second, { data: [{ action: 'workspace.created' }], hasMore: false, nextCursor: null });
  t.strictSame(await getExport(person, query), second.data);
});

t.test('an export that finds nothing ends when the client has gone', async t => {
  let reads = 0;
  let onThird: () => unknown = () => undefined;
  // An endless log without a match.
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
