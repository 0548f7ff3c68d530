/** Passkeys: added, used alone and after the password, removed, and wrong answers of authenticators. */
import t from 'tap';
import { Authenticator, type Flaws } from '../../support/authenticator.ts';
import { shareSkein } from '../../support/skein.ts';
import {
  type Browser,
  createPeople,
  invalidToken,
  type Json,
  password,
  type Person,
  sortStatuses,
} from './people.ts';

const skein = await shareSkein(t);
const { database } = skein;
const { browser, verified, acts, addSecondFactor, nextCode } = createPeople(skein);
const origin = skein.url.replace('127.0.0.1', 'localhost');
const wrongPasskey = { status: 401, body: { error: 'svc/auth/invalid_passkey' } };

async function begin(by: Browser, proof: object = {}): Promise<Json> {
  const { options } = await by.get<{ options: Json }>('beginPasskey', { body: { password, ...proof } });
  return options;
}

const create = (by: Browser, response: Json, name = 'laptop') =>
  by.ask<{ passkey: Json & { passkeyId: string }; recoveryCodes: readonly string[] }>('createPasskey', {
    body: { name, response },
  });

async function add(by: Browser, name = 'laptop', proof: object = {}) {
  const authenticator = new Authenticator(origin);
  const { status, body } = await create(by, authenticator.create(await begin(by, proof)), name);
  t.equal(status, 201);
  return { authenticator, passkeyId: body.passkey.passkeyId, recoveryCodes: body.recoveryCodes };
}

async function withPasskey() {
  const person = await verified();
  return { ...person, ...(await add(person.browser)) };
}

const beginLogin = (challenge?: string) =>
  browser().ask<{ options: Json }>('beginPasskeyLogin', {
    body: challenge === undefined ? {} : { challenge },
  });

/** What the browser is asked for at sign-in; after the password with its challenge. */
const getOptions = async (challenge?: string): Promise<Json> => (await beginLogin(challenge)).body.options;

const pass = (response: Json, challenge?: string, by = browser()) =>
  by.ask('loginWithPasskey', { body: { response, ...(challenge !== undefined && { challenge }) } });
const passByCode = (challenge: string, code: string) =>
  browser().ask('loginWithSecondFactor', { body: { challenge, code } });

/** A login with the right password. */
async function challenge(email: string) {
  const { body } = await browser().logIn(email);
  t.match(body, { error: 'svc/auth/second_factor_required' });
  return body['details'] as { challenge: string; methods: readonly string[] };
}

/** With the answer of the person's passkey, as the second factor. */
const remove = async (person: Person & { readonly authenticator?: Authenticator }, passkeyId: string) => {
  const { browser: by, authenticator } = person;
  const proof = authenticator === undefined ? {} : { passkey: authenticator.get(await getOptions()) };
  return by.ask('removePasskey', { params: { passkeyId }, body: { password, ...proof } });
};

t.test('it is added, and sessions without it end', async t => {
  const { browser: client, email } = await verified();
  const elsewhere = browser();
  await elsewhere.logIn(email);
  const options = await begin(client);
  t.match(options, {
    rp: { id: 'localhost' },
    user: { name: email },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const response = new Authenticator(origin).create(options);
  const { body } = await create(client, response);
  t.match(body.passkey, { name: 'laptop', backedUp: true, lastUsedAt: null });
  t.equal(new Set(body.recoveryCodes).size, 10);
  t.match(await elsewhere.ask('me'), invalidToken);
  t.match(await client.get('getSecondFactor'), { enabled: false, passkeys: 1, recoveryCodesLeft: 10 });
  t.match(await create(client, response), invalidToken, 'a challenge works once');
  const excluded = [{ id: response['id'], transports: ['internal', 'hybrid'] }];
  const [first = '', second = ''] = body.recoveryCodes;
  t.match(await begin(client, { code: first }), { excludeCredentials: excluded });
  t.match(
    await client.ask('beginPasskey', { body: { password } }),
    { status: 401, body: { error: 'svc/auth/second_factor_required', details: { methods: ['passkey'] } } },
    'the password and a stolen session add no further passkey',
  );
  const added = await add(client, 'phone', { code: second });
  t.same(added.recoveryCodes, [], 'codes that are left stay');
});

t.test('a wrong answer of an authenticator adds nothing', async t => {
  const { browser: client, userId } = await verified();
  const flaws: Flaws[] = [
    { origin: 'https://evil.example.com' },
    { origin: `${origin}0` },
    { rpId: 'evil.example.com' },
    { type: 'webauthn.get' },
    { isUserVerified: false },
  ];
  for (const flaw of flaws) {
    const response = new Authenticator(origin).create(await begin(client), flaw);
    t.match(await create(client, response), wrongPasskey, JSON.stringify(flaw));
  }
  const made = new Authenticator(origin).create(await begin(client), { challenge: 'AAAA' });
  t.match(await create(client, made), invalidToken);
  const stolen = new Authenticator(origin).create(await begin((await verified()).browser));
  t.match(await create(client, stolen), invalidToken, 'of another account');
  t.same(await database.query('select from passkeys where user_id = $1', [userId]), []);
});

t.test('it signs in alone, once for each challenge', async t => {
  const { authenticator, userId, browser: client } = await withPasskey();
  const options = await getOptions();
  t.match(options, { rpId: 'localhost', userVerification: 'required' });
  t.notOk(options['allowCredentials'], 'no user is named');
  const other = browser();
  const replies = await Promise.all([1, 2, 3].map(() => pass(authenticator.get(options), undefined, other)));
  t.same(sortStatuses(replies), [200, 401, 401]);
  t.match(await other.get('me'), { userId });
  t.equal((await other.ask('refresh')).status, 200);
  t.match(await client.list('listPasskeys'), [{ lastUsedAt: /^20/ }]);
  t.match(await pass(authenticator.get(options)), invalidToken);
});

t.test('an answer of another page, user or key, or with an old counter, is refused', async t => {
  const { authenticator } = await withPasskey();
  const flaws: Flaws[] = [
    { origin: 'https://evil.example.com' },
    { rpId: 'evil.example.com' },
    { type: 'webauthn.create' },
    { isUserVerified: false },
    { userHandle: null },
    { userHandle: Buffer.from('usr_other').toString('base64url') },
  ];
  for (const flaw of flaws)
    t.match(await pass(authenticator.get(await getOptions(), flaw)), wrongPasskey, JSON.stringify(flaw));
  const outsider = new Authenticator(origin);
  t.match(await pass(outsider.get(await getOptions())), wrongPasskey, 'an unknown one');
  const own = authenticator.get(await getOptions());
  const { signature } = outsider.get(await getOptions())['response'] as { signature: string };
  const forged = { ...own, response: { ...(own['response'] as Json), signature } };
  t.match(await pass(forged), wrongPasskey, 'signed with another key');
  const byCounter = async (counter: number) => pass(authenticator.get(await getOptions(), { counter }));
  t.equal((await byCounter(100)).status, 200);
  t.match(await byCounter(100), wrongPasskey, 'a copy');
  t.equal((await byCounter(101)).status, 200);
});

t.test('after the password it stands for a code, as a recovery code does', async t => {
  const { email, authenticator, recoveryCodes } = await withPasskey();
  const named = await challenge(email);
  t.same(named.methods, ['passkey']);
  const options = await getOptions(named.challenge);
  t.match(options, { allowCredentials: [{ type: 'public-key' }] });
  t.match(await pass(authenticator.get(options)), invalidToken, 'not without the challenge');
  t.match(await pass(authenticator.get(await getOptions()), named.challenge), invalidToken);
  const fresh = authenticator.get(await getOptions(named.challenge));
  t.equal((await pass(fresh, named.challenge)).status, 200);
  t.match(await beginLogin(named.challenge), invalidToken);

  const [code = ''] = recoveryCodes;
  const second = (await challenge(email)).challenge;
  t.match(await passByCode(second, '000000'), { body: { error: 'svc/auth/invalid_code' } });
  t.equal((await passByCode(second, code)).status, 200);
  t.equal((await passByCode((await challenge(email)).challenge, code)).status, 401, 'once');
});

t.test('a passkey of another user is no second step, and attempts are counted', async t => {
  const [one, other] = [await withPasskey(), await withPasskey()];
  const named = (await challenge(one.email)).challenge;
  for (let i = 0; i < 5; i += 1)
    t.match(await pass(other.authenticator.get(await getOptions(named)), named), wrongPasskey);
  t.match(await beginLogin(named), invalidToken);
});

t.test('a removed one is refused, and its account asks for no second factor', async t => {
  const person = await withPasskey();
  const { browser: client, email, authenticator, passkeyId } = person;
  const other = await withPasskey();
  t.equal((await remove(other, passkeyId)).status, 404);
  const rename = { params: { passkeyId }, body: { name: 'mine' } };
  t.equal((await other.browser.ask('updatePasskey', rename)).status, 404);
  const pending = authenticator.get(await getOptions());
  t.equal((await remove(person, passkeyId)).status, 204);
  t.match(await pass(pending), wrongPasskey);
  t.equal((await browser().logIn(email)).status, 200);
  t.match(await client.get('getSecondFactor'), { passkeys: 0, recoveryCodesLeft: 0 });
});

t.test('beside an authenticator app either signs in, and each goes without the other', async t => {
  const person = await withPasskey();
  const { browser: client, email, userId, passkeyId, authenticator } = person;
  const { secret } = await client.get<{ secret: string }>('enrolSecondFactor', { body: { password } });
  const early = await passByCode((await challenge(email)).challenge, await nextCode(userId, secret));
  t.equal(early.status, 401, 'it is not confirmed yet');
  await client.get('confirmSecondFactor', { body: { code: await nextCode(userId, secret) } });
  const named = await challenge(email);
  t.same(named.methods, ['totp', 'passkey']);
  t.equal((await passByCode(named.challenge, await nextCode(userId, secret))).status, 200);
  const body = { password, code: await nextCode(userId, secret) };
  t.equal((await client.ask('disableSecondFactor', { body })).status, 204);
  const left = { enabled: false, since: null, passkeys: 1, recoveryCodesLeft: 10 };
  t.match(await client.get('getSecondFactor'), left);
  t.equal((await pass(authenticator.get(await getOptions()))).status, 200);
  await addSecondFactor(person);
  t.equal((await remove(person, passkeyId)).status, 204);
  t.same((await challenge(email)).methods, ['totp']);
});

t.test('it satisfies a workspace that demands a second factor; a deleted account leaves none', async t => {
  const person = await withPasskey();
  const { browser: client, workspaceId, userId, passkeyId } = person;
  const params = { workspaceId };
  const demanded = { params, body: { requiresSecondFactor: true } };
  t.match(await client.get('updateWorkspace', demanded), { requiresSecondFactor: true });
  t.equal((await client.ask('listMembers', { params })).status, 200);
  await remove(person, passkeyId);
  t.equal((await client.ask('listMembers', { params })).status, 404);
  const { authenticator } = await add(client);
  const actions = (await acts(person)).map(({ action }) => action);
  t.equal(actions.filter(action => action === 'user.passkey_added').length, 2);
  t.equal(actions.filter(action => action === 'user.passkey_removed').length, 1);

  await client.get('archiveWorkspace', { params });
  t.equal((await client.ask('deleteAccount', { body: { password } })).status, 204);
  t.match(await pass(authenticator.get(await getOptions())), wrongPasskey);
  t.same(await database.query('select from passkeys where user_id = $1', [userId]), []);
});
