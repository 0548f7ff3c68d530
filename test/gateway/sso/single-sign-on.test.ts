/** Single sign-on with an identity provider and a name server: settings, proofs, sign-in and refusals. */
import t from 'tap';
import { ApiError, Skein } from '../../../clients/sdk/index.ts';
import { readMailedToken } from '../../support/mailbox.ts';
import { NameServer } from '../../support/name-server.ts';
import { clientId, clientSecret, startOidcProvider } from '../../support/oidc-provider/index.ts';
import { startTestDatabase } from '../../support/database.ts';
import { showCode } from '../../support/totp.ts';
import { startSkeinOn } from '../../support/skein.ts';

const { url, database: db } = await startTestDatabase(t);
const records = new Map<string, string>();
const nameServer = await NameServer.start({}, name => [records.get(name) ?? []].flat());
t.teardown(() => nameServer.stop());
const { url: baseUrl, log } = await startSkeinOn(t, url, {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  NAME_SERVERS: nameServer.address,
});
const provider = await startOidcProvider(t, `${baseUrl}/studio/sso`);
const other = await startOidcProvider(t, `${baseUrl}/studio/sso`);
const password = 'correct horse battery';
const anonymous = new Skein({ apiKey: null, baseUrl });
const conflict = { code: 'svc/runtime/conflict' };
const failed = { code: 'svc/auth/sso_failed' };

async function signUp(email: string, isVerified = true) {
  const { accessToken } = await anonymous.auth.signUp({ email, password });
  // Before the node has heard of the session: it holds what it knows of one for a second.
  if (isVerified) await db.query('update users set email_verified_at = now() where email = $1', [email]);
  const api = new Skein({ apiKey: () => accessToken, baseUrl });
  const { workspaceId, userId } = await api.auth.me();
  return { email, api, workspaceId, userId };
}

const owner = await signUp('owner@acme.test');
const { workspaceId } = owner;
const settings = owner.api.singleSignOn;
const provide = (issuer = provider.issuer) => settings.set(workspaceId, { issuer, clientId, clientSecret });

async function prove(domain: string): Promise<void> {
  const { record } = await settings.addDomain(workspaceId, { domain });
  records.set(record.name, record.value);
  await settings.proveDomain(workspaceId, domain);
}

/** As far as the provider has sent the browser back. */
async function returned(email: string, as = email) {
  const { flow, url } = await anonymous.auth.beginSingleSignOn({ email });
  const back = await provider.signIn(url, as);
  const sent = Object.fromEntries(back.searchParams) as Record<string, string>;
  return { flow, code: sent['code'] ?? '', state: sent['state'] ?? '', issuer: sent['iss'] ?? '' };
}

const signOn = async (email: string, as = email) =>
  anonymous.auth.finishSingleSignOn(await returned(email, as));

/** As a browser does, with its cookie. */
const post = (
  path: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${baseUrl}/v1/studio/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const getCookie = (answer: Response): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
const refresh = (cookie: string): Promise<Response> => post('refresh', undefined, { cookie });

t.test('settings: the provider is looked up, its secret sealed and shown to nobody', async t => {
  t.match(await settings.get(workspaceId), {
    issuer: null,
    redirectUri: `${baseUrl}/studio/sso`,
    domains: [],
  });
  await t.rejects(settings.addDomain(workspaceId, { domain: 'acme.test' }), conflict, 'no provider yet');
  for (const issuer of [
    baseUrl,
    'http://127.0.0.1:1',
    'http://169.254.169.254',
    `${provider.issuer}/nothing`,
  ]) {
    const set = settings.set(workspaceId, { issuer, clientId, clientSecret });
    await t.rejects(set, { code: 'svc/validation/invalid_request' }, issuer);
  }
  await t.rejects(settings.set(workspaceId, { issuer: provider.issuer, clientId }), conflict, 'no secret');
  const set = await provide();
  t.match(set, { issuer: provider.issuer, clientId });
  t.notMatch(JSON.stringify(set), clientSecret);
  const rows = await db.query<{ client_secret: string }>('select client_secret from sso_connections');
  t.notMatch(rows[0]?.client_secret, clientSecret);
  t.match(await settings.set(workspaceId, { issuer: provider.issuer, clientId }), { clientId }, 'it stays');
});

t.test('a domain signs nobody in before its record is there', async t => {
  for (const domain of ['no domain', 'localhost', '127.0.0.1', 'a..test']) {
    await t.rejects(
      settings.addDomain(workspaceId, { domain }),
      { code: 'svc/validation/invalid_request' },
      domain,
    );
  }
  const added = await settings.addDomain(workspaceId, { domain: 'ACME.test.' });
  t.match(added, {
    domain: 'acme.test',
    record: { name: '_skein-sso.acme.test', type: 'TXT' },
    provenAt: null,
  });
  await t.rejects(anonymous.auth.beginSingleSignOn({ email: 'ann@acme.test' }), {
    code: 'svc/runtime/not_found',
  });
  await t.rejects(settings.proveDomain(workspaceId, 'acme.test'), conflict);
  await t.rejects(settings.updateDomain(workspaceId, 'acme.test', { required: true }), conflict);
  records.set(added.record.name, `${added.record.value}x`);
  await t.rejects(settings.proveDomain(workspaceId, 'acme.test'), conflict, 'another text');
  records.set(added.record.name, added.record.value);
  t.type((await settings.proveDomain(workspaceId, 'acme.test')).provenAt, 'string');
  t.ok((nameServer.asked.get('_skein-sso.acme.test/TXT') ?? 0) >= 3);
});

t.test('the first sign-in makes an account and a viewer, the next ones find them', async t => {
  const { accessToken } = await signOn('ann@acme.test');
  const ann = new Skein({ apiKey: () => accessToken, baseUrl });
  t.match(await ann.auth.me(), {
    email: 'ann@acme.test',
    emailVerified: true,
    workspaceId,
    workspaceRole: 'viewer',
  });
  const again = await signOn('Ann@acme.test', 'ann@acme.test');
  const { userId } = await ann.auth.me();
  const second = new Skein({ apiKey: () => again.accessToken, baseUrl });
  t.equal((await second.auth.me()).userId, userId);
  const entries = await owner.api.auditLogs.list({ workspaceId }).toArray(100);
  const actions = entries.map(({ action }) => action);
  for (const action of ['updated', 'domain_added', 'domain_proven', 'used']) {
    t.ok(actions.includes(`single_sign_on.${action}`), action);
  }
  t.ok(actions.includes('member.joined'));
});

t.test('an answer is taken once, by the browser that asked, and with its own state', async t => {
  const mine = await returned('bob@acme.test');
  const others = await returned('bob@acme.test');
  await t.rejects(anonymous.auth.finishSingleSignOn({ ...mine, state: others.state }), failed, 'wrong state');
  await t.rejects(
    anonymous.auth.finishSingleSignOn(mine),
    { code: 'svc/auth/invalid_token' },
    'which used it up',
  );
  t.ok(await anonymous.auth.finishSingleSignOn(others));
  await t.rejects(anonymous.auth.finishSingleSignOn(others), { code: 'svc/auth/invalid_token' });
  const third = await returned('bob@acme.test');
  await t.rejects(anonymous.auth.finishSingleSignOn({ ...third, code: others.code }), failed, 'a used code');
  const fourth = await returned('bob@acme.test');
  const fifth = await returned('bob@acme.test');
  await t.rejects(
    anonymous.auth.finishSingleSignOn({ ...fourth, code: fifth.code }),
    failed,
    'a code of another sign-in: its verifier and nonce are others',
  );
});

t.test('a failed sign-in of a member is in the audit log; that of an unknown address is not', async t => {
  const failures = async () =>
    (await owner.api.auditLogs.list({ workspaceId, action: 'user.login_failed' }).toArray(100)).filter(
      ({ details }) => details['step'] === 'single_sign_on',
    );
  t.equal((await failures()).length, 2, 'the test before used two codes of other sign-ins');
  const { accessToken } = await signOn('ann@acme.test');
  const { userId } = await new Skein({ apiKey: () => accessToken, baseUrl }).auth.me();
  const mine = await returned('ann@acme.test');
  await t.rejects(anonymous.auth.finishSingleSignOn({ ...mine, code: 'wrong' }), failed);
  const [known] = await failures();
  t.match(known, {
    targetId: userId,
    actor: { type: 'system' },
    details: { reason: /OpenID Connect/ },
  });
  t.equal(known?.address ?? null, null, 'the workspace does not learn where');
  const stolen = await returned('ann@acme.test');
  await t.rejects(anonymous.auth.finishSingleSignOn({ ...stolen, state: 'wrong' }), failed);
  t.match((await failures())[0], { targetId: userId, details: { reason: /another sign-in/ } });
  const strange = await returned('nobody-yet@acme.test', 'eve@other.test');
  await t.rejects(anonymous.auth.finishSingleSignOn(strange), failed);
  t.match((await failures())[0], { targetId: workspaceId }, 'the provider has vouched for another');

  const count = (await failures()).length;
  const { flow } = await anonymous.auth.beginSingleSignOn({ email: 'made-up@acme.test' });
  await t.rejects(anonymous.auth.finishSingleSignOn({ flow, code: 'any', state: 'wrong' }), failed);
  await db.query(`update sso_connections set issuer = 'http://127.0.0.1:1'`);
  await t.rejects(anonymous.auth.beginSingleSignOn({ email: 'made-up@acme.test' }), failed);
  t.equal((await failures()).length, count);
  await t.rejects(anonymous.auth.beginSingleSignOn({ email: 'ann@acme.test' }), failed);
  t.match((await failures())[0], { targetId: userId, details: { reason: /is not asked/ } });
  await db.query(`update sso_connections set issuer = $1`, [provider.issuer]);
});

t.test('a failure that cannot be recorded has the same answer', async t => {
  const begun = await returned('ann@acme.test');
  await db.query(
    `alter table audit_logs add constraint no_failures check (action <> 'user.login_failed') not valid`,
  );
  try {
    await t.rejects(anonymous.auth.finishSingleSignOn({ ...begun, code: 'wrong' }), {
      ...failed,
      message: /OpenID Connect/,
    });
  } finally {
    await db.query('alter table audit_logs drop constraint no_failures');
  }
});

t.test('a provider vouches only for verified addresses of proven domains', async t => {
  await t.rejects(signOn('ann@acme.test', 'eve@other.test'), failed, 'another domain');
  await t.rejects(signOn('ann@acme.test', 'unverified-eve@acme.test'), failed, 'not verified');
  await t.rejects(signOn('ann@acme.test', 'eve@sub.acme.test'), failed, 'a domain beneath it');
  t.same(await db.query(`select from users where email like '%eve@%'`), []);
});

t.test('a text that is no e-mail address signs in nobody', async t => {
  const count = () => db.query<{ count: number }>('select count(*)::int as count from users');
  const before = await count();
  for (const text of [
    'acme.test',
    '@acme.test',
    'eve@eve@acme.test',
    'Your account is closed, see evil.example @acme.test',
    'Your account is closed.\n\nOpen https://evil.example\n@acme.test',
    'eve\0@acme.test',
    `${'e'.repeat(400)}@acme.test`,
  ]) {
    await t.rejects(
      signOn('ann@acme.test', text),
      { ...failed, message: /no e-mail address/ },
      JSON.stringify(text.slice(0, 60)),
    );
  }
  t.strictSame(await count(), before, 'there is no account of it');
});

t.test('an existing account needs its second factor as well', async t => {
  const carl = await signUp('carl@acme.test');
  const { secret } = await carl.api.secondFactor.enrol({ password });
  await carl.api.secondFactor.confirm({ code: showCode(secret, Date.now()) });
  const refused = await signOn('carl@acme.test').then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refused instanceof ApiError)) return t.fail('no second factor was asked for');
  t.match(refused, { code: 'svc/auth/second_factor_required', details: { methods: ['totp'] } });
  const challenge = String(refused.details?.['challenge']);
  const code = showCode(secret, Date.now() + 30_000);
  const { accessToken } = await anonymous.auth.loginWithSecondFactor({ challenge, code });
  t.match(await new Skein({ apiKey: () => accessToken, baseUrl }).auth.me(), { userId: carl.userId });
  t.match(await owner.api.members.get(workspaceId, carl.userId), { role: 'viewer' });
});

t.test('an unproven account goes to the person whom the provider vouches for', async t => {
  const dora = await signUp('dora@acme.test', false);
  t.ok(await signOn('dora@acme.test'));
  await t.rejects(dora.api.auth.me(), { code: 'svc/auth/invalid_token' });
  await t.rejects(anonymous.auth.login({ email: dora.email, password }), {
    code: 'svc/auth/invalid_credentials',
  });
});

t.test('a domain that requires it refuses passwords, except those of owners', async t => {
  const finn = await signUp('finn@acme.test');
  await settings.updateDomain(workspaceId, 'acme.test', { required: true });
  const required = { code: 'svc/auth/sso_required', status: 403 };
  await t.rejects(anonymous.auth.login({ email: finn.email, password }), required);
  await t.rejects(anonymous.auth.login({ email: finn.email, password: 'wrong' }), {
    code: 'svc/auth/invalid_credentials',
  });
  await t.rejects(anonymous.auth.signUp({ email: 'gail@acme.test', password }), required);
  t.ok(await signOn(finn.email));
  t.ok(await anonymous.auth.login({ email: owner.email, password }), 'who can repair it');
  await settings.updateDomain(workspaceId, 'acme.test', { required: false });
  t.ok(await anonymous.auth.login({ email: finn.email, password }));
});

t.test(
  'a requirement ends older sessions by password at their next refresh, except those of owners',
  async t => {
    const finn = { email: 'finn@acme.test', password };
    const byPassword = getCookie(await post('login', finn));
    const ofOwner = getCookie(await post('login', { email: owner.email, password }));
    const signedOn = getCookie(await post('sso/finish', await returned(finn.email)));
    const hana = await signUp('hana@acme.test');
    const { secret } = await hana.api.secondFactor.enrol({ password });
    await hana.api.secondFactor.confirm({ code: showCode(secret, Date.now()) });
    const asked = await post('sso/finish', await returned(hana.email));
    const { details } = (await asked.json()) as { details: { challenge: string } };
    const code = showCode(secret, Date.now() + 30_000);
    const withCode = getCookie(await post('login/second-factor', { challenge: details.challenge, code }));
    await settings.updateDomain(workspaceId, 'acme.test', { required: true });

    const refused = await refresh(byPassword);
    t.equal(refused.status, 401);
    t.match(await refused.json(), { error: 'svc/auth/expired_token' });
    const owners = await refresh(ofOwner);
    t.equal(owners.status, 200, 'who can repair it');
    const kept = await refresh(signedOn);
    t.equal(kept.status, 200, 'whom the provider vouches for');
    t.equal((await refresh(withCode)).status, 200, 'also before their second factor');
    const entries = await owner.api.auditLogs.list({ workspaceId, action: 'session.closed' }).toArray(10);
    t.match(entries[0]?.details, { reason: 'single_sign_on_required' });

    await settings.updateDomain(workspaceId, 'acme.test', { required: false });
    t.equal((await refresh(byPassword)).status, 401, 'ended for good');
    t.equal((await refresh(getCookie(kept))).status, 200);
  },
);

t.test('a session that accepts an invitation keeps its kind of sign-in', async t => {
  const inviter = await signUp('inviter@other.test');
  const { invitations } = inviter.api;
  const accept = async (email: string, signedIn: Response): Promise<Response> => {
    await invitations.create(inviter.workspaceId, { email });
    const token = await readMailedToken(log, email, 'join');
    const { accessToken } = (await signedIn.json()) as { accessToken: string };
    return post('accept-invitation', { token }, { authorization: `Bearer ${accessToken}` });
  };
  const ivy = await accept('ivy@acme.test', await post('sso/finish', await returned('ivy@acme.test')));
  t.equal(ivy.status, 200);
  const finn = await accept('finn@acme.test', await post('login', { email: 'finn@acme.test', password }));
  t.equal(finn.status, 200);
  await settings.updateDomain(workspaceId, 'acme.test', { required: true });
  t.equal((await refresh(getCookie(ivy))).status, 200, 'the provider has vouched for them');
  t.equal((await refresh(getCookie(finn))).status, 401, 'a password had signed them in');
  await settings.updateDomain(workspaceId, 'acme.test', { required: false });
});

t.test('a domain belongs to the workspace that has proven it', async t => {
  await prove('taken.test');
  const rival = await signUp('rival@other.test');
  const own = rival.api.singleSignOn;
  await own.set(rival.workspaceId, { issuer: other.issuer, clientId, clientSecret });
  const { record } = await own.addDomain(rival.workspaceId, { domain: 'taken.test' });
  records.set(record.name, record.value);
  await t.rejects(own.proveDomain(rival.workspaceId, 'taken.test'), conflict);
});

t.test('with another issuer nobody signs in before the domain is proven anew', async t => {
  const begun = await returned('ann@acme.test');
  const before = await settings.get(workspaceId);
  const after = await provide(other.issuer);
  t.same(
    after.domains.map(({ provenAt }) => provenAt),
    [null, null],
  );
  t.not(after.domains[0]?.record.value, before.domains[0]?.record.value);
  await t.rejects(anonymous.auth.finishSingleSignOn(begun), { code: 'svc/auth/invalid_token' });
  await t.rejects(anonymous.auth.beginSingleSignOn({ email: 'ann@acme.test' }), {
    code: 'svc/runtime/not_found',
  });
  await t.rejects(settings.proveDomain(workspaceId, 'acme.test'), conflict, 'the old record proves nothing');
});

t.test('with another client, sign-in is refused until the domain is proven again', async t => {
  await provide();
  await prove('acme.test');
  const other = { issuer: provider.issuer, clientId: 'another client', clientSecret };
  const after = await settings.set(workspaceId, other);
  t.strictSame([...new Set(after.domains.map(({ provenAt }) => provenAt))], [null]);
  await t.rejects(settings.proveDomain(workspaceId, 'acme.test'), conflict, 'the old record proves nothing');
});

t.test('it is removed', async t => {
  await provide();
  await prove('acme.test');
  await settings.removeDomain(workspaceId, 'taken.test');
  await t.rejects(settings.removeDomain(workspaceId, 'taken.test'), { code: 'svc/runtime/not_found' });
  t.ok(await signOn('ann@acme.test'));
  await settings.remove(workspaceId);
  t.match(await settings.get(workspaceId), { issuer: null, domains: [] });
  await t.rejects(anonymous.auth.beginSingleSignOn({ email: 'ann@acme.test' }), {
    code: 'svc/runtime/not_found',
  });
});
