import t from 'tap';
import {
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';
import { randomBytes } from 'node:crypto';
import { AccessTokens, accessTokenSeconds, parseTokenKeys } from '../../../gateway/auth/access-tokens.ts';
import { newId } from '../../../protocol/ids.ts';
import { freshKey } from '../../support/accounts.ts';
import { systemClock } from '../../../runtime/time/clock.ts';

let shiftMs = 0;
const clock = { ...systemClock, now: () => Date.now() + shiftMs };
const one = freshKey('one');
const keys = parseTokenKeys(one);
const tokens = new AccessTokens(keys, clock);
const userId = newId('user');
const sessionId = newId('session');
const invalid = { code: 'svc/auth/invalid_token' };
const expired = { code: 'svc/auth/expired_token' };

const verify = async (token: string, by = tokens) => by.verify(token);

/** A good token, signed with our key, with the changes of the test. */
function forge(
  changes: { claims?: JWTPayload; header?: Partial<JWTHeaderParameters>; key?: CryptoKey } = {},
) {
  const now = Math.floor(clock.now() / 1000);
  return new SignJWT({
    type: 'studio',
    sid: sessionId,
    sub: userId,
    iss: 'skein',
    aud: 'skein-api',
    iat: now,
    exp: now + 60,
    ...changes.claims,
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: 'one', ...changes.header })
    .sign(changes.key ?? keys.current.key);
}

t.test('a token of ours is an EdDSA JWT of 900 seconds and verifies', async t => {
  const token = await tokens.issue(userId, sessionId);
  t.same(decodeProtectedHeader(token), { alg: 'EdDSA', typ: 'JWT', kid: 'one' });
  const { iat = 0, exp, ...claims } = decodeJwt(token);
  t.same(claims, { type: 'studio', sub: userId, sid: sessionId, iss: 'skein', aud: 'skein-api' });
  t.equal(exp, iat + accessTokenSeconds);
  t.same(await verify(token), { userId, sessionId, expiresAt: (exp ?? 0) * 1000 });
  t.notOk(tokens.verify(token) instanceof Promise, 'synchronous the second time');
});

t.test('only the key that the token names is accepted', async t => {
  t.match(await verify(await forge()), { userId, sessionId }, 'the unchanged one is good');
  const { privateKey } = await generateKeyPair('EdDSA');
  await t.rejects(verify(await forge({ key: privateKey })), invalid);
  await t.rejects(verify(await forge({ header: { kid: 'two' } })), invalid);
  await t.rejects(verify(await forge({ header: { kid: '__proto__' } })), invalid);
  await t.rejects(verify(await forge({ header: { kid: '' } })), invalid);
  for (const secret of [
    keys.verify.get('one')?.export({ format: 'der', type: 'spki' }),
    keys.verify.get('one')?.export({ format: 'pem', type: 'spki' }),
  ]) {
    const token = await new SignJWT(decodeJwt(await forge()))
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: 'one' })
      .sign(Buffer.from(secret ?? ''));
    await t.rejects(verify(token), invalid, 'our public key is no shared secret');
  }
});

t.test('wrong claims are refused', async t => {
  for (const claims of [
    { type: 'service' },
    { type: undefined },
    { type: ['studio'] },
    { sub: undefined },
    { sub: newId('session') },
    { sid: undefined },
    { sid: 7 },
    { sid: 'ses_x; drop table' },
    { iss: 'somebody' },
    { aud: 'something' },
    { exp: undefined },
    { iat: undefined },
    { nbf: Math.floor(clock.now() / 1000) + 600 },
  ]) {
    await t.rejects(verify(await forge({ claims: claims as JWTPayload })), invalid, JSON.stringify(claims));
  }
  await t.rejects(verify(await forge({ header: { typ: 'at+jwt' } })), invalid);
});

t.test('a token past its time is expired, remembered or not; a forged one is invalid even then', async t => {
  const token = await tokens.issue(userId, sessionId);
  await verify(token);
  const { privateKey } = await generateKeyPair('EdDSA');
  const forged = await forge({ key: privateKey });
  shiftMs = (accessTokenSeconds - 5) * 1_000;
  t.ok(await verify(token));
  shiftMs += 6_000;
  await t.rejects(verify(token), expired);
  await t.rejects(verify(token), expired, 'and asked again');
  await t.rejects(verify(await forge({ claims: { exp: 1 } })), expired);
  await t.rejects(verify(forged), invalid);
});

t.test('keys rotate: the first signs, all verify, what is dropped does not', async t => {
  const two = freshKey('two');
  const old = await tokens.issue(userId, sessionId);
  const both = new AccessTokens(parseTokenKeys(`${two}, ${one}`), clock);
  t.ok(await verify(old, both));
  const fresh = await both.issue(userId, sessionId);
  t.equal(decodeProtectedHeader(fresh).kid, 'two');
  await t.rejects(verify(old, new AccessTokens(parseTokenKeys(two), clock)), invalid);
});

t.test('token keys name their fault and show no key', async t => {
  const value = randomBytes(31).toString('base64');
  for (const [text, message] of [
    ['', /kid:base64/],
    ['one', /kid:base64/],
    [`:${value}`, /kid:base64/],
    [`${one},${one}`, /token key one appears twice/],
    [`short:${value}`, /token key short has to be 32 bytes/],
    [`odd:${one.slice(4, 20)}*${one.slice(20)}`, /token key odd/],
  ] as const) {
    try {
      parseTokenKeys(text);
      t.fail('it was taken');
    } catch (error) {
      t.match(error, { message });
      t.notOk(String(error).includes(value));
    }
  }
});
