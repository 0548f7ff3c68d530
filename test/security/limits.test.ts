/** The limits of a tenant hold when many requests come at once. What is archived, revoked or erased makes room. */
import t, { type Test } from 'tap';
import type { Asked, Client, Refusal } from '../node/client.ts';
import type { OperationId } from '../../protocol/operations/table.ts';
import { startTestDatabase } from '../support/database.ts';
import { freshKey } from '../support/accounts.ts';
import { startSkeinOn } from '../support/skein.ts';
import { MediaSweeper } from '../../storage/media/sweep-media.ts';

const most = 5;
const { url, database } = await startTestDatabase(t);
const SECRET_KEYS = freshKey();
const skein = await startSkeinOn(t, url, {
  SECRET_KEYS,
  ALLOW_PRIVATE_ADDRESSES: 'true',
  LIMITS: JSON.stringify({
    apiKeys: most,
    stitches: most,
    tools: most,
    looms: most,
    agents: most,
    channels: most,
    loomVersions: most,
    byokCredentials: most,
    partnerApps: most,
    workspaces: 4,
    projects: 3,
    announcedBytes: 4_000,
    environmentBytes: 6_000,
    workspaceBytes: 9_000,
    unverifiedBytes: 1_000,
  }),
});
const { person, projectId, environmentId, workspaceId, userId } = await skein.tenant();

/** Sends that many requests at once; gives how many were carried out, and holds the refusals to the limit that they name. */
async function flood(
  t: Test,
  by: Client,
  id: OperationId,
  { limit, max, count }: { readonly limit: string; readonly max: number; readonly count: number },
  make: (n: number) => Asked,
): Promise<number> {
  const replies = await Promise.all(Array.from({ length: count }, (_, n) => by.ask<Refusal>(id, make(n))));
  const refused = replies.filter(({ status }) => status >= 300);
  for (const { status, body } of refused) {
    const { error, details } = body;
    t.match(
      { status, error, details },
      { status: 409, error: 'svc/runtime/conflict', details: { limit, most: max } },
    );
  }
  return count - refused.length;
}

const scope = { projectId, environmentId };
const name = 'one of many';
const loom = { systemPrompt: 'Answer.', provider: 'llm_provider_1', model: 'model-1' };

const makers = {
  apiKeys: ['createApiKey', { projectId, name, environment: 'test', scopes: ['threads:read'] }],
  stitches: ['createStitch', { ...scope, name, webhookUrl: 'https://receiver.example/hook' }],
  tools: ['createTool', { ...scope, name, url: 'https://tool.example/' }],
  looms: ['createLoom', { ...scope, name, ...loom }],
  agents: ['createAgent', { ...scope, name }],
  channels: ['createChannel', { ...scope, name, kind: 'custom' }],
  byokCredentials: [
    'createByokCredential',
    { projectId, provider: 'llm_provider_1', displayName: name, secret: 's'.repeat(20) },
  ],
  partnerApps: ['createPartnerApp', { workspaceId, name, appId: '1', appSecret: 's'.repeat(20) }],
} as const;

t.test('of many requests at once, as many are carried out as the limit allows', async t => {
  for (const [limit, [id, body]] of Object.entries(makers)) {
    // signUp has made a key and a channel.
    const room = limit === 'apiKeys' || limit === 'channels' ? most - 1 : most;
    t.equal(await flood(t, person, id, { limit, max: most, count: 20 }, () => ({ body })), room, limit);
  }
  const [made] = await person.all<{ loomId: string }>('listLooms', { query: scope });
  const version = { params: { loomId: made?.loomId ?? '' }, body: { projectId, ...loom } };
  const versions = { limit: 'loomVersions', max: most, count: 20 };
  // A loom has its first version.
  t.equal(await flood(t, person, 'createLoomVersion', versions, () => version), most - 1);
  const workspaces = { limit: 'workspaces', max: 4, count: 10 };
  t.equal(await flood(t, person, 'createWorkspace', workspaces, () => ({ body: { name } })), 3);
  const projects = { limit: 'projects', max: 3, count: 10 };
  t.equal(await flood(t, person, 'createProject', projects, () => ({ body: { workspaceId, name } })), 2);
});

t.test('what is archived or revoked makes room, and is not restored past the limit', async t => {
  const [agents, looms] = await Promise.all([
    person.all<{ agentId: string }>('listAgents', { query: scope }),
    person.all<{ loomId: string }>('listLooms', { query: scope }),
  ]);
  const agent = { params: { agentId: agents[0]?.agentId ?? '' } };
  await person.get('updateAgent', { ...agent, body: { projectId, archived: true } });
  t.equal((await person.ask('createAgent', { body: makers.agents[1] })).status, 201);
  t.equal((await person.ask('updateAgent', { ...agent, body: { projectId, archived: false } })).status, 409);

  const archived = { params: { loomId: looms[0]?.loomId ?? '' } };
  await person.get('updateLoom', { ...archived, body: { projectId, status: 'archived' } });
  t.equal((await person.ask('createLoom', { body: makers.looms[1] })).status, 201);
  t.equal(
    (await person.ask('updateLoom', { ...archived, body: { projectId, status: 'active' } })).status,
    409,
  );

  const [stitch] = await person.all<{ stitchId: string }>('listStitches', { query: scope });
  const removed = { params: { stitchId: stitch?.stitchId ?? '' } };
  await person.get('archiveStitch', removed);
  t.equal((await person.ask('createStitch', { body: makers.stitches[1] })).status, 201);
  t.equal(
    (await person.ask('updateStitch', { ...removed, body: { projectId, archived: false } })).status,
    409,
  );

  const keys = await person.all<{ apiKeyId: string; name: string }>('listApiKeys', { query: { projectId } });
  const [one, other] = keys
    .filter(key => key.name === name)
    .map(({ apiKeyId }) => ({ params: { apiKeyId } }));
  t.equal((await person.ask('rotateApiKey', { ...one, body: {} })).status, 409, 'both would work');
  await person.get('revokeApiKey', other);
  t.equal((await person.ask('rotateApiKey', { ...one, body: {} })).status, 200);
});

const announce = (sizeBytes: number): Asked => ({
  body: { ...scope, filename: 'a.txt', mimeType: 'text/plain', sizeBytes },
});

t.test('files: little before an e-mail is verified, then so much announced, and so much in all', async t => {
  const ofUnverified = { limit: 'unverifiedBytes', max: 1_000, count: 10 };
  t.equal(await flood(t, person, 'createAttachment', ofUnverified, () => announce(300)), 3);
  await database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
  const announced = { limit: 'announcedBytes', max: 4_000, count: 10 };
  t.equal(await flood(t, person, 'createAttachment', announced, () => announce(600)), 5);
  t.equal(await flood(t, person, 'createAttachment', announced, () => announce(100)), 1, 'to the byte');

  await new MediaSweeper({ database, media: { remove: () => Promise.resolve() } }).sweep(
    Date.now() + 3_601_000,
  );
  const { attachmentId, uploadUrl } = await person.get<{ attachmentId: string; uploadUrl: string }>(
    'createAttachment',
    announce(3_000),
  );
  t.equal((await fetch(uploadUrl, { method: 'PUT', body: 'x'.repeat(3_000) })).status, 204);
  t.equal(
    await flood(t, person, 'createAttachment', { ...announced, limit: 'environmentBytes', max: 6_000 }, () =>
      announce(1_000),
    ),
    3,
  );
  const [total] = await database.query(
    `select announced_bytes as announced, bytes from attachment_totals where environment_id = $1`,
    [environmentId],
  );
  t.same(
    total,
    { announced: 3_000, bytes: 6_000 },
    'what was not uploaded within an hour is not counted any more',
  );
  await database.query(`update attachments set status = 'erased' where attachment_id = $1`, [attachmentId]);
  t.equal((await person.ask('createAttachment', announce(1_000))).status, 201, 'what is erased makes room');
});

t.test('a disk that is nearly full takes no files', async t => {
  const full = await startSkeinOn(t, url, { SECRET_KEYS, LIMITS: '{"freeDiskBytes": 9007199254740991}' });
  const { key, ...tenant } = await full.tenant();
  const body = { projectId: tenant.projectId, filename: 'a', mimeType: 'text/plain', sizeBytes: 1 };
  const { uploadUrl } = await key.get<{ uploadUrl: string }>('createAttachment', { body });
  const answer = await fetch(uploadUrl, { method: 'PUT', body: 'x' });
  t.equal(answer.status, 503);
  t.ok(answer.headers.get('retry-after'));
});
