/** Nobody learns or touches what is another's: held for every operation, by the table, through a whole node. */
import t, { type Test } from 'tap';
import { AccessTokens, parseTokenKeys } from '../../gateway/auth/access-tokens.ts';
import { newId } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Environment } from '../../protocol/resources/project.ts';
import type { EventEnvelope } from '../../protocol/resources/event.ts';
import { systemClock } from '../../runtime/time/clock.ts';
import { freshKey } from '../support/accounts.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Receiver } from '../support/receiver.ts';
import { Client, Line, type Asked, type Reply } from './client.ts';
import { createFixtures, requestWith, type Fixtures } from './fixtures.ts';
import { fields } from './sample.ts';
import { keepsSecrets } from './secrets.ts';
import { newKey, signUp, verifyEmail, type Tenant } from './tenant.ts';

const { url } = await startTestDatabase(t);
const tokenKeys = freshKey();
const node = await NodeProcess.make(t, {
  DATABASE_URL: url,
  ALLOW_PRIVATE_ADDRESSES: 'true',
  TOKEN_KEYS: tokenKeys,
});
await node.start();
const line = new Line(node.url, t);
const receiver = await Receiver.start();
t.teardown(() => receiver.stop());

const without = ({ status, text }: Reply<unknown>): string =>
  `${status} ${text.replace(/"requestId":"[^"]+"/, '')}`;

/**
 * Asks for what is foreign and for what does not exist, in every field of every operation that holds an id, the rest of the
 * request being the caller's own: both get the same answer, which is 404, an empty list where the id filters it.
 */
async function probe(t: Test, caller: Client, own: Fixtures, foreign: Fixtures): Promise<void> {
  let asked = 0;
  for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
    if (operation.auth === 'stream' || operation.access === undefined) continue;
    for (const field of fields(operation)) {
      const { resource } = field;
      if (resource === undefined) continue;
      const theirs = foreign[resource];
      if (theirs === undefined) {
        // A filter or a reference may name what this version makes nowhere; a path may not.
        if (field.part === 'params') t.fail(`${id}: nothing foreign to put for ${field.name}`);
        continue;
      }
      const request = (value: string): Asked => requestWith(id, own, field, value);
      const answer = await caller.ask(id, request(theirs));
      const nothing = await caller.ask(id, request(newId(resource)));
      const name = `${id}: ${field.part} ${field.name}`;
      if (without(answer) !== without(nothing)) t.same(without(answer), without(nothing), name);
      const isFilter = field.part === 'query' && !['project', 'environment', 'workspace'].includes(resource);
      // Keys never reach some operations, whatever they ask for.
      const closed = operation.access.scopes === null && [401, 403].includes(answer.status);
      // A custom channel is not connected, whatever with (test/contract/isolation.test.ts has one of the provider's).
      const isOfOtherKind = ['connectChatapp', 'sendChatappTemplate'].includes(id) && field.part === 'body';
      const wanted = isFilter ? 200 : isOfOtherKind && resource !== 'project' ? 409 : 404;
      if (answer.status !== wanted && !closed) t.fail(`${name} answered ${answer.text}`);
      asked++;
    }
  }
  t.ok(asked > 50, `${asked} times`);
}

/** How much the tenant's project has seen. */
async function listEvents({ person, projectId }: Tenant): Promise<string[]> {
  const stream = await person.all<EventEnvelope>('listStreamEvents', { params: { projectId } });
  return stream.map(({ eventName }) => eventName);
}

t.test("another tenant's resources read as not found, and do not change", async t => {
  const [ada, bob] = await Promise.all([signUp(line), signUp(line)]);
  await Promise.all([ada, bob].map(({ email }) => verifyEmail(node, line, email)));
  const [own, foreign] = await Promise.all(
    [ada, bob].map(async tenant => ({
      ...(await createFixtures(tenant, tenant.key, tenant.environmentId, receiver.url())),
      user: tenant.userId,
      workspace: tenant.workspaceId,
      apiKey: tenant.apiKeyId,
    })),
  );
  const before = await listEvents(bob);
  await t.test('with an API key', t => probe(t, ada.key, own ?? {}, foreign ?? {}));
  await t.test('with an access token', t => probe(t, ada.person, own ?? {}, foreign ?? {}));
  t.same(await listEvents(bob), before);
});

t.test('sandbox and production of one project are as isolated as two tenants', async t => {
  const tenant = await signUp(line);
  const { person, key, projectId, environmentId } = tenant;
  await verifyEmail(node, line, tenant.email);
  const production = await person.get<Environment>('createEnvironment', {
    body: { projectId, name: 'production' },
  });
  const live = await newKey(person, projectId, 'live');
  const sandbox = await createFixtures(tenant, key, environmentId, receiver.url());
  // Nobody speaks TLS there: what is sent fails, and its delivery is there to be asked for.
  const real = await createFixtures(
    tenant,
    live.key,
    production.environmentId,
    receiver.url().replace('http:', 'https:'),
  );
  // Both environments have the same project, so its id is not foreign. Users, keys, canned replies and rows of a workspace belong to no environment.
  const shared = {
    project: newId('project'),
    workspace: newId('workspace'),
    user: newId('user'),
    apiKey: newId('apiKey'),
    cannedReply: newId('cannedReply'),
  };
  await t.test('for the sandbox key', t => probe(t, key, sandbox, { ...real, ...shared }));
  await t.test('for the live key', t => probe(t, live.key, real, { ...sandbox, ...shared }));
});

t.test('a key that is revoked is refused from then on, also where it is in use', async t => {
  const { person, projectId, channelId } = await signUp(line);
  const { apiKeyId, key } = await newKey(person, projectId);
  let revoked = false;
  let served = 0;
  let enough: () => void = () => undefined;
  const inUse = new Promise<void>(resolve => (enough = resolve));
  const calls: readonly [OperationId, Asked][] = [
    ['listThreads', { query: { projectId } }],
    ['getChannel', { params: { channelId } }],
    [
      'createInboundMessage',
      { params: { channelId }, body: { projectId, externalParticipantRef: 'ada', body: 'hello' } },
    ],
  ];
  const users = Array.from({ length: 9 }, async (_, index) => {
    const [id, asked] = calls[index % calls.length] ?? ['me', {}];
    for (;;) {
      const sentAfter = revoked;
      const { status, text } = await key.ask(id, asked);
      if (status === 401) return text;
      if (sentAfter) throw new Error(`${id} was answered ${status} after the key was revoked`);
      if (++served === 50) enough();
    }
  });
  await Promise.race([inUse, Promise.all(users)]);
  await person.get('revokeApiKey', { params: { apiKeyId } });
  revoked = true;
  for (const text of await Promise.all(users)) t.match(text, '"error":"svc/auth/invalid_api_key"');
});

t.test(
  'a session that is logged out, and tokens that are past or foreign, are refused by their names',
  async t => {
    const { person, userId } = await signUp(line);
    const { sid } = JSON.parse(Buffer.from(person.bearer?.split('.')[1] ?? '', 'base64url').toString()) as {
      sid: string;
    };
    const past = { ...systemClock, now: () => Date.now() - 901_000 };
    const refused = async (token: string): Promise<unknown> => (await new Client(line, token).ask('me')).body;
    const expired = await new AccessTokens(parseTokenKeys(tokenKeys), past).issue(userId, sid);
    t.match(await refused(expired), { error: 'svc/auth/expired_token' });
    const foreign = await new AccessTokens(parseTokenKeys(freshKey()), systemClock).issue(userId, sid);
    t.match(await refused(foreign), { error: 'svc/auth/invalid_token' });
    t.match(await person.get('me'), { userId }, 'the session goes on');
    await person.get('logout');
    t.match(await refused(person.bearer ?? ''), { error: 'svc/auth/invalid_token' });
  },
);

t.test('the log shows no secret', async t => keepsSecrets(t, node.output, line, [tokenKeys]));
