import t from 'tap';
import type { ApiKey } from '../../../protocol/resources/api-key.ts';
import { keySecretForm } from '../../../protocol/resources/api-key.ts';
import { newApiKeySecret } from '../../../storage/tenancy/api-key-secret.ts';
import type { NewApiKey } from '../../../storage/tenancy/api-keys.ts';
import { accountServices, auditContext } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const { apiKeys, environments, newPerson } = accountServices(db);
const person = await newPerson();
const { projectId, environmentId, userId } = person;
const now = Date.now();

function create(changes: Partial<NewApiKey> = {}) {
  return apiKeys.create({
    projectId,
    name: 'a key',
    environment: 'test',
    scopes: ['threads:read'],
    expiresAt: null,
    ...auditContext(userId, now),
    ...changes,
  });
}

interface Envelope {
  readonly eventName: string;
  readonly projectId: string;
  readonly data: { readonly environmentId: string; readonly actor: object; readonly apiKey: ApiKey };
}

async function events(apiKeyId: string): Promise<Envelope[]> {
  const rows = await db.query<{ body: string }>(
    'select body from events where project_id = $1 order by seq',
    [projectId],
  );
  return rows
    .map(row => JSON.parse(row.body) as Envelope)
    .filter(each => each.data.apiKey.apiKeyId === apiKeyId);
}

t.test('a secret is 43 characters of base62 under its prefix, never the same', async t => {
  const seen = new Set<string>();
  const letters = new Set<string>();
  for (let i = 0; i < 500; i++) {
    const { secret, keyPrefix } = newApiKeySecret('live');
    t.match(secret, /^svc_live_[0-9A-Za-z]{43}$/);
    t.ok(secret.startsWith(keyPrefix));
    t.equal(keyPrefix.length, 'svc_live_'.length + 6);
    seen.add(secret);
    for (const letter of secret.slice(9)) letters.add(letter);
  }
  t.equal(seen.size, 500);
  t.equal(letters.size, 62, 'every character comes up');
});

t.test('text that is not a key is recognised by its form', async t => {
  const { secret } = newApiKeySecret('test');
  t.ok(keySecretForm.test(secret));
  for (const text of [
    '',
    'svc_test_',
    `${secret}0`,
    secret.slice(1),
    secret.replace('test', 'prod'),
    `${secret}\n`,
  ]) {
    t.notOk(keySecretForm.test(text), text);
  }
});

t.test('a key grants what it was made with, and its secret is nowhere in the database', async t => {
  const scopes = ['threads:read', '*', 'threads:read'] as const;
  const { apiKey, secret } = await create({ scopes });
  t.match(apiKey, { status: 'active', environment: 'test', scopes: ['threads:read', '*'], lastUsedAt: null });
  t.same(await apiKeys.findGrant(secret), {
    apiKeyId: apiKey.apiKeyId,
    firstKeyId: apiKey.apiKeyId,
    projectId,
    environmentId,
    environmentKind: 'sandbox',
    scopes: ['threads:read', '*'],
    createdByUserId: userId,
    endsAt: null,
    isArchived: false,
  });
  const [row] = await db.query<{ text: string }>('select k::text from api_keys k where api_key_id = $1', [
    apiKey.apiKeyId,
  ]);
  t.notOk(JSON.stringify(row).includes(secret.slice(20)));
  t.notOk(JSON.stringify(await events(apiKey.apiKeyId)).includes(secret.slice(20)));
});

t.test('making and revoking a key are events of its project, each once', async t => {
  const { apiKey } = await create();
  await apiKeys.revoke({ projectId, apiKeyId: apiKey.apiKeyId, ...auditContext(userId, now + 1) });
  await apiKeys.revoke({ projectId, apiKeyId: apiKey.apiKeyId, ...auditContext(userId, now + 2) });
  const [made, revoked, ...none] = await events(apiKey.apiKeyId);
  t.same(none, []);
  t.match(made, {
    eventName: 'project.api_key.created',
    projectId,
    data: { environmentId, actor: { type: 'user', id: userId }, apiKey },
  });
  t.match(revoked, {
    eventName: 'project.api_key.revoked',
    data: { apiKey: { status: 'revoked', revokedAt: new Date(now + 1).toISOString() } },
  });
});

t.test('a revoked key grants nothing; neither does an unknown secret', async t => {
  const { apiKey, secret } = await create();
  await apiKeys.revoke({ projectId, apiKeyId: apiKey.apiKeyId, ...auditContext(userId, now) });
  t.equal(await apiKeys.findGrant(secret), undefined);
  t.equal(await apiKeys.findGrant(newApiKeySecret('test').secret), undefined);
});

t.test('a key is revoked in its own project only', async t => {
  const { apiKey, secret } = await create();
  const unknown = await newPerson();
  await apiKeys.revoke({
    projectId: unknown.projectId,
    apiKeyId: apiKey.apiKeyId,
    ...auditContext(unknown.userId, now),
  });
  t.ok(await apiKeys.findGrant(secret));
  t.same(await apiKeys.findLocation(apiKey.apiKeyId), { projectId, environmentId, environment: 'test' });
  t.equal(await apiKeys.findLocation('key_nobody'), undefined);
});

t.test('a live key needs a production environment, and works in it', async t => {
  const owner = await newPerson();
  const live = { projectId: owner.projectId, byUserId: owner.userId, environment: 'live' } as const;
  await t.rejects(create(live), {
    code: 'svc/validation/invalid_request',
    http: 422,
    details: { issues: [{ path: '/body/environment' }] },
  });
  const production = await environments.createProduction(owner.projectId, 'Live', auditContext(owner.userId));
  const { secret } = await create(live);
  t.match(secret, /^svc_live_/);
  t.match(await apiKeys.findGrant(secret), {
    environmentId: production.environmentId,
    environmentKind: 'production',
  });
});

t.test('the earlier of expiry and grace is the end', async t => {
  const { apiKey, secret } = await create({ expiresAt: new Date(now + 60_000) });
  t.equal((await apiKeys.findGrant(secret))?.endsAt, now + 60_000);
  await db.query(
    `update api_keys set status = 'rotating', rotation_grace_expires_at = $2 where api_key_id = $1`,
    [apiKey.apiKeyId, new Date(now + 5_000)],
  );
  t.equal((await apiKeys.findGrant(secret))?.endsAt, now + 5_000);
  const statusAt = async (instant: number) => {
    const { data } = await apiKeys.list(projectId, { limit: 100 }, instant);
    return data.find(each => each.apiKeyId === apiKey.apiKeyId)?.status;
  };
  t.equal(await statusAt(now + 4_999), 'rotating');
  t.equal(await statusAt(now + 5_000), 'revoked');
});

t.test('keys are listed newest first, in pages, of one project', async t => {
  const owner = await newPerson();
  const made: string[] = [];
  for (let i = 0; i < 5; i++) {
    // Two of them in the same millisecond: the id decides.
    const at = now + Math.floor(i / 2);
    const { apiKey } = await create({ projectId: owner.projectId, ...auditContext(owner.userId, at) });
    made.push(apiKey.apiKeyId);
  }
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await apiKeys.list(owner.projectId, { cursor, limit: 2 }, now);
    listed.push(...page.data.map(each => each.apiKeyId));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  t.same(listed, made.sort().reverse());
  await t.rejects(apiKeys.list(owner.projectId, { cursor: 'bogus', limit: 2 }, now), {
    name: 'InvalidCursor',
  });
});

t.test('last uses are written in one go, and never back in time', async t => {
  const keys = [await create(), await create()];
  const [a = '', b = ''] = keys.map(each => each.apiKey.apiKeyId);
  await apiKeys.recordUses([
    { apiKeyId: a, at: now + 10, address: '192.0.2.1' },
    { apiKeyId: b, at: now + 20, address: '2001:db8::1' },
    { apiKeyId: 'key_gone', at: now, address: '' },
  ]);
  await apiKeys.recordUses([{ apiKeyId: a, at: now + 5, address: '192.0.2.9' }]);
  const { data } = await apiKeys.list(projectId, { limit: 100 }, now);
  const used = (id: string) => {
    const found = data.find(each => each.apiKeyId === id);
    return [found?.lastUsedAt, found?.lastUsedIp];
  };
  t.same(used(a), [new Date(now + 10).toISOString(), '192.0.2.1']);
  t.same(used(b), [new Date(now + 20).toISOString(), '2001:db8::1']);
});
