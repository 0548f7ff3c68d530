/** What users do with their own account: sessions, password, e-mail address, and its end. */
import t from 'tap';
import { shareSkein } from '../../support/skein.ts';
import {
  type Browser,
  createPeople,
  invalidToken,
  newAddress,
  otherPassword,
  password,
  sortStatuses,
  tooMany,
  wrongPassword,
} from './people.ts';

const skein = await shareSkein(t);
const { database } = skein;
const { browser, signUp, verified, mailedToken, countMails, invited, accept, join, events } =
  createPeople(skein);
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';

interface Session {
  readonly sessionId: string;
  readonly current: boolean;
}

async function logIn(email: string, headers: Readonly<Record<string, string>> = {}): Promise<Browser> {
  const client = browser();
  t.equal((await client.logIn(email, password, headers)).status, 200);
  return client;
}

const changePassword = (by: Browser, from: string, to: string) =>
  by.ask('changePassword', { body: { password: from, newPassword: to } });
const changeEmail = (by: Browser, newEmail: string, secret = password) =>
  by.ask('changeEmail', { body: { newEmail, password: secret } });
const confirmEmail = (token: string, secret = password) =>
  browser().ask('confirmEmail', { body: { token, password: secret } });
const deleteAccount = (by: Browser, secret = password) =>
  by.ask('deleteAccount', { body: { password: secret } });

/** As if the rows about this address, or of this user, were an hour older. */
async function passHour(email: string, userId?: string): Promise<void> {
  const hour = `interval '1 hour'`;
  await database.query(
    `update mails set created_at = created_at - ${hour} where lower(recipient) = lower($1)`,
    [email],
  );
  await database.query(
    `update email_tokens set created_at = created_at - ${hour} where lower(email) = lower($1) or user_id = $2`,
    [email, userId ?? null],
  );
}

t.test('sessions show their device and address; one, or all others, can be ended', async t => {
  const { browser: client, email } = await signUp();
  const elsewhere = await logIn(email, { 'user-agent': firefox });
  const third = await logIn(email);
  const sessions = await client.list<Session>('listSessions');
  t.same(
    sessions.map(({ current }) => current),
    [false, false, true],
  );
  t.match(sessions[1], {
    device: { browser: 'Firefox', system: 'Linux' },
    userAgent: firefox,
    address: '127.0.0.1',
  });
  const asked = { params: { sessionId: sessions[1]?.sessionId ?? '' } };
  const { browser: outsider } = await signUp();
  t.equal((await outsider.ask('endSession', asked)).status, 404);
  t.equal((await elsewhere.ask('me')).status, 200);
  t.equal((await client.ask('endSession', asked)).status, 204);
  t.match(await elsewhere.ask('me'), invalidToken, 'its access token at once');
  t.match(await elsewhere.ask('refresh'), invalidToken);
  t.equal((await client.ask('endSession', asked)).status, 404);

  t.match(await client.get('endOtherSessions'), { ended: 1 });
  t.match(await third.ask('me'), invalidToken);
  t.equal((await client.ask('refresh')).status, 200);
});

t.test('a new password ends other sessions and mailed links', async t => {
  const { browser: client, email } = await verified();
  const elsewhere = await logIn(email);
  await client.get('forgotPassword', { body: { email } });
  const reset = await mailedToken(email, 'reset');
  const newEmail = newAddress();
  await changeEmail(client, newEmail);
  const change = await mailedToken(newEmail, 'email');
  t.match(await changePassword(client, 'wrong', otherPassword), wrongPassword);
  t.equal((await elsewhere.ask('me')).status, 200);

  const replies = await Promise.all(
    [otherPassword, `${otherPassword}!`].map(newPassword => changePassword(client, password, newPassword)),
  );
  t.same(sortStatuses(replies), [204, 401], 'of two at once one wins');
  const now = replies[0]?.status === 204 ? otherPassword : `${otherPassword}!`;
  t.equal((await client.ask('me')).status, 200);
  t.match(await elsewhere.ask('me'), invalidToken);
  t.match(await browser().logIn(email), wrongPassword);
  t.equal((await browser().logIn(email, now)).status, 200);
  const body = { token: reset, password };
  t.match(await browser().ask('resetPassword', { body }), invalidToken);
  t.match(await confirmEmail(change, now), invalidToken);
  t.equal(await countMails('account_notice', email), 2);
});

t.test('a new address is proven with the password, and the old one gets a notice', async t => {
  const { browser: client, email, userId } = await verified();
  const [first, second] = [newAddress(), newAddress()];
  t.match(await changeEmail(client, first, 'wrong'), wrongPassword);
  t.equal((await changeEmail(client, first)).status, 200);
  const replaced = await mailedToken(first, 'email');
  t.equal((await changeEmail(client, second)).status, 200);
  const token = await mailedToken(second, 'email');
  t.match(await confirmEmail(replaced), invalidToken, 'the newest link counts');
  t.equal(await countMails('account_notice', email), 2, 'the present address gets notices in time');
  t.match(await client.get('me'), { email, emailVerified: true });

  t.match(await confirmEmail(token, 'wrong'), wrongPassword);
  t.equal((await confirmEmail(token)).status, 200);
  t.match(await client.get('me'), { userId, email: second, emailVerified: true });
  t.match(await confirmEmail(token), invalidToken, 'once');
  t.match(await browser().logIn(email), wrongPassword);
  await logIn(second);
  t.equal(await countMails('account_notice', email), 3);
});

t.test(
  'a change to an address that has an account is answered as any other, and its owner gets a notice',
  async t => {
    const { browser: client, email } = await verified();
    const owner = await verified();
    const free = await changeEmail(client, newAddress());
    const taken = await changeEmail(client, owner.email);
    t.strictSame([taken.status, taken.body], [free.status, free.body]);
    const mails = await database.query<{ kind: string; sent: boolean }>(
      `select kind, last_error is null as sent from mails where lower(recipient) = lower($1) order by kind`,
      [owner.email],
    );
    t.match(
      mails.filter(({ kind }) => kind !== 'verify_account'),
      [
        { kind: 'account_notice', sent: true },
        { kind: 'change_account_email', sent: false },
      ],
      'no link, because its owner would share the account',
    );
    t.match(await client.get('me'), { email });
  },
);

t.test('a new password is not one that attackers try first', async t => {
  const { browser: client, email } = await verified();
  for (const [weak, code] of [
    ['Password1', 'password_is_common'],
    [email.toUpperCase(), 'password_is_address'],
  ] as const) {
    const issue = { details: { issues: [{ code }] } };
    t.match(await changePassword(client, password, weak), { status: 422, body: issue }, weak);
    const body = { email: weak.includes('@') ? email : newAddress(), password: weak };
    t.match(await browser().ask('signUp', { body }), { status: 422, body: issue }, weak);
  }
});

t.test('an unproven address gets no notices', async t => {
  const { browser: client, email } = await signUp();
  t.equal((await changePassword(client, password, otherPassword)).status, 204);
  const newEmail = newAddress();
  await changeEmail(client, newEmail, otherPassword);
  await confirmEmail(await mailedToken(newEmail, 'email'), otherPassword);
  t.equal(await countMails('account_notice', email), 0);
  t.equal((await changePassword(client, otherPassword, password)).status, 204);
  t.equal(await countMails('account_notice', newEmail), 1);
});

t.test('of several accounts that want one address one gets it', async t => {
  const newEmail = newAddress();
  const tokens = [];
  for (let i = 0; i < 3; i += 1) {
    const { browser: client } = await signUp();
    await changeEmail(client, i === 0 ? newEmail.toUpperCase() : newEmail);
    tokens.push(await mailedToken(i === 0 ? newEmail.toUpperCase() : newEmail, 'email'));
  }
  t.same(sortStatuses(await Promise.all(tokens.map(token => confirmEmail(token)))), [200, 409, 409]);
});

t.test('a user has five links an hour sent to new addresses, and an address gets five', async t => {
  const { browser: client, email, userId } = await signUp();
  const replies = await Promise.all(Array.from({ length: 7 }, () => changeEmail(client, newAddress())));
  t.same(sortStatuses(replies), [200, 200, 200, 200, 200, 429, 429]);
  t.match(await changeEmail(client, newAddress()), { ...tooMany, headers: { 'retry-after': '3600' } });
  await passHour(email, userId);
  t.equal((await changeEmail(client, newAddress())).status, 200);

  const people = [(await signUp()).browser, (await signUp()).browser];
  const newEmail = newAddress();
  const asked = await Promise.all(
    [0, 1, 0, 1, 0, 1].map((who, n) =>
      changeEmail(people[who] ?? client, n % 3 === 0 ? newEmail.toUpperCase() : newEmail),
    ),
  );
  t.same(sortStatuses(asked), [200, 200, 200, 200, 200, 429], 'whichever accounts name it');
  t.equal(await countMails('change_account_email', newEmail), 5);
  await signUp(newEmail);
  t.equal(await countMails('verify_account', newEmail), 0, 'verification links count as well');
});

t.test('accounts that come and go have five mails an hour sent to their address', async t => {
  const email = newAddress();
  for (let i = 0; i < 6; i++) {
    const { browser: client, workspaceId } = await signUp(i % 2 === 0 ? email : email.toUpperCase());
    await client.get('archiveWorkspace', { params: { workspaceId } });
    t.equal((await deleteAccount(client)).status, 204, 'an archived workspace needs no owner');
  }
  t.equal(await countMails('verify_account', email), 5);
  const { browser: client } = await signUp(email);
  t.match(await client.ask('resendVerification'), tooMany);
  t.equal(await countMails('verify_account', email), 5);
  await passHour(email);
  t.equal((await client.ask('resendVerification')).status, 200);
});

t.test('an account is deleted once its workspaces have other owners', async t => {
  const owner = await verified();
  const { browser: client, email, userId, workspaceId } = owner;
  const { browser: other, email: otherEmail, userId: otherId } = await signUp();
  t.match(await deleteAccount(client, 'wrong'), wrongPassword);
  const workspaces = [{ workspaceId, name: 'My workspace' }];
  t.match(await deleteAccount(client), { status: 409, body: { details: { workspaces } } });
  await accept(other, await invited(owner, otherEmail));
  t.match(await deleteAccount(client), { status: 409 }, 'an admin is no owner');
  await client.get('transferWorkspace', { params: { workspaceId }, body: { userId: otherId } });

  t.equal((await deleteAccount(client)).status, 204);
  t.match(await client.ask('me'), invalidToken);
  t.match(await client.ask('refresh'), invalidToken);
  t.match(await browser().logIn(email), wrongPassword);
  t.match(await other.list('listMembers', { params: { workspaceId } }), [{ userId: otherId }]);
  const [row] = await database.query<{ text: string }>(
    'select u::text as text from users u where user_id = $1',
    [userId],
  );
  t.match(row?.text, 'Deleted user');
  t.notMatch(row?.text, email);
  t.match((await events(owner)).at(-1), {
    eventName: 'project.member.removed',
    data: { member: { userId } },
  });
  await signUp(email);
});

t.test('of two owners who delete their accounts at once one stays', async t => {
  const { browser: client, ...owner } = await signUp();
  const { browser: other, userId } = await signUp();
  await join({ ...owner, browser: client }, 'owner', Promise.resolve({ ...owner, browser: other, userId }));
  const workspaces = await other.list<{ workspaceId: string }>('listWorkspaces');
  const { workspaceId = '' } = workspaces.find(each => each.workspaceId !== owner.workspaceId) ?? {};
  await other.get('archiveWorkspace', { params: { workspaceId } });
  const replies = await Promise.all([client, other].map(each => deleteAccount(each)));
  t.same(sortStatuses(replies), [204, 409]);
});
