/** The Console stream of a whole node: tickets, what each reader sees, and whose stream ends. Who may open it: test/contract. */
import t from 'tap';
import { AccessTokens, parseTokenKeys } from '../../../gateway/auth/access-tokens.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { findRevokedCredentials, toRolesKey } from '../../../storage/tenancy/credential-check.ts';
import { Client as Caller, type ListOf } from '../../node/client.ts';
import { newKey, type Tenant } from '../../node/tenant.ts';
import { addConsoleMember, newScopedKey, receiveMessage } from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';
import { Client, openStream } from './stream-fixture.ts';

const skein = await shareSkein(t);
const { database } = skein;

const createTicket = async ({ projectId }: Tenant, { person }: Tenant) =>
  (await person.get<{ ticket: string }>('createStreamTicket', { params: { projectId } })).ticket;

function openWithTicket({ projectId }: Tenant, ticket: string): Client {
  const at = `${skein.url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream?ticket=${ticket}`;
  const client = new Client(at);
  t.teardown(() => client.socket.terminate());
  return client;
}

const say = (tenant: Tenant) => receiveMessage(tenant, tenant.channelId, { externalParticipantRef: 'ada' });
const getNames = ({ frames }: Client) => frames.flatMap(({ event }) => (event ? [event.eventName] : []));
const sees = (client: Client, eventName: string) =>
  client.until(each => each.closed !== undefined || getNames(each).includes(eventName));

t.test('a ticket opens one stream of its project within 30 seconds', async t => {
  const [tenant, other] = [await skein.tenant(), await skein.tenant()];
  const { person, projectId } = tenant;
  const { body, headers } = await person.ask('createStreamTicket', { params: { projectId } });
  t.match(body, { ticket: /^[\w-]{43}$/, expiresIn: 30 });
  t.equal(headers['cache-control'], 'no-store');
  const ticket = String(body['ticket']);
  t.equal((await openWithTicket(other, ticket).opened()).refused, 401, 'of another project');
  const both = [openWithTicket(tenant, ticket), openWithTicket(tenant, ticket)];
  await Promise.all(both.map(client => client.opened()));
  t.same(both.map(client => client.refused).sort(), [401, undefined], 'of two at once one is opened');

  const late = await createTicket(tenant, tenant);
  await database.query(
    `update stream_tickets set expires_at = now() - interval '1 ms' where user_id = $1 and used_at is null`,
    [tenant.userId],
  );
  t.equal((await openWithTicket(tenant, late).opened()).refused, 401);
  const select = 'select ticket_hash as hash from stream_tickets where user_id = $1';
  const stored = await database.query<{ hash: Buffer }>(select, [tenant.userId]);
  t.equal(stored.length, 2);
  t.notOk(stored.some(({ hash }) => hash.toString('base64url') === ticket));

  const lost = await createTicket(tenant, tenant);
  await database.query('delete from console_members where project_id = $1', [projectId]);
  t.equal((await openWithTicket(tenant, lost).opened()).refused, 403, 'no member any more');
});

t.test('a stream shows each reader what they may read, and ends when their roles change', async t => {
  const tenant = await skein.tenant();
  const { person, projectId, workspaceId } = tenant;
  const operator = await skein.tenant();
  const addRole = (role: string) =>
    person.get('upsertConsoleMember', { params: { projectId }, body: { userId: operator.userId, role } });
  const join = () =>
    database.query(
      `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, 'viewer', now(), now())`,
      [workspaceId, operator.userId],
    );
  await addConsoleMember(database, tenant, operator, 'agent');
  const key = await newScopedKey(tenant, ['threads:read', 'messages:read']);
  const [all, some, few] = [person, operator.person, key].map(by => openStream(t, skein, projectId, by)) as [
    Client,
    Client,
    Client,
  ];
  for (const client of [all, some, few]) await client.resume();
  const credential = { provider: 'llm_provider_1', displayName: 'Key', secret: 'sk-0123456789' };
  await person.get('createByokCredential', { body: { projectId, ...credential } });
  await person.get('createAgent', {
    body: { projectId, environmentId: tenant.environmentId, name: 'Agent' },
  });
  await say(tenant);
  for (const client of [all, some, few]) await sees(client, 'thread.message.received');
  const ofThread = ['thread.lifecycle.created', 'thread.message.received'];
  t.strictSame(getNames(all), ['byok.credential.created', 'agent.lifecycle.created', ...ofThread]);
  t.strictSame(getNames(some), ['agent.lifecycle.created', ...ofThread]);
  t.strictSame(getNames(few), ofThread);

  await join();
  await addRole('viewer');
  t.equal(await some.end(), 4004);
  const again = openStream(t, skein, projectId, operator.person);
  await again.resume();
  await person.get('removeConsoleMember', { params: { projectId, userId: operator.userId } });
  t.equal(await again.end(), 4003);
  t.equal((await openStream(t, skein, projectId, operator.person).opened()).refused, 403);
  await sees(all, 'project.member.removed');
  t.match(all.frames.at(-1)?.event?.data, {
    member: { userId: operator.userId },
    actor: { id: tenant.userId },
  });
  t.equal(all.closed, undefined, 'other readers go on');
});

t.test('the stream of a role in the project, or of a key, ends when it is taken away', async t => {
  const tenant = await skein.tenant();
  const { person, projectId, workspaceId } = tenant;
  const { userId, person: operator } = await skein.tenant();
  await database.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, 'viewer', now(), now())`,
    [workspaceId, userId],
  );
  await addConsoleMember(database, tenant, { userId }, 'agent');
  const params = { projectId };
  for (const change of [
    () => person.get('upsertProjectMember', { params, body: { userId, role: 'developer' } }),
    () => person.get('removeProjectMember', { params: { projectId, userId } }),
  ]) {
    const client = openStream(t, skein, projectId, operator);
    await client.resume();
    await change();
    t.equal(await client.end(), 4004);
  }
  const { key, apiKeyId } = await newKey(person, projectId);
  const byKey = openStream(t, skein, projectId, key);
  await byKey.resume();
  await person.get('revokeApiKey', { params: { apiKeyId } });
  t.equal(await byKey.end(), 4001);
});

t.test('credentials that do not count any more are found', async t => {
  const tenant = await skein.tenant();
  const { projectId, userId, apiKeyId, workspaceId } = tenant;
  const [session] = await database.query<{ id: string }>(
    'select session_id as id from sessions where user_id = $1',
    [userId],
  );
  const sessionId = session?.id ?? '';
  const roles = toRolesKey({ workspaceRole: 'owner', projectRole: undefined, consoleRole: 'project_owner' });
  const asked = { sessionIds: [sessionId], apiKeyIds: [apiKeyId], members: [{ projectId, userId, roles }] };
  const find = async (now = Date.now()) => [...(await findRevokedCredentials(database, asked, now))].sort();
  const change = (text: string, id: string) => database.query(text, [id]);
  t.strictSame(await find(), []);
  t.ok((await find(Date.now() + 400 * 86_400_000)).includes(sessionId), 'a session expires');
  await change('update workspaces set requires_second_factor = true where workspace_id = $1', workspaceId);
  t.strictSame(await find(), [`${projectId} ${userId} ${roles}`], 'a second factor is demanded');
  await change(
    `insert into second_factors (user_id, secret, last_step, created_at, updated_at) values ($1, 'sealed', 0, now(), now())`,
    userId,
  );
  t.equal((await find()).length, 1, 'one that is not confirmed does not count');
  await change('update second_factors set confirmed_at = now() where user_id = $1', userId);
  t.strictSame(await find(), []);
  await change(`update console_members set role = 'agent' where user_id = $1`, userId);
  t.strictSame(await find(), [`${projectId} ${userId} ${roles}`]);
  await change('delete from console_members where user_id = $1', userId);
  await change('update sessions set revoked_at = now() where user_id = $1', userId);
  await change(`update api_keys set status = 'revoked' where api_key_id = $1`, apiKeyId);
  t.strictSame(await find(), [apiKeyId, sessionId, `${projectId} ${userId}`].sort());
});

t.test('a stream by token ends with the token, one by ticket stays open', async t => {
  const tenant = await skein.tenant();
  const [, payload = ''] = (tenant.person.bearer ?? '').split('.');
  const { sid = '' } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid?: string };
  // Tokens are valid for 900 seconds: this one has two left.
  const clock = { ...systemClock, now: () => systemClock.now() - 898_000 };
  const token = await new AccessTokens(parseTokenKeys(skein.tokenKeys), clock).issue(tenant.userId, sid);
  const byToken = openStream(t, skein, tenant.projectId, new Caller(tenant.person.line, token));
  const byTicket = openWithTicket(tenant, await createTicket(tenant, tenant));
  await Promise.all([byToken.resume(), byTicket.resume()]);
  t.equal(await byToken.end(), 4001);
  t.equal(byTicket.closed, undefined);
});

t.test('production is hidden from sandbox keys and from members whose e-mail is not verified', async t => {
  const tenant = await skein.tenant();
  const { person, projectId, key } = tenant;
  const environmentId = await skein.production(tenant);
  const member = await skein.tenant();
  await addConsoleMember(database, tenant, member, 'agent');
  const live = await newKey(person, projectId, 'live');
  const { channelId } = await live.key.get<{ channelId: string }>('createChannel', {
    body: { projectId, environmentId, name: 'Live', kind: 'custom' },
  });
  await say(tenant);
  const sent = await live.key.get<Message>('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
  });
  await say(tenant);
  const list = async (by: Caller) => {
    const { data } = await by.get<ListOf<{ seq: number; eventName: string }>>('listStreamEvents', {
      params: { projectId },
    });
    return data.filter(({ eventName }) => eventName === 'thread.message.received').map(({ seq }) => seq);
  };
  const everything = await list(person);
  t.equal(everything.length, 3);
  const [first, hidden, last = 0] = everything;
  const hello = await openStream(t, skein, projectId, person).resume();
  const readers = [
    { reads: key, client: openStream(t, skein, projectId, key) },
    { reads: member.person, client: openStream(t, skein, projectId, member.person) },
    { reads: member.person, client: openWithTicket(tenant, await createTicket(tenant, member)) },
  ];
  for (const { reads, client } of readers) {
    t.same(await list(reads), [first, last]);
    await client.resume({ epoch: hello.epoch ?? '', seq: (first ?? 1) - 1 });
    const seen = await client.through(last);
    t.strictSame([seen[0], seen.includes(hidden ?? 0), seen.at(-1)], [first, false, last]);
  }
  t.equal(sent.sequence, 2);
});
