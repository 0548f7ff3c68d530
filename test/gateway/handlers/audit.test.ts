/** The audit log: which acts it has, and who sees which of them. */
import t from 'tap';
import { shareSkein } from '../../support/skein.ts';
import {
  absent,
  createPeople,
  denied,
  type Json,
  newAddress,
  otherPassword,
  password,
  type Person,
} from './people.ts';

const skein = await shareSkein(t);
const { database } = skein;
const { browser, signUp, verify, verified, mailedToken, join, invited, accept, acts } = createPeople(skein);

const actions = async (of: Person): Promise<string[]> => (await acts(of)).map(({ action }) => action);

async function createKey({ browser: by, projectId }: Person, changes: Json = {}) {
  const body = { projectId, name: 'a key', environment: 'test', scopes: ['audit:read'], ...changes };
  const { headers, body: key } = await by.ask<{ apiKeyId: string; secret: string }>('createApiKey', { body });
  return { apiKeyId: key.apiKeyId, key: skein.client(key.secret), requestId: headers['x-request-id'] };
}

async function createProduction({ browser: by, projectId }: Person): Promise<string> {
  const { environmentId } = await by.get<{ environmentId: string }>('createEnvironment', {
    body: { projectId, name: 'Live' },
  });
  return environmentId;
}

t.test('an act has its actor, target, address and request', async t => {
  const person = await signUp();
  const { apiKeyId, requestId } = await createKey(person);
  const { workspaceId, projectId, userId } = person;
  t.match((await acts(person)).at(-1), {
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
});

t.test('acts of an account: sign-up, sessions, password, and a stolen cookie', async t => {
  const person = await signUp();
  const { browser: client, email, userId } = person;
  t.same((await actions(person)).sort(), ['session.opened', 'user.created', 'workspace.created']);
  await verify(person);
  await client.ask('logout');
  await client.logIn(email);
  await client.get('forgotPassword', { body: { email } });
  const token = await mailedToken(email, 'reset');
  await client.get('resetPassword', { body: { token, password: otherPassword } });
  await client.logIn(email, otherPassword);
  const thief = browser();
  thief.cookie = client.cookie;
  for (let i = 0; i < 2; i++) await client.ask('refresh');
  t.equal((await thief.ask('refresh')).status, 401);
  await client.logIn(email, otherPassword);
  const all = await acts(person);
  const names = all.map(({ action }) => action);
  t.same(names.slice(3, 6), ['user.email_verified', 'session.closed', 'session.opened']);
  // Of one transaction.
  t.same(names.slice(6, 8).sort(), ['session.closed', 'user.password_reset']);
  t.same(names.slice(8), ['session.opened', 'session.reuse_detected', 'session.opened']);
  t.match(
    all.findLast(({ action }) => action === 'session.closed'),
    {
      targetId: userId,
      details: { sessions: 1 },
    },
  );
});

t.test('a failed login is an act of the system, without the password', async t => {
  const person = await signUp();
  await browser().logIn(person.email, 'not this one');
  const found = await acts(person, { action: 'user.login_failed' });
  t.match(found, [
    {
      actor: { type: 'system', id: 'system' },
      targetId: person.userId,
      details: { step: 'password' },
      requestId: /^req_/,
      address: null,
    },
  ]);
  t.notMatch(JSON.stringify(found), 'not this one');
});

t.test('the workspace does not learn where its members sign in', async t => {
  const owner = await signUp();
  const admin = await join(owner, 'admin');
  await browser().logIn(admin.email, password, { 'user-agent': 'A browser of its own' });
  await admin.browser.get('createProject', { body: { workspaceId: owner.workspaceId, name: 'Mine' } });
  const all = await acts(owner);
  const ofAccounts = all.filter(({ action }) => /^(user|session)[.]/.test(action));
  t.ok(ofAccounts.some(({ actor }) => (actor as Json)['id'] === admin.userId));
  for (const { action, address } of ofAccounts) t.equal(address, null, action);
  t.notMatch(JSON.stringify(all), 'A browser of its own');
  t.equal(all.find(({ action }) => action === 'project.created')?.['address'], '127.0.0.1');
});

t.test('acts on projects, keys, partner apps, invitations and members, once each', async t => {
  const owner = await verified();
  const { browser: by, workspaceId } = owner;
  await by.get('createProject', { body: { workspaceId, name: 'Second' } });
  await createProduction(owner);
  const { apiKeyId } = await createKey(owner);
  await by.get('rotateApiKey', { params: { apiKeyId }, body: { gracePeriodSeconds: 0 } });
  const second = await createKey(owner);
  for (let i = 0; i < 2; i++) await by.get('revokeApiKey', { params: { apiKeyId: second.apiKeyId } });
  const app = { workspaceId, name: 'app', appId: '1', appSecret: 'a very secret secret' };
  const made = await by.get<{ partnerAppCredentialId: string }>('createPartnerApp', { body: app });
  const params = { metaAppCredentialId: made.partnerAppCredentialId };
  await by.get('rotatePartnerAppSecret', { params, body: { appSecret: 'another secret' } });
  await by.get('revokePartnerApp', { params });
  t.same((await actions(owner)).slice(4), [
    ...['project.created', 'environment.created'],
    ...['api_key.created', 'api_key.rotated', 'api_key.created', 'api_key.revoked'],
    ...['partner_app.created', 'partner_app.secret_rotated', 'partner_app.revoked'],
  ]);
  t.notMatch(JSON.stringify(await acts(owner)), 'secret secret');

  const count = (await acts(owner)).length;
  const guest = browser();
  await accept(guest, await invited(owner, newAddress()), password);
  const { userId } = await guest.get<{ userId: string }>('me');
  const member = { params: { workspaceId, userId } };
  for (let i = 0; i < 2; i++) await by.get('updateMember', { ...member, body: { role: 'viewer' } });
  await by.get('removeMember', member);
  await invited(owner, newAddress());
  const [open] = await by.list<{ invitationId: string }>('listInvitations', { params: { workspaceId } });
  const revoked = { workspaceId, invitationId: open?.invitationId ?? '' };
  await by.get('revokeInvitation', { params: revoked });
  const all = (await acts(owner)).slice(count);
  t.same(
    all.map(({ action }) => action).sort(),
    [
      ...['invitation.created', 'invitation.accepted', 'user.created', 'session.opened'],
      ...Array.from({ length: 4 }, (_, n) => `console_member.${n < 2 ? 'upserted' : 'removed'}`),
      ...['member.role_changed', 'member.removed', 'invitation.created', 'invitation.revoked'],
    ].sort(),
  );
  t.match(
    all.find(({ action }) => action === 'member.role_changed'),
    { targetId: userId, projectId: null, details: { role: 'viewer', previousRole: 'admin' } },
  );
});

t.test('a refused act is not recorded', async t => {
  const owner = await signUp();
  const { workspaceId, projectId } = owner;
  const viewer = await join(owner, 'viewer');
  const before = await actions(owner);
  const body = { projectId, name: 'k', environment: 'live', scopes: ['*'] };
  for (const { browser: by } of [owner, viewer])
    t.equal((await by.ask('createApiKey', { body })).status, 403);
  const project = { body: { workspaceId, name: 'no' } };
  t.match(await viewer.browser.ask('createProject', project), denied);
  t.same(await actions(owner), before);
});

t.test('filters narrow the list, and a cursor fits its filters only', async t => {
  const person = await signUp();
  const { browser: client, workspaceId, projectId, userId } = person;
  const keys = [await createKey(person), await createKey(person), await createKey(person)];
  const action = 'api_key.created';
  const created = await acts(person, { action });
  t.equal(created.length, 3);
  t.equal((await acts(person, { targetId: keys[1]?.apiKeyId ?? '' })).length, 1);
  t.equal((await acts(person, { actorId: userId })).length, 6);
  t.same(await acts(person, { actorId: 'usr_nobody' }), []);
  const at = String(created[0]?.['createdAt']);
  t.equal((await acts(person, { action, since: at })).length, 3);
  t.equal((await acts(person, { until: at })).length, 3);
  const first = await client.get<{ nextCursor: string }>('listAuditLogs', {
    query: { workspaceId, limit: 2 },
  });
  const query = { workspaceId, action, cursor: first.nextCursor };
  t.equal((await client.ask('listAuditLogs', { query })).status, 400);
  for (const named of [{}, { workspaceId, projectId }])
    t.equal((await client.ask('listAuditLogs', { query: named })).status, 422, 'one of the two is named');
});

t.test('a key sees its project outside of other environments, and no workspace', async t => {
  const person = await verified();
  const { workspaceId, projectId } = person;
  const production = await createProduction(person);
  await person.browser.get('createProject', { body: { workspaceId, name: 'Another' } });
  const [test, live] = [await createKey(person), await createKey(person, { environment: 'live' })];
  const list = async ({ key }: typeof test) =>
    (await key.get<{ data: Json[] }>('listAuditLogs', { query: { projectId } })).data.map(act => [
      act['action'],
      act['environmentId'] === production,
    ]);
  t.same(await list(test), [['api_key.created', false]]);
  t.same(await list(live), [
    ['api_key.created', true],
    ['environment.created', true],
  ]);
  for (const query of [{ workspaceId }, { environmentId: production }])
    t.match(await test.key.ask('listAuditLogs', { query }), absent);
});

t.test('production shows to people with a verified address', async t => {
  const person = await verified();
  const production = await createProduction(person);
  const { workspaceId, projectId } = person;
  const shows = async (query: Readonly<Record<string, string>>) =>
    (await person.browser.list('listAuditLogs', { query })).some(
      ({ environmentId }) => environmentId === production,
    );
  const named = { projectId, environmentId: production };
  for (const query of [{ workspaceId }, { projectId }, named]) t.ok(await shows(query));
  await database.query('update users set email_verified_at = null where user_id = $1', [person.userId]);
  // The node caches what it knows of the older session.
  await person.browser.logIn(person.email);
  for (const query of [{ workspaceId }, { projectId }]) t.notOk(await shows(query));
  t.match(await person.browser.ask('listAuditLogs', { query: named }), {
    status: 403,
    body: { error: 'svc/auth/email_not_verified' },
  });
});
