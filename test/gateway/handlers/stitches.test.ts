/** Stitches (docs/contract-decisions.md, "Stitches"). */
import t, { type Test } from 'tap';
import type { TSchema } from 'typebox';
import type { OperationId } from '../../../protocol/operations/table.ts';
import type { Stitch, StitchWithSecret } from '../../../protocol/resources/stitch.ts';
import type { WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import type { EventEnvelope, EventTypeEntry } from '../../../protocol/resources/event.ts';
import type { WorkspaceInvitation } from '../../../protocol/resources/workspace.ts';
import { compile } from '../../../protocol/validate.ts';
import { type Client, type Asked, type Refusal } from '../../node/client.ts';
import type { Tenant } from '../../node/tenant.ts';
import { hasValidSignature, startReceiver } from '../../support/receiver.ts';
import { receiveMessages, untilDeliveries } from '../../support/conversations.ts';
import { startTestDatabase } from '../../support/database.ts';
import { shareSkein, startSkeinOn } from '../../support/skein.ts';

const skein = await shareSkein(t);

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
  const tenant = await skein.tenant();
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
  const [row] = await skein.database.query<object>('select * from stitches where stitch_id = $1', [
    stitch.stitchId,
  ]);
  t.notOk(JSON.stringify(row).includes(secret), 'the row holds it sealed');
});

t.test('a node that calls public addresses only refuses all others', async t => {
  const { url } = await startTestDatabase(t);
  const { projectId, key } = await (await startSkeinOn(t, url)).tenant();
  for (const host of ['127.1', '2130706433', '[::ffff:10.0.0.1]', 'localhost', '169.254.169.254']) {
    const stitch = { projectId, name: 'Hook', webhookUrl: `https://${host}/` };
    const tool = { projectId, name: 'Tool', url: `https://${host}/` };
    for (const [id, body, path] of [
      ['createStitch', stitch, '/body/webhookUrl'],
      ['createTool', tool, '/body/url'],
    ] as const) {
      const { details } = await refused(t, key, id, { body }, 422, 'svc/validation/invalid_request');
      t.match(details, { issues: [{ path }] }, host);
    }
  }
});

t.test('what does not fit is refused, naming the field', async t => {
  const tenant = await skein.tenant();
  const { projectId, key } = tenant;
  const invalid = 'svc/validation/invalid_request';
  const cases: readonly (readonly [object, string])[] = [
    [{ eventNames: ['thread.message.received', 'no.such.event'] }, '/body/eventNames/1'],
    [{ eventNames: ['thread.typing.started'] }, '/body/eventNames/0'],
    [{ eventNames: ['*'] }, '/body/eventNames/0'],
    [{ eventNames: ['nothing.*'] }, '/body/eventNames/0'],
    [{ webhookUrl: 'https://user:pass@receiver.example/' }, '/body/webhookUrl'],
    [{ webhookUrl: 'ftp://receiver.example/' }, '/body/webhookUrl'],
  ];
  for (const [more, path] of cases) {
    const body = { projectId, name: 'Hook', webhookUrl: 'https://receiver.example/', ...more };
    const { details } = await refused(t, key, 'createStitch', { body }, 422, invalid);
    t.match(details, { issues: [{ path }] });
  }
  const { stitch } = await create(tenant, { eventNames: ['thread.*', 'thread.message.*', 'thread.*'] });
  t.strictSame(stitch.eventNames, ['thread.*', 'thread.message.*'], 'each once');
});

t.test('PATCH, disable, enable, archive', async t => {
  const tenant = await skein.tenant();
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
  const [older, newer] = [await create(tenant), await create(tenant)];
  t.strictSame(await key.all('listStitches', { query: { projectId, limit: 1 } }), [
    newer.stitch,
    older.stitch,
  ]);
  await refused(
    t,
    key,
    'updateStitch',
    { params, body: { projectId, name: 'x' } },
    409,
    'svc/runtime/conflict',
  );
  await refused(t, key, 'rotateStitchSecret', test, 409, 'svc/runtime/conflict');
  const names = await skein.database.query<{ name: string }>(
    `select event_name as name from events where project_id = $1 and event_name like 'stitch.%' order by seq`,
    [projectId],
  );
  t.strictSame(
    names.map(({ name }) => name),
    ['stitch.status.changed', 'stitch.status.changed'],
  );
});

t.test('a rotation gives a new secret, and both sign for a while', async t => {
  const tenant = await skein.tenant();
  const { projectId, key } = tenant;
  const receiver = await startReceiver(t);
  const { stitch, secret } = await create(tenant, {
    webhookUrl: receiver.url(),
    eventNames: ['thread.message.*'],
  });
  const params = { stitchId: stitch.stitchId };
  const rotate = (more: object): Promise<StitchWithSecret> =>
    key.get<StitchWithSecret>('rotateStitchSecret', { params, body: { projectId, ...more } });
  const { secret: second } = await rotate({});
  t.not(second, secret);
  await receiveMessages(tenant, 1);
  await receiver.arrived(1);
  const [both] = receiver.received;
  t.ok(both !== undefined && hasValidSignature(both, secret) && hasValidSignature(both, second));
  t.match(both?.headers['service-signature'], /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  const { secret: third } = await rotate({ gracePeriodSeconds: 0 });
  await receiveMessages(tenant, 1);
  await receiver.arrived(2);
  const [, later] = receiver.received;
  t.ok(later !== undefined && hasValidSignature(later, third));
  t.notOk(later !== undefined && (hasValidSignature(later, secret) || hasValidSignature(later, second)));
});

t.test('a test event is a sample of any event that exists, for one stitch', async t => {
  const tenant = await skein.tenant();
  const { projectId, environmentId, key } = tenant;
  const receiver = await startReceiver(t);
  const bystander = await startReceiver(t);
  const { stitch, secret } = await create(tenant, { webhookUrl: receiver.url(), eventNames: ['agent.*'] });
  await create(tenant, { webhookUrl: bystander.url() });
  const params = { stitchId: stitch.stitchId };
  const catalogue = await key.all<EventTypeEntry>('listEventTypes', {});
  const [ephemeral = [], delivered = []] = [true, false].map(kind =>
    catalogue.filter(entry => entry.ephemeral === kind),
  );
  const deliveryIds: string[] = [];
  for (const { eventName } of delivered) {
    const asked = { params, body: { projectId, eventName } };
    const delivery = await key.get<WebhookDelivery>('testStitch', asked);
    t.match(delivery, { status: 'pending', trigger: 'test', eventName: 'stitch.test.ping' });
    deliveryIds.push(delivery.deliveryId);
  }
  await receiver.arrived(delivered.length);
  t.ok(receiver.received.every(request => hasValidSignature(request, secret)));
  const seen = receiver.received.map(({ headers }) => headers['service-delivery-id']);
  t.strictSame(seen.sort(), deliveryIds.sort());
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
  const tenant = await skein.tenant();
  const { projectId, workspaceId, environmentId, person } = tenant;
  const environments = [environmentId, await skein.production(tenant)];
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
  const { userId } = await skein.tenant();
  await skein.database.query(
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
    const deliveries = await untilDeliveries(person, query, told.length);
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
  const tenant = await skein.tenant();
  const { projectId, person } = tenant;
  const environmentId = await skein.production(tenant);
  const body = { projectId, environmentId, name: 'Live', webhookUrl: 'http://receiver.example/' };
  await refused(t, person, 'createStitch', { body }, 422, 'svc/validation/invalid_request');
  const secure = { ...body, webhookUrl: 'https://receiver.example/' };
  const { stitch } = await person.get<StitchWithSecret>('createStitch', { body: secure });
  t.equal(stitch.environmentId, environmentId);
  const params = { stitchId: stitch.stitchId };
  const plain = { params, body: { projectId, webhookUrl: 'http://receiver.example/' } };
  await refused(t, person, 'updateStitch', plain, 422, 'svc/validation/invalid_request');
});
