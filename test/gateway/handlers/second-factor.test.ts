/** The second factor: set up, sign in, recover, remove, and workspaces that demand it. */
import t from 'tap';
import { findRevokedCredentials, toChangedKey } from '../../../storage/tenancy/credential-check.ts';
import { shareSkein } from '../../support/skein.ts';
import {
  type Browser,
  conflict,
  createPeople,
  invalidToken,
  newAddress,
  otherPassword,
  password,
  type Person,
  sortStatuses,
  tooMany,
} from './people.ts';

const skein = await shareSkein(t);
const { database } = skein;
const {
  browser,
  verified,
  mailedToken,
  invited,
  accept,
  join,
  acts,
  addSecondFactor,
  nextCode: createCode,
} = createPeople(skein);
const wrongCode = { status: 401, body: { error: 'svc/auth/invalid_code' } };

async function withSecondFactor() {
  const person = await verified();
  const { secret, recoveryCodes } = await addSecondFactor(person);
  return { ...person, recoveryCodes, nextCode: () => createCode(person.userId, secret) };
}

/** The challenge of a login with the right password. */
async function challenge(email: string, secret = password): Promise<string> {
  const { status, body } = await browser().logIn(email, secret);
  t.match({ status, body }, { status: 401, body: { error: 'svc/auth/second_factor_required' } });
  return (body['details'] as { challenge: string }).challenge;
}

const pass = (named: string, code: string, by = browser()) =>
  by.ask('loginWithSecondFactor', { body: { challenge: named, code } });

async function reset(email: string): Promise<void> {
  await browser().get('forgotPassword', { body: { email } });
  const token = await mailedToken(email, 'reset');
  await browser().get('resetPassword', { body: { token, password: otherPassword } });
}

const disable = async ({ browser: by, nextCode }: { browser: Browser; nextCode: () => Promise<string> }) =>
  by.ask('disableSecondFactor', { body: { password, code: await nextCode() } });

t.test('it is set up with a code; until then nothing asks for one', async t => {
  const person = await verified();
  const { browser: client, email, userId } = person;
  const elsewhere = browser();
  const { secret, uri } = await client.get<{ secret: string; uri: string }>('enrolSecondFactor', {
    body: { password },
  });
  t.match(uri, `otpauth://totp/Skein:${encodeURIComponent(email)}`);
  t.equal((await elsewhere.logIn(email)).status, 200);
  t.match(await client.get('getSecondFactor'), { enabled: false });

  const code = await createCode(userId, secret);
  const { recoveryCodes } = await client.get<{ recoveryCodes: string[] }>('confirmSecondFactor', {
    body: { code },
  });
  t.equal(new Set(recoveryCodes).size, 10);
  t.match(await client.get('getSecondFactor'), { enabled: true, recoveryCodesLeft: 10 });
  t.match(await elsewhere.ask('me'), invalidToken, 'sessions without it have ended');
  t.equal((await client.ask('me')).status, 200);
  const [row] = await database.query<{ text: string }>(
    'select f::text as text from second_factors f where user_id = $1',
    [userId],
  );
  t.notMatch(row?.text, secret, 'it is sealed');
});

t.test('one from before the first proof of the address is removed by that proof', async t => {
  const { email, userId, nextCode } = await withSecondFactor();
  await database.query('update users set email_verified_at = null where user_id = $1', [userId]);
  const begun = await challenge(email);
  await reset(email);
  t.match(await pass(begun, await nextCode()), invalidToken, 'whoever made it was about to sign in');
  const client = browser();
  t.equal((await client.logIn(email, otherPassword)).status, 200);
  t.match(await client.get('getSecondFactor'), { enabled: false, recoveryCodesLeft: 0 });
  const { workspaceId } = await client.get<Person>('me');
  const removed = { action: 'user.second_factor_disabled' };
  t.equal((await acts({ browser: client, workspaceId } as Person, removed)).length, 1);
});

t.test('a reset of the password leaves that of a proven address', async t => {
  const { email, nextCode } = await withSecondFactor();
  await reset(email);
  t.equal((await pass(await challenge(email, otherPassword), await nextCode())).status, 200);
});

t.test('a login takes two steps; a challenge and a code work once', async t => {
  const { email, nextCode } = await withSecondFactor();
  const named = await challenge(email);
  const client = browser();
  t.match(await pass(named, '000000', client), wrongCode);
  t.equal((await pass(named, await nextCode(), client)).status, 200);
  t.equal((await client.ask('refresh')).status, 200);
  t.match(await pass(named, await nextCode()), invalidToken);

  const challenges = [await challenge(email), await challenge(email), await challenge(email)];
  const code = await nextCode();
  const replies = await Promise.all(challenges.map(each => pass(each, code)));
  t.same(sortStatuses(replies), [200, 401, 401]);
  t.match(await pass(await challenge(email), code), wrongCode, 'replayed later');
});

t.test('a recovery code stands for a code once; new ones make the earlier ones void', async t => {
  const { email, browser: client, recoveryCodes, nextCode } = await withSecondFactor();
  const [code = '', typed = '', last = ''] = recoveryCodes;
  const challenges = [await challenge(email), await challenge(email), await challenge(email)];
  const replies = await Promise.all(challenges.map(named => pass(named, code)));
  t.same(sortStatuses(replies), [200, 401, 401]);
  t.equal((await pass(await challenge(email), typed.toLowerCase().replace('-', ' '))).status, 200);
  t.match(await client.get('getSecondFactor'), { recoveryCodesLeft: 8 });

  const renewed = await client.get<{ recoveryCodes: string[] }>('renewRecoveryCodes', {
    body: { password, code: await nextCode() },
  });
  t.equal(renewed.recoveryCodes.length, 10);
  t.match(await pass(await challenge(email), last), wrongCode);
});

t.test('guesses are limited for a challenge and for a user', async t => {
  const { email, userId, nextCode } = await withSecondFactor();
  for (let round = 0; round < 2; round += 1) {
    const named = await challenge(email);
    for (let i = 0; i < 5; i += 1) t.match(await pass(named, '000000'), wrongCode);
    t.match(await pass(named, await nextCode()), invalidToken, 'the challenge is used up');
  }
  const refused = await pass(await challenge(email), await nextCode());
  t.match(refused, { ...tooMany, headers: { 'retry-after': '900' } });
  await database.query(
    `update second_factors set failing_since = failing_since - interval '15 minutes' where user_id = $1`,
    [userId],
  );
  t.equal((await pass(await challenge(email), await nextCode())).status, 200);
});

t.test('a challenge ends with the password, and the factor is removed with a code', async t => {
  const person = await withSecondFactor();
  const { email, browser: client, nextCode } = person;
  const named = await challenge(email);
  const newPassword = otherPassword;
  const required = { error: 'svc/auth/second_factor_required', details: { methods: ['totp'] } };
  const body = { password, newPassword };
  t.match(await client.ask('changePassword', { body }), { status: 401, body: required });
  t.match(await client.ask('changePassword', { body: { ...body, code: '000000' } }), wrongCode);
  const changed = { ...body, code: await nextCode() };
  t.equal((await client.ask('changePassword', { body: changed })).status, 204);
  t.match(await pass(named, await nextCode()), invalidToken);
  const back = { password: newPassword, newPassword: password, code: await nextCode() };
  t.equal((await client.ask('changePassword', { body: back })).status, 204);
  t.equal((await disable(person)).status, 204);
  t.equal((await browser().logIn(email)).status, 200);
});

t.test('an invitation is no way around it', async t => {
  const owner = await verified();
  const { email, browser: client } = await withSecondFactor();
  const token = await invited(owner, email);
  t.match(await accept(browser(), token, password), { body: { error: 'svc/auth/login_required' } });
  t.equal((await accept(client, token)).status, 200, 'with a session it is accepted');
});

t.test('a workspace that demands it lets members without one only set it up or leave', async t => {
  const owner = await verified();
  const { workspaceId, projectId, userId } = owner;
  const member = await join(owner, 'admin', verified());
  const params = { workspaceId };
  const demand = ({ browser: by }: Person) =>
    by.ask('updateWorkspace', { params, body: { requiresSecondFactor: true } });
  const listMembers = async () => (await member.browser.ask('listMembers', { params })).status;
  t.match(await demand(member), { status: 403 }, 'that is for owners');
  t.match(await demand(owner), conflict, 'who have one themselves');
  const ofOwner = await addSecondFactor(owner);
  t.match(await demand(owner), { status: 200, body: { requiresSecondFactor: true } });

  const denied = { status: 403, body: { details: { reason: 'second_factor' } } };
  const body = { email: newAddress() };
  t.match(await member.browser.ask('createInvitation', { params, body }), denied);
  t.equal(await listMembers(), 404);
  t.equal((await member.browser.ask('removeMember', { params: { ...params, userId } })).status, 403);
  for (const id of ['me', 'listWorkspaces'] as const) t.equal((await member.browser.ask(id)).status, 200);

  const { secret } = await addSecondFactor(member);
  t.equal(await listMembers(), 200);
  await disable({ ...member, nextCode: () => createCode(member.userId, secret) });
  t.equal(await listMembers(), 404);
  const left = { params: { ...params, userId: member.userId } };
  t.equal((await member.browser.ask('removeMember', left)).status, 200);

  const asked = { projectId, userId, roles: 'owner//project_owner' };
  const findRevoked = () =>
    findRevokedCredentials(database, { sessionIds: [], apiKeyIds: [], members: [asked] }, Date.now());
  t.same(await findRevoked(), new Set());
  await disable({ ...owner, nextCode: () => createCode(userId, ofOwner.secret) });
  t.same(await findRevoked(), new Set([toChangedKey(asked)]), 'open Console sockets are closed');
});
