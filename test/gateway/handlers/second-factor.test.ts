/** The second factor over HTTP on a real PostgreSQL: set up, sign in, recover, remove, and workspaces that demand it. */
import t from 'tap';
import { findRevokedCredentials, toChangedKey } from '../../../storage/tenancy/credential-check.ts';
import { startTestDatabase } from '../../support/database.ts';
import { auditContext } from '../../support/accounts.ts';
import { showCode } from '../../support/totp.ts';
import { type Client, startAuthNode } from '../auth/auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const password = 'correct horse battery';
const wrongCode = { status: 401, body: { error: 'svc/auth/invalid_code' } };
const wrongPassword = { status: 401, body: { error: 'svc/auth/invalid_credentials' } };
const invalid = { status: 401, body: { error: 'svc/auth/invalid_token' } };
const conflict = { status: 409, body: { error: 'svc/runtime/conflict' } };

const post = (client: Client, path: string, body: unknown) =>
  client.call('POST', `/studio/${path}`, { body });
const logIn = (email: string, client = node.client()) => post(client, 'auth/login', { email, password });

/** What the app shows next: each code works once, so time goes on. */
function nextCode(secret: string): string {
  node.clock.shift(30_000);
  return showCode(secret, node.clock.now());
}

async function verified() {
  const person = await node.signedUp();
  await node.verify(person.email);
  return person;
}

async function withSecondFactor() {
  const person = await verified();
  const { body } = await post(person.client, 'second-factor', { password });
  const secret = String(body['secret']);
  const confirmed = await post(person.client, 'second-factor/confirm', { code: nextCode(secret) });
  t.equal(confirmed.status, 200);
  return { ...person, secret, recoveryCodes: confirmed.body['recoveryCodes'] as readonly string[] };
}

/** Somebody who has signed up with an address that is not theirs, and set one up: earlier versions let them. */
async function withUnprovenFactor() {
  const person = await node.signedUp();
  const { userId } = person;
  const { passwordHash: checkedHash = null } = (await node.accounts.findAccount(userId)) ?? {};
  const { secret } = await node.factors.enrol({ ...auditContext(userId, node.clock.now()), checkedHash });
  const code = nextCode(secret);
  await node.factors.confirm(code, 'ses_none', auditContext(userId, node.clock.now()));
  return { ...person, secret };
}

/** Rows that would ask for a second step. */
async function countFactors(userId: string) {
  const [row] = await db.query(
    `select (select count(*)::int from second_factors where user_id = $1) as apps,
       (select count(*)::int from recovery_codes where user_id = $1) as codes,
       (select count(*)::int from login_challenges where user_id = $1) as challenges`,
    [userId],
  );
  return row;
}

const none = { apps: 0, codes: 0, challenges: 0 };

/** Sets another password by the mailed link. */
async function reset(email: string, newPassword = 'staple of another sort') {
  await post(node.client(), 'auth/forgot-password', { email });
  const token = await node.tokenTo(email, 'reset');
  t.equal((await post(node.client(), 'auth/reset-password', { token, password: newPassword })).status, 200);
  return newPassword;
}

/** The challenge of a login whose password was right. */
async function challenge(email: string): Promise<string> {
  const { status, body } = await logIn(email);
  t.match({ status, body }, { status: 401, body: { error: 'svc/auth/second_factor_required' } });
  return String((body['details'] as Record<string, unknown>)['challenge']);
}

const pass = (named: string, code: string, client = node.client()) =>
  post(client, 'auth/login/second-factor', { challenge: named, code });

t.test('it is set up with the password and a code; before that nothing asks for one', async t => {
  const { client, email } = await verified();
  const elsewhere = node.client();
  await logIn(email, elsewhere);
  t.match(await post(client, 'second-factor', { password: 'wrong' }), wrongPassword);
  t.match(await post(client, 'second-factor/confirm', { code: '000000' }), conflict, 'there is none yet');
  const { body } = await post(client, 'second-factor', { password });
  const secret = String(body['secret']);
  t.match(body['uri'], `otpauth://totp/Skein:${encodeURIComponent(email)}`);
  t.equal((await logIn(email)).status, 200, 'an enrolment alone asks for nothing');
  t.match(await post(client, 'second-factor/confirm', { code: showCode(secret, 0) }), wrongCode);
  t.match((await client.call('GET', '/studio/second-factor')).body, { enabled: false });

  const { status, body: shown } = await post(client, 'second-factor/confirm', { code: nextCode(secret) });
  t.equal(status, 200);
  const codes = shown['recoveryCodes'] as string[];
  t.equal(new Set(codes).size, 10);
  t.match((await client.call('GET', '/studio/second-factor')).body, { enabled: true, recoveryCodesLeft: 10 });
  t.match(await elsewhere.call('GET', '/studio/me'), invalid, 'sessions without it have ended');
  t.equal((await client.call('GET', '/studio/me')).status, 200);
  t.match(await post(client, 'second-factor', { password }), conflict, 'it is not replaced');
  const [row] = await db.query<{ secret: string }>('select secret from second_factors order by created_at');
  t.notMatch(row?.secret, secret, 'it is sealed');
});

t.test('whoever has not proven their address sets none up', async t => {
  const { client, userId } = await node.signedUp();
  const refused = { status: 403, body: { error: 'svc/auth/email_not_verified' } };
  t.match(await post(client, 'second-factor', { password }), refused);
  t.match(await post(client, 'second-factor/confirm', { code: '000000' }), refused);
  t.same(await countFactors(userId), none);
});

t.test('one from before the first proof keeps nobody out of their address', async t => {
  const { email, userId, secret } = await withUnprovenFactor();
  const begun = await challenge(email);
  const newPassword = await reset(email);
  t.same(await countFactors(userId), none);
  t.match(await pass(begun, nextCode(secret)), invalid, 'whoever made it was about to sign in');
  const login = await post(node.client(), 'auth/login', { email, password: newPassword });
  t.equal(login.status, 200, 'with the password alone');
  const acts = await db.query<{ action: string }>(`select action from audit_logs where target_id = $1`, [
    userId,
  ]);
  t.ok(acts.some(({ action }) => action === 'user.second_factor_disabled'));

  const owner = await verified();
  const invited = await withUnprovenFactor();
  await owner.client.call('POST', `/workspaces/${owner.workspaceId}/invitations`, {
    body: { email: invited.email },
  });
  const token = await node.tokenTo(invited.email, 'join');
  t.equal((await post(node.client(), 'auth/accept-invitation', { token, password })).status, 200);
  t.same(await countFactors(invited.userId), none);
  t.equal((await logIn(invited.email)).status, 200);
});

t.test('that of a proven address stays when the password is reset', async t => {
  const { email, secret } = await withSecondFactor();
  const newPassword = await reset(email);
  const { status, body } = await post(node.client(), 'auth/login', { email, password: newPassword });
  t.match({ status, body }, { status: 401, body: { error: 'svc/auth/second_factor_required' } });
  const named = String((body['details'] as Record<string, unknown>)['challenge']);
  t.equal((await pass(named, nextCode(secret))).status, 200);
});

t.test('a login takes two steps', async t => {
  const { email, secret } = await withSecondFactor();
  const named = await challenge(email);
  const client = node.client();
  t.match(await pass(named, '000000', client), wrongCode);
  const done = await pass(named, nextCode(secret), client);
  t.equal(done.status, 200);
  t.equal((await client.call('GET', '/studio/me')).status, 200);
  t.equal((await client.call('POST', '/studio/auth/refresh')).status, 200);
  t.match(await pass(named, nextCode(secret)), invalid, 'a challenge works once');
  t.match(await pass('unknown', nextCode(secret)), invalid);
});

t.test('a code works once, for whatever challenge, and of two at once one', async t => {
  const { email, secret } = await withSecondFactor();
  const code = nextCode(secret);
  const challenges = [await challenge(email), await challenge(email), await challenge(email)];
  const replies = await Promise.all(challenges.map(named => pass(named, code)));
  t.same(replies.map(({ status }) => status).sort(), [200, 401, 401]);
  t.match(await pass(await challenge(email), code), wrongCode, 'replayed later');
});

t.test('a phone whose clock is a step off signs in, one that is further off does not', async t => {
  const { email, secret } = await withSecondFactor();
  node.clock.shift(300_000);
  const at = (off: number) => showCode(secret, node.clock.now() + off);
  t.match(await pass(await challenge(email), at(-90_000)), wrongCode);
  t.match(await pass(await challenge(email), at(90_000)), wrongCode);
  t.equal((await pass(await challenge(email), at(-30_000))).status, 200);
  t.equal((await pass(await challenge(email), at(30_000))).status, 200);
});

t.test('a recovery code stands for a code, once, also when it is raced', async t => {
  const { email, client, recoveryCodes } = await withSecondFactor();
  const [code = '', other = ''] = recoveryCodes;
  const challenges = [await challenge(email), await challenge(email), await challenge(email)];
  const replies = await Promise.all(challenges.map(named => pass(named, code)));
  t.same(replies.map(({ status }) => status).sort(), [200, 401, 401]);
  const typed = other.toLowerCase().replace('-', ' ');
  t.equal((await pass(await challenge(email), typed)).status, 200, 'however it is typed');
  t.match((await client.call('GET', '/studio/second-factor')).body, { recoveryCodesLeft: 8 });
});

t.test('new recovery codes void the earlier ones', async t => {
  const { email, client, secret, recoveryCodes } = await withSecondFactor();
  t.match(await post(client, 'second-factor/recovery-codes', { password, code: '000000' }), wrongCode);
  const body = { password, code: nextCode(secret) };
  const renewed = await post(client, 'second-factor/recovery-codes', body);
  t.equal((renewed.body['recoveryCodes'] as string[]).length, 10);
  t.match(await pass(await challenge(email), recoveryCodes[0] ?? ''), wrongCode);
});

t.test('guesses are limited for a challenge and for a user', async t => {
  const { email, secret } = await withSecondFactor();
  const named = await challenge(email);
  for (let i = 0; i < 5; i += 1) t.match(await pass(named, '000000'), wrongCode);
  t.match(await pass(named, nextCode(secret)), invalid, 'the challenge is used up');
  const second = await challenge(email);
  for (let i = 0; i < 5; i += 1) t.match(await pass(second, '000000'), wrongCode);
  const refused = await pass(await challenge(email), nextCode(secret));
  t.match(refused, { status: 429, body: { error: 'svc/rate_limit/exceeded' } }, 'and the user');
  t.equal(refused.headers.get('retry-after'), '900');
  node.clock.shift(15 * 60_000);
  t.equal((await pass(await challenge(email), nextCode(secret))).status, 200);
});

t.test('a challenge ends with its time, and with the password', async t => {
  const { email, client, secret } = await withSecondFactor();
  const late = await challenge(email);
  node.clock.shift(5 * 60_000);
  t.match(await pass(late, nextCode(secret)), { status: 401, body: { error: 'svc/auth/expired_token' } });
  const named = await challenge(email);
  const newPassword = 'staple of another sort';
  t.equal((await post(client, 'auth/change-password', { password, newPassword })).status, 204);
  t.match(await pass(named, nextCode(secret)), invalid);
});

t.test('it is removed with the password and a code', async t => {
  const { email, client, secret } = await withSecondFactor();
  const code = nextCode(secret);
  t.match(await post(client, 'second-factor/disable', { password: 'wrong', code }), wrongPassword);
  t.match(await post(client, 'second-factor/disable', { password, code: '000000' }), wrongCode);
  t.equal((await post(client, 'second-factor/disable', { password, code })).status, 204);
  t.equal((await logIn(email)).status, 200);
  t.match(await post(client, 'second-factor/disable', { password, code }), conflict);
});

t.test('an invitation is no way around it', async t => {
  const owner = await node.signedUp();
  await node.verify(owner.email);
  const { email, client } = await withSecondFactor();
  const body = { email };
  await owner.client.call('POST', `/workspaces/${owner.workspaceId}/invitations`, { body });
  const token = await node.tokenTo(email, 'join');
  const joined = await post(node.client(), 'auth/accept-invitation', { token, password });
  t.match(joined, { status: 401, body: { error: 'svc/auth/login_required' } });
  t.equal((await post(client, 'auth/accept-invitation', { token })).status, 200, 'with a session it is');
});

t.test('a workspace that demands it lets members without one only set it up or leave', async t => {
  const owner = await node.signedUp();
  await node.verify(owner.email);
  const member = await node.signedUp();
  const path = `/workspaces/${owner.workspaceId}`;
  await owner.client.call('POST', `${path}/invitations`, { body: { email: member.email } });
  await post(member.client, 'auth/accept-invitation', { token: await node.tokenTo(member.email, 'join') });
  const demand = (client: Client, requiresSecondFactor: boolean) =>
    client.call('PATCH', path, { body: { requiresSecondFactor } });
  t.match(await demand(member.client, true), { status: 403 }, 'that is for owners');
  t.match(await demand(owner.client, true), conflict, 'who have one themselves');
  const { body } = await post(owner.client, 'second-factor', { password });
  await post(owner.client, 'second-factor/confirm', { code: nextCode(String(body['secret'])) });
  t.match(await demand(owner.client, true), { status: 200, body: { requiresSecondFactor: true } });

  const { projectId } = owner;
  const denied = { status: 403, body: { details: { reason: 'second_factor' } } };
  const keys = `/api-keys?projectId=${projectId}`;
  t.equal((await owner.client.call('GET', keys)).status, 200);
  t.match(
    await member.client.call('POST', `${path}/invitations`, { body: { email: 'a@example.com' } }),
    denied,
  );
  t.match(await member.client.call('GET', `${path}/members`), { status: 404 });
  t.match(await member.client.call('DELETE', `${path}/members/${owner.userId}`), { status: 403 });
  t.equal((await member.client.call('GET', '/studio/me')).status, 200);
  t.equal((await member.client.call('GET', '/workspaces')).status, 200);

  const enrolled = await post(member.client, 'second-factor', { password });
  const code = nextCode(String(enrolled.body['secret']));
  t.equal((await post(member.client, 'second-factor/confirm', { code })).status, 200);
  t.equal((await member.client.call('GET', `${path}/members`)).status, 200);
  await post(member.client, 'second-factor/disable', {
    password,
    code: nextCode(String(enrolled.body['secret'])),
  });
  t.match(await member.client.call('GET', `${path}/members`), { status: 404 });
  t.equal((await member.client.call('DELETE', `${path}/members/${member.userId}`)).status, 204, 'they leave');

  // Open Console sockets are asked about, too.
  const roles = 'owner//project_owner';
  const asked = { projectId, userId: owner.userId, roles };
  const check = () =>
    findRevokedCredentials(db, { sessionIds: [], apiKeyIds: [], members: [asked] }, node.clock.now());
  t.same(await check(), new Set());
  await post(owner.client, 'second-factor/disable', {
    password,
    code: nextCode(String(body['secret'])),
  });
  t.same(await check(), new Set([toChangedKey(asked)]));
});
