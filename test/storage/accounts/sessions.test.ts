import t from 'tap';
import { WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { absoluteMs, idleMs, leewayMs } from '../../../storage/accounts/sessions.ts';
import { accountServices, origin } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const { sessions, newPerson } = accountServices(db);

const day = 86_400_000;
const start = Date.now();
const invalid = { code: 'svc/auth/invalid_token' };
const expired = { code: 'svc/auth/expired_token' };

/** Refreshes, and notes which session was revoked on the way. */
async function refresh(token: string, now: number, revoked: string[] = []) {
  return sessions.refresh(token, now, sessionId => revoked.push(sessionId), origin);
}

t.test('each refresh gives a new token of the same session', async t => {
  const { session } = await newPerson();
  const second = await refresh(session.refreshToken, start + 1000);
  const third = await refresh(second.refreshToken, start + 2000);
  t.equal(second.sessionId, session.sessionId);
  t.equal(new Set([session, second, third].map(each => each.refreshToken)).size, 3);
  t.equal(third.refreshExpiresAt, start + 2000 + idleMs);
  t.match(third.refreshToken, /^[\w-]{22}\.[\w-]{43}$/, '256 bits of secret');
});

t.test('tokens are not in the database', async t => {
  const { session, userId } = await newPerson();
  const { refreshToken } = await refresh(session.refreshToken, start);
  const rows = await db.query<{ row: string }>('select s::text as row from sessions s where user_id = $1', [
    userId,
  ]);
  t.equal(rows.length, 1);
  for (const token of [session.refreshToken, refreshToken]) {
    const secret = token.slice(token.indexOf('.') + 1);
    t.notOk(rows[0]?.row.includes(secret));
    t.notOk(rows[0]?.row.includes(Buffer.from(secret, 'base64url').toString('hex')));
  }
});

t.test('refreshes with one token at once are all given the same successor', async t => {
  const { session } = await newPerson();
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, () => refresh(session.refreshToken, start + 5000)),
  );
  t.equal(new Set(outcomes.map(each => each.refreshToken)).size, 1);
  t.ok(await refresh(outcomes[0]?.refreshToken ?? '', start + 6000), 'and it works');
});

t.test('the immediate predecessor works until its leeway ends, then it revokes the family', async t => {
  const { session } = await newPerson();
  const next = await refresh(session.refreshToken, start);
  const again = await refresh(session.refreshToken, start + leewayMs);
  t.equal(again.refreshToken, next.refreshToken);

  const revoked: string[] = [];
  await t.rejects(refresh(session.refreshToken, start + leewayMs + 1, revoked), invalid);
  t.same(revoked, [session.sessionId]);
  t.equal(await sessions.live(session.sessionId), undefined);
  await t.rejects(refresh(next.refreshToken, start + leewayMs + 2), invalid, 'the thief is out, too');
});

t.test('an older token revokes the family even within the leeway', async t => {
  const { session } = await newPerson();
  const second = await refresh(session.refreshToken, start);
  const third = await refresh(second.refreshToken, start + 1);
  await t.rejects(refresh(session.refreshToken, start + 2), invalid);
  await t.rejects(refresh(third.refreshToken, start + 3), invalid);
});

t.test(
  'a token of a known family that was never issued revokes it; an unknown family revokes nothing',
  async t => {
    const { session } = await newPerson();
    const [family = '', secret = ''] = session.refreshToken.split('.');
    const other = `${'A'.repeat(22)}.${secret}`;
    for (const rubbish of ['', '.', 'a.b', session.sessionId, secret, `${session.refreshToken}x`, other]) {
      await t.rejects(refresh(rubbish, start), invalid, rubbish);
    }
    t.ok(await sessions.live(session.sessionId));
    await t.rejects(refresh(`${family}.${'A'.repeat(43)}`, start), invalid);
    t.equal(await sessions.live(session.sessionId), undefined);
  },
);

t.test('a session ends 14 days after its last use', async t => {
  const { session } = await newPerson();
  const next = await refresh(session.refreshToken, start + 13 * day);
  await t.rejects(refresh(next.refreshToken, start + 13 * day + idleMs + 1), expired);
  t.ok(await refresh(next.refreshToken, start + 26 * day));
});

t.test('the end is the end, to the millisecond', async t => {
  const { session } = await newPerson();
  const end = session.refreshExpiresAt;
  await t.rejects(refresh(session.refreshToken, end), expired);
  const next = await refresh(session.refreshToken, end - 1);
  await t.rejects(refresh(next.refreshToken, next.refreshExpiresAt), expired);
  t.ok(await refresh(next.refreshToken, next.refreshExpiresAt - 1));
});

t.test('a session ends 30 days after the login, however busy', async t => {
  const { session } = await newPerson();
  let token = session.refreshToken;
  for (let at = 10 * day; at < absoluteMs; at += 10 * day)
    token = (await refresh(token, start + at)).refreshToken;
  const last = await refresh(token, start + 29 * day);
  t.ok(last.refreshExpiresAt <= start + absoluteMs + 60_000, 'the cookie ends with the session');
  await t.rejects(refresh(last.refreshToken, start + absoluteMs + 60_000), expired);
});

t.test('a user who has lost every workspace is refused, and the token is not used up', async t => {
  const { session, userId } = await newPerson();
  const em = db.em();
  const memberships = await em.find(WorkspaceMember, { userId });
  await db.em().nativeDelete(WorkspaceMember, { userId });
  await t.rejects(refresh(session.refreshToken, start), { code: 'svc/auth/no_workspace' });
  await db.em().insertMany(
    WorkspaceMember,
    memberships.map(({ workspaceId, role, createdAt, updatedAt }) => ({
      workspaceId,
      userId,
      role,
      createdAt,
      updatedAt,
    })),
  );
  t.ok(await refresh(session.refreshToken, start));
});

t.test('logout revokes by any token of the family, and only that family', async t => {
  const { session } = await newPerson();
  const { session: bystander } = await newPerson();
  t.equal(await sessions.revokeByToken(session.refreshToken, start, origin), session.sessionId);
  await t.rejects(refresh(session.refreshToken, start), invalid);
  t.equal(await sessions.revokeByToken('rubbish', start, origin), undefined);
  t.equal(await sessions.revokeByToken(`${'B'.repeat(22)}.${'C'.repeat(43)}`, start, origin), undefined);
  t.ok(await sessions.live(bystander.sessionId));
});

t.test('a live session names its user', async t => {
  const { session, userId, email } = await newPerson();
  const live = await sessions.live(session.sessionId);
  t.match(live, { userId, email, emailVerified: false, sessionId: session.sessionId });
  t.equal(typeof live?.expiresAt, 'number');
  await sessions.revoke(session.sessionId, start, origin);
  t.equal(await sessions.live(session.sessionId), undefined);
});
