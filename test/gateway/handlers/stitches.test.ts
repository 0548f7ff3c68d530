/** Stitches (docs/contract-decisions.md, "Stitches"). */
import t, { type Test } from 'tap';
import type { TSchema } from 'typebox';
import type { OperationId } from '../../../protocol/operations/table.ts';
import type { Stitch, StitchWithSecret } from '../../../protocol/resources/stitch.ts';
import type { WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import type { EventEnvelope, EventTypeEntry } from '../../../protocol/resources/event.ts';
import type { WorkspaceInvitation } from '../../../protocol/resources/workspace.ts';
import { compile } from '../../../protocol/validate.ts';
import { Client, type Asked, type ListOf, type Refusal } from '../../node/client.ts';
import type { Tenant } from '../../node/tenant.ts';
import { hasValidSignature } from '../../support/receiver.ts';
import { getMessages, receiverFor, StitchService } from './stitch-fixture.ts';

let service: StitchService;
t.before(async () => {
  service = await StitchService.start(t);
});

async function create(tenant: Tenant, more: object = {}): Promise<StitchWithSecret> {
  const { projectId, key } = tenant;
  const body = { projectId, name: 'Hook', webhookUrl: 'https://receiver.example/hook', ...more };
  return key.get<StitchWithSecret>('createStitch', { body });
}

async function refused(
  t: Test,
  client: Client,
  id: OperationId,
  asked: Asked,
  status: number,
  code: string,
): Promise<Refusal> {
  const reply = await client.ask<Refusal>(id, asked);
  t.match([reply.status, reply.body.error], [status, code], `${id} ${status}`);
  return reply.body;
}

t.test('the secret is shown when it is made, and never again', async t => {
  const tenant = await service.tenant();
  const { projectId, environmentId, key } = tenant;
  const { stitch, secret } = await create(tenant, { metadata: { team: 'a' } });
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.match(stitch, {
    projectId,
    environmentId,
    name: 'Hook',
    status: 'active',
    eventNames: [],
    metadata: { team: 'a' },
    webhookUrl: 'https://receiver.example/hook',
    archivedAt: null,
  });
  const params = { stitchId: stitch.stitchId };
  t.strictSame(await key.get<Stitch>('getStitch', { params }), stitch);
  const [row] = await service.database.query<object>('select * from stitches where stitch_id = $1', [
    stitch.stitchId,
  ]);
  t.notOk(JSON.stringify(row).includes(secret), 'the row holds it sealed');
});

t.test('lists, newest first, page by page', async t => {
  const tenant = await service.tenant();
  const { projectId, key } = tenant;
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await create(tenant)).stitch.stitchId);
  const first = await key.get<ListOf<Stitch>>('listStitches', { query: { projectId, limit: 2 } });
  t.match(first, { hasMore: true, nextCursor: String });
  const all = await key.all<Stitch>('listStitches', { query: { projectId, limit: 2 } });
  t.strictSame(
    all.map(({ stitchId }) => stitchId),
    ids,
  );
  const other = await service.tenant();
  const query = { projectId: other.projectId, cursor: first.nextCursor ?? '' };
  await refused(t, other.key, 'listStitches', { query }, 400, 'svc/runtime/invalid_request');
});

t.test('what does not fit is refused, naming the field', async t => {
  const tenant = await service.tenant();
  const { projectId, key } = tenant;
  const invalid = 'svc/validation/invalid_request';
  const cases: readonly (readonly [object, string])[] = [
    [{ eventNames: ['thread.message.received', 'no.such.event'] }, '/body/eventNames/1'],
    [{ eventNames: ['thread.typing.started'] }, '/body/eventNames/0'],
    [{ eventNames: ['*'] }, '/body/eventNames/0'],
    [{ eventNames: ['nothing.*'] }, '/body/eventNames/0'],
    [{ webhookUrl: 'https://user:pass@receiver.example/' }, '/body/webhookUrl'],
    [{ webhookUrl: 'ftp://receiver.example/' }, '/body/webhookUrl'],
    [{ name: '' }, '/body/name'],
    [{ unknown: 1 }, '/body/unknown'],
  ];
  for (const [more, path] of cases) {
    const body = { projectId, name: 'Hook', webhookUrl: 'https://receiver.example/', ...more };
    const { details } = await refused(t, key, 'createStitch', { body }, 422, invalid);
    t.match(details, { issues: [{ path }] });
  }
  const { stitch } = await create(tenant, { eventNames: ['thread.*', 'thread.message.*', 'thread.*'] });
  t.strictSame(stitch.eventNames, ['thread.*', 'thread.message.*'], 'each once');
});

t.test('addresses that are not public are refused where only those are allowed', async t => {
  const closed = await StitchService.start(t, { publicOnly: true });
  const { projectId, key } = await closed.tenant();
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '[::1]',
    '[::ffff:10.0.0.1]',
    'localhost',
    '169.254.169.254',
  ]) {
    const body = { projectId, name: 'Hook', webhookUrl: `https://${host}/` };
    await refused(t, key, 'createStitch', { body }, 422, 'svc/validation/invalid_request');
  }
});

t.test('PATCH, disable, enable, archive', async t => {
  const tenant = await service.tenant();
  const { projectId, key } = tenant;
  const { stitch } = await create(tenant);
  const params = { stitchId: stitch.stitchId };
  const patch = (changes: object): Promise<Stitch> =>
    key.get<Stitch>('updateStitch', { params, body: { projectId, ...changes } });
  t.match(await patch({ name: 'Other', eventNames: ['agent.*'] }), {
    name: 'Other',
    eventNames: ['agent.*'],
  });
  t.match(await patch({ status: 'disabled' }), { status: 'disabled' });
  const test = { params, body: { projectId } };
  await refused(t, key, 'testStitch', test, 409, 'svc/runtime/conflict');
  t.match(await patch({ status: 'active' }), { status: 'active' });
  const error = { params, body: { projectId, status: 'error' } };
  await refused(t, key, 'updateStitch', error, 422, 'svc/validation/invalid_request');

  t.equal((await key.ask('archiveStitch', { params })).status, 204);
  t.equal((await key.ask('archiveStitch', { params })).status, 204, 'twice is once');
  t.match(await key.get<Stitch>('getStitch', { params }), { archivedAt: String });
  t.strictSame(await key.all('listStitches', { query: { projectId } }), []);
  await refused(
    t,
    key,
    'updateStitch',
    { params, body: { projectId, name: 'x' } },
    409,
    'svc/runtime/conflict',
  );
  await refused(t, key, 'rotateStitchSecret', test, 409, 'svc/runtime/conflict');
  const names = await service.database.query<{ name: string }>(
    `select event_name as name from events where project_id = $1 and event_name like 'stitch.%' order by seq`,
    [projectId],
  );
  t.strictSame(
    names.map(({ name }) => name),
    ['stitch.status.changed', 'stitch.status.changed'],
  );
});

t.test('a rotation gives a new secret, and both sign for a while', async t => {
  const tenant = await service.tenant();
  const { projectId, key } = tenant;
  const receiver = await receiverFor(t);
  const { stitch, secret } = await create(tenant, {
    webhookUrl: receiver.url(),
    eventNames: ['thread.message.*'],
  });
  const params = { stitchId: stitch.stitchId };
  const rotate = (more: object): Promise<StitchWithSecret> =>
    key.get<StitchWithSecret>('rotateStitchSecret', { params, body: { projectId, ...more } });
  const { secret: second } = await rotate({});
  t.not(second, secret);
  await getMessages(tenant, 1);
  await receiver.arrived(1);
  const [both] = receiver.received;
  t.ok(both !== undefined && hasValidSignature(both, secret) && hasValidSignature(both, second));
  t.match(both?.headers['service-signature'], /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  const { secret: third } = await rotate({ gracePeriodSeconds: 0 });
  await getMessages(tenant, 1);
  await receiver.arrived(2);
  const [, later] = receiver.received;
  t.ok(later !== undefined && hasValidSignature(later, third));
  t.notOk(later !== undefined && (hasValidSignature(later, secret) || hasValidSignature(later, second)));
  for (const gracePeriodSeconds of [-1, 604_801, 1.5]) {
    const asked = { params, body: { projectId, gracePeriodSeconds } };
    await refused(t, key, 'rotateStitchSecret', asked, 422, 'svc/validation/invalid_request');
  }
});

t.test('a test event goes to that stitch alone', async t => {
  const tenant = await service.tenant();
  const { projectId, key } = tenant;
  const receiver = await receiverFor(t);
  const other = await receiverFor(t);
  const { stitch, secret } = await create(tenant, { webhookUrl: receiver.url(), eventNames: ['agent.*'] });
  await create(tenant, { webhookUrl: other.url() });
  const params = { stitchId: stitch.stitchId };
  const body = { projectId, eventName: 'agent.run.failed' };
  const delivery = await key.get<WebhookDelivery>('testStitch', { params, body });
  t.match(delivery, {
    stitchId: stitch.stitchId,
    status: 'pending',
    trigger: 'test',
    eventName: 'stitch.test.ping',
  });
  await receiver.arrived(1);
  const [request] = receiver.received;
  t.ok(request !== undefined && hasValidSignature(request, secret));
  t.match(JSON.parse(request?.body ?? ''), {
    eventName: 'agent.run.failed',
    data: { test: true, agentRun: { status: 'failed' } },
  });
  t.equal(request?.headers['service-delivery-id'], delivery.deliveryId);
  const unknown = { params, body: { projectId, eventName: 'agent.*' } };
  await refused(t, key, 'testStitch', unknown, 422, 'svc/validation/invalid_request');
  t.equal(other.received.length, 0);
});

t.test('a test event is a sample of the event that was asked for, whichever it is', async t => {
  const tenant = await service.tenant();
  const { projectId, environmentId, key } = tenant;
  const receiver = await receiverFor(t);
  const bystander = await receiverFor(t);
  const { stitch } = await create(tenant, { webhookUrl: receiver.url(), eventNames: ['agent.*'] });
  await create(tenant, { webhookUrl: bystander.url() });
  const params = { stitchId: stitch.stitchId };
  const catalogue = await key.all<EventTypeEntry>('listEventTypes', {});
  const [ephemeral = [], delivered = []] = [true, false].map(kind =>
    catalogue.filter(entry => entry.ephemeral === kind),
  );
  for (const { eventName } of delivered)
    await key.get('testStitch', { params, body: { projectId, eventName } });
  await receiver.arrived(delivered.length);
  const bodies = receiver.received.map(({ body }) => JSON.parse(body) as EventEnvelope);
  for (const { eventName, data: schema } of delivered) {
    const [sample, ...more] = bodies.filter(body => body.eventName === eventName);
    if (sample === undefined) t.fail(`${eventName} has not come`);
    else {
      t.strictSame(compile(schema as TSchema)(sample.data, '') ?? [], [], `${eventName} fits its schema`);
      t.match(sample, { projectId, data: { environmentId, test: true } }, 'and is marked');
    }
    t.strictSame(more, [], 'once');
  }
  for (const { eventName } of ephemeral) {
    const body = { projectId, eventName };
    await refused(t, key, 'testStitch', { params, body }, 422, 'svc/validation/invalid_request');
  }
  t.strictSame(bystander.received, [], 'to this stitch alone');
  const messages = await key.all('listEvents', {
    query: { projectId, eventName: 'thread.message.received' },
  });
  t.strictSame(messages, [], 'the log has no message that nobody sent');
});

t.test('invitations and members are told to the stitches of every environment of the project', async t => {
  const tenant = await service.tenant();
  const { projectId, workspaceId, environmentId, person } = tenant;
  const environments = [environmentId, await service.production(tenant)];
  const stitches: string[] = [];
  for (const environmentId of environments) {
    const body = {
      projectId,
      environmentId,
      name: 'Audit',
      webhookUrl: 'https://receiver.example/',
      eventNames: ['workspace.*', 'project.member.*'],
    };
    const { stitch } = await person.get<StitchWithSecret>('createStitch', { body });
    stitches.push(stitch.stitchId);
  }
  const { userId } = await service.tenant();
  await service.database.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, 'viewer', now(), now())`,
    [workspaceId, userId],
  );
  const { invitationId } = await person.get<WorkspaceInvitation>('createInvitation', {
    params: { workspaceId },
    body: { email: 'guest@example.com' },
  });
  await person.get('revokeInvitation', { params: { workspaceId, invitationId } });
  const body = { userId, role: 'viewer' };
  await person.get('upsertConsoleMember', { params: { projectId }, body });
  await person.get('removeConsoleMember', { params: { projectId, userId } });
  const told = [
    'workspace.invitation.created',
    'workspace.invitation.revoked',
    'project.member.upserted',
    'project.member.removed',
  ];
  for (const [at, environmentId] of environments.entries()) {
    const query = { projectId, environmentId, stitchId: stitches[at] ?? '' };
    const deliveries = await service.deliveries(person, query, told.length);
    t.strictSame(deliveries.map(({ eventName }) => eventName).sort(), told.toSorted());
    const events = await person.all<EventEnvelope>('listEvents', { query: { projectId, environmentId } });
    for (const name of told) {
      const [event, ...more] = events.filter(({ eventName }) => eventName === name);
      t.match(event?.data, { environmentId, actor: { id: tenant.userId } }, name);
      t.strictSame(more, [], 'once in each environment');
    }
  }
});

t.test('production wants a verified e-mail and https', async t => {
  const tenant = await service.tenant();
  const { projectId, person } = tenant;
  const environmentId = await service.production(tenant);
  const body = { projectId, environmentId, name: 'Live', webhookUrl: 'http://receiver.example/' };
  await refused(t, person, 'createStitch', { body }, 422, 'svc/validation/invalid_request');
  const secure = { ...body, webhookUrl: 'https://receiver.example/' };
  const { stitch } = await person.get<StitchWithSecret>('createStitch', { body: secure });
  t.equal(stitch.environmentId, environmentId);
  const params = { stitchId: stitch.stitchId };
  const plain = { params, body: { projectId, webhookUrl: 'http://receiver.example/' } };
  await refused(t, person, 'updateStitch', plain, 422, 'svc/validation/invalid_request');
  await refused(t, tenant.key, 'getStitch', { params }, 404, 'svc/runtime/not_found');
});

t.test('what belongs to another tenant is not there', async t => {
  const owner = await service.tenant();
  const outsider = await service.tenant();
  const { stitch } = await create(owner);
  const params = { stitchId: stitch.stitchId };
  for (const client of [outsider.key, outsider.person]) {
    const { projectId } = outsider;
    await refused(t, client, 'getStitch', { params }, 404, 'svc/runtime/not_found');
    await refused(t, client, 'archiveStitch', { params }, 404, 'svc/runtime/not_found');
    for (const id of ['updateStitch', 'rotateStitchSecret', 'testStitch'] as const) {
      await refused(t, client, id, { params, body: { projectId } }, 404, 'svc/runtime/not_found');
      await refused(
        t,
        client,
        id,
        { params, body: { projectId: owner.projectId } },
        404,
        'svc/runtime/not_found',
      );
    }
  }
  t.strictSame(
    await owner.key.get<Stitch>('getStitch', { params }),
    stitch,
    'and nothing has happened to it',
  );
});

t.test('a key needs the scope', async t => {
  const tenant = await service.tenant();
  const { projectId, person } = tenant;
  const { stitch } = await create(tenant);
  const made = await person.get<{ secret: string }>('createApiKey', {
    body: { projectId, name: 'reader', environment: 'test', scopes: ['webhooks:read'] },
  });
  const reader = new Client(person.line, made.secret);
  const params = { stitchId: stitch.stitchId };
  t.match(await reader.get<Stitch>('getStitch', { params }), { stitchId: stitch.stitchId });
  const write = { params, body: { projectId } };
  await refused(t, reader, 'updateStitch', write, 403, 'svc/auth/insufficient_scope');
  await refused(t, reader, 'rotateStitchSecret', write, 403, 'svc/auth/insufficient_scope');
});
