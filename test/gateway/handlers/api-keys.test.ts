/** API keys: made, rotated and revoked. */
import t from 'tap';
import { shareSkein } from '../../support/skein.ts';
import { absent, createPeople, denied, type Json, type Person, sortStatuses, unverified } from './people.ts';

const skein = await shareSkein(t);
const { database } = skein;
const { signUp, verify, verified, join } = createPeople(skein);
const refused = { status: 401, body: { error: 'svc/auth/invalid_api_key' } };

interface Key {
  readonly apiKeyId: string;
  readonly secret: string;
}

const create = ({ browser, projectId }: Person, changes: Json = {}) =>
  browser.ask<Key & { error: string; message: string }>('createApiKey', {
    body: { projectId, name: 'a key', environment: 'test', scopes: ['threads:read'], ...changes },
  });
const rotate = ({ browser }: Person, { apiKeyId }: Key, body: Json = {}, key?: string) =>
  browser.ask<{ newKey: Key & { environment: string }; rotationGraceExpiresAt: string; error: string }>(
    'rotateApiKey',
    { params: { apiKeyId }, body, ...(key !== undefined && { key }) },
  );
const revoke = ({ browser }: Person, { apiKeyId }: Key) =>
  browser.ask('revokeApiKey', { params: { apiKeyId } });
const list = ({ browser, projectId }: Person) => browser.list('listApiKeys', { query: { projectId } });

/** Uses the secret. */
const present = async ({ projectId }: Person, secret: string) =>
  skein.client(secret).ask('listThreads', { query: { projectId } });

async function made(person: Person, changes: Json = {}): Promise<Key> {
  const { status, body } = await create(person, changes);
  t.equal(status, 201);
  return body;
}

async function withProduction(): Promise<Person> {
  const person = await verified();
  const body = { projectId: person.projectId, name: 'Live' };
  await person.browser.get('createEnvironment', { body });
  return person;
}

async function beDeveloper({ userId, projectId }: Person): Promise<void> {
  await database.query(
    `insert into project_members (project_id, user_id, role, created_at, updated_at) values ($1, $2, 'developer', now(), now())`,
    [projectId, userId],
  );
}

t.test('a key is shown whole once, and later by its prefix', async t => {
  const person = await signUp();
  const { secret, ...key } = await made(person, { scopes: ['threads:read', 'messages:write'] });
  t.match(secret, /^svc_test_[0-9A-Za-z]{43}$/);
  const { keyPrefix } = key as unknown as { keyPrefix: string };
  t.ok(secret.startsWith(keyPrefix));
  const listed = await list(person);
  t.match(listed, [{ ...key, status: 'active', environment: 'test', expiresAt: null }]);
  t.notMatch(JSON.stringify(listed), secret.slice(20));
  t.equal((await create(person, { expiresAt: new Date(Date.now() - 1_000).toISOString() })).status, 422);
});

t.test('a live key needs a verified address and a production environment', async t => {
  const person = await signUp();
  const live = { environment: 'live' };
  t.match(await create(person, live), unverified);
  await verify(person);
  t.match(await create(person, live), {
    status: 422,
    body: { details: { issues: [{ path: '/body/environment' }] } },
  });
  const owner = await withProduction();
  const key = await made(owner, live);
  t.match(key.secret, /^svc_live_/);
  await database.query('update users set email_verified_at = null where user_id = $1', [owner.userId]);
  await owner.browser.logIn(owner.email);
  t.match(await rotate(owner, key), absent);
  t.equal((await revoke(owner, key)).status, 204, 'every developer may revoke it');
});

t.test('a key can do nothing that its maker could not', async t => {
  const owner = await signUp();
  const other = await join(owner, 'viewer');
  await beDeveloper(other);
  for (const scope of ['usage:read', 'audit:read', '*']) {
    t.match(await create(other, { scopes: ['threads:read', scope] }), denied, scope);
    t.equal((await create(owner, { scopes: [scope] })).status, 201);
  }
  t.match((await create(other, { scopes: ['*'] })).body.message, /usage:read, audit:read, which \* includes/);
  const key = await made(owner, { scopes: ['*'] });
  t.match(await rotate(other, key), absent, 'nor get its secret by rotation');
  t.equal((await rotate(owner, key)).status, 200);

  const operator = await join(owner, 'viewer');
  await beDeveloper(operator);
  await database.query(
    `insert into console_members (project_id, user_id, role, created_at, updated_at) values ($1, $2, 'project_owner', now(), now())`,
    [operator.projectId, operator.userId],
  );
  t.equal((await create(operator, { scopes: ['usage:read'] })).status, 201, 'by the role in the Console');
  t.match(await create(operator, { scopes: ['audit:read'] }), denied);
});

t.test('a removed or demoted member gets no key, whatever the node has cached', async t => {
  const owner = await signUp();
  const key = await made(owner);
  for (const change of [`update workspace_members set role = 'viewer'`, 'delete from workspace_members']) {
    const admin = await join(owner, 'admin');
    await list(admin);
    await database.query(`${change} where workspace_id = $1 and user_id = $2`, [
      admin.workspaceId,
      admin.userId,
    ]);
    const isGone = change.startsWith('delete');
    t.match(await create(admin), isGone ? absent : denied);
    t.match(await rotate(admin, key), absent);
  }
});

t.test('credentials of another form are refused by name', async t => {
  const person = await signUp();
  const { secret } = await made(person);
  for (const [authorization, error] of [
    ['Basic dXNlcjpwYXNz', 'missing_credentials'],
    ['Bearer', 'missing_credentials'],
    [secret, 'missing_credentials'],
    [`Bearer ${secret} ${secret}`, 'missing_credentials'],
    ['Bearer x', 'invalid_token'],
    ['Bearer svc_prod_abc', 'invalid_token'],
    ['Bearer svc_test_', 'invalid_api_key'],
    [`Bearer ${secret}x`, 'invalid_api_key'],
    [`Bearer ${secret.replace('test', 'live')}`, 'invalid_api_key'],
    [`Bearer ${secret.toUpperCase().replace('SVC_TEST', 'svc_test')}`, 'invalid_api_key'],
  ] as const) {
    const reply = await skein.client().ask('listThreads', { headers: { authorization } });
    t.match(reply, { status: 401, body: { error: `svc/auth/${error}` } }, authorization.slice(0, 12));
  }
  const headers = { authorization: `bearer  ${secret} ` };
  const query = { projectId: person.projectId };
  t.equal((await skein.client().ask('listThreads', { query, headers })).status, 200);
});

t.test('the successor works at once, the key itself until its grace is over', async t => {
  const person = await signUp();
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const old = await made(person, { expiresAt });
  const before = Date.now();
  const { body } = await rotate(person, old, { gracePeriodSeconds: 3_600 });
  t.match(body, {
    previousKeyId: old.apiKeyId,
    newKey: { name: 'a key', scopes: ['threads:read'], expiresAt },
  });
  const graceMs = Date.parse(body.rotationGraceExpiresAt) - before;
  t.ok(graceMs >= 3_600_000 && graceMs < 3_700_000, String(graceMs));
  for (const secret of [old.secret, body.newKey.secret]) t.equal((await present(person, secret)).status, 200);
  t.match(await list(person), [{ status: 'active' }, { apiKeyId: old.apiKeyId, status: 'rotating' }]);
  t.equal((await revoke(person, old)).status, 204, 'it can be revoked before');
  t.match(await present(person, old.secret), refused);
  t.equal((await revoke(person, old)).status, 204, 'again changes nothing');
  t.match(await list(person), [{ status: 'active' }, { status: 'revoked', revokedAt: /^20/ }]);
});

t.test('the grace lasts five minutes by default, and 0 seconds revoke at once', async t => {
  const person = await signUp();
  const before = Date.now();
  const { body } = await rotate(person, await made(person));
  const graceMs = Date.parse(body.rotationGraceExpiresAt) - before;
  t.ok(graceMs >= 300_000 && graceMs < 400_000, String(graceMs));
  const key = await made(person);
  t.equal((await present(person, key.secret)).status, 200);
  const rotated = await rotate(person, key, { gracePeriodSeconds: 0 });
  t.match(rotated, { status: 200, body: { rotationGraceExpiresAt: null } });
  t.match(await present(person, key.secret), refused);
});

t.test('only an active key is rotated, once', async t => {
  const person = await signUp();
  const key = await made(person);
  const replies = await Promise.all(Array.from({ length: 4 }, () => rotate(person, key)));
  t.same(sortStatuses(replies), [200, 404, 404, 404]);
  const revoked = await made(person);
  await revoke(person, revoked);
  t.match(await rotate(person, revoked), absent);
  const expired = await made(person);
  await database.query('update api_keys set expires_at = now() where api_key_id = $1', [expired.apiKeyId]);
  t.match(await rotate(person, expired), absent);
});

t.test('an Idempotency-Key means one thing for test keys and another for live ones', async t => {
  const person = await withProduction();
  for (const environment of ['test', 'live']) {
    const key = await made(person, { environment });
    const first = await rotate(person, key, {}, 'all-of-them');
    t.match(first, { status: 200, body: { newKey: { environment } } });
    t.same((await rotate(person, key, {}, 'all-of-them')).body, first.body);
  }
});

t.test('a removed member does not get a rotated secret from a kept answer', async t => {
  const owner = await signUp();
  const guest = await join(owner, 'admin');
  const key = await made(guest);
  t.equal((await rotate(guest, key, {}, 'kept')).status, 200);
  const { workspaceId } = owner;
  const removal = { params: { workspaceId, userId: guest.userId } };
  const { apiKeys } = await owner.browser.get<{ apiKeys: { apiKeyId: string; status: string }[] }>(
    'removeMember',
    removal,
  );
  t.same(
    apiKeys.map(({ status }) => status),
    ['active', 'rotating'],
    'the keys that the member made, whose secrets they may know',
  );
  t.match(await rotate(guest, key, {}, 'kept'), absent);
});
