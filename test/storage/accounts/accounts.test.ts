import t from 'tap';
import { KnownAddresses } from '../../../storage/accounts/known-addresses.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { User } from '../../../storage/entities/accounts.ts';
import { WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { accountServices, readToken } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';

const hour = 3_600_000;
const client = { requestId: 'req_1', address: '192.0.2.7', userAgent: 'a browser' };

const { database: db } = await startTestDatabase(t);
const { accounts, mails, newPerson } = accountServices(db);

function signUp(email: string, now = Date.now()) {
  return accounts.signUp({ email, passwordHash: 'hash', workspaceName: 'Acme', app: 'studio', client, now });
}

async function count(table: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(`select count(*) as n from ${table}`);
  return row?.n ?? -1;
}

/** The token in the newest verification mail to the address. */
async function mailedToken(email: string, now = Date.now()): Promise<string> {
  const claimed = await mails.claim(now, 100);
  const mail = claimed.filter(({ recipient }) => recipient === email).at(-1);
  if (mail === undefined) throw new Error(`no mail for ${email}`);
  return readToken(mail);
}

t.test('sign-up makes the user and everything of theirs', async t => {
  const session = await signUp('ada@example.com');
  const { userId } = session;
  const me = await accounts.studioUser(userId);
  t.match(me, {
    userId,
    email: 'ada@example.com',
    emailVerified: false,
    workspaceRole: 'owner',
    projectRole: 'developer',
  });
  const [found] = await db.query<Record<string, unknown>>(
    `select w.name, w.workspace_id, p.project_id, e.kind, s.last_seq, c.role as console, length(s.epoch) > 0 as epoch
     from workspaces w join projects p using (workspace_id) join environments e using (project_id)
     join project_streams s using (project_id) join console_members c using (project_id)
     where c.user_id = $1`,
    [userId],
  );
  t.same(found, {
    name: 'Acme',
    workspace_id: me.workspaceId,
    project_id: me.projectId,
    kind: 'sandbox',
    last_seq: 0,
    console: 'project_owner',
    epoch: true,
  });
});

t.test(
  'an address is taken whatever its case and composition, and the refused sign-up leaves nothing',
  async t => {
    await signUp('Rene\u0301@Example.com');
    const tables = [
      'users',
      'workspaces',
      'workspace_members',
      'projects',
      'environments',
      'project_streams',
    ];
    tables.push('console_members', 'sessions', 'email_tokens', 'mails');
    const before = await Promise.all(tables.map(count));
    await t.rejects(signUp(' ren\u00e9@EXAMPLE.com '), { code: 'svc/auth/email_in_use' });
    t.same(await Promise.all(tables.map(count)), before);
  },
);

t.test('of concurrent sign-ups with one address one wins', async t => {
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => signUp('race@example.com')));
  t.equal(outcomes.filter(outcome => outcome.status === 'fulfilled').length, 1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') t.match(outcome.reason, { code: 'svc/auth/email_in_use' });
  }
});

t.test('login finds an account by any spelling of its address, and only then', async t => {
  const { userId } = await signUp('Grace@Example.com');
  t.same(await accounts.forLogin('grace@example.COM'), { userId, passwordHash: 'hash' });
  t.equal(await accounts.forLogin('nobody@example.com'), undefined);
});

t.test('a user without any workspace gets no session and no Studio user', async t => {
  const { userId } = await newPerson();
  await db.em().nativeDelete(WorkspaceMember, { userId });
  await t.rejects(accounts.login({ userId, passwordHash: 'not a hash' }, client, Date.now()), {
    code: 'svc/auth/no_workspace',
  });
  await t.rejects(accounts.studioUser(userId), { code: 'svc/auth/no_workspace' });
});

t.test('signing in leads to the oldest workspace that is not archived, where there is one', async t => {
  const [person, other] = [await newPerson(), await newPerson()];
  const { userId, workspaceId: own } = person;
  const shared = { workspaceId: other.workspaceId, userId, role: 'viewer' } as const;
  const at = new Date(Date.now() + 60_000);
  await db.em().insert(WorkspaceMember, { ...shared, createdAt: at, updatedAt: at });
  const archive = (workspaceId: string) =>
    db.query('update workspaces set archived_at = now() where workspace_id = $1', [workspaceId]);
  t.match(await accounts.studioUser(userId), { workspaceId: own });
  await archive(own);
  t.match(await accounts.studioUser(userId), { workspaceId: other.workspaceId });
  await archive(other.workspaceId);
  t.match(await accounts.studioUser(userId), { workspaceId: own });
});

t.test('a verification token proves the address once', async t => {
  const person = await newPerson();
  const token = await mailedToken(person.email);
  t.equal(await accounts.verifyEmail(token, Date.now(), client), person.userId);
  t.equal((await accounts.studioUser(person.userId)).emailVerified, true);
  await t.rejects(accounts.verifyEmail(token, Date.now(), client), { code: 'svc/auth/invalid_token' });
});

t.test('of concurrent uses of a verification token one wins', async t => {
  const token = await mailedToken((await newPerson()).email);
  const uses = Array.from({ length: 4 }, () => accounts.verifyEmail(token, Date.now(), client));
  const outcomes = await Promise.allSettled(uses);
  t.equal(outcomes.filter(outcome => outcome.status === 'fulfilled').length, 1);
});

t.test('a verification token ends after 24 hours', async t => {
  const { email } = await newPerson();
  const token = await mailedToken(email);
  const later = Date.now() + 24 * hour + 1;
  await t.rejects(accounts.verifyEmail(token, later, client), { code: 'svc/auth/expired_token' });
});

t.test('a verification token is void for another address, and rubbish is no token', async t => {
  const { email, userId } = await newPerson();
  const token = await mailedToken(email);
  await db.em().nativeUpdate(User, { userId }, { email: 'moved@example.com', emailKey: 'moved@example.com' });
  await t.rejects(accounts.verifyEmail(token, Date.now(), client), { code: 'svc/auth/invalid_token' });
  for (const rubbish of ['x', token.slice(1), `${token}x`, '\u2028']) {
    await t.rejects(accounts.verifyEmail(rubbish, Date.now(), client), { code: 'svc/auth/invalid_token' });
  }
});

t.test(
  'where an account has been signed in from is known until a week after the 30 days of its sessions, also of those that were ended',
  async t => {
    const email = 'known@example.com';
    const { userId } = await signUp(email);
    const account = { userId, passwordHash: 'hash' };
    const now = Date.now();
    await accounts.login(account, { ...client, address: '2001:db8::7' }, now);
    await accounts.login(account, client, now);
    const find = (by: string, at: number) =>
      new KnownAddresses(db, { ...systemClock, now: () => at }).find(by);
    const both = ['192.0.2.7', '2001:db8::7'];
    t.same((await find(' KNOWN@example.com', now)).toSorted(), both);
    await db.query('update sessions set revoked_at = now() where user_id = $1', [userId]);
    t.same((await find(email, now)).toSorted(), both);
    t.same(await find('nobody@example.com', now), []);
    t.same((await find(email, now + 36 * 24 * hour)).toSorted(), both);
    t.same(await find(email, now + 38 * 24 * hour), []);
  },
);

t.test('the mail is sent again five times an hour at most: who asks may be somebody else', async t => {
  const { userId } = await newPerson();
  const now = Date.now();
  const resend = (at: number) => accounts.resendVerification(userId, 'studio', at);
  for (let sent = 1; sent < 5; sent++) await resend(now);
  const before = await count('mails');
  await t.rejects(resend(now), { code: 'svc/rate_limit/exceeded', retryAfterSeconds: 3_600 });
  t.equal(await count('mails'), before);
  await resend(now + hour + 1_000);
  t.equal(await count('mails'), before + 1);
});

t.test('the mail is sent again until the address is verified', async t => {
  const { email, userId } = await newPerson();
  await mailedToken(email);
  await accounts.resendVerification(userId, 'studio', Date.now());
  const token = await mailedToken(email);
  await accounts.verifyEmail(token, Date.now(), client);
  const before = await count('mails');
  await accounts.resendVerification(userId, 'studio', Date.now());
  t.equal(await count('mails'), before);
});
