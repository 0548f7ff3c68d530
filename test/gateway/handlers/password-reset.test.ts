/** Forgotten passwords. */
import t from 'tap';
import { shareSkein } from '../../support/skein.ts';
import {
  createPeople,
  invalidToken,
  newAddress,
  otherPassword,
  password,
  sortStatuses,
  wrongPassword,
} from './people.ts';

const skein = await shareSkein(t);
const { database } = skein;
const { browser, signUp, mailedToken, countMails } = createPeople(skein);

const forget = (email: string) => browser().ask('forgotPassword', { body: { email } });
const reset = (token: string, secret = otherPassword) =>
  browser().ask('resetPassword', { body: { token, password: secret } });

async function forgotten(email: string, spelling = email): Promise<string> {
  t.equal((await forget(spelling)).status, 200);
  return mailedToken(email, 'reset');
}

/** Tokens and mails, sent or not. */
async function countRows(): Promise<readonly [tokens: number, mails: number]> {
  const [row] = await database.query<{ tokens: number; mails: number }>(
    'select (select count(*)::int from email_tokens) as tokens, (select count(*)::int from mails) as mails',
  );
  return [row?.tokens ?? 0, row?.mails ?? 0];
}

t.test('the mailed link sets a new password once, proves the address, and ends every session', async t => {
  const { browser: client, email } = await signUp();
  const verification = await mailedToken(email, 'verify');
  t.match(await reset(verification), invalidToken, 'a verification link resets nothing');
  const token = await forgotten(email, ` ${email.toUpperCase()}`);
  t.match(await client.ask('verifyEmail', { body: { token } }), invalidToken, 'and the other way around');
  const done = await reset(token);
  t.match(done, { status: 200, headers: { 'set-cookie': undefined } }, 'it signs in nobody');
  t.match(await client.ask('me'), invalidToken, 'access tokens at once');
  t.match(await client.ask('refresh'), invalidToken);
  t.match(await reset(token, 'yet another password'), invalidToken);
  t.match(await browser().logIn(email), wrongPassword);
  t.equal((await client.logIn(email, otherPassword)).status, 200);
  t.match(await client.get('me'), { emailVerified: true });
  const [lifetime] = await database.query(
    `select expires_at - created_at = interval '1 hour' as "isHour" from email_tokens where purpose = 'reset' limit 1`,
  );
  t.same(lifetime, { isHour: true });
});

t.test('of resets at once one counts, with one link or with two', async t => {
  const { email } = await signUp();
  const one = await forgotten(email);
  const passwords = ['the first password', 'the second password', 'the third password'];
  const replies = await Promise.all(passwords.map(each => reset(one, each)));
  t.same(sortStatuses(replies), [200, 401, 401]);
  const winner = passwords[replies.findIndex(({ status }) => status === 200)] ?? '';
  for (const each of passwords)
    t.equal((await browser().logIn(email, each)).status, each === winner ? 200 : 401);

  const two = [await forgotten(email), await forgotten(email)];
  t.same(sortStatuses(await Promise.all(two.map(token => reset(token)))), [200, 401]);
  for (const token of two) t.match(await reset(token), invalidToken, 'each voids the other');
});

t.test('an unknown address gets the same answer for the same work of the database', async t => {
  const { email } = await signUp();
  const replies = [];
  for (const address of [email, newAddress()]) {
    const [tokens, mails] = await countRows();
    const { status, body, headers } = await forget(address);
    replies.push({ status, body, headers: Object.keys(headers).sort() });
    t.same(await countRows(), [tokens + 1, mails + 1]);
  }
  t.same(replies[1], replies[0]);
  const decoys = await database.query<{ recipient: string; secret: string | null; next: Date | null }>(
    `select distinct recipient, secret, next_attempt_at as next from mails where last_error = 'no such account'`,
  );
  t.same(decoys, [{ recipient: '', secret: null, next: null }], 'which is never sent');
});

t.test('while five links work no more are mailed', async t => {
  const { email } = await signUp();
  const countSent = async (): Promise<number> => {
    const rows = await database.query(
      `select from mails where kind = 'reset_password' and recipient = $1 and last_error is distinct from 'enough links are in the mailbox'`,
      [email],
    );
    return rows.length;
  };
  const token = await forgotten(email);
  for (let i = 0; i < 6; i++) await forget(email);
  t.equal(await countSent(), 5);
  const before = await countMails('reset_password', email);
  t.equal((await forget(email)).status, 200, 'with the same answer');
  t.equal(await countMails('reset_password', email), before + 1);
  t.equal((await reset(token)).status, 200, 'the links work');
  await forget(email);
  t.equal(await countSent(), 6, 'one was used, which made the others void');
});

t.test('a password has 8 to 256 code points, and a link for a former address is void', async t => {
  const { email } = await signUp();
  const long = '\u{1F600}'.repeat(256);
  t.equal((await reset(await forgotten(email), long)).status, 200);
  t.equal((await browser().logIn(email, long)).status, 200);
  t.match(await browser().logIn(email, '\u{1F600}'.repeat(255)), wrongPassword);

  const mover = await signUp();
  const token = await forgotten(mover.email);
  await database.query('update users set email = $1, email_key = $1 where user_id = $2', [
    newAddress(),
    mover.userId,
  ]);
  t.match(await reset(token, password), invalidToken);
});
