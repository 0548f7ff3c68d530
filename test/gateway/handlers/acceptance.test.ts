/** Accepting an invitation over HTTP, in each of its cases. */
import t from 'tap';
import { Value } from 'typebox/value';
import { eventTypes } from '../../../protocol/events.ts';
import { TokenResponse } from '../../../protocol/resources/studio.ts';
import { newId } from '../../../protocol/ids.ts';
import { ConsoleMember, Environment } from '../../../storage/entities/tenancy.ts';
import { invitationMs } from '../../../storage/tenancy/invitations.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode } from '../auth/auth-fixture.ts';
import { absent, denied, membership, newAddress, password, type User } from './membership-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const { invite, invited, accept, joined, events } = membership(node, db);
const loginRequired = { status: 401, body: { error: 'svc/auth/login_required' } };

const getMembers = async ({ client, workspaceId }: User) =>
  (await client.call('GET', `/workspaces/${workspaceId}/members`)).body['data'] as Record<string, unknown>[];

t.test('an address without an account gets one, and is in at once', async t => {
  const owner = await node.signedUp();
  const email = newAddress();
  const token = await invited(owner, email, { studioRole: 'viewer', consoleRole: 'agent' });
  const guest = node.client();
  const reply = await accept(guest, token, password);
  t.equal(reply.status, 200);
  t.ok(Value.Check(TokenResponse, reply.body));
  t.match(reply.headers.getSetCookie(), [/^svc_refresh=[\w-]{22}\.[\w-]{43}; .*HttpOnly/]);

  const { body: me } = await guest.call('GET', '/studio/me');
  const { workspaceId, projectId } = owner;
  t.match(me, { email, workspaceId, workspaceRole: 'viewer', projectId, projectRole: 'viewer' });
  t.equal(me['emailVerified'], true, 'the mailed token proves the address');
  const access = await node.access.project(String(me['userId']), projectId);
  t.match(access, { studioRole: 'viewer', consoleRole: 'agent' });
  t.equal((await guest.call('POST', '/studio/auth/refresh')).status, 200);
  const login = { body: { email: email.toUpperCase(), password } };
  t.equal((await node.client().call('POST', '/studio/auth/login', login)).status, 200);

  const [, joinedEvent, accepted, ...none] = await events(owner);
  t.same(none, []);
  t.equal(joinedEvent?.eventName, 'project.member.upserted');
  t.ok(Value.Check(eventTypes['project.member.upserted'].data, joinedEvent?.data));
  t.match(joinedEvent?.data, { member: { userId: me['userId'], projectId, role: 'agent' } });
  t.equal(accepted?.eventName, 'workspace.invitation.accepted');
  t.ok(Value.Check(eventTypes['workspace.invitation.accepted'].data, accepted?.data));
  t.match(accepted?.data, {
    actor: { type: 'user', id: me['userId'] },
    invitation: { email, acceptedAt: /^20/ },
  });
});

t.test('each environment of the project gets the events, and the audit log one act', async t => {
  const owner = await node.signedUp();
  const { projectId, workspaceId } = owner;
  const at = new Date();
  const environmentId = newId('environment');
  await db.em().insert(Environment, {
    environmentId,
    projectId,
    name: 'Production',
    kind: 'production',
    createdAt: at,
    updatedAt: at,
  });
  const token = await invited(owner, newAddress());
  t.equal((await accept(node.client(), token, password)).status, 200);
  const told = await events(owner);
  t.same(
    told.map(({ eventName }) => eventName),
    [
      'workspace.invitation.created',
      'workspace.invitation.created',
      'project.member.upserted',
      'project.member.upserted',
      'workspace.invitation.accepted',
      'workspace.invitation.accepted',
    ],
  );
  for (const pair of [told.slice(0, 2), told.slice(2, 4), told.slice(4)]) {
    const [first, second] = pair.map(({ data }) => data['environmentId']);
    t.not(first, environmentId, 'the sandbox first');
    t.equal(second, environmentId);
  }
  const [acts] = await db.query<{ count: number }>(
    `select count(*)::int as count from audit_logs where action = 'console_member.upserted' and workspace_id = $1`,
    [workspaceId],
  );
  t.equal(acts?.count, 1);
});

t.test('without an account a password is needed, and a good one', async t => {
  const owner = await node.signedUp();
  const token = await invited(owner, newAddress());
  t.match(await accept(node.client(), token), {
    status: 422,
    body: { error: 'svc/validation/invalid_request', details: { issues: [{ path: '/body/password' }] } },
  });
  for (const bad of ['1234567', 'x'.repeat(257), 'nul \u0000 nul', '\u{1F600}'.repeat(257)]) {
    t.match(await accept(node.client(), token, bad), {
      status: 422,
      body: { error: 'svc/validation/invalid_request' },
    });
  }
  t.equal((await accept(node.client(), token, '\u{1F600}'.repeat(256))).status, 200);
});

t.test('an account accepts with its session', async t => {
  const owner = await node.signedUp();
  const guest = await node.signedUp();
  const token = await invited(owner, guest.email.replace('user', 'USER'));
  const cookie = guest.client.cookie;
  t.equal((await accept(guest.client, token)).status, 200);
  t.not(guest.client.cookie, cookie, 'a session of its own');
  const workspaces = await guest.client.call('GET', '/workspaces');
  t.equal((workspaces.body['data'] as unknown[]).length, 2);
  t.match((await guest.client.call('GET', '/studio/me')).body, { emailVerified: true });
});

t.test('a session that another one opened ends no later than that one', async t => {
  const owner = await node.signedUp();
  const guest = await node.signedUp();
  const hour = 3_600_000;
  const end = new Date(node.clock.now() + hour);
  await db.query('update sessions set expires_at = $1 where user_id = $2', [end, guest.userId]);
  const reply = await accept(guest.client, await invited(owner, guest.email));
  t.equal(reply.status, 200);
  const maxAge = Number(/Max-Age=(\d+)/.exec(reply.headers.getSetCookie()[0] ?? '')?.[1]);
  t.ok(maxAge > 0 && maxAge <= hour / 1_000, 'so does its cookie');
  const getNewest = async () => {
    const [row] = await db.query<{ expiresAt: Date; idleExpiresAt: Date }>(
      `select expires_at as "expiresAt", idle_expires_at as "idleExpiresAt" from sessions
       where user_id = $1 and revoked_at is null order by session_id desc limit 1`,
      [guest.userId],
    );
    return row;
  };
  t.same(await getNewest(), { expiresAt: end, idleExpiresAt: end });
  t.equal((await guest.client.call('POST', '/studio/auth/refresh')).status, 200);
  t.same(await getNewest(), { expiresAt: end, idleExpiresAt: end }, 'and a use does not make it longer');

  // The password proves as much as it does at a login.
  const again = await invited(await node.signedUp(), guest.email);
  t.equal((await accept(node.client(), again, password)).status, 200);
  t.ok(Number((await getNewest())?.expiresAt) > end.getTime() + 29 * 24 * hour);
});

t.test('an account accepts with its password', async t => {
  const owner = await node.signedUp();
  const guest = await node.signedUp();
  const token = await invited(owner, guest.email);
  t.match(await accept(node.client(), token), loginRequired);
  t.match(await accept(node.client(), token, `${password}!`), loginRequired);
  const client = node.client();
  t.equal((await accept(client, token, password)).status, 200);
  t.match((await client.call('GET', '/studio/me')).body, { userId: guest.userId });
});

t.test('an ended session proves nothing', async t => {
  const owner = await node.signedUp();
  const guest = await node.signedUp();
  const token = await invited(owner, guest.email);
  const { token: accessToken } = guest.client;
  await guest.client.call('POST', '/studio/auth/logout');
  guest.client.token = accessToken;
  t.match(await accept(guest.client, token), loginRequired);
  for (const rubbish of ['rubbish', 'svc_test_rubbish']) {
    guest.client.token = rubbish;
    t.match(await accept(guest.client, token), loginRequired);
  }
  const proof = { sessionId: 'ses_00000000000000000000000000' };
  const from = { requestId: 'req_late', address: '192.0.2.1', userAgent: 'late' };
  await t.rejects(node.acceptance.join(token, guest.userId, proof, from, Date.now()), {
    code: 'svc/auth/login_required',
  });
});

t.test('another account’s session alone does not do, whether the invited has an account or not', async t => {
  const owner = await node.signedUp();
  const other = await node.signedUp();
  const guest = await node.signedUp();
  for (const email of [guest.email, newAddress()]) {
    const token = await invited(owner, email);
    t.match(await accept(other.client, token), denied);
    t.match(await accept(owner.client, token), denied);
    const { client } = await node.signedUp();
    t.equal((await accept(client, token, password)).status, 200, 'the password is the invited one’s');
    t.match((await client.call('GET', '/studio/me')).body, { email });
  }
  t.equal((await getMembers(owner)).length, 3);
});

t.test('unknown, used and expired tokens', async t => {
  const owner = await node.signedUp();
  const email = newAddress();
  const token = await invited(owner, email);
  for (const rubbish of [
    'x',
    token.slice(1),
    `${token}x`,
    '\u2028',
    await node.tokenTo((await node.signedUp()).email, 'verify'),
  ]) {
    t.match(await accept(node.client(), rubbish, password), absent);
  }
  for (const bad of ['', 'x'.repeat(513)]) t.equal((await accept(node.client(), bad, password)).status, 422);
  t.equal((await accept(node.client(), token, password)).status, 200);
  t.match(await accept(node.client(), token, password), absent, 'used');

  const late = newAddress();
  const start = node.clock.now();
  const lateToken = await invited(owner, late);
  const from = { requestId: 'req_late', address: '192.0.2.1', userAgent: 'late' };
  const [row] = await db.query<{ expiresAt: Date }>(
    'select expires_at as "expiresAt" from invitations where email = $1',
    [late],
  );
  const end = row?.expiresAt.getTime() ?? 0;
  t.ok(end >= start + invitationMs);
  const expired = { code: 'svc/auth/expired_token' };
  await t.rejects(node.acceptance.invited(lateToken, end), expired);
  await t.rejects(node.acceptance.signUp(lateToken, 'hash', from, end), expired);
  t.match(await node.acceptance.invited(lateToken, end - 1), { email: late }, 'to the millisecond');
});

t.test('of one invitation accepted several times at once, once counts', async t => {
  const owner = await node.signedUp();
  const email = newAddress();
  const token = await invited(owner, email);
  const replies = await Promise.all([1, 2, 3, 4].map(() => accept(node.client(), token, password)));
  t.same(replies.map(reply => reply.status).sort(), [200, 404, 404, 404]);

  const guest = await node.signedUp();
  await node.verify(guest.email);
  const again = await invited(owner, guest.email);
  const session = await Promise.all([accept(guest.client, again), accept(node.client(), again, password)]);
  t.same(session.map(reply => reply.status).sort(), [200, 404]);
  t.equal((await getMembers(owner)).length, 3);
});

t.test('a password that proves the address first ends the session that accepts at once', async t => {
  const owner = await node.signedUp();
  const guest = await node.signedUp();
  const token = await invited(owner, guest.email);
  const [session] = await db.query<{ sessionId: string }>(
    'select session_id as "sessionId" from sessions where user_id = $1',
    [guest.userId],
  );
  if (session === undefined) throw new Error('the session is there');
  t.equal((await accept(node.client(), token, password)).status, 200);
  const from = { requestId: 'req_late', address: '192.0.2.1', userAgent: 'late' };
  await t.rejects(node.acceptance.join(token, guest.userId, session, from, Date.now()), {
    code: 'svc/auth/login_required',
  });
});

t.test('invitations of two workspaces to a new address accepted at once: one account, in both', async t => {
  const owners = [await node.signedUp(), await node.signedUp()];
  const email = newAddress();
  const tokens: string[] = [];
  for (const owner of owners) tokens.push(await invited(owner, email));
  const clients = tokens.map(() => node.client());
  const replies = await Promise.all(clients.map((client, i) => accept(client, tokens[i] ?? '', password)));
  t.same(
    replies.map(reply => reply.status),
    [200, 200],
  );
  const ids = await Promise.all(clients.map(async client => (await client.call('GET', '/studio/me')).body));
  t.equal(ids[0]?.['userId'], ids[1]?.['userId']);
  for (const owner of owners) t.equal((await getMembers(owner)).length, 2);
});

t.test('an acceptance and a sign-up of the address at once leave one account', async t => {
  const owner = await node.signedUp();
  const email = newAddress();
  const token = await invited(owner, email);
  const body = { email, password: 'quite another password' };
  const [accepted, signedUp] = await Promise.all([
    accept(node.client(), token, password),
    node.client().call('POST', '/studio/auth/signup', { body }),
  ]);
  if (accepted.status === 200) t.match(signedUp, { status: 409, body: { error: 'svc/auth/email_in_use' } });
  else {
    t.equal(signedUp.status, 200);
    t.match(accepted, loginRequired, 'its password is another');
  }
  const users = await db.query('select 1 from users where email_key = $1', [email]);
  t.equal(users.length, 1);
});

t.test('a password that is changed while it is checked opens nothing', async t => {
  const owner = await node.signedUp();
  const guest = await node.signedUp();
  const token = await invited(owner, guest.email);
  const { account } = await node.acceptance.invited(token, Date.now());
  if (account === undefined) throw new Error('the account is there');
  await node.client().call('POST', '/studio/auth/forgot-password', { body: { email: guest.email } });
  const reset = { token: await node.tokenTo(guest.email, 'reset'), password: 'a new password' };
  await node.client().call('POST', '/studio/auth/reset-password', { body: reset });
  const from = { requestId: 'req_late', address: '192.0.2.1', userAgent: 'late' };
  await t.rejects(node.acceptance.join(token, account.userId, account, from, Date.now()), {
    code: 'svc/auth/login_required',
  });
});

t.test('what the user is already stays', async t => {
  const owner = await node.signedUp();
  const email = newAddress();
  const token = await invited(owner, email, { studioRole: 'viewer', consoleRole: 'viewer' });
  const guest = await node.signedUp();
  const { workspaceId, projectId } = owner;
  const userId = guest.userId;
  // As if they had come by another way between the invitation and its acceptance.
  await db.query('update invitations set email = $1, email_key = $1 where email = $2', [guest.email, email]);
  const stamps = { createdAt: new Date(), updatedAt: new Date() };
  await db.em().insert(ConsoleMember, { projectId, userId, role: 'project_owner', ...stamps });
  await db.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, 'admin', now(), now())`,
    [workspaceId, userId],
  );
  t.equal((await accept(guest.client, token)).status, 200);
  t.match(await node.access.project(userId, projectId), {
    studioRole: 'admin',
    consoleRole: 'project_owner',
  });
});

t.test('the Console of every project of the workspace is open to the guest', async t => {
  const owner = await node.signedUp();
  const { workspaceId, projectId } = owner;
  const made = await owner.client.call('POST', '/projects', { body: { workspaceId, name: 'Second' } });
  const second = String(made.body['projectId']);
  const client = node.client();
  await accept(client, await invited(owner, newAddress(), { consoleRole: 'agent' }), password);
  const { userId } = (await client.call('GET', '/studio/me')).body;
  for (const each of [projectId, second]) {
    t.match(await node.access.project(String(userId), each), { studioRole: 'admin', consoleRole: 'agent' });
  }
  t.match(await events({ projectId: second }), [{ eventName: 'project.member.upserted' }]);
});

t.test('a user without a workspace can join by invitation', async t => {
  const owner = await node.signedUp();
  const guest = await joined(owner, 'viewer');
  await db.query('delete from workspace_members where user_id = $1', [guest.userId]);
  const body = { email: guest.email, password };
  t.match(await guest.client.call('POST', '/studio/auth/login', { body }), {
    status: 403,
    body: { error: 'svc/auth/no_workspace' },
  });
  const token = await invited(owner, guest.email);
  t.equal((await accept(node.client(), token, password)).status, 200);
});

t.test('a closed deployment lets the invited in, a domain list does not', async t => {
  const closed = await startAuthNode(t, db, { policy: { open: false, emailDomains: ['example.com'] } });
  const services = membership(closed, db);
  const session = await closed.newPerson();
  await db.query('update users set email_verified_at = now() where user_id = $1', [session.userId]);
  const client = closed.client();
  client.token = await closed.tokens.issue(session.userId, session.session.sessionId);
  const owner = { ...session, client };
  const email = newAddress();
  const token = await services.invited(owner, email);
  t.equal((await services.accept(closed.client(), token, password)).status, 200);
  const refused = { status: 422, body: { error: 'svc/auth/email_domain_not_allowed' } };
  t.match(await services.invite(owner, 'someone@example.org'), refused);

  // The list may have changed since the invitation was made.
  const later = await services.invited(owner, newAddress());
  await db.query(
    `update invitations set email = 'x@example.org', email_key = 'x@example.org' where accepted_at is null and workspace_id = $1`,
    [owner.workspaceId],
  );
  t.match(await services.accept(closed.client(), later, password), refused);
});

t.test('the invitation is answered, mailed and accepted whatever the name of the workspace', async t => {
  const owner = await node.signedUp();
  const name = 'עברית 👩‍👩‍👧‍👧 \r\nBcc: b@example.com\u202e e\u0301';
  const made = await owner.client.call('POST', '/workspaces', { body: { name } });
  t.equal(made.status, 201);
  const second = { ...owner, workspaceId: String(made.body['workspaceId']) };
  const email = newAddress();
  t.equal((await invite(second, email)).status, 201);
  const mail = await node.mailTo(email);
  t.notMatch(mail.split('\r\n\r\n')[0], /Bcc/, 'which reaches no header');
  t.equal((await accept(node.client(), await node.tokenTo(email, 'join'), password)).status, 200);
});
