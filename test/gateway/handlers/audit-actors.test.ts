/** Acts on actors, which record theirs in their own commits: on a whole node, with its API. */
import t from 'tap';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { ListOf } from '../../node/client.ts';
import { newStitch, type Tenant } from '../../node/tenant.ts';
import { startReceiver } from '../../support/receiver.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);

/** What was done to one thing, oldest first. */
async function actsOn({ key }: Tenant, targetId: string): Promise<AuditLog[]> {
  const { data } = await key.get<ListOf<AuditLog>>('listAuditLogs', { query: { targetId } });
  return [...data].reverse();
}

t.test('channels', async t => {
  const tenant = await skein.tenant();
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
  const tenant = await skein.tenant();
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
  const rows = await skein.database.query<{ text: string }>('select a::text as text from audit_logs a');
  const all = rows.map(row => row.text).join('\n');
  t.notOk(all.includes(secret));
  t.notOk(all.includes('hush'), 'an address may carry a secret');
});

t.test('who answers a thread, and whether anybody does', async t => {
  const tenant = await skein.tenant();
  const { key, person, projectId, environmentId, userId, apiKeyId } = tenant;
  const { threadId } = await key.get<Thread>('createThread', { body: { projectId, environmentId } });
  const params = { threadId };
  const change = (fields: object) => person.get('updateThread', { params, body: { projectId, ...fields } });
  await change({ agentMode: 'paused', tags: ['a'] });
  await change({ agentMode: 'paused', tags: ['b'], subject: 'Of the shop' });
  await change({ status: 'closed', agentMode: null });
  await key.get('updateThread', { params, body: { projectId, status: 'open' } });
  await key.get('assignThread', { params, body: { projectId, userId } });
  await key.get('assignThread', { params, body: { projectId, userId } });
  const all = { projectId, threadIds: [threadId] };
  await person.get('changeThreads', { body: { ...all, action: 'assign', userId: null } });
  await person.get('changeThreads', { body: { ...all, action: 'archive' }, key: 'once' });
  await person.get('changeThreads', { body: { ...all, action: 'archive' }, key: 'once' });
  await person.get('changeThreads', { body: { ...all, action: 'addTags', tags: ['c'] } });
  const found = await actsOn(tenant, threadId);
  const byPerson = { type: 'user', id: userId };
  const byKey = { type: 'api_key', id: apiKeyId };
  t.same(
    found.map(({ action, actor, details }) => [action, actor, details]),
    [
      ['thread.updated', byPerson, { agentMode: 'paused', previousAgentMode: null }],
      [
        'thread.updated',
        byPerson,
        { status: 'closed', previousStatus: 'open', agentMode: null, previousAgentMode: 'paused' },
      ],
      ['thread.updated', byKey, { status: 'open', previousStatus: 'closed' }],
      ['thread.assigned', byKey, { assigneeUserId: userId, previousAssigneeUserId: null }],
      ['thread.assigned', byPerson, { assigneeUserId: null, previousAssigneeUserId: userId }],
      ['thread.updated', byPerson, { status: 'archived', previousStatus: 'open' }],
    ],
  );
  for (const each of found) t.match(each, { projectId, environmentId, address: '127.0.0.1' });
});

t.test('a message that opens a thread again is nobody’s act', async t => {
  const tenant = await skein.tenant();
  const { key, projectId, channelId } = tenant;
  const body = { projectId, body: 'hello', externalThreadRef: 'somebody' };
  const send = () => key.get<{ threadId: string }>('createInboundMessage', { params: { channelId }, body });
  const { threadId } = await send();
  await key.get('updateThread', { params: { threadId }, body: { projectId, status: 'closed' } });
  await send();
  t.match(await key.get('getThread', { params: { threadId } }), { status: 'open' });
  t.same(
    (await actsOn(tenant, threadId)).map(({ details }) => details),
    [{ status: 'closed', previousStatus: 'open' }],
  );
});

t.test('a test of a tool, once however often it is asked for', async t => {
  const tenant = await skein.tenant();
  const { person, userId, projectId, environmentId } = tenant;
  const receiver = await startReceiver(t);
  const body = { projectId, environmentId, name: 'look_up', url: receiver.url() };
  const { toolId } = await person.get<{ toolId: string }>('createTool', { body });
  const params = { toolId };
  const test = { params, body: { projectId, arguments: { secret: 'hush' } }, key: 'test' };
  await person.get('testTool', test);
  await person.get('testTool', test);
  const [, ...tests] = await actsOn(tenant, toolId);
  t.match(tests, [
    { action: 'tool.tested', actor: { type: 'user', id: userId }, details: { name: 'look_up' } },
  ]);
  t.equal(tests.length, 1);
  t.notOk(JSON.stringify(tests).includes('hush'));
});
