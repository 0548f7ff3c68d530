/** Forgotten passwords, over HTTP on a real PostgreSQL. */
import t from 'tap';
import { Value } from 'typebox/value';
import { Accepted } from '../../../protocol/resources/studio.ts';
import { User } from '../../../storage/entities/accounts.ts';
import { resetMs } from '../../../storage/accounts/password-resets.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode } from '../auth/auth-fixture.ts';
import { origin } from '../../support/accounts.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const oldPassword = 'correct horse battery';
const newPassword = 'staple of another sort';
const invalid = { status: 401, body: { error: 'svc/auth/invalid_token' } };
const wrong = { status: 401, body: { error: 'svc/auth/invalid_credentials' } };

const forgot = (email: unknown) =>
  node.client().call('POST', '/studio/auth/forgot-password', { body: { email } });
const reset = (token: string, password = newPassword) =>
  node.client().call('POST', '/studio/auth/reset-password', { body: { token, password } });
const login = (email: string, password: string) =>
  node.client().call('POST', '/studio/auth/login', { body: { email, password } });

/** The token of a reset that the user asks for. */
async function mailedToken(email: string, spelling = email): Promise<string> {
  t.equal((await forgot(spelling)).status, 200);
  return node.tokenTo(email, 'reset');
}

/** Rows that a request has left behind, sent or not. */
async function rows(): Promise<{ tokens: number; mails: number }> {
  const [counted] = await db.query<{ tokens: number; mails: number }>(
    'select (select count(*) from email_tokens) as tokens, (select count(*) from mails) as mails',
  );
  return counted ?? { tokens: 0, mails: 0 };
}

t.test('the mailed link sets a new password, and every session ends', async t => {
  const { client, email } = await node.signedUp();
  const elsewhere = node.client();
  await elsewhere.call('POST', '/studio/auth/login', { body: { email, password: oldPassword } });
  const token = await mailedToken(email, ` ${email.toUpperCase()}`);
  const done = await reset(token);
  t.equal(done.status, 200);
  t.ok(Value.Check(Accepted, done.body));
  t.same(done.headers.getSetCookie(), [], 'nobody is signed in by it');

  for (const each of [client, elsewhere]) {
    t.match(await each.call('GET', '/studio/me'), invalid, 'access tokens at once');
    t.match(await each.call('POST', '/studio/auth/refresh'), invalid);
  }
  t.match(await login(email, oldPassword), wrong);
  t.equal((await login(email, newPassword)).status, 200);
});

t.test('a link works once', async t => {
  const { email } = await node.signedUp();
  const token = await mailedToken(email);
  t.equal((await reset(token)).status, 200);
  t.match(await reset(token, 'yet another password'), invalid);
  t.equal((await login(email, newPassword)).status, 200);
});

t.test('what nobody is signed in for is done once under one key, from one address', async t => {
  const { email } = await node.signedUp();
  const token = await mailedToken(email);
  const keyed = (password: string, key: string) =>
    node.client().call('POST', '/studio/auth/reset-password', {
      body: { token, password },
      headers: { 'Idempotency-Key': key },
    });
  const first = await keyed(newPassword, `a-${token}`);
  const again = await keyed(newPassword, `a-${token}`);
  t.match([first, again], [{ status: 200 }, { status: 200, body: first.body }]);
  t.equal(again.headers.get('idempotent-replayed'), 'true');
  const other = await keyed('yet another password', `a-${token}`);
  t.match(other, invalid, 'with other contents it is a request of somebody else, and the link is used up');

  const before = await rows();
  for (let i = 0; i < 2; i++) {
    const headers = { 'Idempotency-Key': `c-${token}` };
    const asked = { body: { email }, headers };
    t.equal((await node.client().call('POST', '/studio/auth/forgot-password', asked)).status, 200);
  }
  t.same(await rows(), { tokens: Number(before.tokens) + 1, mails: Number(before.mails) + 1 });
});

t.test('of two resets at once with one link, one counts', async t => {
  const { email } = await node.signedUp();
  const token = await mailedToken(email);
  const passwords = ['the first password', 'the second password', 'the third password'];
  const replies = await Promise.all(passwords.map(password => reset(token, password)));
  const winners = passwords.filter((_, i) => replies[i]?.status === 200);
  t.equal(winners.length, 1);
  for (const reply of replies) if (reply.status !== 200) t.match(reply, invalid);
  const logins = await Promise.all(passwords.map(password => login(email, password)));
  t.same(
    passwords.filter((_, i) => logins[i]?.status === 200),
    winners,
  );
});

t.test('of two resets at once with two links of one user, one counts, and voids the other', async t => {
  const { email } = await node.signedUp();
  const tokens = [await mailedToken(email)];
  tokens.push(await mailedToken(email));
  const replies = await Promise.all(tokens.map((token, i) => reset(token, `password number ${i}`)));
  t.same(replies.map(reply => reply.status).sort(), [200, 401]);
  for (const token of tokens) t.match(await reset(token), invalid);
});

t.test('while five links work nobody can have more mailed to their owner', async t => {
  const { email } = await node.signedUp();
  const start = Date.now();
  const getMails = async () => {
    const [counted] = await db.query<{ sent: number }>(
      `select count(*)::int as sent from mails where kind = 'reset_password' and recipient = $1
       and last_error is distinct from 'enough links are in the mailbox'`,
      [email],
    );
    return counted?.sent;
  };
  const token = await mailedToken(email);
  for (let i = 0; i < 8; i++) await node.resets.request(email, 'studio', start);
  t.equal(await getMails(), 5);
  const before = await rows();
  t.equal((await forgot(email)).status, 200, 'it is answered as before');
  t.same(await rows(), { tokens: Number(before.tokens) + 1, mails: Number(before.mails) + 1 });
  t.equal((await reset(token)).status, 200, 'and those that are there work');
  await node.resets.request(email, 'studio', start);
  t.equal(await getMails(), 6, 'one is used, and voids the others');
  for (let i = 0; i < 8; i++) await node.resets.request(email, 'studio', start + 1);
  t.equal(await getMails(), 10);
  await node.resets.request(email, 'studio', start + resetMs + 2);
  t.equal(await getMails(), 11, 'what was not mailed does not count');
});

t.test('a link ends after 60 minutes, to the millisecond', async t => {
  const { email } = await node.signedUp();
  const start = Date.now();
  await node.resets.request(email, 'studio', start);
  node.sender.wake();
  const token = await node.tokenTo(email, 'reset');
  await t.rejects(node.resets.reset(token, 'hash', start + resetMs, origin), {
    code: 'svc/auth/expired_token',
  });
  t.ok(await node.resets.reset(token, 'hash', start + resetMs - 1, origin));

  const late = await node.signedUp();
  const lateToken = await mailedToken(late.email);
  node.clock.shift(resetMs);
  t.match(await reset(lateToken), { status: 401, body: { error: 'svc/auth/expired_token' } });
});

t.test('rubbish is no token, and a refused password leaves the token unused', async t => {
  const { email } = await node.signedUp();
  const token = await mailedToken(email);
  for (const rubbish of ['x', token.slice(1), `${token}x`, '\u2028', 'Ā'.repeat(512)]) {
    t.match(await reset(rubbish), invalid);
  }
  for (const [value, password] of [
    ['', newPassword],
    ['x'.repeat(513), newPassword],
    [token, '1234567'],
    [token, 'x'.repeat(257)],
    [token, '\u{1F600}'.repeat(257)],
    [token, 'lone \ud800 surrogate'],
    [token, 'nul \u0000 nul'],
  ] as const) {
    t.match(await reset(value, password), { status: 422, body: { error: 'svc/validation/invalid_request' } });
  }
  t.equal((await reset(token, '\u{1F600}'.repeat(256))).status, 200, 'code points are counted');
  t.equal((await login(email, '\u{1F600}'.repeat(256))).status, 200);
  t.match(await login(email, '\u{1F600}'.repeat(255)), wrong);
});

t.test('a verification token resets nothing, and a reset token is no verification link', async t => {
  const { email } = await node.signedUp();
  const verification = await node.tokenTo(email, 'verify');
  t.match(await reset(verification), invalid);
  const token = await mailedToken(email);
  const verify = { body: { token } };
  t.match(await node.client().call('POST', '/studio/auth/verify-email', verify), invalid);
  t.equal((await reset(token)).status, 200);
});

t.test('the link proves the address, unless it is not the user’s any more', async t => {
  const { email } = await node.signedUp();
  await reset(await mailedToken(email));
  const client = node.client();
  await client.call('POST', '/studio/auth/login', { body: { email, password: newPassword } });
  t.match((await client.call('GET', '/studio/me')).body, { emailVerified: true });

  const mover = await node.signedUp();
  const token = await mailedToken(mover.email);
  const moved = `moved-${mover.email}`;
  await db.em().nativeUpdate(User, { userId: mover.userId }, { email: moved, emailKey: moved });
  t.match(await reset(token), invalid);
});

t.test('an unknown address gets the same answer for the same work of the database', async t => {
  const { email } = await node.signedUp();
  const nobody = 'nobody-of-that-name@example.com';
  const start = await rows();
  const known = await forgot(email);
  const afterKnown = await rows();
  const unknown = await forgot(nobody);
  const afterUnknown = await rows();
  t.equal(unknown.status, 200);
  t.same(unknown.body, known.body);
  const getHeaders = ({ headers }: typeof known) =>
    [...headers.keys()].filter(name => name !== 'date').sort();
  t.same(getHeaders(unknown), getHeaders(known));
  const grown = (a: typeof start, b: typeof start) => [b.tokens - a.tokens, b.mails - a.mails];
  t.same(grown(start, afterKnown), [1, 1]);
  t.same(grown(afterKnown, afterUnknown), [1, 1]);

  const [decoy] = await db.query<{ recipient: string; secret: string | null; next: Date | null }>(
    `select recipient, secret, next_attempt_at as next from mails where last_error = 'no such account'`,
  );
  t.same(decoy, { recipient: '', secret: null, next: null }, 'which is never sent, and names nobody');
  for (const odd of ['', 'no address', '@', 'x'.repeat(320)]) {
    t.match(await forgot(odd), { status: 200, body: { accepted: true } });
  }
  for (const bad of ['x'.repeat(321), 7, null, 'nul\u0000@example.com']) {
    t.equal((await forgot(bad)).status, 422);
  }
});

t.test('a login that checked the old password while it was being reset opens nothing', async t => {
  const { email } = await node.signedUp();
  const account = await node.accounts.forLogin(email);
  if (account === undefined) throw new Error('the account is there');
  t.equal((await reset(await mailedToken(email))).status, 200);
  const client = { requestId: 'req_late', address: '192.0.2.1', userAgent: 'late' };
  await t.rejects(node.accounts.login(account, client, Date.now()), {
    code: 'svc/auth/invalid_credentials',
  });
});
