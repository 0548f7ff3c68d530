import t from 'tap';
import {
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';
import { randomBytes } from 'node:crypto';
import { AccessTokens, accessTokenSeconds, parseTokenKeys } from '../../../gateway/auth/access-tokens.ts';
import { newId } from '../../../protocol/ids.ts';
import { freshKey } from '../../support/accounts.ts';
import { ShiftedClock } from './auth-fixture.ts';

const clock = new ShiftedClock();
const one = freshKey('one');
const keys = parseTokenKeys(one);
const tokens = new AccessTokens(keys, clock);
const userId = newId('user');
const sessionId = newId('session');
const invalid = { code: 'svc/auth/invalid_token' };
const expired = { code: 'svc/auth/expired_token' };

const verify = async (token: string, by = tokens) => by.verify(token);

/** A token that is right in everything, signed by our key, but for what the test changes. */
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

t.test('the forgery that changes nothing verifies: the others fail for what they change', async t => {
  t.match(await verify(await forge()), { userId, sessionId });
});

t.test('an unsigned token is no token', async t => {
  const now = Math.floor(clock.now() / 1000);
  const token = new UnsecuredJWT({ type: 'studio', sid: sessionId })
    .setSubject(userId)
    .setIssuer('skein')
    .setAudience('skein-api')
    .setIssuedAt(now)
    .setExpirationTime(now + 60)
    .encode();
  await t.rejects(verify(token), invalid);
  const signature = (await forge()).split('.')[2];
  await t.rejects(verify(`${token}${signature}`), invalid);
});

t.test('a token signed with our public key as if it were a shared secret is refused', async t => {
  const publicKey = keys.verify.get('one');
  for (const secret of [
    publicKey?.export({ format: 'der', type: 'spki' }),
    publicKey?.export({ format: 'pem', type: 'spki' }),
    Buffer.from(String(publicKey?.export({ format: 'jwk' }).x), 'base64url'),
  ]) {
    const token = await new SignJWT(decodeJwt(await forge()))
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: 'one' })
      .sign(Buffer.from(secret ?? ''));
    await t.rejects(verify(token), invalid);
  }
});

t.test('a foreign key, an unknown kid and no kid are refused', async t => {
  const { privateKey } = await generateKeyPair('EdDSA');
  await t.rejects(verify(await forge({ key: privateKey })), invalid);
  await t.rejects(verify(await forge({ header: { kid: 'two' } })), invalid);
  await t.rejects(verify(await forge({ header: { kid: '__proto__' } })), invalid);
  await t.rejects(verify(await forge({ header: { kid: '' } })), invalid);
  const { publicKey, privateKey: own } = await generateKeyPair('EdDSA', { extractable: true });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: String((await crypto.subtle.exportKey('jwk', publicKey)).x) };
  await t.rejects(
    verify(await forge({ key: own, header: { jwk } })),
    invalid,
    'a key in the header is not ours',
  );
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

t.test('rubbish is refused', async t => {
  const token = await forge();
  const [head = '', body = '', signature = ''] = token.split('.');
  const edited = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: newId('user') })).toString(
    'base64url',
  );
  for (const rubbish of [
    '',
    '.',
    '..',
    'a.b.c',
    token.slice(0, -2),
    `${token}.x`,
    `${head}.${edited}.${signature}`,
  ]) {
    await t.rejects(verify(rubbish), invalid, rubbish);
  }
  await t.rejects(verify(`${head}.${body}.`), invalid);
});

t.test('a token past its time is expired, remembered or not; a forged one is invalid even then', async t => {
  const token = await tokens.issue(userId, sessionId);
  await verify(token);
  const { privateKey } = await generateKeyPair('EdDSA');
  const forged = await forge({ key: privateKey });
  clock.shift((accessTokenSeconds - 5) * 1000);
  t.ok(await verify(token));
  clock.shift(6000);
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
