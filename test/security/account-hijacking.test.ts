/** An attacker signs up with a stranger's address and waits. All that the attacker has made is gone once the stranger proves the address. */
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Client } from '../node/client.ts';
import { startTestDatabase } from '../support/database.ts';
import { findToken, readMail, readMailedToken } from '../support/mailbox.ts';
import { shareSkein, startSkeinOn } from '../support/skein.ts';

const skein = await shareSkein(t);
const { database } = skein;
const anybody = skein.client();
const password = 'what the attacker knows';
const owned = 'what the owner chose';

interface Account {
  readonly email: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly person: Client;
}

async function signUp(email = `somebody-${randomBytes(6).toString('hex')}@example.com`): Promise<Account> {
  const { accessToken } = await anybody.get<{ accessToken: string }>('signUp', { body: { email, password } });
  const person = skein.client(accessToken);
  const me = await person.get<Omit<Account, 'email' | 'person'>>('me');
  return { ...me, email, person };
}

/**
 * Creates a key, a partner app, an invitation, a friend in the workspace, an identity provider with a domain, a passkey and a change of address.
 * Earlier versions let unverified accounts have those that are written to the database here.
 */
async function prepare({ person, userId, workspaceId, projectId }: Account) {
  const made = await person.get<{ apiKeyId: string; secret: string }>('createApiKey', {
    body: { projectId, name: 'backdoor', environment: 'test', scopes: ['*'] },
  });
  await person.get('createPartnerApp', {
    body: { workspaceId, name: 'app', appId: '1234', appSecret: 'a secret of an app' },
  });
  const friend = await signUp();
  await database.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, 'admin', now(), now())`,
    [workspaceId, friend.userId],
  );
  await database.query(
    `insert into console_members (project_id, user_id, role, created_at, updated_at) values ($1, $2, 'project_owner', now(), now())`,
    [projectId, friend.userId],
  );
  await database.query(
    `insert into invitations (invitation_id, workspace_id, email, email_key, studio_role, console_role, invited_by_user_id, token_hash,
       created_at, expires_at)
     values ($1, $2, 'b@example.com', 'b@example.com', 'admin', 'project_owner', $3, $4, now(), now() + interval '7 days')`,
    [`wsi_${randomBytes(8).toString('hex')}`, workspaceId, userId, randomBytes(32)],
  );
  await database.query(
    `insert into sso_connections (workspace_id, issuer, client_id, client_secret, created_at, updated_at)
     values ($1, 'https://evil.example', 'client', 'sealed', now(), now())`,
    [workspaceId],
  );
  await database.query(
    `insert into sso_domains (workspace_id, domain, proof, proven_at, required, created_at, updated_at)
     values ($1, $2, 'proof', now(), false, now(), now())`,
    [workspaceId, `${workspaceId.replace('_', '-')}.test`],
  );
  await database.query(
    `insert into second_factors (user_id, secret, confirmed_at, last_step, created_at, updated_at)
     values ($1, 'sealed', now(), 0, now(), now())`,
    [userId],
  );
  await database.query(
    `insert into passkeys (passkey_id, user_id, credential_id, public_key, counter, name, backed_up, created_at)
     values ($1, $1, $2, '', 0, 'mine', false, now())`,
    [userId, randomBytes(16)],
  );
  const newEmail = `evil-${randomBytes(6).toString('hex')}@example.com`;
  await person.get('changeEmail', { body: { newEmail, password } });
  const change = await readMailedToken(skein.log, newEmail, 'email');
  return { key: skein.client(made.secret), friend, change };
}

async function expectNoWayIn(
  t: Test,
  account: Account,
  { key, friend, change }: Awaited<ReturnType<typeof prepare>>,
): Promise<void> {
  const { workspaceId, projectId, person } = account;
  const asked = { query: { projectId } };
  t.equal((await key.ask('listThreads', asked)).status, 401, 'the key');
  t.equal((await person.ask('me')).status, 401, 'the session');
  t.equal((await friend.person.ask('listThreads', asked)).status, 404, 'the friend');
  const [left] = await database.query(
    `select
       (select count(*)::int from workspace_members where workspace_id = $1 and user_id <> $3) as members,
       (select count(*)::int from console_members where project_id = $2 and user_id <> $3) as operators,
       (select count(*)::int from invitations where workspace_id = $1 and revoked_at is null) as invitations,
       (select count(*)::int from partner_apps where workspace_id = $1 and status = 'active') as apps,
       (select count(*)::int from sessions where user_id = $3 and revoked_at is null and created_at < now() - interval '1 hour') as sessions,
       (select count(*)::int from api_keys where project_id = $2 and status <> 'revoked') as keys,
       (select count(*)::int from sso_connections where workspace_id = $1) as providers,
       (select count(*)::int from sso_domains where workspace_id = $1) as domains,
       (select count(*)::int from second_factors where user_id = $3) as factors,
       (select count(*)::int from passkeys where user_id = $3) as passkeys`,
    [workspaceId, projectId, account.userId],
  );
  for (const [name, count] of Object.entries(left ?? { none: 1 })) t.equal(count, 0, name);
  for (const secret of [password, owned]) {
    const body = { token: change, password: secret };
    t.equal((await anybody.ask('confirmEmail', { body })).status, 401, 'the change of address');
  }
}

t.test('a reset is the first proof: every way in that was made before it ends', async t => {
  const account = await signUp();
  const prepared = await prepare(account);
  await anybody.get('forgotPassword', { body: { email: account.email } });
  const token = await readMailedToken(skein.log, account.email, 'reset');
  await anybody.get('resetPassword', { body: { token, password: owned } });
  await expectNoWayIn(t, account, prepared);
  const { email } = account;
  t.equal((await anybody.ask('login', { body: { email, password } })).status, 401);
  const { accessToken } = await anybody.get<{ accessToken: string }>('login', {
    body: { email, password: owned },
  });
  const owner = skein.client(accessToken);
  const { projectId } = account;
  t.equal(
    (await owner.ask('listThreads', { query: { projectId } })).status,
    200,
    'the owner has the account',
  );

  const { secret } = await owner.get<{ secret: string }>('createApiKey', {
    body: { projectId, name: 'mine', environment: 'test', scopes: ['*'] },
  });
  await anybody.get('forgotPassword', { body: { email } });
  const again = await readMailedToken(skein.log, email, 'reset');
  t.not(again, token);
  await anybody.get('resetPassword', { body: { token: again, password: owned } });
  const asked = { query: { projectId } };
  t.equal((await skein.client(secret).ask('listThreads', asked)).status, 200, 'later resets leave keys');
});

t.test('an invitation is the first proof', async t => {
  const host = await signUp();
  await database.query('update users set email_verified_at = now() where user_id = $1', [host.userId]);
  const account = await signUp();
  const prepared = await prepare(account);
  const { accessToken } = await anybody.get<{ accessToken: string }>('login', {
    body: { email: host.email, password },
  });
  await skein.client(accessToken).get('createInvitation', {
    params: { workspaceId: host.workspaceId },
    body: { email: account.email },
  });
  const token = await readMailedToken(skein.log, account.email, 'join');
  await anybody.get('acceptInvitation', { body: { token, password } });
  await expectNoWayIn(t, account, prepared);
});

t.test('the mail says when and from where, and its other link removes the account', async t => {
  const account = await signUp();
  const prepared = await prepare(account);
  const mail = await readMail(skein.log, account.email, 'verify');
  t.match(
    mail,
    /made with your e-mail address:\s+\S+@\S+\s+on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\s+from 127\.0\.0\.1\s/,
  );
  const token = findToken(mail, 'reject');
  t.not(token, '');
  await anybody.get('rejectAccount', { body: { token } });
  await expectNoWayIn(t, account, prepared);
  const { email } = account;
  t.equal((await anybody.ask('login', { body: { email, password } })).status, 401);
  t.equal((await anybody.ask('rejectAccount', { body: { token } })).status, 401, 'it works once');
  const fresh = await signUp(email);
  t.not(fresh.workspaceId, account.workspaceId, 'the address is free');
});

t.test('a proven account is not removed', async t => {
  const { email, person } = await signUp();
  const token = await readMailedToken(skein.log, email, 'verify');
  const { accepted } = await person.get<{ accepted: boolean }>('resendVerification');
  t.ok(accepted);
  await anybody.get('verifyEmail', { body: { token } });
  t.equal((await anybody.ask('rejectAccount', { body: { token } })).status, 401);
  t.equal((await person.ask('me')).status, 200);
});

t.test('with EMAIL_DOMAINS an account can do nothing before its address is verified', async t => {
  const { url } = await startTestDatabase(t);
  const strict = await startSkeinOn(t, url, { EMAIL_DOMAINS: 'example.com' });
  const email = `somebody-${randomBytes(6).toString('hex')}@example.com`;
  const { accessToken } = await strict.client().get<{ accessToken: string }>('signUp', {
    body: { email, password },
  });
  const person = strict.client(accessToken);
  const { projectId } = await person.get<{ projectId: string }>('me');
  const refused = { status: 403, body: { error: 'svc/auth/email_not_verified' } };
  t.match(await person.request('listWorkspaces'), refused);
  t.match(await person.request('listThreads', { query: { projectId } }), refused);
  const body = { projectId, name: 'key', environment: 'test', scopes: ['*'] };
  t.match(await person.request('createApiKey', { body }), refused);
  const token = await readMailedToken(strict.log, email, 'verify');
  t.equal((await person.ask('resendVerification')).status, 200);
  await strict.client().get('verifyEmail', { body: { token } });
  t.equal((await person.request('createApiKey', { body })).status, 201);
});
