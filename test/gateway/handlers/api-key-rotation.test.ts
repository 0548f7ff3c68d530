import t from 'tap';
import { Value } from 'typebox/value';
import { RotatedApiKey } from '../../../protocol/resources/api-key.ts';
import { WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode, type Client } from '../auth/auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
type User = Awaited<ReturnType<typeof node.signedUp>>;
const absent = { status: 404, body: { error: 'svc/runtime/not_found' } };
const refused = { code: 'svc/auth/invalid_api_key' };

interface Made {
  readonly id: string;
  readonly secret: string;
}

async function made(user: User, changes: Record<string, unknown> = {}): Promise<Made> {
  const { projectId } = user;
  const given = { projectId, name: 'a key', environment: 'test', scopes: ['threads:read', 'audit:read'] };
  const { body } = await user.client.call('POST', '/api-keys', { body: { ...given, ...changes } });
  return { id: String(body['apiKeyId']), secret: String(body['secret']) };
}

const rotate = (client: Client, id: string, body: object = {}, headers: Record<string, string> = {}) =>
  client.call('POST', `/api-keys/${id}/rotate`, { body, headers });

async function getKeys(user: User): Promise<Record<string, unknown>[]> {
  const { body } = await user.client.call('GET', `/api-keys?projectId=${user.projectId}`);
  return body['data'] as Record<string, unknown>[];
}

/** Whoever presents the secret, as the node knows them. */
const present = async (secret: string) =>
  node.authenticator.authenticate(`Bearer ${secret}`, { address: '192.0.2.1' });

t.test('the successor works at once, the key itself until its grace is over', async t => {
  const user = await node.signedUp();
  const expiresAt = new Date(node.clock.now() + 86_400_000).toISOString();
  const old = await made(user, { expiresAt });
  const before = node.clock.now();
  const { status, body } = await rotate(user.client, old.id, { gracePeriodSeconds: 60 });
  t.equal(status, 200);
  t.ok(Value.Check(RotatedApiKey, body));
  const newKey = body['newKey'] as Record<string, unknown>;
  t.match(newKey, { name: 'a key', environment: 'test', scopes: ['threads:read', 'audit:read'], expiresAt });
  t.not(newKey['apiKeyId'], old.id);
  t.equal(body['previousKeyId'], old.id);
  const graceMs = Date.parse(String(body['rotationGraceExpiresAt'])) - before;
  t.ok(graceMs >= 60_000 && graceMs < 90_000, String(graceMs));

  t.match(await present(String(newKey['secret'])), { apiKeyId: newKey['apiKeyId'] });
  t.match(await present(old.secret), { apiKeyId: old.id });
  t.match(await getKeys(user), [{ status: 'active' }, { apiKeyId: old.id, status: 'rotating' }]);

  node.clock.shift(90_000);
  await t.rejects(present(old.secret), refused);
  t.ok(await present(String(newKey['secret'])));
  const [, ended] = await getKeys(user);
  t.match(ended, { status: 'revoked', revokedAt: body['rotationGraceExpiresAt'] });
});

t.test('five minutes of grace unless the request says, at most a day, none revokes at once', async t => {
  const user = await node.signedUp();
  const first = await made(user);
  const before = node.clock.now();
  const { body } = await rotate(user.client, first.id);
  const graceMs = Date.parse(String(body['rotationGraceExpiresAt'])) - before;
  t.ok(graceMs >= 300_000 && graceMs < 330_000, String(graceMs));

  const second = await made(user);
  for (const gracePeriodSeconds of [-1, 86_401, 1.5, '300', null]) {
    t.equal((await rotate(user.client, second.id, { gracePeriodSeconds })).status, 422);
  }
  t.equal(
    (await user.client.call('POST', `/api-keys/${second.id}/rotate`)).status,
    400,
    'a body is required',
  );
  t.ok(await present(second.secret));
  t.match(await rotate(user.client, second.id, { gracePeriodSeconds: 0 }), {
    status: 200,
    body: { rotationGraceExpiresAt: null },
  });
  await t.rejects(present(second.secret), refused);

  const third = await made(user);
  t.equal((await rotate(user.client, third.id, { gracePeriodSeconds: 86_400 })).status, 200);
});

t.test('a key is rotated once, however many ask at once', async t => {
  const user = await node.signedUp();
  const { id } = await made(user);
  const replies = await Promise.all(Array.from({ length: 5 }, () => rotate(user.client, id)));
  t.same(replies.map(reply => reply.status).sort(), [200, 404, 404, 404, 404]);
  t.equal((await getKeys(user)).length, 2);
});

t.test('a rotating, revoked or expired key cannot be rotated', async t => {
  const user = await node.signedUp();
  const rotating = await made(user);
  await rotate(user.client, rotating.id);
  t.match(await rotate(user.client, rotating.id), absent);

  const revoked = await made(user);
  await user.client.call('DELETE', `/api-keys/${revoked.id}`);
  t.match(await rotate(user.client, revoked.id), absent);

  const expired = await made(user, { expiresAt: new Date(node.clock.now() + 5_000).toISOString() });
  node.clock.shift(5_000);
  t.match(await rotate(user.client, expired.id), absent);
});

t.test('a key that has been rotated is revoked before its grace is over, by a user', async t => {
  const user = await node.signedUp();
  const old = await made(user);
  await rotate(user.client, old.id);
  t.equal((await user.client.call('DELETE', `/api-keys/${old.id}`)).status, 204);
  await t.rejects(present(old.secret), refused);
});

t.test('strangers find nothing to rotate, and a live key wants a verified address', async t => {
  const user = await node.signedUp();
  const { id } = await made(user);
  const outsider = await node.signedUp();
  t.match(await rotate(outsider.client, id), absent);
  t.match(await rotate(user.client, 'key_00000000000000000000000000'), absent);

  await node.verify(user.email);
  const { projectId } = user;
  await user.client.call('POST', '/environments', { body: { projectId, name: 'Live' } });
  const live = await made(user, { environment: 'live' });
  await db.query('update users set email_verified_at = null where user_id = $1', [user.userId]);
  node.authenticator.forgetUser(user.userId);
  t.match(await rotate(user.client, live.id), absent, 'its list of statuses has no 403');
  await db.query('update users set email_verified_at = now() where user_id = $1', [user.userId]);
  node.authenticator.forgetUser(user.userId);
  t.match(await rotate(user.client, live.id), { status: 200, body: { newKey: { environment: 'live' } } });
  await db.query('update users set email_verified_at = null where user_id = $1', [user.userId]);
  node.authenticator.forgetUser(user.userId);
  t.equal((await user.client.call('DELETE', `/api-keys/${live.id}`)).status, 204, 'but anybody’s to revoke');
});

t.test('an Idempotency-Key rotates once, and shows the secret again', async t => {
  const user = await node.signedUp();
  const { id } = await made(user);
  const headers = { 'idempotency-key': 'rotate-it-once' };
  const one = await rotate(user.client, id, {}, headers);
  const two = await rotate(user.client, id, {}, headers);
  t.equal(one.status, 200);
  t.same(two.body, one.body);
  t.equal((await getKeys(user)).length, 2);
});

t.test('an Idempotency-Key means one thing for test keys and another for live ones', async t => {
  const user = await node.signedUp();
  await node.verify(user.email);
  const { projectId } = user;
  await user.client.call('POST', '/environments', { body: { projectId, name: 'Live' } });
  const headers = { 'idempotency-key': 'all-of-them' };
  for (const environment of ['test', 'live']) {
    const { id } = await made(user, { environment });
    const one = await rotate(user.client, id, {}, headers);
    t.match(one, { status: 200, body: { newKey: { environment } } });
    t.same((await rotate(user.client, id, {}, headers)).body, one.body);
  }
});

t.test('a removed member does not get a rotated secret from a kept answer', async t => {
  const owner = await node.signedUp();
  const { projectId, workspaceId } = owner;
  const guest = await node.signedUp();
  const { userId } = guest;
  const stamps = { createdAt: new Date(), updatedAt: new Date() };
  await db.em().insert(WorkspaceMember, { workspaceId, userId, role: 'admin', ...stamps });
  const { id } = await made({ ...guest, projectId });
  const headers = { 'Idempotency-Key': 'kept' };
  const first = await rotate(guest.client, id, {}, headers);
  t.equal(first.status, 200);
  t.same((await rotate(guest.client, id, {}, headers)).body, first.body);
  const removed = await owner.client.call('DELETE', `/workspaces/${workspaceId}/members/${userId}`);
  t.equal(removed.status, 204);
  t.match(await rotate(guest.client, id, {}, headers), absent);
});
