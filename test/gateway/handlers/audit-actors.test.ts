/** Acts on actors, which record theirs in their own commits: on a whole node, with its API. */
import t from 'tap';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import type { ListOf } from '../../node/client.ts';
import { newStitch, type Tenant } from '../../node/tenant.ts';
import { StitchService } from './stitch-fixture.ts';

const service = await StitchService.start(t);

/** What was done to one thing, oldest first. */
async function actsOn({ key }: Tenant, targetId: string): Promise<AuditLog[]> {
  const { data } = await key.get<ListOf<AuditLog>>('listAuditLogs', { query: { targetId } });
  return [...data].reverse();
}

t.test('channels', async t => {
  const tenant = await service.tenant();
  const { key, person, projectId, environmentId, channelId, apiKeyId, userId } = tenant;
  const params = { channelId };
  await key.get('updateChannel', { params, body: { projectId, name: 'Sales' } });
  await key.get('updateChannel', { params, body: { projectId, name: 'Sales' } });
  await person.get('updateChannel', { params, body: { projectId, name: 'Support', metadata: { a: 1 } } });
  const acts = await actsOn(tenant, channelId);
  t.same(
    acts.map(({ action, actor, details }) => [action, actor, details]),
    [
      ['channel.created', { type: 'api_key', id: apiKeyId }, { name: 'Main', kind: 'custom' }],
      ['channel.updated', { type: 'api_key', id: apiKeyId }, { fields: ['name'] }],
      ['channel.updated', { type: 'user', id: userId }, { fields: ['metadata', 'name'] }],
    ],
  );
  for (const act of acts) {
    t.match(act, {
      projectId,
      environmentId,
      workspaceId: tenant.workspaceId,
      address: '127.0.0.1',
      requestId: /^req_/,
    });
  }
});

t.test('stitches', async t => {
  const tenant = await service.tenant();
  const { key, projectId } = tenant;
  const { stitchId, secret } = await newStitch(tenant, 'https://receiver.example/hook?token=hush');
  const params = { stitchId };
  await key.get('updateStitch', { params, body: { projectId, status: 'disabled' } });
  await key.get('updateStitch', { params, body: { projectId, status: 'disabled' } });
  await key.get('rotateStitchSecret', { params, body: { projectId, gracePeriodSeconds: 60 } });
  await key.get('archiveStitch', { params });
  await key.get('archiveStitch', { params });
  const acts = await actsOn(tenant, stitchId);
  t.same(
    acts.map(({ action, details }) => [action, details]),
    [
      ['stitch.created', { name: 'stitch', eventNames: [] }],
      ['stitch.updated', { fields: ['status'] }],
      ['stitch.secret_rotated', { gracePeriodSeconds: 60 }],
      ['stitch.archived', { name: 'stitch' }],
    ],
  );
  const rows = await service.database.query<{ text: string }>('select a::text as text from audit_logs a');
  const all = rows.map(row => row.text).join('\n');
  t.notOk(all.includes(secret));
  t.notOk(all.includes('hush'), 'an address may carry a secret');
});

t.test('messages are no audit entries', async t => {
  const { key, projectId, channelId } = await service.tenant();
  const count = async (): Promise<number> => {
    const [row] = await service.database.query<{ count: number }>(
      'select count(*)::int as count from audit_logs where project_id = $1',
      [projectId],
    );
    return row?.count ?? 0;
  };
  const before = await count();
  const body = { projectId, body: 'hello', externalThreadRef: 'somebody' };
  await key.get('createInboundMessage', { params: { channelId }, body });
  t.equal(await count(), before);
});
