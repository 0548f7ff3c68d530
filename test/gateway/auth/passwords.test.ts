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
