import t from 'tap';
import { mailOwners } from '../../../storage/mail/mail-outbox.ts';
import { accountServices } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const { mails, newPerson } = accountServices(db);

const minute = 60_000;
const start = Date.now();

async function queue(recipient: string, secret = 'the-secret'): Promise<string> {
  const mail = await mails.seal({
    kind: 'verify_email',
    recipient,
    secret,
    now: new Date(start),
    expiresAt: new Date(start + 24 * 60 * minute),
  });
  await db.em().transactional(em => {
    mails.queue(em, mail);
  });
  return mail.mailId;
}

interface MailRow {
  readonly secret: string | null;
  readonly attempts: number;
  readonly next: Date | null;
  readonly sent: Date | null;
  readonly error: string | null;
}

async function row(mailId: string): Promise<MailRow | undefined> {
  const [found] = await db.query<MailRow>(
    'select secret, attempts, next_attempt_at as next, sent_at as sent, last_error as error from mails where mail_id = $1',
    [mailId],
  );
  return found;
}

t.beforeEach(() => db.query('delete from mails'));

t.test('a notification that is repeated, also at once, is mailed once to each owner', async t => {
  const { projectId, userId } = await newPerson();
  const tell = (noticeId: string) =>
    mailOwners(db, mails, { noticeId, projectId, kind: 'stitch_stopped', content: { noticeId }, now: start });
  await tell('unproven');
  t.same(await mails.claim(start, 10), [], 'an address that nothing has proven may be a stranger’s');
  await db.query('update users set email_verified_at = now() where user_id = $1', [userId]);
  await Promise.all([tell('first'), tell('first')]);
  const [claimed] = await mails.claim(start, 10);
  t.match(claimed, { kind: 'stitch_stopped', secret: '{"noticeId":"first"}' });
  await mails.markSent(claimed?.mailId ?? '', start);
  await tell('first');
  t.same(await mails.claim(start, 10), [], 'not even after it was sent');
  await tell('second');
  t.match(await mails.claim(start, 10), [{ secret: '{"noticeId":"second"}' }]);
});

t.test('a mail is claimed by one node, with its secret, which lies sealed in the table', async t => {
  const mailId = await queue('a@example.com');
  t.notMatch((await row(mailId))?.secret, /the-secret/);
  const claims = await Promise.all(Array.from({ length: 4 }, () => mails.claim(start, 10)));
  t.same(claims.flat(), [
    { mailId, kind: 'verify_email', recipient: 'a@example.com', secret: 'the-secret', attempts: 1 },
  ]);
});

t.test(
  'a claim that came to nothing is taken up again, later each time, at last every 15 minutes',
  async t => {
    const mailId = await queue('a@example.com');
    let now = start;
    for (const wait of [1, 2, 4, 8, 15, 15]) {
      t.equal((await mails.claim(now, 10)).length, 1);
      t.same(await mails.claim(now + wait * minute - 1, 10), [], `not within ${wait} minutes`);
      now += wait * minute;
    }
    t.equal((await row(mailId))?.attempts, 6);
  },
);

t.test('a sent mail is never claimed again and holds no secret', async t => {
  const mailId = await queue('a@example.com');
  await mails.claim(start, 10);
  await mails.markFailed(mailId, 'the server said\0 no');
  t.equal((await row(mailId))?.error, 'the server said no');
  await mails.markSent(mailId, start + 5);
  t.match(await row(mailId), { secret: null, next: null, sent: new Date(start + 5), error: null });
  t.same(await mails.claim(start + 60 * minute, 10), []);
});

t.test('a mail is given up when its token has ended', async t => {
  const mailId = await queue('a@example.com');
  t.same(await mails.claim(start + 24 * 60 * minute, 10), []);
  t.match(await row(mailId), { secret: null, next: null, sent: null, error: /expired/ });
});

t.test('a kind that this version does not know is left for other versions', async t => {
  const mailId = await queue('a@example.com');
  await db.query(`update mails set kind = 'of_the_future' where mail_id = $1`, [mailId]);
  t.same(await mails.claim(start, 10), []);
  t.match(await row(mailId), { attempts: 0 });
});

t.test('a secret that does not open does not delay other mail', async t => {
  const broken = await queue('a@example.com');
  const whole = await queue('b@example.com');
  await db.query('update mails set secret = $2 where mail_id = $1', [broken, 'no JWE']);
  t.same(
    (await mails.claim(start, 10)).map(mail => mail.mailId),
    [whole],
  );
  t.match(await row(broken), { error: /does not open/ });
});

t.test('a mail whose transaction fails was never there', async t => {
  const mail = await mails.seal({
    kind: 'verify_email',
    recipient: 'a@example.com',
    secret: 's',
    now: new Date(start),
    expiresAt: new Date(start + minute),
  });
  const failing = db.em().transactional(async em => {
    mails.queue(em, mail);
    await em.flush();
    throw new Error('no');
  });
  await t.rejects(failing, { message: 'no' });
  t.same(await mails.claim(start, 10), []);
});
