/** Rate limits as a caller meets them: headers and refusals of REST, and of a whole node. */
import assert from 'node:assert/strict';
import t, { type Test } from 'tap';
import { Client, Line } from '../../node/client.ts';
import { signUp } from '../../node/tenant.ts';
import { newApiKeySecret } from '../../../storage/tenancy/api-key-secret.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { quotaNodes } from './quota-fixture.ts';
import { projectId, startRest } from '../rest/rest-fixture.ts';

const body = { projectId, text: 'hello' };

t.test('every charged answer says where its bucket stands, and a refusal when to come again', async t => {
  const [node] = await quotaNodes(t, 1, { write: { limit: 8, windowMs: 60_000 } });
  assert.ok(node !== undefined);
  const { ask } = await startRest(t, {}, { limiter: node.quotas });
  const getHeaders = ({ headers }: { headers: Headers }) =>
    ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map(name =>
      headers.get(name),
    );
  // The key is of the sandbox: 2 a minute.
  const first = await ask('POST', '/v1/notes', { as: 'writer', body });
  t.strictSame([first.status, ...getHeaders(first)], [201, '2', '1', '30', null]);
  const second = await ask('POST', '/v1/notes', { as: 'writer', body });
  t.strictSame([second.status, ...getHeaders(second)], [201, '2', '0', '60', null]);
  const third = await ask('POST', '/v1/notes', { as: 'writer', body });
  t.strictSame([third.status, ...getHeaders(third)], [429, '2', '0', '60', '30']);
  t.match(third.json, { error: 'svc/rate_limit/exceeded' });
  await node.clock.advance(28_500);
  const fourth = await ask('POST', '/v1/notes', { as: 'writer', body });
  t.strictSame(
    [fourth.status, ...getHeaders(fourth)],
    [429, '2', '0', '32', '2'],
    'whole seconds, rounded up',
  );
  await node.clock.advance(1_500);
  t.equal((await ask('POST', '/v1/notes', { as: 'writer', body })).status, 201);

  const other = await ask('POST', '/v1/notes', { as: 'developer', body });
  t.strictSame(
    [other.status, ...getHeaders(other)],
    [201, '8', '7', '8', null],
    'a user is another credential',
  );
});

t.test(
  'what is refused is charged like what is done, and answered by its bucket when that is spent',
  async t => {
    const [node] = await quotaNodes(t, 1, {
      write: { limit: 12, windowMs: 60_000 },
      messageProject: { limit: 8, windowMs: 60_000 },
      refused: { limit: 3, windowMs: 60_000 },
    });
    assert.ok(node !== undefined);
    const { ask } = await startRest(t, {}, { limiter: node.quotas });
    const seen = async (...asked: Parameters<typeof ask>) => {
      const { status, headers } = await ask(...asked);
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
    };
    // A key of the sandbox: 3 writes a minute.
    t.strictSame(await seen('POST', '/v1/notes', { as: 'writer', body: {} }), [422, '3', '2']);
    t.strictSame(await seen('POST', '/v1/notes', { as: 'writer', text: '{' }), [400, '3', '1']);
    const foreign = { ...body, projectId: 'prj_foreign' };
    t.strictSame(await seen('POST', '/v1/notes', { as: 'writer', body: foreign }), [404, '3', '0']);
    t.strictSame(await seen('POST', '/v1/notes', { as: 'writer', body: {} }), [429, '3', '0']);
    const large = { as: 'everything', text: ' '.repeat(1_048_577) };
    t.match(await seen('POST', '/v1/notes', large), [429, '3', '0'], 'nor is a large body looked at');
    t.strictSame(await seen('POST', '/v1/notes', { ...large, as: 'developer' }), [413, '12', '11']);
    const message = { as: 'writer', body: {}, headers: { 'Idempotency-Key': 'one' } };
    t.strictSame(
      await seen('POST', '/v1/threads/thread_1/messages', message),
      [422, '2', '1'],
      'its project',
    );

    t.strictSame(await seen('POST', '/v1/notes', { as: 'forged', body }), [401, '3', '2']);
    t.strictSame(await seen('POST', '/v1/notes', { body }), [401, '3', '1']);
    t.strictSame(await seen('GET', '/v1/notes', { as: 'forged' }), [401, '3', '0']);
    t.strictSame(await seen('GET', '/v1/notes', { as: 'forged' }), [429, '3', '0']);
    const { status } = await ask('POST', '/v1/notes', { as: 'developer', body });
    t.equal(status, 201, 'who is known is let in from the same address');
  },
);

const metricsToken = 'a-token-that-reads-the-metrics-of-the-node';

/** A node behind one proxy of ours, so that every request says where it comes from. */
async function startNode(t: Test, rateLimits: string): Promise<string> {
  const { url } = await startTestDatabase(t);
  const skein = await startSkeinOn(t, url, {
    TRUSTED_PROXIES: '1',
    INSECURE: 'true',
    RATE_LIMITS: rateLimits,
    METRICS_TOKEN: metricsToken,
  });
  return skein.url;
}

async function login(url: string, address: string, email: string): Promise<Response> {
  return fetch(`${url}/v1/studio/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ email, password: 'a wrong guess at it' }),
  });
}

/** What a guesser sees. */
async function seen(answer: Response): Promise<unknown> {
  const { error } = (await answer.json()) as { error: string };
  const remaining = answer.headers.get('x-ratelimit-remaining');
  return [answer.status, error, answer.headers.get('x-ratelimit-limit'), remaining];
}

t.test('guesses are limited by address, and by e-mail whether or not there is an account', async t => {
  const url = await startNode(t, '{"authEmail": {"limit": 12, "windowSeconds": 3600}}');
  const { email } = await signUp(new Line(url, t));
  // The account has used up one by its sign-up.
  await login(url, '192.0.2.1', 'nobody@example.com');
  const outcomes: unknown[][] = [];
  for (const asked of [email, 'nobody@example.com']) {
    const outcome: unknown[] = [];
    const tries = [...Array<string>(7).fill('198.51.100.1'), ...Array<string>(7).fill('198.51.100.2')];
    for (const address of tries) {
      // Five of each address for one e-mail, and twelve of all; another address for the other e-mail, which has its own ten.
      const from = outcomes.length === 0 ? address : address.replace('198', '203');
      outcome.push(await seen(await login(url, from, asked.toUpperCase())));
    }
    outcomes.push(outcome);
  }
  t.strictSame(outcomes[0], outcomes[1]);
  const statuses = outcomes[0]?.map(each => (each as unknown[])[0]);
  const five = [401, 401, 401, 401, 401, 429, 429];
  t.strictSame(statuses, [...five, ...five], 'who guesses from one address locks out nobody at another');
  t.equal((await login(url, '192.0.2.9', email)).status, 401);
  t.equal((await login(url, '192.0.2.10', email)).status, 429, 'what all addresses have together is limited');

  const byAddress: number[] = [];
  for (let i = 0; i < 12; i++) {
    byAddress.push((await login(url, '203.0.113.7', `person-${i}@example.com`)).status);
  }
  t.strictSame(byAddress, [...Array<number>(10).fill(401), 429, 429]);
  t.equal(
    (await login(url, '203.0.113.8', 'person-11@example.com')).status,
    401,
    'nor was the e-mail charged',
  );
  const refused = await login(url, '203.0.113.7', 'somebody@example.com');
  t.match(refused.headers.get('retry-after'), /^[1-6]$/);
});

t.test('unknown keys and paths are limited by address, known callers are not affected', async t => {
  const url = await startNode(t, '{"refused": {"limit": 4, "windowSeconds": 3600}}');
  const { person, projectId } = await signUp(new Line(url, t));
  const ask = async (address: string, path: string, token = newApiKeySecret('test').secret) => {
    const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': address };
    const answer = await fetch(url + path, { headers });
    return [answer.status, answer.headers.get('x-ratelimit-remaining'), answer.headers.get('retry-after')];
  };
  const threads = `/v1/threads?projectId=${projectId}`;
  t.strictSame(await ask('192.0.2.7', threads), [401, '3', null]);
  t.strictSame(await ask('192.0.2.7', '/v1/nowhere'), [404, '2', null]);
  t.strictSame(await ask('192.0.2.7', '/v1/openapi.json/more'), [404, '1', null]);
  t.strictSame(await ask('192.0.2.7', threads), [401, '0', null]);
  t.strictSame(await ask('192.0.2.7', threads), [429, '0', '900']);
  t.strictSame(await ask('192.0.2.7', '/v1/nowhere'), [429, '0', '900']);
  t.strictSame(await ask('192.0.2.8', threads), [401, '3', null], 'another address');
  const made = await person.get('createApiKey', {
    body: { projectId, name: 'known', environment: 'test', scopes: ['threads:read'] },
  });
  const known = (made as { secret: string }).secret;
  t.strictSame(
    await ask('192.0.2.9', threads, known),
    [200, '299', null],
    'a good key costs its sender nothing',
  );
  t.match(await ask('192.0.2.7', threads, known), [200, '298'], 'and is let in from the same address');
  for (const path of ['/healthz', '/readyz', '/docs']) t.match(await ask('192.0.2.7', path), [200]);
});

t.test('a message is charged to its thread and its project; metrics count both', async t => {
  const url = await startNode(t, '{"messageThread": {"limit": 1, "windowSeconds": 3600}}');
  const { key, projectId, channelId } = await signUp(new Line(url, t));
  const inbound = (participant: string, text: string) =>
    key.ask('createInboundMessage', {
      params: { channelId },
      body: { projectId, externalParticipantRef: participant, body: text },
    });
  const first = await inbound('ada', 'hello');
  t.strictSame([first.status, first.headers['x-ratelimit-limit']], [201, '1']);
  const second = await inbound('ada', 'hello?');
  t.strictSame([second.status, second.headers['retry-after']], [429, '3600'], 'a sandbox has no less of it');
  t.match(second.body, {
    message: /^The quota messageThread is used up \(1 requests in 3600 s\)/,
    details: { bucket: 'messageThread', limit: 1, windowSeconds: 3_600 },
  });
  const other = await inbound('bob', 'hello');
  t.equal(other.status, 201);
  const { threadId } = other.body as { threadId: string };
  const outbound = await key.ask('createMessage', { params: { threadId }, body: { projectId, body: 'hi' } });
  t.equal(outbound.status, 429, 'both ways into a thread are one');

  const headers = { Authorization: `Bearer ${metricsToken}` };
  const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
  t.match(metrics, /^skein_quota_charged_total\{bucket="messageThread"\} 2$/m);
  t.match(metrics, /^skein_quota_refused_total\{bucket="messageThread"\} 2$/m);
  t.match(metrics, /^skein_quota_charged_total\{bucket="messageProject"\} 2$/m);
  t.match(metrics, /^skein_quota_purses \d+$/m);
});

t.test('off, nothing is limited and nothing said of it', async t => {
  const url = await startNode(t, 'off');
  const statuses = new Set<number>();
  for (let i = 0; i < 12; i++) {
    const answer = await new Client(new Line(url, t)).ask('login', {
      body: { email: 'ada@example.com', password: 'a wrong guess at it' },
    });
    statuses.add(answer.status);
    t.equal(answer.headers['x-ratelimit-limit'], undefined);
  }
  t.strictSame([...statuses], [401]);
});
