import t from 'tap';
import { createTotpSecret, findTotpStep, toTotpUri } from '../../../storage/accounts/totp.ts';
import { showCode } from '../../support/totp.ts';

/** Of RFC 6238, appendix B: the ASCII text 12345678901234567890. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

t.test('codes are those of RFC 6238', async t => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1111111109, '081804'],
    [1234567890, '005924'],
    [2000000000, '279037'],
  ] as const) {
    t.equal(showCode(secret, seconds * 1_000), code);
    t.equal(findTotpStep(secret, code, seconds * 1_000, 0), Math.floor(seconds / 30));
  }
});

t.test('a clock may be one step off, and no more', async t => {
  const now = 1_800_000_015_000;
  const step = Math.floor(now / 30_000);
  for (const off of [-1, 0, 1]) {
    t.equal(findTotpStep(secret, showCode(secret, now + off * 30_000), now, 0), step + off);
  }
  for (const off of [-3, -2, 2, 3]) {
    t.equal(findTotpStep(secret, showCode(secret, now + off * 30_000), now, 0), undefined, `${off} steps`);
  }
});

t.test('a code works once, and none before it afterwards', async t => {
  const now = 1_800_000_015_000;
  const step = Math.floor(now / 30_000);
  t.equal(findTotpStep(secret, showCode(secret, now), now, step), undefined);
  t.equal(findTotpStep(secret, showCode(secret, now - 30_000), now, step), undefined);
  t.equal(findTotpStep(secret, showCode(secret, now + 30_000), now, step), step + 1);
});

t.test('what is no code is none', async t => {
  for (const code of ['', '12345', '1234567', 'abcdef', '１２３４５６', ' 28708']) {
    t.equal(findTotpStep(secret, code, 59_000, 0), undefined, code);
  }
});

t.test('secrets differ, and the address names the account', async t => {
  const fresh = createTotpSecret();
  t.match(fresh, /^[A-Z2-7]{32}$/);
  t.not(fresh, createTotpSecret());
  const uri = new URL(toTotpUri(fresh, 'ada@example.com'));
  t.match([uri.protocol, uri.host], ['otpauth:', 'totp']);
  t.equal(decodeURIComponent(uri.pathname), '/Skein:ada@example.com');
  t.equal(uri.searchParams.get('secret'), fresh);
});
