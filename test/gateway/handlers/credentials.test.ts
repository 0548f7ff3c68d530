/** `GET /caller`, and what an API key alone is enough for. */
import t from 'tap';
import type { Caller } from '../../../protocol/resources/caller.ts';
import { Client, Line, type Refusal } from '../../node/client.ts';
import { newKey, signUp } from '../../node/tenant.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';

const serviceToken = 'a-token-of-thirty-two-characters';
const { url } = await startTestDatabase(t);
const node = await startSkeinOn(t, url, { SERVICE_TOKENS: `billing:${serviceToken}` });
const line = new Line(node.url, t);
const tenant = await signUp(line);
const { person, key, projectId, environmentId, apiKeyId, workspaceId, userId, email } = tenant;

t.test('an API key is told its project, environment, scopes and end', async t => {
  const caller = await key.get<Caller>('getCaller');
  t.match(caller, {
    type: 'api_key',
    projectId,
    environmentId,
    environmentKind: 'sandbox',
    scopes: ['*'],
    expiresAt: null,
    apiKey: { apiKeyId, name: 'key', keyPrefix: /^svc_test_/ },
    user: null,
    workspaces: null,
    service: null,
  });
  const body = { projectId, name: 'short', environment: 'test', scopes: ['threads:read'] };
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const made = await person.get<{ apiKeyId: string; secret: string }>('createApiKey', {
    body: { ...body, expiresAt },
  });
  const short = new Client(line, made.secret);
  t.match(await short.get('getCaller'), { scopes: ['threads:read'], expiresAt }, 'it needs no scope');
  const { rotationGraceExpiresAt } = await person.get<{ rotationGraceExpiresAt: string }>('rotateApiKey', {
    params: { apiKeyId: made.apiKeyId },
    body: { gracePeriodSeconds: 60 },
  });
  t.match(await short.get('getCaller'), { expiresAt: rotationGraceExpiresAt }, 'the end of its grace');
});

t.test('a sign-in is told who it is, until when, and its workspaces', async t => {
  const caller = await person.get<Caller>('getCaller');
  t.match(caller, {
    type: 'access_token',
    projectId: null,
    scopes: null,
    apiKey: null,
    user: { userId, email, emailVerified: false },
    workspaces: [{ workspaceId, role: 'owner' }],
  });
  const lifetime = Date.parse(caller.expiresAt ?? '') - Date.now();
  t.ok(lifetime > 800_000 && lifetime <= 900_000, 'fifteen minutes');
});

t.test('a service is told its name, and reaches nothing else of REST', async t => {
  const service = new Client(line, serviceToken);
  t.match(await service.get('getCaller'), { type: 'service_token', service: 'billing', projectId: null });
  t.match((await service.ask<Refusal>('me')).body, { error: 'svc/auth/invalid_token' });
});

t.test('whoever is nobody is refused by name', async t => {
  const refused = async (bearer?: string): Promise<string> =>
    (await new Client(line, bearer).ask<Refusal>('getCaller')).body.error;
  t.equal(await refused(), 'svc/auth/missing_credentials');
  t.equal(await refused('x'.repeat(40)), 'svc/auth/invalid_token');
  t.equal(await refused(`svc_test_${'x'.repeat(43)}`), 'svc/auth/invalid_api_key');
});

t.test('a key need not name its project and environment, in queries and in bodies', async t => {
  const { channelId } = await key.get<{ channelId: string }>('createChannel', {
    body: { name: 'Implied', kind: 'custom' },
  });
  const { threadId } = await key.get<{ threadId: string }>('createThread', {
    body: { channelId, externalRef: 'ada' },
  });
  t.match(await key.get('listThreads'), { data: [{ threadId, projectId, environmentId }] });
  t.match(await key.get('updateThread', { params: { threadId }, body: { tags: ['vip'] } }), {
    tags: ['vip'],
  });
  const inbound = {
    params: { channelId },
    body: { externalParticipantRef: 'ada', body: 'hello' },
    key: 'one',
  };
  const first = await key.ask('createInboundMessage', inbound);
  t.equal(first.status, 201);
  const named = await key.ask('createInboundMessage', { ...inbound, body: { ...inbound.body, projectId } });
  t.same(named.body, first.body, 'the same request, and the same payload, as the one that names them');
  t.equal(named.headers['idempotent-replayed'], 'true');
});

t.test('a key that names another project or environment finds nothing there', async t => {
  const other = await signUp(line);
  for (const ids of [{ projectId: other.projectId }, { environmentId: other.environmentId }]) {
    t.equal((await key.ask('listThreads', { query: ids })).status, 404);
    t.equal((await key.ask('createThread', { body: ids })).status, 404);
  }
  t.equal((await key.ask('listThreads', { query: { projectId: '' } })).status, 422, 'empty is not left out');
  t.equal((await key.ask('createThread', { body: { projectId: null } })).status, 422);
});

t.test('a sign-in has to name them', async t => {
  const issues = async (id: 'listThreads' | 'createThread', body?: object): Promise<unknown> =>
    (await person.ask<Refusal>(id, body === undefined ? {} : { body })).body.details?.['issues'];
  t.match(await issues('listThreads'), [{ path: '/query/projectId', code: 'required' }]);
  t.match(await issues('createThread', {}), [
    { path: '/body/projectId', code: 'required' },
    { path: '/body/environmentId', code: 'required' },
  ]);
});

t.test('one Idempotency-Key makes one stitch, also across rotations of the API key', async t => {
  const first = await newKey(person, projectId);
  const rotate = async (id: string) => {
    const body = { gracePeriodSeconds: 60 };
    const { newKey: made } = await person.get<{ newKey: { apiKeyId: string; secret: string } }>(
      'rotateApiKey',
      {
        params: { apiKeyId: id },
        body,
      },
    );
    return { apiKeyId: made.apiKeyId, key: new Client(line, made.secret) };
  };
  const second = await rotate(first.apiKeyId);
  const third = await rotate(second.apiKeyId);
  const stitch = { key: 'one-stitch', body: { name: 'stitch', webhookUrl: 'https://hooks.example.com/' } };
  const made = await first.key.ask('createStitch', stitch);
  t.equal(made.status, 201);
  for (const { key: successor } of [second, third]) {
    const again = await successor.ask('createStitch', stitch);
    t.match(again.headers, { 'idempotent-replayed': 'true' });
    t.same(again.body, made.body, 'with its secret');
  }
  const other = await newKey(person, projectId);
  t.not((await other.key.ask('createStitch', stitch)).body['secret'], made.body['secret']);
});

t.test('only people manage keys: a key is told which credential that takes', async t => {
  const { key: other } = await newKey(person, projectId);
  const listed = await other.ask<Refusal>('listApiKeys', { query: { projectId } });
  t.match(listed, { status: 403, body: { error: 'svc/auth/insufficient_scope', message: /access token/ } });
  for (const asked of [
    other.ask<Refusal>('revokeApiKey', { params: { apiKeyId } }),
    other.ask<Refusal>('listWorkspaces'),
    other.ask<Refusal>('me'),
  ]) {
    t.match(await asked, { status: 401, body: { error: 'svc/auth/invalid_token', message: /access token/ } });
  }
});
