import t from 'tap';
import { Value } from 'typebox/value';
import { ApiKey, CreatedApiKey } from '../../../protocol/resources/api-key.ts';
import { ConsoleMember, ProjectMember, WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode } from '../auth/auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
type User = Awaited<ReturnType<typeof node.signedUp>>;
const stamps = { createdAt: new Date(), updatedAt: new Date() };

function create(user: User, changes: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const body = { projectId: user.projectId, name: 'a key', environment: 'test', scopes: ['threads:read'] };
  return user.client.call('POST', '/api-keys', { body: { ...body, ...changes }, headers });
}

const list = (user: User, query = '') =>
  user.client.call('GET', `/api-keys?projectId=${user.projectId}${query}`);

/** Somebody with a role in the workspace of another. */
async function joined(owner: User, role: 'admin' | 'viewer'): Promise<User> {
  const user = await node.signedUp();
  const { workspaceId, projectId } = owner;
  await db.em().insert(WorkspaceMember, { workspaceId, userId: user.userId, role, ...stamps });
  return { ...user, workspaceId, projectId };
}

t.test('a key is shown whole once, and afterwards by its prefix', async t => {
  const user = await node.signedUp();
  const made = await create(user, { scopes: ['threads:read', 'messages:write'] });
  t.equal(made.status, 201);
  t.ok(Value.Check(CreatedApiKey, made.body));
  t.match(made.body, { environment: 'test', scopes: ['threads:read', 'messages:write'], expiresAt: null });
  const secret = String(made.body['secret']);
  t.match(secret, /^svc_test_[0-9A-Za-z]{43}$/);
  t.ok(secret.startsWith(String(made.body['keyPrefix'])));

  const listed = await list(user);
  const [key] = listed.body['data'] as Record<string, unknown>[];
  t.ok(Value.Check(ApiKey, key));
  t.match(key, { apiKeyId: made.body['apiKeyId'], status: 'active', keyPrefix: made.body['keyPrefix'] });
  t.notOk(JSON.stringify(listed.body).includes(secret.slice(20)));
});

t.test('an invalid key request is 422', async t => {
  const user = await node.signedUp();
  for (const changes of [
    { name: '' },
    { name: 'x'.repeat(129) },
    { scopes: [] },
    { scopes: ['threads:fly'] },
    { environment: 'production' },
    { expiresAt: 'tomorrow' },
    { expiresAt: new Date(node.clock.now() - 1000).toISOString() },
    { unknown: 1 },
  ]) {
    t.equal((await create(user, changes)).status, 422, JSON.stringify(changes));
  }
});

t.test('a live key wants a verified address and a production environment', async t => {
  const user = await node.signedUp();
  const unverified = { status: 403, body: { error: 'svc/auth/email_not_verified' } };
  const live = { environment: 'live' };
  t.match(await create(user, live), unverified);
  const body = { projectId: user.projectId, name: 'Live' };
  t.match(await user.client.call('POST', '/environments', { body }), unverified);

  await node.verify(user.email);
  t.match(await create(user, live), {
    status: 422,
    body: { error: 'svc/validation/invalid_request', details: { issues: [{ path: '/body/environment' }] } },
  });
  t.match(await user.client.call('POST', '/environments', { body }), {
    status: 201,
    body: { kind: 'production' },
  });
  t.match(await user.client.call('POST', '/environments', { body }), {
    status: 409,
    body: { error: 'svc/runtime/conflict' },
  });
  t.match(await create(user, live), { status: 201, body: { secret: /^svc_live_/ } });
});

t.test('keys are for developers: viewers read, strangers find nothing', async t => {
  const owner = await node.signedUp();
  const { body } = await create(owner);
  const path = `/api-keys/${String(body['apiKeyId'])}`;
  const absent = { status: 404, body: { error: 'svc/runtime/not_found' } };

  const viewer = await joined(owner, 'viewer');
  t.match(await create(viewer), { status: 403, body: { error: 'svc/auth/insufficient_scope' } });
  t.equal((await list(viewer)).status, 200);
  t.match(await viewer.client.call('DELETE', path), absent, 'its list of statuses has no 403');

  const outsider = { ...(await node.signedUp()), projectId: owner.projectId };
  t.match(await create(outsider), absent);
  t.match(await list(outsider), absent);
  t.match(await outsider.client.call('DELETE', path), absent);
  t.match(await outsider.client.call('DELETE', '/api-keys/key_00000000000000000000000000'), absent);
  t.match(await node.client().call('GET', `/api-keys?projectId=${owner.projectId}`), {
    status: 401,
    body: { error: 'svc/auth/missing_credentials' },
  });

  const developer = await joined(owner, 'viewer');
  const { userId, projectId } = developer;
  await db.em().insert(ProjectMember, { userId, projectId, role: 'developer', ...stamps });
  t.equal((await create(developer)).status, 201);
  t.equal((await developer.client.call('DELETE', path)).status, 204);
  t.equal((await developer.client.call('DELETE', path)).status, 204, 'once more changes nothing');
});

t.test('a key can do nothing that its maker could not', async t => {
  const owner = await node.signedUp();
  const developer = await joined(owner, 'viewer');
  const { userId, projectId } = developer;
  await db.em().insert(ProjectMember, { userId, projectId, role: 'developer', ...stamps });
  for (const scope of ['usage:read', 'audit:read', '*']) {
    const refused = await create(developer, { scopes: ['threads:read', scope] });
    t.match(refused, { status: 403, body: { error: 'svc/auth/insufficient_scope' } }, scope);
    t.equal((await create(owner, { scopes: [scope] })).status, 201);
  }
  t.match(
    (await create(developer, { scopes: ['*'] })).body['message'],
    /usage:read, audit:read, which \* includes/,
  );
  const { body } = await create(owner, { scopes: ['*'] });
  const rotate = ({ client }: typeof owner) =>
    client.call('POST', `/api-keys/${String(body['apiKeyId'])}/rotate`, { body: {} });
  t.equal((await rotate(developer)).status, 404, 'nor does its secret come by rotation');
  t.equal((await rotate(owner)).status, 200);

  await db.em().insert(ConsoleMember, { userId, projectId, role: 'project_owner', ...stamps });
  t.equal((await create(developer, { scopes: ['usage:read'] })).status, 201, 'by the role in the Console');
  t.equal((await create(developer, { scopes: ['audit:read'] })).status, 403);
});

t.test(
  'a member who was just removed or demoted creates no key, whatever other nodes have cached',
  async t => {
    const owner = await node.signedUp();
    const admin = await joined(owner, 'admin');
    t.equal((await create(admin)).status, 201);
    const { workspaceId, userId } = admin;
    const changed = (role: string) =>
      db.query('update workspace_members set role = $3 where workspace_id = $1 and user_id = $2', [
        workspaceId,
        userId,
        role,
      ]);
    const made = async () => {
      const { body } = await create(admin);
      const { body: rotated } = await admin.client.call('POST', `/api-keys/${keyId}/rotate`, { body: {} });
      return [body['error'], rotated['error']];
    };
    const keyId = String((await create(owner)).body['apiKeyId']);
    await admin.client.call('GET', `/api-keys?projectId=${owner.projectId}`);
    await changed('viewer');
    t.same(await made(), ['svc/auth/insufficient_scope', 'svc/runtime/not_found']);
    await changed('admin');
    await admin.client.call('GET', `/api-keys?projectId=${owner.projectId}`);
    await db.query('delete from workspace_members where workspace_id = $1 and user_id = $2', [
      workspaceId,
      userId,
    ]);
    t.same(await made(), ['svc/runtime/not_found', 'svc/runtime/not_found']);
  },
);

t.test('API keys never reach API keys, nor accounts or workspaces, whatever their scopes', async t => {
  const user = await node.signedUp();
  const { body } = await create(user, { scopes: ['*'] });
  const byKey = node.client();
  byKey.token = String(body['secret']);
  const query = `projectId=${user.projectId}`;
  t.equal((await byKey.call('GET', `/api-keys?${query}`)).status, 403);
  t.equal((await byKey.call('DELETE', `/api-keys/${String(body['apiKeyId'])}`)).status, 401);
  for (const path of ['/workspaces', '/projects', '/environments', '/studio/me']) {
    t.equal((await byKey.call('GET', path)).status, 401, path);
  }
});

t.test(
  'a key that another tenant presents is known for what it is, and one that is revoked is not',
  async t => {
    const user = await node.signedUp();
    const { body } = await create(user, { scopes: ['*'] });
    const secret = String(body['secret']);
    const caller = await node.authenticator.authenticate(`Bearer ${secret}`, { address: '192.0.2.1' });
    t.match(caller, { type: 'key', projectId: user.projectId, createdByUserId: user.userId });
    t.notOk(
      node.authenticator.authenticate(`bearer  ${secret} `, { address: '192.0.2.1' }) instanceof Promise,
    );

    const path = `/api-keys/${String(body['apiKeyId'])}`;
    t.equal((await user.client.call('DELETE', path)).status, 204);
    const byKey = node.client();
    byKey.token = secret;
    t.match(await byKey.call('GET', `/api-keys?projectId=${user.projectId}`), {
      status: 401,
      body: { error: 'svc/auth/invalid_api_key' },
    });
    const { body: after } = await list(user);
    t.match(after['data'], [{ status: 'revoked', revokedAt: /^20/ }]);
  },
);

t.test('header rubbish is 401, each sort by its name', async t => {
  const user = await node.signedUp();
  const path = `/api-keys?projectId=${user.projectId}`;
  const secret = String((await create(user)).body['secret']);
  for (const [authorization, error] of [
    ['Basic dXNlcjpwYXNz', 'missing_credentials'],
    ['Bearer', 'missing_credentials'],
    [secret, 'missing_credentials'],
    [`Bearer ${secret} ${secret}`, 'missing_credentials'],
    ['Bearer x', 'invalid_token'],
    ['Bearer svc_prod_abc', 'invalid_token'],
    ['Bearer svc_test_', 'invalid_api_key'],
    [`Bearer ${secret}x`, 'invalid_api_key'],
    [`Bearer ${secret.slice(0, -1)}`, 'invalid_api_key'],
    [`Bearer ${secret.replace('test', 'live')}`, 'invalid_api_key'],
    [`Bearer ${secret.toUpperCase().replace('SVC_TEST', 'svc_test')}`, 'invalid_api_key'],
  ] as const) {
    const reply = await node.client().call('GET', path, { headers: { authorization } });
    t.match(reply, { status: 401, body: { error: `svc/auth/${error}` } }, authorization.slice(0, 12));
  }
});

t.test('the list pages, and refuses a foreign cursor', async t => {
  const user = await node.signedUp();
  for (const name of ['a', 'b', 'c']) t.equal((await create(user, { name })).status, 201);
  const first = await list(user, '&limit=2');
  t.match(first.body, { hasMore: true, data: [{ name: 'c' }, { name: 'b' }] });
  const cursor = String(first.body['nextCursor']);
  const second = await list(user, `&limit=2&cursor=${cursor}`);
  t.match(second.body, { hasMore: false, nextCursor: null, data: [{ name: 'a' }] });
  const other = await node.signedUp();
  t.match(await list(other, `&cursor=${cursor}`), {
    status: 400,
    body: { error: 'svc/runtime/invalid_request' },
  });
  t.equal((await list(user, '&limit=101')).status, 422);
});

t.test('an Idempotency-Key makes one key, and gives its secret again', async t => {
  const user = await node.signedUp();
  const headers = { 'idempotency-key': 'make-it-once' };
  const one = await create(user, {}, headers);
  const two = await create(user, {}, headers);
  t.same(two.body, one.body);
  t.equal(two.headers.get('idempotent-replayed'), 'true');
  t.equal(((await list(user)).body['data'] as unknown[]).length, 1);
  t.equal((await create(user, { name: 'another' }, headers)).status, 409);
});
