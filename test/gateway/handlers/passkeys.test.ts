/** Passkeys over HTTP on a real PostgreSQL: added, used alone and after the password, removed; and all that is wrong with an answer. */
import t from 'tap';
import { Authenticator, type Flaws } from '../../support/authenticator.ts';
import { startTestDatabase } from '../../support/database.ts';
import { showCode } from '../../support/totp.ts';
import { type Client, startAuthNode } from '../auth/auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const origin = 'https://skein.example.com';
const node = await startAuthNode(t, db, { baseUrl: origin });
const password = 'correct horse battery';
const wrongPasskey = { status: 401, body: { error: 'svc/auth/invalid_passkey' } };
const invalid = { status: 401, body: { error: 'svc/auth/invalid_token' } };
const expired = { status: 401, body: { error: 'svc/auth/expired_token' } };
type Json = Readonly<Record<string, unknown>>;

const post = (client: Client, path: string, body: unknown) =>
  client.call('POST', `/studio/${path}`, { body });
const logIn = (email: string, client = node.client()) => post(client, 'auth/login', { email, password });

async function verified() {
  const person = await node.signedUp();
  await node.verify(person.email);
  return person;
}

async function begin(client: Client): Promise<Json> {
  const { status, body } = await post(client, 'passkeys/options', { password });
  t.equal(status, 200);
  return body['options'] as Json;
}

async function add(client: Client, authenticator = new Authenticator(origin), name = 'laptop') {
  const response = authenticator.create(await begin(client));
  const { status, body } = await post(client, 'passkeys', { name, response });
  t.equal(status, 201);
  const { passkeyId } = body['passkey'] as { passkeyId: string };
  return { authenticator, passkeyId, recoveryCodes: body['recoveryCodes'] as readonly string[] };
}

async function withPasskey() {
  const person = await verified();
  return { ...person, ...(await add(person.client)) };
}

/** What the browser is asked for at sign-in; after the password with its challenge. */
async function ask(challenge?: string): Promise<Json> {
  const { status, body } = await post(node.client(), 'auth/login/passkey/options', { challenge });
  t.equal(status, 200);
  return body['options'] as Json;
}

const pass = (response: Json, challenge?: string, client = node.client()) =>
  post(client, 'auth/login/passkey', { challenge, response });

/** A login whose password was right. */
async function challenge(email: string) {
  const { status, body } = await logIn(email);
  t.match({ status, body }, { status: 401, body: { error: 'svc/auth/second_factor_required' } });
  return body['details'] as { challenge: string; methods: readonly string[] };
}

t.test(
  'it is added with the password, by somebody whose address is proven, and other sessions end',
  async t => {
    const person = await node.signedUp();
    const elsewhere = node.client();
    t.match(await post(person.client, 'passkeys/options', { password }), {
      status: 403,
      body: { error: 'svc/auth/email_not_verified' },
    });
    await node.verify(person.email);
    await logIn(person.email, elsewhere);
    t.match(await post(person.client, 'passkeys/options', { password: 'wrong' }), {
      status: 401,
      body: { error: 'svc/auth/invalid_credentials' },
    });
    const options = await begin(person.client);
    t.match(options, {
      rp: { id: 'skein.example.com' },
      user: { name: person.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const authenticator = new Authenticator(origin);
    const response = authenticator.create(options);
    const { status, body } = await post(person.client, 'passkeys', { name: 'laptop', response });
    t.match(
      { status, body },
      { status: 201, body: { passkey: { name: 'laptop', backedUp: true, lastUsedAt: null } } },
    );
    t.equal(new Set(body['recoveryCodes'] as string[]).size, 10);
    t.match(await elsewhere.call('GET', '/studio/me'), invalid, 'sessions without it have ended');
    t.equal((await person.client.call('GET', '/studio/me')).status, 200);
    t.match((await person.client.call('GET', '/studio/second-factor')).body, {
      enabled: false,
      passkeys: 1,
      recoveryCodesLeft: 10,
    });
    t.match(
      await post(person.client, 'passkeys', { name: 'twice', response }),
      invalid,
      'a challenge works once',
    );
    const again = await begin(person.client);
    t.match(again, { excludeCredentials: [{ id: response['id'], transports: ['internal', 'hybrid'] }] });
    const second = await add(person.client, undefined, 'phone');
    t.same(second.recoveryCodes, [], 'codes that are left stay');
    const listed = await person.client.call('GET', '/studio/passkeys?limit=1');
    t.match(listed.body, { data: [{ name: 'laptop' }], hasMore: true });
    const rest = await person.client.call(
      'GET',
      `/studio/passkeys?cursor=${String(listed.body['nextCursor'])}`,
    );
    t.match(rest.body, { data: [{ name: 'phone' }], hasMore: false });
    const mail = await node.mailTo(person.email);
    t.match(mail, 'A passkey was added');
  },
);

t.test(
  'an authenticator is not taken that is of another page, another challenge or without its user',
  async t => {
    const { client } = await verified();
    const flaws: Flaws[] = [
      { origin: 'https://evil.example.com' },
      { origin: 'http://skein.example.com' },
      { origin: `${origin}:8443` },
      { rpId: 'evil.example.com' },
      { type: 'webauthn.get' },
      { isUserVerified: false },
    ];
    for (const flaw of flaws) {
      const response = new Authenticator(origin).create(await begin(client), flaw);
      t.match(await post(client, 'passkeys', { name: 'bad', response }), wrongPasskey, JSON.stringify(flaw));
    }
    const made = new Authenticator(origin).create(await begin(client), { challenge: 'AAAA' });
    t.match(await post(client, 'passkeys', { name: 'bad', response: made }), invalid);
    for (const response of [
      {},
      { response: null },
      { response: { clientDataJSON: 7 } },
      { id: 'x', response: {} },
    ]) {
      t.match(await post(client, 'passkeys', { name: 'bad', response }), wrongPasskey);
    }
    const other = await verified();
    const stolen = new Authenticator(origin).create(await begin(other.client));
    t.match(await post(client, 'passkeys', { name: 'bad', response: stolen }), invalid, 'of another account');
    const late = new Authenticator(origin).create(await begin(client));
    node.clock.shift(5 * 60_000);
    t.match(await post(client, 'passkeys', { name: 'late', response: late }), expired);
    t.match((await client.call('GET', '/studio/passkeys')).body, { data: [] });
  },
);

t.test('it signs in alone, and its use is noted', async t => {
  const { authenticator, userId, client } = await withPasskey();
  const options = await ask();
  t.match(options, { rpId: 'skein.example.com', userVerification: 'required' });
  t.notOk(options['allowCredentials'], 'nobody is named');
  const browser = node.client();
  const response = authenticator.get(options);
  t.equal((await pass(response, undefined, browser)).status, 200);
  t.match((await browser.call('GET', '/studio/me')).body, { userId });
  t.equal((await browser.call('POST', '/studio/auth/refresh')).status, 200);
  const { body } = await client.call('GET', '/studio/passkeys');
  t.type((body['data'] as Json[])[0]?.['lastUsedAt'], 'string');
  t.match(await pass(response), invalid, 'the same answer a second time');
  t.match(await pass(authenticator.get(options)), invalid, 'another answer to the same challenge');
});

t.test('of several answers to one challenge one is taken', async t => {
  const { authenticator } = await withPasskey();
  const options = await ask();
  const replies = await Promise.all([1, 2, 3].map(() => pass(authenticator.get(options))));
  t.same(replies.map(({ status }) => status).sort(), [200, 401, 401]);
});

t.test(
  'an answer is refused that is of another page, user or key, or whose counter does not move on',
  async t => {
    const { authenticator, recoveryCodes } = await withPasskey();
    const flaws: Flaws[] = [
      { origin: 'https://evil.example.com' },
      { rpId: 'evil.example.com' },
      { type: 'webauthn.create' },
      { isUserVerified: false },
      { userHandle: null },
      { userHandle: Buffer.from('usr_other').toString('base64url') },
    ];
    for (const flaw of flaws) {
      t.match(await pass(authenticator.get(await ask(), flaw)), wrongPasskey, JSON.stringify(flaw));
    }
    t.match(await pass(new Authenticator(origin).get(await ask())), wrongPasskey, 'an unknown one');
    const forged = { ...authenticator.get(await ask()) };
    const { response } = new Authenticator(origin).get(await ask()) as { response: Json };
    t.match(
      await pass({
        ...forged,
        response: { ...(forged['response'] as Json), signature: response['signature'] },
      }),
      wrongPasskey,
      'signed with another key',
    );
    t.equal((await pass(authenticator.get(await ask(), { counter: 100 }))).status, 200);
    t.match(await pass(authenticator.get(await ask(), { counter: 100 })), wrongPasskey, 'a copy');
    t.equal((await pass(authenticator.get(await ask(), { counter: 101 }))).status, 200);
    const late = authenticator.get(await ask());
    node.clock.shift(5 * 60_000);
    t.match(await pass(late), expired);
    t.equal(recoveryCodes.length, 10);
  },
);

t.test('a login by password takes it, or a recovery code, as well', async t => {
  const { email, authenticator, recoveryCodes } = await withPasskey();
  const named = await challenge(email);
  t.same(named.methods, ['passkey']);
  const options = await ask(named.challenge);
  t.match(options, { allowCredentials: [{ type: 'public-key' }] });
  t.match(await pass(authenticator.get(options)), invalid, 'the challenge is for the second step only');
  const fresh = await ask(named.challenge);
  t.match(await pass(authenticator.get(await ask()), named.challenge), invalid, 'and the other way around');
  const browser = node.client();
  t.equal((await pass(authenticator.get(fresh), named.challenge, browser)).status, 200);
  t.equal((await browser.call('GET', '/studio/me')).status, 200);
  t.match(await post(node.client(), 'auth/login/passkey/options', { challenge: named.challenge }), invalid);

  const [code = ''] = recoveryCodes;
  const withCode = await challenge(email);
  const second = (body: Json) => post(node.client(), 'auth/login/second-factor', body);
  t.match(await second({ challenge: withCode.challenge, code: '000000' }), {
    status: 401,
    body: { error: 'svc/auth/invalid_code' },
  });
  t.equal((await second({ challenge: withCode.challenge, code })).status, 200);
  t.equal((await second({ challenge: (await challenge(email)).challenge, code })).status, 401, 'once');
});

t.test('somebody else\u2019s passkey is no second step, and tries are counted', async t => {
  const one = await withPasskey();
  const other = await withPasskey();
  const named = await challenge(one.email);
  for (let i = 0; i < 5; i += 1) {
    const answer = other.authenticator.get(await ask(named.challenge));
    t.match(await pass(answer, named.challenge), wrongPasskey);
  }
  t.match(await post(node.client(), 'auth/login/passkey/options', { challenge: named.challenge }), invalid);
});

t.test('a removed one is refused; with the last second factor nothing asks for one any more', async t => {
  const { client, email, authenticator, passkeyId } = await withPasskey();
  const path = `passkeys/${passkeyId}/remove`;
  t.match(await post(client, path, { password: 'wrong' }), { status: 401 });
  const other = await withPasskey();
  t.match(await post(other.client, path, { password }), { status: 404 });
  t.match(await other.client.call('PATCH', `/studio/passkeys/${passkeyId}`, { body: { name: 'mine' } }), {
    status: 404,
  });
  const pending = authenticator.get(await ask());
  t.equal((await post(client, path, { password })).status, 204);
  t.match(await pass(pending), wrongPasskey);
  t.match(await pass(authenticator.get(await ask())), wrongPasskey);
  t.equal((await logIn(email)).status, 200);
  t.match((await client.call('GET', '/studio/second-factor')).body, { passkeys: 0, recoveryCodesLeft: 0 });
  t.match(await post(client, path, { password }), { status: 404 });
});

t.test('an authenticator app beside it: either signs in, and each goes without the other', async t => {
  const { client, email, passkeyId, authenticator } = await withPasskey();
  const { body } = await post(client, 'second-factor', { password });
  const secret = String(body['secret']);
  const nextCode = () => {
    node.clock.shift(30_000);
    return showCode(secret, node.clock.now());
  };
  const unproven = await challenge(email);
  const early = { challenge: unproven.challenge, code: nextCode() };
  t.match(
    await post(node.client(), 'auth/login/second-factor', early),
    { status: 401 },
    'it is not confirmed yet',
  );
  const confirmed = await post(client, 'second-factor/confirm', { code: nextCode() });
  t.equal((confirmed.body['recoveryCodes'] as string[]).length, 10);
  const named = await challenge(email);
  t.same(named.methods, ['totp', 'passkey']);
  const byCode = { challenge: named.challenge, code: nextCode() };
  t.equal((await post(node.client(), 'auth/login/second-factor', byCode)).status, 200);
  t.equal((await post(client, 'second-factor/disable', { password, code: nextCode() })).status, 204);
  t.match((await client.call('GET', '/studio/second-factor')).body, {
    enabled: false,
    since: null,
    passkeys: 1,
    recoveryCodesLeft: 10,
  });
  t.equal((await pass(authenticator.get(await ask()))).status, 200);
  t.equal((await post(client, `passkeys/${passkeyId}/remove`, { password })).status, 204);
  t.equal((await logIn(email)).status, 200);
});

t.test('it satisfies a workspace that demands a second factor, and its acts are recorded', async t => {
  const { client, workspaceId, passkeyId } = await withPasskey();
  const path = `/workspaces/${workspaceId}`;
  const demanded = await client.call('PATCH', path, { body: { requiresSecondFactor: true } });
  t.match(demanded, { status: 200, body: { requiresSecondFactor: true } });
  t.equal((await client.call('GET', `${path}/members`)).status, 200);
  await post(client, `passkeys/${passkeyId}/remove`, { password });
  t.equal((await client.call('GET', `${path}/members`)).status, 404);
  await add(client);
  const { body } = await client.call('GET', `/audit-logs?workspaceId=${workspaceId}`);
  const actions = (body['data'] as { action: string }[]).map(({ action }) => action);
  t.equal(actions.filter(action => action === 'user.passkey_added').length, 2);
  t.equal(actions.filter(action => action === 'user.passkey_removed').length, 1);
});

t.test('a deleted account leaves none', async t => {
  const { client, userId, workspaceId, authenticator } = await withPasskey();
  await client.call('DELETE', `/workspaces/${workspaceId}`);
  t.equal((await post(client, 'auth/delete-account', { password })).status, 204);
  t.match(await pass(authenticator.get(await ask())), wrongPasskey);
  t.same(await db.query('select from passkeys where user_id = $1', [userId]), []);
});
