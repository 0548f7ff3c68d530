import t from 'tap';
import { Value } from 'typebox/value';
import { Accepted, StudioUser, TokenResponse } from '../../../protocol/resources/studio.ts';
import { WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode } from '../auth/auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const password = 'correct horse battery';
const day = 86_400_000;

const refresh = (client: ReturnType<typeof node.client>, headers: Record<string, string> = {}) =>
  client.call('POST', '/studio/auth/refresh', { headers });

t.test('sign-up answers a token and sets the refresh cookie, for the authentication paths alone', async t => {
  const client = node.client();
  const body = { email: 'ada@example.com', password, workspaceName: 'Analytical Engines' };
  const reply = await client.call('POST', '/studio/auth/signup', { body });
  t.equal(reply.status, 200);
  t.ok(Value.Check(TokenResponse, reply.body));
  t.match(reply.body, { tokenType: 'Bearer', expiresIn: 900 });
  const [cookie = '', ...others] = reply.headers.getSetCookie();
  t.same(others, []);
  const [pair, ...attributes] = cookie.split('; ');
  t.match(pair, /^svc_refresh=[\w-]{22}\.[\w-]{43}$/);
  t.same(attributes.sort(), ['HttpOnly', 'Max-Age=1209600', 'Path=/v1/studio/auth', 'SameSite=Strict']);
  t.equal(reply.headers.get('cache-control'), 'no-store');

  const me = await client.call('GET', '/studio/me');
  t.ok(Value.Check(StudioUser, me.body));
  t.match(me.body, { email: 'ada@example.com', emailVerified: false, workspaceRole: 'owner' });
});

t.test('an address can sign up once', async t => {
  const { email } = await node.signedUp();
  const body = { email: email.toUpperCase(), password };
  const reply = await node.client().call('POST', '/studio/auth/signup', { body });
  t.equal(reply.status, 409);
  t.match(reply.body, { error: 'svc/auth/email_in_use', requestId: /^req_/ });
  t.same(reply.headers.getSetCookie(), []);
});

t.test('sign-up refuses what is no address or no password, and throw-away mailboxes', async t => {
  const attempt = (email: unknown, secret: unknown = password) =>
    node.client().call('POST', '/studio/auth/signup', { body: { email, password: secret } });
  for (const [email, secret] of [
    ['no address', password],
    [`${'x'.repeat(310)}@example.com`, password],
    ['short@example.com', '1234567'],
    ['long@example.com', 'x'.repeat(257)],
    [7, password],
  ]) {
    t.match(await attempt(email, secret), { status: 422, body: { error: 'svc/validation/invalid_request' } });
  }
  for (const domain of ['mailinator.com', 'MAILINATOR.com', 'inbox.mailinator.com']) {
    t.match(await attempt(`someone@${domain}`), {
      status: 422,
      body: { error: 'svc/auth/email_domain_not_allowed' },
    });
  }
});

t.test('a wrong password and an unknown address get the same answer', async t => {
  const { email } = await node.signedUp();
  const attempt = (address: string, secret: string) =>
    node.client().call('POST', '/studio/auth/login', { body: { email: address, password: secret } });
  const right = await attempt(email.toUpperCase(), password);
  t.equal(right.status, 200);
  t.equal(right.headers.getSetCookie().length, 1);

  const wrong = await attempt(email, `${password}!`);
  const unknown = await attempt('nobody@example.com', password);
  const noAddress = await attempt('nobody', password);
  t.equal(wrong.status, 401);
  for (const reply of [unknown, noAddress]) {
    t.equal(reply.status, wrong.status);
    t.same({ ...reply.body, requestId: '' }, { ...wrong.body, requestId: '' });
    t.same(reply.headers.getSetCookie(), []);
  }
  t.equal(wrong.body['error'], 'svc/auth/invalid_credentials');
});

t.test('without any workspace: 403 at login, refresh and me', async t => {
  const { client, email, userId } = await node.signedUp();
  await db.em().nativeDelete(WorkspaceMember, { userId });
  const refused = { status: 403, body: { error: 'svc/auth/no_workspace' } };
  t.match(await client.call('POST', '/studio/auth/login', { body: { email, password } }), refused);
  t.match(await refresh(client), refused);
  t.match(await client.call('GET', '/studio/me'), refused);
});

t.test('refresh rotates the cookie; a replayed one ends the session for thief and owner', async t => {
  const { client } = await node.signedUp();
  const thief = node.client();
  thief.cookie = client.cookie;
  const first = client.cookie;
  const reply = await refresh(client);
  t.equal(reply.status, 200);
  t.not(client.cookie, first);

  node.clock.shift(10_001);
  t.match(await refresh(thief), { status: 401, body: { error: 'svc/auth/invalid_token' } });
  t.match(await refresh(client), { status: 401, body: { error: 'svc/auth/invalid_token' } });
  const me = await client.call('GET', '/studio/me');
  t.match(me, { status: 401, body: { error: 'svc/auth/invalid_token' } }, 'the access token at once, too');
});

t.test('several refreshes at once with one cookie leave one session that goes on', async t => {
  const { client } = await node.signedUp();
  const tabs = Array.from({ length: 5 }, () => {
    const tab = node.client();
    tab.cookie = client.cookie;
    return tab;
  });
  const replies = await Promise.all(tabs.map(tab => refresh(tab)));
  t.same(
    replies.map(reply => reply.status),
    [200, 200, 200, 200, 200],
  );
  t.equal(new Set(tabs.map(tab => tab.cookie)).size, 1);
  t.equal((await refresh(tabs[0] ?? client)).status, 200);
});

t.test('a forged, malformed or missing cookie is 401', async t => {
  const { client } = await node.signedUp();
  const [name, value = ''] = (client.cookie ?? '').split('=');
  const missing = { status: 401, body: { error: 'svc/auth/missing_credentials' } };
  t.match(await refresh(node.client()), missing);
  for (const forged of [
    'x',
    value.split('.')[1],
    `${'A'.repeat(22)}.${value.split('.')[1]}`,
    `${value}A`,
    '"',
  ]) {
    const forger = node.client();
    forger.cookie = `${name}=${forged}`;
    t.match(await refresh(forger), { status: 401, body: { error: 'svc/auth/invalid_token' } });
  }
  const empty = node.client();
  empty.cookie = `${name}=`;
  t.match(await refresh(empty), missing);
  t.equal((await refresh(client)).status, 200, 'and nobody was harmed');
});

t.test('a cookie that another site made the browser send counts as none', async t => {
  const { client } = await node.signedUp();
  const victim = node.client();
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://skein.test' },
    { origin: 'https://evil.example' },
    { origin: 'https://skein.test.evil.example' },
    { origin: 'null' },
  ] as const) {
    victim.cookie = client.cookie;
    t.match(await refresh(victim, headers), { status: 401, body: { error: 'svc/auth/missing_credentials' } });
    const { status, headers: answered } = await victim.call('POST', '/studio/auth/logout', { headers });
    t.equal(status, 204);
    t.same(answered.getSetCookie(), [], 'and the browser keeps it');
  }
  t.equal((await refresh(client)).status, 200, 'the session lives on');
});

t.test('a page of the own origin may refresh', async t => {
  const { client } = await node.signedUp();
  for (const headers of [
    { 'sec-fetch-site': 'same-origin', origin: 'http://skein.test' },
    { origin: 'http://skein.test' },
    { origin: new URL(node.url).origin },
  ]) {
    t.equal((await refresh(client, headers)).status, 200);
  }
});

t.test('a session ends 14 days after its last use: expired, not invalid', async t => {
  const { client } = await node.signedUp();
  node.clock.shift(14 * day + 1000);
  t.match(await refresh(client), { status: 401, body: { error: 'svc/auth/expired_token' } });
});

t.test('logout ends the session by cookie, by token, or by nothing at all', async t => {
  const ended = { status: 401, body: { error: 'svc/auth/invalid_token' } };
  const { client: one } = await node.signedUp();
  const { cookie } = one;
  const reply = await one.call('POST', '/studio/auth/logout');
  t.equal(reply.status, 204);
  t.same(reply.headers.getSetCookie(), [
    'svc_refresh=; Path=/v1/studio/auth; HttpOnly; SameSite=Strict; Max-Age=0',
  ]);
  t.match(await one.call('GET', '/studio/me'), ended);
  one.cookie = cookie;
  t.match(await refresh(one), ended);

  const { client: two } = await node.signedUp();
  const kept = two.cookie;
  two.cookie = undefined;
  t.equal((await two.call('POST', '/studio/auth/logout')).status, 204);
  t.match(await two.call('GET', '/studio/me'), ended);
  two.cookie = kept;
  t.match(await refresh(two), ended);

  const nobody = node.client();
  nobody.token = 'rubbish';
  nobody.cookie = 'svc_refresh=rubbish';
  t.equal((await nobody.call('POST', '/studio/auth/logout')).status, 204);
  t.equal((await node.client().call('POST', '/studio/auth/logout')).status, 204);
});

t.test('the mailed link verifies the address, once, and the caller is verified at once', async t => {
  const { client, email } = await node.signedUp();
  t.match((await client.call('GET', '/studio/me')).body, { emailVerified: false });
  const token = /token=([\w-]+)/.exec(await node.mailTo(email))?.[1];
  const verify = () => node.client().call('POST', '/studio/auth/verify-email', { body: { token } });
  const reply = await verify();
  t.equal(reply.status, 200);
  t.ok(Value.Check(Accepted, reply.body));
  t.match((await client.call('GET', '/studio/me')).body, { emailVerified: true });
  t.match(await verify(), { status: 401, body: { error: 'svc/auth/invalid_token' } });
  t.match(await node.client().call('POST', '/studio/auth/verify-email', { body: { token: '' } }), {
    status: 422,
  });
});

t.test('a verification link ends after a day, and another can be asked for', async t => {
  const { client, email } = await node.signedUp();
  const first = await node.mailTo(email);
  const token = /token=([\w-]+)/.exec(first)?.[1];
  node.clock.shift(day + 1000);
  const late = await node.client().call('POST', '/studio/auth/verify-email', { body: { token } });
  t.match(late, { status: 401, body: { error: 'svc/auth/expired_token' } });

  await client.call('POST', '/studio/auth/login', { body: { email, password } });
  t.match(await client.call('POST', '/studio/auth/resend-verification'), {
    status: 200,
    body: { accepted: true },
  });
  await node.mailTo(email, first);
  await node.verify(email);
  t.match((await client.call('GET', '/studio/me')).body, { emailVerified: true });
  t.match(await node.client().call('POST', '/studio/auth/resend-verification'), { status: 401 });
});

t.test('sign-up can be closed, or open to some domains', async t => {
  const closed = await startAuthNode(t, db, { policy: { open: false, emailDomains: [] } });
  const attempt = (at: typeof closed, email: string) =>
    at.client().call('POST', '/studio/auth/signup', { body: { email, password } });
  t.match(await attempt(closed, 'a@example.org'), {
    status: 403,
    body: { error: 'svc/auth/signup_disabled' },
  });

  const some = await startAuthNode(t, db, { policy: { open: true, emailDomains: ['Example.org'] } });
  t.match(await attempt(some, 'a@example.com'), {
    status: 422,
    body: { error: 'svc/auth/email_domain_not_allowed' },
  });
  t.match(await attempt(some, 'a@sub.example.org'), { status: 422 });
  t.match(await attempt(some, 'a@EXAMPLE.org'), { status: 200 });
});

t.test('under https the cookie is Secure and says so in its name', async t => {
  const secure = await startAuthNode(t, db, { baseUrl: 'https://skein.test' });
  const { client } = await secure.signedUp();
  t.match(client.cookie, /^__Secure-svc_refresh=/);
  const reply = await refresh(client);
  t.match(reply.headers.getSetCookie()[0], /; HttpOnly; Secure; SameSite=Strict; Max-Age=1209600$/);
});
