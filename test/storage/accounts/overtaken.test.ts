/** Proofs that were checked before the transaction, and that something has made void since. */
import t from 'tap';
import { resetMs } from '../../../storage/accounts/password-resets.ts';
import { accountServices, auditContext, origin, type Person } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const { accounts, acceptance, invitations, mails, resets, sessions, newPerson } = accountServices(db);
const client = { ...origin, userAgent: 'late' };
const now = Date.now();

/** The token of a new invitation. */
async function invite(email: string): Promise<string> {
  const { workspaceId, userId } = await newPerson();
  await db.query('update users set email_verified_at = now() where user_id = $1', [userId]);
  await invitations.create({
    workspaceId,
    email,
    studioRole: 'viewer',
    consoleRole: 'viewer',
    ...auditContext(userId, now),
  });
  const mail = (await mails.claim(now, 100)).find(each => each.recipient === email);
  return (JSON.parse(mail?.secret ?? '{}') as { token: string }).token;
}

const changePassword = ({ userId }: Person) =>
  db.query(`update users set password_hash = 'another hash' where user_id = $1`, [userId]);

t.test('a password that changes while it is checked opens no session', async t => {
  const person = await newPerson();
  const account = await accounts.forLogin(person.email);
  const token = await invite(person.email);
  const invited = (await acceptance.invited(token, now)).account;
  if (account === undefined || invited === undefined) throw new Error('the account exists');
  await changePassword(person);
  await t.rejects(accounts.login(account, client, now), { code: 'svc/auth/invalid_credentials' });
  await t.rejects(acceptance.join(token, person.userId, invited, client, now), {
    code: 'svc/auth/login_required',
  });
});

t.test('a session that ends meanwhile accepts no invitation', async t => {
  const { email, userId, session } = await newPerson();
  const token = await invite(email);
  await sessions.revoke(session.sessionId, now, origin);
  await t.rejects(acceptance.join(token, userId, session, client, now), { code: 'svc/auth/login_required' });
});

t.test('invitations and resets end to the millisecond', async t => {
  const { email, userId } = await newPerson();
  const token = await invite(email);
  const [row] = await db.query<{ end: Date }>(
    'select expires_at as "end" from invitations where email = $1',
    [email],
  );
  const end = Number(row?.end);
  t.match(await acceptance.invited(token, end - 1), { email });
  await t.rejects(acceptance.invited(token, end), { code: 'svc/auth/expired_token' });
  await t.rejects(acceptance.signUp(token, 'hash', client, end), { code: 'svc/auth/expired_token' });

  await resets.request(email, 'studio', now);
  const mail = (await mails.claim(now, 100)).find(({ kind }) => kind === 'reset_password');
  const secret = mail?.secret ?? '';
  await t.rejects(resets.reset(secret, 'hash', now + resetMs, origin), { code: 'svc/auth/expired_token' });
  t.equal(await resets.reset(secret, 'hash', now + resetMs - 1, origin), userId);
});
