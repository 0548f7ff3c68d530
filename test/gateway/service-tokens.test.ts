import t from 'tap';
import { ServiceTokens } from '../../gateway/auth/service-tokens.ts';

const first = 'a'.repeat(32);
const second = `${'b'.repeat(42)}=`;

t.test('knows a service by its token', t => {
  const tokens = new ServiceTokens(`billing:${first}, router-2:${second}`);
  t.equal(tokens.bearer(`Bearer ${first}`), 'billing');
  t.equal(tokens.bearer(`bearer ${second}`), 'router-2');
  for (const other of [
    '',
    first,
    'Bearer ',
    `Bearer ${first}a`,
    `Basic ${first}`,
    `Bearer billing:${first}`,
  ]) {
    t.equal(tokens.bearer(other), undefined);
  }
  t.end();
});

t.test('without tokens nobody is known', t => {
  t.equal(new ServiceTokens().bearer('Bearer '), undefined);
  t.equal(new ServiceTokens().bearer(`Bearer ${first}`), undefined);
  t.end();
});

t.test('refuses what is not of the form, and does not repeat it', t => {
  for (const text of [
    '',
    first,
    `a:${first.slice(1)}`,
    `a b:${first}`,
    `a:${first},`,
    `a:${first},a:${second}`,
  ]) {
    t.throws(() => new ServiceTokens(text), RangeError);
  }
  t.throws(
    () => new ServiceTokens('a:hunter2'),
    (error: Error) => !error.message.includes('hunter2'),
  );
  t.end();
});
