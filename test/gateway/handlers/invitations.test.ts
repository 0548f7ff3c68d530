/** Invitations to a workspace: made, revoked, and accepted in each of the ways that there are. */
import t from 'tap';
import { freshKey } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { readMail } from '../../support/mailbox.ts';
import { shareSkein, startSkeinOn } from '../../support/skein.ts';
import {
  absent,
  type Browser,
  conflict,
  createPeople,
  denied,
  invalidToken,
  type Json,
  newAddress,
  otherPassword,
  password,
  type Person,
  sortStatuses,
} from './people.ts';

const skein = await shareSkein(t);
const { database } = skein;
const { browser, signUp, verified, mailedToken, invite, invited, accept, join, events, acts } =
  createPeople(skein);
const hourMs = 3_600_000;
const loginRequired = { status: 401, body: { error: 'svc/auth/login_required' } };

const list = ({ browser: by, workspaceId }: Person) =>
  by.list('listInvitations', { params: { workspaceId } });
const listMembers = ({ browser: by, workspaceId }: Person) =>
  by.list<{ userId: string }>('listMembers', { params: { workspaceId } });
const revoke = ({ browser: by, workspaceId }: Person, invitation?: Json) =>
  by.ask('revokeInvitation', {
    params: { workspaceId, invitationId: String(invitation?.['invitationId']) },
  });
const names = async (owner: Person): Promise<string[]> =>
  (await events(owner)).map(({ eventName }) => eventName);
/** The user's roles in a project, as members of its workspace see them. */
const getRoles = async (by: Browser, projectId: string, userId: string) => {
  const members = await by.list('listConsoleMembers', { params: { projectId } });
  return members.find(member => member['userId'] === userId);
};

t.test('the invited address gets a mail with the token, the workspace an event without', async t => {
  const owner = await verified();
  const { workspaceId, userId } = owner;
  const email = newAddress();
  const made = await invite(owner, email);
  const roles = { studioRole: 'admin', consoleRole: 'project_owner' };
  t.match(made.body, { workspaceId, email, ...roles, invitedByUserId: userId, acceptedAt: null });
  const { createdAt, expiresAt } = made.body as { createdAt: string; expiresAt: string };
  t.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 24 * hourMs);
  const mail = await readMail(skein.log, email, 'join');
  t.match(mail, owner.email);
  const token = /join#token=([\w-]+)/.exec(mail)?.[1];
  const [stored] = await database.query<{ row: string }>(
    'select i::text as row from invitations i where email = $1',
    [email],
  );
  t.notMatch(stored?.row + made.text, token);
  t.match(await events(owner), [
    {
      eventName: 'workspace.invitation.created',
      data: { actor: { type: 'user', id: userId }, invitation: made.body },
    },
  ]);
  t.same(await list(owner), [made.body]);

  const viewer = { studioRole: 'viewer' };
  t.match((await invite(owner, newAddress(), viewer)).body, { ...viewer, consoleRole: 'viewer' });
});

t.test('an address has one open invitation in any spelling, and members have none', async t => {
  const owner = await verified();
  const email = newAddress();
  const replies = await Promise.all([1, 2, 3].map(() => invite(owner, email)));
  t.same(sortStatuses(replies), [201, 409, 409], 'of several at once one is made');
  t.match(await invite(owner, email.toUpperCase()), conflict);
  t.match(await invite(owner, owner.email), conflict);
  t.equal((await invite(await verified(), email)).status, 201, 'another workspace may invite it');

  await database.query(`update invitations set expires_at = now() where email = $1`, [email]);
  t.equal((await invite(owner, email)).status, 201, 'an expired one makes room');
  t.match(await list(owner), [{ revokedAt: null }, { revokedAt: /^20/ }]);
  t.same(
    await names(owner),
    ['created', 'revoked', 'created'].map(each => `workspace.invitation.${each}`),
  );
});

t.test('a removed or demoted member invites nobody, whatever the node has cached', async t => {
  const owner = await verified();
  for (const [change, refusal] of [
    [`update workspace_members set role = 'viewer'`, denied],
    ['delete from workspace_members', absent],
  ] as const) {
    const admin = await join(owner, 'admin', verified());
    t.equal((await invite(admin, newAddress())).status, 201);
    await database.query(`${change} where workspace_id = $1 and user_id = $2`, [
      owner.workspaceId,
      admin.userId,
    ]);
    t.match(await invite(admin, newAddress()), refusal);
  }
});

t.test('a revoked invitation opens nothing, and an accepted one cannot be revoked', async t => {
  const owner = await verified();
  const email = newAddress();
  const token = await invited(owner, email);
  const [open] = await list(owner);
  for (let i = 0; i < 2; i++) t.equal((await revoke(owner, open)).status, 204, 'twice is once');
  const [revoked] = await list(owner);
  t.match(await accept(browser(), token, password), absent);
  t.match((await events(owner)).slice(1), [
    { eventName: 'workspace.invitation.revoked', data: { invitation: revoked } },
  ]);
  t.equal((await accept(browser(), await invited(owner, email), password)).status, 200);
  const [accepted] = await list(owner);
  t.match(accepted, { acceptedAt: /^20/, revokedAt: null });
  t.match(await revoke(owner, accepted), absent);
});

t.test('accepted and revoked at once: one of the two happens', async t => {
  const owner = await verified();
  for (let round = 0; round < 2; round++) {
    const token = await invited(owner, newAddress());
    const [open] = await list(owner);
    const [accepted, revoked] = await Promise.all([accept(browser(), token, password), revoke(owner, open)]);
    t.same(sortStatuses([accepted, revoked]), accepted.status === 200 ? [200, 404] : [204, 404]);
    const [after] = await list(owner);
    t.equal(after?.['acceptedAt'] === null, accepted.status !== 200);
    t.equal(after?.['revokedAt'] === null, revoked.status !== 204);
  }
});

t.test(
  'an address without an account gets one in every project, with events for each environment',
  async t => {
    const owner = await verified();
    const { workspaceId, projectId } = owner;
    await owner.browser.get('createEnvironment', { body: { projectId, name: 'Live' } });
    const second = await owner.browser.get<{ projectId: string }>('createProject', {
      body: { workspaceId, name: 'Second' },
    });
    const email = newAddress();
    const token = await invited(owner, email, { studioRole: 'viewer', consoleRole: 'agent' });
    t.match(await accept(browser(), token), {
      status: 422,
      body: { details: { issues: [{ path: '/body/password' }] } },
    });
    const guest = browser();
    const { headers } = await accept(guest, token, password);
    t.match(String(headers['set-cookie']), /^svc_refresh=[\w-]{22}\.[\w-]{43}; .*HttpOnly/);
    const me = await guest.get<{ userId: string }>('me');
    t.match(me, {
      email,
      workspaceId,
      workspaceRole: 'viewer',
      projectRole: 'viewer',
      emailVerified: true,
    });
    for (const each of [projectId, second.projectId])
      t.match(await getRoles(guest, each, me.userId), { role: 'agent' });
    t.equal((await guest.ask('refresh')).status, 200);
    t.equal((await browser().logIn(email.toUpperCase())).status, 200);
    t.match(await accept(browser(), token, password), absent, 'once');

    const told = await events(owner);
    t.match(
      told.map(({ eventName, data: { invitation, member } }) => [
        eventName,
        invitation?.['email'] ?? member?.['role'],
      ]),
      ['workspace.invitation.created', 'project.member.upserted', 'workspace.invitation.accepted'].flatMap(
        name => Array.from({ length: 2 }, () => [name, name.startsWith('project') ? 'agent' : email]),
      ),
    );
    t.match(told.at(-1)?.data, { actor: { type: 'user', id: me.userId }, invitation: { acceptedAt: /^20/ } });
    t.equal(new Set(told.slice(-2).map(({ data }) => data['environmentId'])).size, 2);
    const recorded = (await acts(owner, { action: 'console_member.upserted' })).filter(
      act => act['projectId'] === projectId,
    );
    t.equal(recorded.length, 1, 'the audit log has one entry');
  },
);

t.test('an account accepts with its session or its password', async t => {
  const [one, two] = [await verified(), await verified()];
  const guest = await signUp();
  const { cookie } = guest.browser;
  const upper = guest.email.toUpperCase();
  await invite(one, upper);
  const first = await mailedToken(upper, 'join');
  t.match(await accept(browser(), first), loginRequired);
  t.match(await accept(browser(), first, `${password}!`), loginRequired);
  t.equal((await accept(guest.browser, first)).status, 200);
  t.not(guest.browser.cookie, cookie, 'a session of its own');
  t.match(await guest.browser.get('me'), { emailVerified: true });
  const client = browser();
  t.equal((await accept(client, await invited(two, guest.email), password)).status, 200);
  t.match(await client.get('me'), { userId: guest.userId });
  t.equal((await client.list('listWorkspaces')).length, 3);

  const third = await invited(await verified(), guest.email);
  const { token } = guest.browser;
  await guest.browser.ask('logout');
  for (const ended of [token, 'rubbish', 'svc_test_rubbish']) {
    guest.browser.token = ended;
    t.match(await accept(guest.browser, third), loginRequired, 'a session that has ended proves nothing');
  }
});

t.test('the session of another account is not enough', async t => {
  const owner = await verified();
  for (const email of [(await signUp()).email, newAddress()]) {
    const token = await invited(owner, email);
    t.match(await accept(owner.browser, token), denied);
    const { browser: client } = await signUp();
    t.match(await accept(client, token), denied);
    t.equal((await accept(client, token, password)).status, 200, 'the password is that of the invited');
    t.match(await client.get('me'), { email });
  }
});

t.test('a session that another one opened ends no later than that one', async t => {
  const guest = await signUp();
  const end = new Date(Date.now() + hourMs);
  await database.query('update sessions set expires_at = $1 where user_id = $2', [end, guest.userId]);
  const getNewest = async () => {
    const [row] = await database.query<{ expiresAt: Date; idleExpiresAt: Date }>(
      `select expires_at as "expiresAt", idle_expires_at as "idleExpiresAt" from sessions
       where user_id = $1 and revoked_at is null order by session_id desc limit 1`,
      [guest.userId],
    );
    return row;
  };
  const { headers } = await accept(guest.browser, await invited(await verified(), guest.email));
  const maxAge = Number(/Max-Age=(\d+)/.exec(String(headers['set-cookie']))?.[1]);
  t.ok(maxAge > 0 && maxAge <= hourMs / 1_000, 'nor does its cookie');
  t.same(await getNewest(), { expiresAt: end, idleExpiresAt: end });
  t.equal((await guest.browser.ask('refresh')).status, 200);
  t.same(await getNewest(), { expiresAt: end, idleExpiresAt: end }, 'a use does not make it longer');
  const byPassword = await invited(await verified(), guest.email);
  t.equal((await accept(browser(), byPassword, password)).status, 200);
  t.ok(Number((await getNewest())?.expiresAt) > end.getTime() + 29 * 24 * hourMs);
});

t.test('of several acceptances at once each invitation counts once, and there is one account', async t => {
  const owners = [await verified(), await verified()] as const;
  const email = newAddress();
  const tokens = [await invited(owners[0], email), await invited(owners[1], email)];
  const clients = tokens.map(() => browser());
  const replies = await Promise.all([
    ...clients.map((client, n) => accept(client, tokens[n] ?? '', password)),
    accept(browser(), tokens[0] ?? '', password),
  ]);
  t.same(sortStatuses(replies), [200, 200, 404]);
  for (const owner of owners) t.equal((await listMembers(owner)).length, 2);
  t.equal((await database.query('select from users where email_key = $1', [email])).length, 1);

  const other = newAddress();
  const token = await invited(owners[0], other);
  const [accepted, signedUp] = await Promise.all([
    accept(browser(), token, password),
    browser().ask('signUp', { body: { email: other, password: otherPassword } }),
  ]);
  if (accepted.status === 200) t.match(signedUp, { status: 409, body: { error: 'svc/auth/email_in_use' } });
  else t.match([accepted, signedUp], [loginRequired, { status: 200 }], 'its password is another');
  t.equal((await database.query('select from users where email_key = $1', [other])).length, 1);
});

t.test('a password that proves the address first ends the sessions from before', async t => {
  const owner = await verified();
  const guest = await signUp();
  const token = await invited(owner, guest.email);
  t.equal((await accept(browser(), token, password)).status, 200);
  t.match(await guest.browser.ask('me'), invalidToken);
});

t.test('roles that the user already has stay', async t => {
  const owner = await verified();
  const { projectId, workspaceId } = owner;
  const guest = await signUp();
  const roles = { studioRole: 'viewer', consoleRole: 'viewer' };
  const token = await invited(owner, guest.email, roles);
  await join(owner, 'admin', Promise.resolve(guest));
  await database.query(
    `insert into console_members (project_id, user_id, role, created_at, updated_at) values ($1, $2, 'project_owner', now(), now())`,
    [projectId, guest.userId],
  );
  t.equal((await accept(guest.browser, token)).status, 200);
  t.match(await getRoles(owner.browser, projectId, guest.userId), { role: 'project_owner' });
  const asked = { params: { workspaceId, userId: guest.userId } };
  t.match(await owner.browser.get('getMember', asked), { role: 'admin' });
});

t.test('a user without a workspace joins by invitation', async t => {
  const guest = await signUp();
  await database.query('delete from workspace_members where user_id = $1', [guest.userId]);
  const token = await invited(await verified(), guest.email);
  t.equal((await accept(browser(), token, password)).status, 200);
});

t.test('a closed deployment lets the invited in, unless their domain is not allowed', async t => {
  const { url, database: own } = await startTestDatabase(t);
  const keys = { SECRET_KEYS: freshKey() };
  const open = await startSkeinOn(t, url, keys);
  const { email } = await createPeople({ ...open, database: own }).signUp('owner@example.com');
  await own.query('update users set email_verified_at = now()');
  await open.stop();
  const closed = await startSkeinOn(t, url, { ...keys, SIGNUP: 'disabled', EMAIL_DOMAINS: 'example.com' });
  const people = createPeople({ ...closed, database: own });
  const client = people.browser();
  await client.logIn(email);
  const owner = { ...(await client.get<Omit<Person, 'browser'>>('me')), browser: client };
  const refused = { status: 422, body: { error: 'svc/auth/email_domain_not_allowed' } };
  t.match(await people.browser().ask('signUp', { body: { email: newAddress(), password } }), {
    status: 403,
    body: { error: 'svc/auth/signup_disabled' },
  });
  const token = await people.invited(owner, newAddress());
  t.equal((await people.accept(people.browser(), token, password)).status, 200);
  t.match(await people.invite(owner, 'someone@example.org'), refused);
  const later = await people.invited(owner, newAddress());
  await own.query(
    `update invitations set email = 'x@example.org', email_key = 'x@example.org' where accepted_at is null`,
  );
  t.match(await people.accept(people.browser(), later, password), refused, 'the list may have changed');
});
