import t from 'tap';
import { silentLog } from '../../../runtime/observability/log.ts';
import { sweep } from '../../../storage/retention/sweep.ts';
import { accountServices, origin, readToken } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { testHash } from '../../support/keyed-hash.ts';

const { database: db } = await startTestDatabase(t);
const { accounts, mails, sessions, newPerson } = accountServices(db);
const day = 86_400_000;

async function counts(): Promise<Record<string, number>> {
  const [row] = await db.query<Record<string, number>>(
    `select (select count(*) from sessions) as sessions, (select count(*) from email_tokens) as tokens,
      (select count(*) from mails) as mails`,
  );
  return { ...row };
}

t.test('sessions, tokens and mail go some time after their end, and not before', async t => {
  const now = Date.now();
  const { session, email } = await newPerson();
  const [mail] = await mails.claim(Date.now(), 10);
  t.equal(mail?.recipient, email);
  const token = mail === undefined ? '' : readToken(mail);

  await sweep({ database: db, hash: testHash, log: silentLog }, now + 5 * day);
  t.same(await counts(), { sessions: 1, tokens: 1, mails: 1 });
  const late = accounts.verifyEmail(token, now + 5 * day, origin);
  await t.rejects(late, { code: 'svc/auth/expired_token' }, 'still told from an unknown one');

  await sweep({ database: db, hash: testHash, log: silentLog }, now + 9 * day);
  t.same(await counts(), { sessions: 1, tokens: 0, mails: 1 });
  await sweep({ database: db, hash: testHash, log: silentLog }, now + 31 * day);
  t.same(await counts(), { sessions: 1, tokens: 0, mails: 1 }, 'mail that nobody has given up yet is kept');
  const refresh = sessions.refresh(session.refreshToken, now + 31 * day, () => undefined, origin);
  await t.rejects(refresh, { code: 'svc/auth/expired_token' });

  t.same(await mails.claim(now + 31 * day, 10), [], 'given up');
  await sweep({ database: db, hash: testHash, log: silentLog }, now + 38 * day);
  t.same(await counts(), { sessions: 0, tokens: 0, mails: 0 });
});
