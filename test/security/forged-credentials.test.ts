/** Credentials that are forged, changed, old, or of somebody else: refused by every way into a running node, in the same words. */
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { status as codes } from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { AccessTokens, parseTokenKeys } from '../../gateway/auth/access-tokens.ts';
import { newId } from '../../protocol/ids.ts';
import { systemClock } from '../../runtime/time/clock.ts';
import { Client, type Refusal } from '../node/client.ts';
import { newKey } from '../node/tenant.ts';
import { answer, bearer as metadata, connect, failure, startGrpcNode } from '../gateway/grpc/grpc-fixture.ts';
import { freshKey } from '../support/accounts.ts';

const tokenKeys = freshKey();
const node = await startGrpcNode(t, { TOKEN_KEYS: tokenKeys });
const { line } = node;
const tenant = await node.tenant();
const { person, key, projectId, environmentId } = tenant;
const token = person.bearer ?? '';
const secret = key.bearer ?? '';
const [head = '', claims = '', signature = ''] = token.split('.');

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

/** A token of our ring of keys, or of another, for that user and session, issued some milliseconds ago. */
function issue(keys: string, userId: unknown, sessionId: unknown, ageMs = 0): Promise<string> {
  const clock = { ...systemClock, now: () => Date.now() - ageMs };
  return new AccessTokens(parseTokenKeys(keys), clock).issue(String(userId), String(sessionId));
}

/** The answer to the credential by REST, the Console stream and gRPC has to be a refusal, and shows no reason to try another. */
async function refuses(t: Test, name: string, given: string, code = 'svc/auth/invalid_token'): Promise<void> {
  for (const path of [
    '/v1/threads',
    '/v1/studio/me',
    '/v1/workspaces',
    `/v1/console/projects/${projectId}/events`,
  ]) {
    const query = path === '/v1/threads' ? `?projectId=${projectId}` : '';
    const { status, body, headers } = await new Client(line, given).send<Refusal>('GET', path + query);
    t.equal(status, 401, `${name}: ${path}`);
    t.equal(body.error, code, `${name}: ${path}`);
    t.notMatch(JSON.stringify([body, headers]), given, 'it is not repeated');
  }
  const socket = new WebSocket(
    `${line.url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream`,
    {
      headers: { authorization: `Bearer ${given}` },
    },
  );
  const outcome = await new Promise<string>(resolve => {
    socket.on('open', () => resolve('open'));
    socket.on('error', ({ message }) => resolve(message));
  });
  t.equal(outcome, 'Unexpected server response: 401', `${name}: the stream`);
  const client = connect(t, node.address);
  const request = { projectId, environmentId, threadId: newId('thread') };
  const refused = await failure(answer((...rest) => client.getThread(request, ...rest), metadata(given)));
  t.equal(refused.code, codes.UNAUTHENTICATED, `${name}: gRPC`);
}

t.test('the credentials that the others are made from are good', async t => {
  t.equal((await person.send('GET', '/v1/studio/me')).status, 200);
  t.equal((await key.send('GET', `/v1/threads?projectId=${projectId}`)).status, 200);
});

t.test('tokens that are not ours', async t => {
  const { sub, sid } = decode(claims);
  const { x, kid } = { x: '', ...decode(head) } as { x: string; kid: string };
  const none = `${encode({ alg: 'none', typ: 'JWT' })}.${claims}.`;
  const symmetric = `${encode({ alg: 'HS256', typ: 'JWT', kid })}.${claims}`;
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  const forged: Record<string, string> = {
    'no signature': `${head}.${claims}.`,
    'the algorithm none': none,
    'a shared secret made of the key id': `${symmetric}.${createHmac('sha256', kid + x)
      .update(symmetric)
      .digest('base64url')}`,
    'another user': `${head}.${encode({ ...decode(claims), sub: newId('user') })}.${signature}`,
    'more time': `${head}.${encode({ ...decode(claims), exp: 9_999_999_999 })}.${signature}`,
    'another signature': `${head}.${claims}.${randomBytes(64).toString('base64url')}`,
    'keys of their own': await issue(freshKey(), sub, sid),
    'a key in the head': `${encode({ ...decode(head), jwk })}.${claims}.${signature}`,
    'a key id that is a path': `${encode({ ...decode(head), kid: '../../../dev/null' })}.${claims}.${signature}`,
    'a key id that is SQL': `${encode({ ...decode(head), kid: "' or 1=1 --" })}.${claims}.${signature}`,
    'a session that does not exist': await issue(tokenKeys, sub, newId('session')),
  };
  for (const [name, given] of Object.entries(forged)) await refuses(t, name, given);
  await refuses(
    t,
    'a token that is over',
    await issue(tokenKeys, sub, sid, 901_000),
    'svc/auth/expired_token',
  );
});

t.test('a token whose session has ended', async t => {
  const other = await node.tenant();
  const given = other.person.bearer ?? '';
  t.equal((await other.person.send('GET', '/v1/studio/me')).status, 200);
  t.equal((await other.person.send('POST', '/v1/studio/auth/logout')).status, 204);
  await refuses(t, 'logged out', given);
});

t.test('keys that are not ours, or not any more', async t => {
  const invalid = 'svc/auth/invalid_api_key';
  const flip = (text: string, at: number): string =>
    text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
  for (let at = secret.lastIndexOf('_') + 1; at < secret.length; at += 7) {
    await refuses(t, `changed at ${at}`, flip(secret, at), invalid);
  }
  await refuses(t, 'of the other environment', secret.replace('_test_', '_live_'), invalid);
  await refuses(t, 'with more at its end', `${secret}a`, invalid);
  const { key: revoked, apiKeyId, secret: old } = await newKey(person, projectId);
  t.equal((await revoked.send('GET', `/v1/threads?projectId=${projectId}`)).status, 200);
  await person.get('revokeApiKey', { params: { apiKeyId } });
  await refuses(t, 'revoked', old, invalid);
});

t.test('credentials of one kind where another is asked for', async t => {
  const client = connect(t, node.address);
  const request = { projectId, environmentId, threadId: newId('thread') };
  for (const given of [token, secret, 'billing', '']) {
    const refused = await failure(answer((...rest) => client.getThread(request, ...rest), metadata(given)));
    t.equal(refused.code, codes.UNAUTHENTICATED);
  }
  for (const authorization of [
    `Basic ${secret}`,
    secret,
    `Bearer`,
    `bearer  ${secret}x`,
    `Bearer ${token},${token}`,
  ]) {
    const { status } = await new Client(line).send('GET', '/v1/workspaces', { headers: { authorization } });
    t.equal(status, 401, authorization.slice(0, 12));
  }
});

t.test('a refresh cookie that another site makes a browser send', async t => {
  const email = `user-${randomBytes(6).toString('hex')}@example.com`;
  const { headers } = await new Client(line).ask('signUp', {
    body: { email, password: randomBytes(12).toString('hex') },
  });
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  const refresh = (more: Record<string, string>) =>
    new Client(line).send('POST', '/v1/studio/auth/refresh', { headers: { cookie, ...more } });
  for (const from of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${line.url}.evil.example` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: line.url },
  ]) {
    t.equal((await refresh(from)).status, 401, JSON.stringify(from));
  }
  t.equal(
    (await refresh({})).status,
    200,
    'a client that is no browser says nothing about where it comes from',
  );
});
