/** `GET /caller`, and what an API key alone is enough for. */
import t from 'tap';
import type { Caller } from '../../../protocol/resources/caller.ts';
import type { Refusal } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const tenant = await skein.tenant();
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
  const short = skein.client(made.secret);
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
  const service = skein.client(skein.serviceToken);
  t.match(await service.get('getCaller'), { type: 'service_token', service: 'tests', projectId: null });
  t.match((await service.ask<Refusal>('me')).body, { error: 'svc/auth/invalid_token' });
});

t.test('whoever is nobody is refused by name', async t => {
  const refused = async (bearer?: string): Promise<string> =>
    (await skein.client(bearer).ask<Refusal>('getCaller')).body.error;
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

t.test('a sign-in has to name them', async t => {
  const issues = async (id: 'listThreads' | 'createThread', body?: object): Promise<unknown> =>
    (await person.ask<Refusal>(id, body === undefined ? {} : { body })).body.details?.['issues'];
  t.match(await issues('listThreads'), [{ path: '/query/projectId', code: 'required' }]);
  t.match(await issues('createThread', {}), [
    { path: '/body/projectId', code: 'required' },
    { path: '/body/environmentId', code: 'required' },
  ]);
});
