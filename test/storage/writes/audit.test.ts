import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { insertAuditEntry, toAuditActor } from '../../../storage/writes/audit.ts';

const [id, apiKeyId] = [newId('user'), newId('apiKey')];

/** Author and details of an entry by such an author, in the order of the columns. */
function record(author: Parameters<typeof toAuditActor>[0]): readonly unknown[] {
  const { values } = insertAuditEntry({
    auditLogId: newId('audit'),
    actor: toAuditActor(author),
    action: 'project.updated',
    targetId: newId('project'),
    details: { name: 'Support' },
    at: '2026-11-23T08:00:00.000Z',
  });
  return [values[4], values[5], values[10]];
}

t.test('of a key that acts for a user both are recorded', async t => {
  const both = JSON.stringify({ name: 'Support', apiKeyId });
  t.strictSame(record({ type: 'user', id, apiKeyId }), ['user', id, both]);
  t.strictSame(record({ type: 'user', id }), ['user', id, '{"name":"Support"}']);
});
