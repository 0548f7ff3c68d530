import t from 'tap';
import { hash } from '@node-rs/argon2';
import { Passwords } from '../../../gateway/auth/passwords.ts';

// é as one character and as two, the ligature ﬁ, full-width digits, and a no-break space.
const typed = 'caf\u00e9 \ufb01nal \uff11\uff12\u00a034';
const otherwise = 'cafe\u0301 final 12 34';

t.test('a password is the same however a keyboard writes it', async t => {
  const passwords = new Passwords();
  const stored = await passwords.hash(typed);
  t.ok(await passwords.verify(stored, typed));
  t.ok(await passwords.verify(stored, otherwise));
  t.notOk(await passwords.verify(stored, 'cafe final 12 34'), 'an accent counts');
  t.notOk(await passwords.verify(stored, otherwise.toUpperCase()));
});

t.test('a hash from before is of the password as it was typed, and still works', async t => {
  const passwords = new Passwords();
  const stored = await hash(typed, { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  t.ok(await passwords.verify(stored, typed));
  t.notOk(await passwords.verify(stored, `${typed}!`));
  t.notOk(await passwords.verify(undefined, typed), 'without an account nothing is right');
});

t.test('passwords are Argon2id, salted, and checked to the last character', async t => {
  const passwords = new Passwords();
  const [one, two] = await Promise.all([passwords.hash('p\u00e4ssword'), passwords.hash('p\u00e4ssword')]);
  t.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  t.not(one, two);
  t.equal(await passwords.verify(one, 'p\u00e4ssword'), true);
  t.equal(await passwords.verify(one, 'p\u00e4ssword '), false);
  t.equal(await passwords.verify(one, ''), false);
});

t.test('beyond two at work and 64 waiting, passwords are refused for a moment', async t => {
  const passwords = new Passwords();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 70 }, () => passwords.verify('$argon2id$', 'x')),
  );
  const refused = outcomes.filter(
    outcome =>
      outcome.status === 'rejected' &&
      (outcome.reason as { code?: string }).code === 'svc/runtime/unavailable',
  );
  t.equal(refused.length, 70 - 2 - 64);
  const hash = await passwords.hash('after');
  t.equal(await passwords.verify(hash, 'after'), true, 'work that fails gives its turn back');
});
