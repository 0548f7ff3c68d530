import t from 'tap';
import { Value } from 'typebox/value';
import { AuditLog } from '../../../protocol/resources/audit.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode, type Client } from '../auth/auth-fixture.ts';
import { absent, denied, membership, newAddress, password, type User } from './membership-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const { invited, accept, joined } = membership(node, db);

const logs = (client: Client, query: string) => client.call('GET', `/audit-logs?${query}`);

/** What a workspace's log has, oldest first. */
async function acts({ client, workspaceId }: User, query = ''): Promise<AuditLog[]> {
  const { status, body } = await logs(client, `workspaceId=${workspaceId}&limit=100${query}`);
  if (status !== 200) throw new Error(`the log answered ${status}`);
  return (body['data'] as AuditLog[]).reverse();
}

const actions = async (user: User, query = '') => (await acts(user, query)).map(act => act.action);

async function getKey({ client, projectId }: User, changes: Record<string, unknown> = {}) {
  const body = { projectId, name: 'a key', environment: 'test', scopes: ['audit:read'], ...changes };
  const reply = await client.call('POST', '/api-keys', { body });
  const byKey = node.client();
  byKey.token = String(reply.body['secret']);
  return { apiKeyId: String(reply.body['apiKeyId']), byKey, requestId: reply.headers.get('x-request-id') };
}

async function withProduction(user: User): Promise<string> {
  await node.verify(user.email);
  const { projectId } = user;
  const { body } = await user.client.call('POST', '/environments', { body: { projectId, name: 'Live' } });
  return String(body['environmentId']);
}

t.test('an act is told with its actor, target, address and request', async t => {
  const user = await node.signedUp();
  const { apiKeyId, requestId } = await getKey(user);
  const { workspaceId, projectId, userId } = user;
  const act = (await acts(user)).at(-1);
  t.ok(Value.Check(AuditLog, act));
  t.match(act, {
    workspaceId,
    projectId,
    action: 'api_key.created',
    targetId: apiKeyId,
    requestId,
    environmentId: /^env_/,
    actor: { type: 'user', id: userId },
    address: '127.0.0.1',
    details: { name: 'a key', environment: 'test', scopes: ['audit:read'], expiresAt: null },
  });
  t.match(requestId, /^req_/);
});

t.test('sign-up, verification, sessions and passwords', async t => {
  const user = await node.signedUp();
  t.same((await actions(user)).sort(), ['session.opened', 'user.created', 'workspace.created']);
  await node.verify(user.email);
  await user.client.call('POST', '/studio/auth/logout');
  await user.client.call('POST', '/studio/auth/login', {
    body: { email: user.email, password: 'correct horse battery' },
  });
  await user.client.call('POST', '/studio/auth/forgot-password', { body: { email: user.email } });
  const token = await node.tokenTo(user.email, 'reset');
  await node.client().call('POST', '/studio/auth/reset-password', { body: { token, password } });
  await user.client.call('POST', '/studio/auth/login', { body: { email: user.email, password } });
  const all = await actions(user);
  t.same(all.slice(3, 6), ['user.email_verified', 'session.closed', 'session.opened']);
  // Of one transaction.
  t.same(all.slice(6, 8).sort(), ['session.closed', 'user.password_reset']);
  t.same(all.slice(8), ['session.opened']);
  t.match(
    (await acts(user, '&action=session.closed')).at(-1),
    { targetId: user.userId, details: { sessions: 1 } },
    'the reset has ended the session',
  );
});

t.test('a failed login is told of, by nobody in particular', async t => {
  const user = await node.signedUp();
  const { email, userId } = user;
  const fail = { body: { email, password: 'not this one' } };
  for (let i = 0; i < 2; i++) {
    t.equal((await node.client().call('POST', '/studio/auth/login', fail)).status, 401);
  }
  const found = await acts(user, '&action=user.login_failed');
  t.equal(found.length, 2);
  t.match(found[0], {
    actor: { type: 'system', id: 'system' },
    targetId: userId,
    details: { step: 'password' },
    requestId: /^req_/,
    address: null,
  });
  t.notOk(JSON.stringify(found).includes('not this one'));
});

t.test('where members were when they signed in is not told to their workspaces', async t => {
  const owner = await node.signedUp();
  const admin = await joined(owner, 'admin');
  const headers = { 'user-agent': 'A browser of its own' };
  const body = { email: admin.email, password };
  const { status } = await node.client().call('POST', '/studio/auth/login', { headers, body });
  t.equal(status, 200);
  await admin.client.call('POST', '/projects', {
    body: { workspaceId: owner.workspaceId, name: 'Of the admin' },
  });
  const all = await acts(owner);
  const ofAccounts = all.filter(({ action }) => /^(user|session)[.]/.test(action));
  t.ok(ofAccounts.some(({ actor }) => actor.id === admin.userId));
  for (const { action, address } of ofAccounts) t.equal(address, null, action);
  t.notOk(JSON.stringify(all).includes('A browser of its own'));
  const made = all.find(({ action, actor }) => action === 'project.created' && actor.id === admin.userId);
  t.equal(made?.address, '127.0.0.1', 'an act in the workspace has it');
});

t.test('a reused refresh token', async t => {
  const user = await node.signedUp();
  const cookie = user.client.cookie ?? '';
  const refresh = (client: Client) => client.call('POST', '/studio/auth/refresh');
  await refresh(user.client);
  await refresh(user.client);
  const thief = node.client();
  thief.cookie = cookie;
  t.equal((await refresh(thief)).status, 401);
  await user.client.call('POST', '/studio/auth/login', {
    body: { email: user.email, password: 'correct horse battery' },
  });
  t.ok((await actions(user)).includes('session.reuse_detected'));
});

t.test('projects, environments, keys, partner apps', async t => {
  const user = await node.signedUp();
  const { client, workspaceId } = user;
  await client.call('POST', '/projects', { body: { workspaceId, name: 'Second' } });
  await withProduction(user);
  const { apiKeyId } = await getKey(user);
  await client.call('POST', `/api-keys/${apiKeyId}/rotate`, { body: { gracePeriodSeconds: 0 } });
  const second = await getKey(user);
  await client.call('DELETE', `/api-keys/${second.apiKeyId}`);
  await client.call('DELETE', `/api-keys/${second.apiKeyId}`);
  const appSecret = 'a very secret secret';
  const { body } = await client.call('POST', '/meta-apps', {
    body: { workspaceId, name: 'app', appId: '1', appSecret },
  });
  const app = `/meta-apps/${String(body['partnerAppCredentialId'])}`;
  await client.call('POST', `${app}/rotate-secret`, { body: { appSecret: 'another secret' } });
  await client.call('DELETE', app);
  t.same((await actions(user)).slice(3), [
    ...['project.created', 'user.email_verified', 'environment.created'],
    ...['api_key.created', 'api_key.rotated', 'api_key.created', 'api_key.revoked'],
    ...['partner_app.created', 'partner_app.secret_rotated', 'partner_app.revoked'],
  ]);
  t.notOk(JSON.stringify(await acts(user)).includes('secret secret'));
});

t.test('invitations and members', async t => {
  const owner = await node.signedUp();
  const { client, workspaceId, projectId } = owner;
  const email = newAddress();
  const token = await invited(owner, email);
  const guest = node.client();
  await accept(guest, token, password);
  const { body: me } = await guest.call('GET', '/studio/me');
  const userId = String(me['userId']);
  const member = `/workspaces/${workspaceId}/members/${userId}`;
  await client.call('PATCH', member, { body: { role: 'viewer' } });
  await client.call('PATCH', member, { body: { role: 'viewer' } });
  await client.call('DELETE', member);
  await invited(owner, newAddress());
  const { body: list } = await client.call('GET', `/workspaces/${workspaceId}/invitations`);
  const [open] = list['data'] as { invitationId: string }[];
  await client.call('DELETE', `/workspaces/${workspaceId}/invitations/${open?.invitationId ?? ''}`);

  const all = (await acts(owner)).slice(4);
  t.same(
    all.map(act => act.action).sort(),
    [
      ...['invitation.created', 'invitation.accepted', 'console_member.upserted', 'user.created'],
      ...['session.opened', 'member.role_changed', 'member.removed', 'console_member.removed'],
      ...['invitation.created', 'invitation.revoked'],
    ].sort(),
  );
  t.match(
    all.find(act => act.action === 'member.role_changed'),
    { targetId: userId, projectId: null, details: { role: 'viewer', previousRole: 'admin' } },
  );
  t.match(
    all.find(act => act.action === 'console_member.removed'),
    { targetId: userId, projectId, actor: { id: owner.userId } },
  );
});

t.test('a refused action is not in the audit log', async t => {
  const owner = await node.signedUp();
  const viewer = await joined(owner, 'viewer');
  const before = await actions(owner);
  const { projectId, workspaceId } = owner;
  const live = { projectId, name: 'k', environment: 'live', scopes: ['*'] };
  t.equal((await owner.client.call('POST', '/api-keys', { body: live })).status, 403);
  t.equal((await viewer.client.call('POST', '/api-keys', { body: live })).status, 403);
  const project = { body: { workspaceId, name: 'no' } };
  t.equal((await viewer.client.call('POST', '/projects', project)).status, 403);
  t.same(await actions(owner), before);
});

t.test('filters, and pages that fit together', async t => {
  const user = await node.signedUp();
  const keys = [await getKey(user), await getKey(user), await getKey(user)];
  const created = '&action=api_key.created';
  t.equal((await acts(user, created)).length, 3);
  t.equal((await acts(user, `&targetId=${keys[1]?.apiKeyId ?? ''}`)).length, 1);
  t.equal((await acts(user, `&actorId=${user.userId}`)).length, 6);
  t.same(await acts(user, '&actorId=usr_nobody'), []);
  const { createdAt = '' } = (await acts(user, created))[0] ?? {};
  t.equal((await acts(user, `${created}&since=${createdAt}`)).length, 3);
  t.equal((await acts(user, `&until=${createdAt}`)).length, 3);

  const seen: string[] = [];
  let cursor = '';
  do {
    const query = `workspaceId=${user.workspaceId}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { body } = await logs(user.client, query);
    seen.push(...(body['data'] as AuditLog[]).map(act => act.auditLogId));
    cursor = String(body['nextCursor'] ?? '');
  } while (cursor !== '');
  t.same(
    seen.reverse(),
    (await acts(user)).map(act => act.auditLogId),
  );

  const { body } = await logs(user.client, `workspaceId=${user.workspaceId}&limit=2`);
  const other = `workspaceId=${user.workspaceId}${created}&cursor=${String(body['nextCursor'])}`;
  t.equal((await logs(user.client, other)).status, 400, 'a cursor is good for its filters');
});

t.test('a workspace or a project is named, not both, not neither', async t => {
  const { client, workspaceId, projectId } = await node.signedUp();
  t.equal((await logs(client, '')).status, 422);
  t.equal((await logs(client, `workspaceId=${workspaceId}&projectId=${projectId}`)).status, 422);
  t.equal((await logs(client, `projectId=${projectId}`)).status, 200);
  t.equal((await logs(client, `projectId=${projectId}&action=api_key.flown`)).status, 422);
  t.equal((await logs(client, `projectId=${projectId}&since=yesterday`)).status, 422);
});

t.test('the log is for admins; outsiders get 404', async t => {
  const owner = await node.signedUp();
  const { workspaceId, projectId } = owner;
  const admin = await joined(owner, 'admin');
  t.equal((await logs(admin.client, `projectId=${projectId}`)).status, 200);
  const viewer = await joined(owner, 'viewer');
  const outsider = await node.signedUp();
  for (const query of [`workspaceId=${workspaceId}`, `projectId=${projectId}`]) {
    t.match(await logs(viewer.client, query), denied);
    t.match(await logs(outsider.client, query), absent);
  }
});

t.test('a key reads what was done in its project, in its environment or in none', async t => {
  const user = await node.signedUp();
  const { workspaceId, client } = user;
  const production = await withProduction(user);
  await client.call('POST', '/projects', { body: { workspaceId, name: 'Another' } });
  const { byKey } = await getKey(user);
  const live = await getKey(user, { environment: 'live' });
  const seen = async (of: Client) => {
    const { body } = await logs(of, 'limit=100');
    return (body['data'] as AuditLog[]).map(act => [act.action, act.environmentId === production]);
  };
  t.same(await seen(byKey), [['api_key.created', false]]);
  t.same(await seen(live.byKey), [
    ['api_key.created', true],
    ['environment.created', true],
  ]);
  t.match(await logs(byKey, `workspaceId=${workspaceId}`), absent);
  t.match(await logs(byKey, `environmentId=${production}`), absent);
  const { byKey: blind } = await getKey(user, { scopes: ['usage:read'] });
  t.match(await logs(blind, ''), denied);
});

t.test('production shows to those whose e-mail is verified', async t => {
  const user = await node.signedUp();
  const production = await withProduction(user);
  const { client, workspaceId, projectId } = user;
  const shows = async (query: string) => {
    const { body } = await logs(client, `${query}&limit=100`);
    return (body['data'] as AuditLog[]).some(act => act.environmentId === production);
  };
  t.ok(await shows(`workspaceId=${workspaceId}`));
  t.ok(await shows(`projectId=${projectId}`));
  t.ok(await shows(`projectId=${projectId}&environmentId=${production}`));
  await db.query('update users set email_verified_at = null where user_id = $1', [user.userId]);
  node.authenticator.forgetUser(user.userId);
  t.notOk(await shows(`workspaceId=${workspaceId}`));
  t.notOk(await shows(`projectId=${projectId}`));
  t.match(await logs(client, `projectId=${projectId}&environmentId=${production}`), {
    status: 403,
    body: { error: 'svc/auth/email_not_verified' },
  });
});
