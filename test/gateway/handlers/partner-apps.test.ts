import t from 'tap';
import { Value } from 'typebox/value';
import {
  CreatedPartnerAppCredential,
  PartnerAppCredential,
} from '../../../protocol/resources/partner-app.ts';
import { PartnerApp } from '../../../storage/entities/credentials.ts';
import { WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { appSecretContext, verifyTokenHash } from '../../../storage/tenancy/partner-apps.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode } from '../auth/auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
type User = Awaited<ReturnType<typeof node.signedUp>>;
const appSecret = 'a secret of the app, 0123456789abcdef';
const absent = { status: 404, body: { error: 'svc/runtime/not_found' } };
const denied = { status: 403, body: { error: 'svc/auth/insufficient_scope' } };

function create(user: User, changes: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const body = { workspaceId: user.workspaceId, name: 'an app', appId: '1234', appSecret };
  return user.client.call('POST', '/meta-apps', { body: { ...body, ...changes }, headers });
}

async function made(user: User): Promise<string> {
  return String((await create(user)).body['partnerAppCredentialId']);
}

const list = (user: User, query = '') =>
  user.client.call('GET', `/meta-apps?workspaceId=${user.workspaceId}${query}`);

const rotate = (user: User, id: string, body: object = { appSecret: 'another secret' }) =>
  user.client.call('POST', `/meta-apps/${id}/rotate-secret`, { body });

const revoke = (user: User, id: string) => user.client.call('DELETE', `/meta-apps/${id}`);

async function getViewer({ workspaceId }: User): Promise<User> {
  const user = await node.signedUp();
  const stamps = { createdAt: new Date(), updatedAt: new Date() };
  await db.em().insert(WorkspaceMember, { workspaceId, userId: user.userId, role: 'viewer', ...stamps });
  return { ...user, workspaceId };
}

/** A chatapp channel that has the credential. */
async function channelWith(user: User, partnerAppCredentialId: string | null): Promise<void> {
  await db.query(
    `insert into channels (channel_id, project_id, environment_id, name, kind, status, partner_app_credential_id, created_at, updated_at, state, version)
     select 'ch_' || $1, project_id, environment_id, 'chat', 'chatapp', 'connected', $2, now(), now(), '{}', 1
     from environments where project_id = $1
     on conflict (channel_id) do update set partner_app_credential_id = excluded.partner_app_credential_id`,
    [user.projectId, partnerAppCredentialId],
  );
}

t.test('the verify token and the address for the webhook come once, the app secret never', async t => {
  const user = await node.signedUp();
  const { status, body } = await create(user, { metadata: { team: 'blue' } });
  t.equal(status, 201);
  t.ok(Value.Check(CreatedPartnerAppCredential, body));
  t.match(body, {
    name: 'an app',
    appId: '1234',
    status: 'active',
    metadata: { team: 'blue' },
    revokedAt: null,
    webhookUrl: 'http://skein.test/v1/channels/ch_REPLACE_WITH_CHANNEL_ID/chatapp/webhook',
    verifyToken: /^[\w-]{43}$/,
  });
  t.notOk(JSON.stringify(body).includes(appSecret));

  const listed = await list(user);
  const [app] = listed.body['data'] as Record<string, unknown>[];
  t.ok(Value.Check(PartnerAppCredential, app));
  t.notMatch(app, { verifyToken: String });
  t.equal(app?.['keyFingerprint'], body['keyFingerprint']);
  t.notOk(JSON.stringify(listed.body).includes(appSecret));
});

t.test('secrets lie sealed and hashed', async t => {
  const user = await node.signedUp();
  const { body } = await create(user);
  const partnerAppCredentialId = String(body['partnerAppCredentialId']);
  const row = await db.em().findOneOrFail(PartnerApp, { partnerAppCredentialId });
  t.equal(await node.vault.open(appSecretContext(partnerAppCredentialId), row.appSecret), appSecret);
  t.ok(verifyTokenHash(node.hash, String(body['verifyToken'])).equals(row.verifyTokenHash));
  const [text] = await db.query<{ text: string }>('select a::text as text from partner_apps a');
  t.notOk(text?.text.includes(appSecret));
  t.notOk(text?.text.includes(String(body['verifyToken'])));
});

t.test('the limits of a secret are 8 and 4096 characters, of a name and an app id 1 and 128', async t => {
  const user = await node.signedUp();
  const getStatus = async (changes: Record<string, unknown>) => (await create(user, changes)).status;
  for (const changes of [
    { appSecret: '1234567' },
    { appSecret: 'x'.repeat(4097) },
    { appSecret: 'no \0 in it' },
    { name: '' },
    { name: '\u{1f600}'.repeat(129) },
    { appId: '' },
    { appId: 'x'.repeat(129) },
    { metadata: 1 },
    { unknown: 1 },
    { workspaceId: 'ws' },
  ]) {
    t.equal(await getStatus(changes), 422, JSON.stringify(changes).slice(0, 40));
  }
  t.equal(await getStatus({ appSecret: '\u{1f600}'.repeat(4096), name: '\u{1f600}'.repeat(128) }), 201);
  t.equal(await getStatus({ appSecret: '12345678', appId: 'x'.repeat(128) }), 201);
});

t.test('a secret is replaced: another fingerprint, another seal', async t => {
  const user = await node.signedUp();
  const { body } = await create(user);
  const id = String(body['partnerAppCredentialId']);
  const rotated = await rotate(user, id);
  t.equal(rotated.status, 200);
  t.ok(Value.Check(PartnerAppCredential, rotated.body));
  t.not(rotated.body['keyFingerprint'], body['keyFingerprint']);
  const row = await db.em().findOneOrFail(PartnerApp, { partnerAppCredentialId: id });
  t.equal(await node.vault.open(appSecretContext(id), row.appSecret), 'another secret');
  t.equal((await rotate(user, id, { appSecret })).body['keyFingerprint'], body['keyFingerprint'], 'the same');
  t.equal((await rotate(user, id, { appSecret: 'short' })).status, 422);
});

t.test('one that a channel uses is not revoked; a revoked one is for reading', async t => {
  const user = await node.signedUp();
  const id = await made(user);
  await channelWith(user, id);
  t.match(await revoke(user, id), { status: 409, body: { error: 'svc/partner_app/in_use' } });
  await channelWith(user, null);
  t.equal((await revoke(user, id)).status, 204);
  t.equal((await revoke(user, id)).status, 204, 'once more changes nothing');
  t.match((await list(user)).body['data'], [{ status: 'revoked', revokedAt: /^20/ }]);
  t.match(await rotate(user, id), { status: 409, body: { error: 'svc/runtime/conflict' } });
  const row = await db.em().findOneOrFail(PartnerApp, { partnerAppCredentialId: id });
  t.equal(row.appSecret, '', 'its secret is gone');
});

t.test('of a revocation and a channel that takes the credential, one finds the other', async t => {
  const user = await node.signedUp();
  const id = await made(user);
  const em = db.em();
  await em.begin();
  await em.execute('select 1 from partner_apps where partner_app_credential_id = ? for share', [id]);
  const revoking = revoke(user, id);
  await channelWith(user, id);
  await em.commit();
  t.match(await revoking, { status: 409, body: { error: 'svc/partner_app/in_use' } });
});

t.test('admins write, viewers read, strangers find nothing, keys never come in', async t => {
  const owner = await node.signedUp();
  const id = await made(owner);
  const viewer = await getViewer(owner);
  t.equal((await list(viewer)).status, 200);
  t.match(await create(viewer), denied);
  t.match(await rotate(viewer, id), denied);
  t.match(await revoke(viewer, id), denied);

  const outsider = { ...(await node.signedUp()), workspaceId: owner.workspaceId };
  for (const reply of [list(outsider), create(outsider), rotate(outsider, id), revoke(outsider, id)]) {
    t.match(await reply, absent);
  }
  t.match(await revoke(owner, 'map_00000000000000000000000000'), absent);

  const { projectId } = owner;
  const { body: key } = await owner.client.call('POST', '/api-keys', {
    body: { projectId, name: 'key', environment: 'test', scopes: ['*'] },
  });
  const byKey = { ...owner, client: node.client() };
  byKey.client.token = String(key['secret']);
  for (const reply of [list(byKey), create(byKey), rotate(byKey, id), revoke(byKey, id)]) {
    t.match(await reply, denied);
  }
  t.match((await list(owner)).body['data'], [{ status: 'active' }]);
});

t.test('an Idempotency-Key makes one, and shows its verify token again', async t => {
  const user = await node.signedUp();
  const headers = { 'idempotency-key': 'register-it-once' };
  const one = await create(user, {}, headers);
  const two = await create(user, {}, headers);
  t.same(two.body, one.body);
  t.equal(((await list(user)).body['data'] as unknown[]).length, 1);
});

t.test('the list pages, newest first', async t => {
  const user = await node.signedUp();
  for (const name of ['a', 'b', 'c']) await create(user, { name });
  const first = await list(user, '&limit=2');
  t.match(first.body, { hasMore: true, data: [{ name: 'c' }, { name: 'b' }] });
  const cursor = String(first.body['nextCursor']);
  t.match((await list(user, `&cursor=${cursor}`)).body, { hasMore: false, data: [{ name: 'a' }] });
  const other = await node.signedUp();
  t.match(await list(other, `&cursor=${cursor}`), {
    status: 400,
    body: { error: 'svc/runtime/invalid_request' },
  });
});
