/** Webhook deliveries: their lists and attempts, and their replay (docs/contract-decisions.md, "Delivery"). */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { DeliveryAttempt, WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import type { StitchWithSecret } from '../../../protocol/resources/stitch.ts';
import type { ListOf } from '../../node/client.ts';
import type { Tenant } from '../../node/tenant.ts';
import { answer, hasValidSignature } from '../../support/receiver.ts';
import { getMessages, receiverFor, StitchService } from './stitch-fixture.ts';

let service: StitchService;
t.before(async () => {
  service = await StitchService.start(t);
});

async function stitchFor(tenant: Tenant, webhookUrl: string, eventNames: readonly string[] = []) {
  const body = { projectId: tenant.projectId, name: 'Hook', webhookUrl, eventNames };
  return tenant.key.get<StitchWithSecret>('createStitch', { body });
}

const received = 'thread.message.received';

t.test('every delivery can be found, by what one looks for', async t => {
  const tenant = await service.tenant();
  const { projectId, key } = tenant;
  const receiver = await receiverFor(t);
  const failing = await receiverFor(t);
  failing.behaviour = answer(503, {}, 'not today');
  const { stitch: good } = await stitchFor(tenant, receiver.url(), ['thread.message.*']);
  const { stitch: bad } = await stitchFor(tenant, failing.url(), [received]);
  const since = new Date(Date.now() - 1).toISOString();
  const threadId = await getMessages(tenant, 3);
  const delivered = await service.deliveries(key, { projectId, status: 'delivered' }, 3);
  const retrying = await service.deliveries(key, { projectId, status: 'retrying' }, 1);
  t.ok(delivered.every(row => row.stitchId === good.stitchId && row.threadId === threadId));
  t.match(retrying, [
    { stitchId: bad.stitchId, attemptCount: 1, responseStatus: 503, lastError: 'HTTP 503' },
  ]);
  await service.deliveries(key, { projectId, status: 'pending' }, 2);

  const list = (query: object): Promise<WebhookDelivery[]> =>
    key.all<WebhookDelivery>('listDeliveries', { query: { projectId, ...query } });
  t.equal((await list({})).length, 6);
  t.equal((await list({ stitchId: bad.stitchId })).length, 3);
  t.equal((await list({ eventName: received })).length, 6);
  t.equal((await list({ eventName: 'thread.message.created' })).length, 0);
  t.equal((await list({ since })).length, 6);
  t.equal((await list({ until: since })).length, 0);
  const [newest] = await list({});
  t.equal((await list({ eventId: newest?.eventId ?? '' })).length, 2, 'one for each stitch');
  t.strictSame(
    (await list({ limit: 4 })).map(row => row.deliveryId),
    (await list({})).map(row => row.deliveryId),
    'pages',
  );
  const times = (await list({})).map(row => row.createdAt);
  t.strictSame(times, [...times].sort().reverse(), 'newest first');

  const [first] = retrying;
  const params = { deliveryId: first?.deliveryId ?? '' };
  t.match(await key.get<WebhookDelivery>('getDelivery', { params }), {
    status: 'retrying',
    nextAttemptAt: String,
  });
  const attempts = await key.get<ListOf<DeliveryAttempt>>('listDeliveryAttempts', { params });
  t.match(attempts, {
    hasMore: false,
    data: [
      {
        number: 1,
        trigger: 'scheduled',
        responseStatus: 503,
        responseBody: 'not today',
        errorClass: 'http_status',
        nextAttemptAt: first?.nextAttemptAt,
      },
    ],
  });
});

t.test('in-flight deliveries are shown as delivering', async t => {
  const tenant = await service.tenant();
  const { projectId, key } = tenant;
  const receiver = await receiverFor(t);
  let finish = (): void => undefined;
  receiver.behaviour = (_request, response) => {
    finish = () => response.writeHead(204).end();
  };
  await stitchFor(tenant, receiver.url(), [received]);
  await getMessages(tenant, 2);
  await receiver.arrived(1);
  const [out] = await service.deliveries(key, { projectId, status: 'delivering' }, 1);
  t.match(out, { status: 'delivering', attemptCount: 0 });
  const params = { deliveryId: out?.deliveryId ?? '' };
  t.match(await key.get<WebhookDelivery>('getDelivery', { params }), { status: 'delivering' });
  const all = await key.all<WebhookDelivery>('listDeliveries', { query: { projectId } });
  t.strictSame(
    all.map(({ status }) => status).sort(),
    ['delivering', 'pending'],
    'the other one waits for it',
  );
  const rows = await service.database.query<{ status: string }>(
    'select status from webhook_deliveries where project_id = $1',
    [projectId],
  );
  t.ok(
    rows.every(({ status }) => status === 'pending'),
    'no row says so: nothing is stranded by a crash',
  );
  receiver.behaviour = answer(204);
  finish();
  await service.deliveries(key, { projectId, status: 'delivered' }, 2);
  await service.deliveries(key, { projectId, status: 'delivering' }, 0);
});

t.test('one delivery again, to the same stitch and to another', async t => {
  const tenant = await service.tenant();
  const { projectId, key } = tenant;
  const receiver = await receiverFor(t);
  const other = await receiverFor(t);
  const { stitch } = await stitchFor(tenant, receiver.url(), [received]);
  const { stitch: target, secret } = await stitchFor(tenant, other.url(), ['agent.*']);
  await getMessages(tenant, 1);
  const [original] = await service.deliveries(key, { projectId, status: 'delivered' }, 1);
  const params = { deliveryId: original?.deliveryId ?? '' };
  const again = await key.ask<WebhookDelivery>('replayDelivery', { params, body: { projectId } });
  t.equal(again.status, 202);
  t.match(again.body, {
    stitchId: stitch.stitchId,
    eventId: original?.eventId,
    status: 'pending',
    trigger: 'manual',
  });
  t.not(again.body.deliveryId, original?.deliveryId);
  await receiver.arrived(2);
  t.equal(receiver.received[1]?.body, receiver.received[0]?.body, 'the same bytes');
  t.equal(
    receiver.received[1]?.headers['service-event-id'],
    receiver.received[0]?.headers['service-event-id'],
  );

  const body = { projectId, targetStitchId: target.stitchId };
  const elsewhere = await key.get<WebhookDelivery>('replayDelivery', { params, body });
  t.equal(elsewhere.stitchId, target.stitchId);
  await other.arrived(1);
  const [sent] = other.received;
  t.equal(sent?.body, receiver.received[0]?.body);
  t.ok(sent !== undefined && hasValidSignature(sent, secret), "signed with the target's secret");
  await service.deliveries(key, { projectId, status: 'delivered' }, 3);
  t.match(await key.get<WebhookDelivery>('getDelivery', { params }), {
    status: 'delivered',
    attemptCount: 1,
  });
});

t.test('a span again, by name and status, to a new endpoint', async t => {
  const tenant = await service.tenant();
  const { projectId, key } = tenant;
  const gone = await receiverFor(t);
  gone.behaviour = answer(410);
  const { stitch: broken } = await stitchFor(tenant, gone.url(), ['thread.*']);
  const since = new Date(Date.now() - 1_000).toISOString();
  await getMessages(tenant, 5);
  const all = await service.deliveries(key, { projectId, stitchId: broken.stitchId, status: 'failed' }, 1);
  t.equal(all.length, 1);

  const receiver = await receiverFor(t);
  const { stitch: target } = await stitchFor(tenant, receiver.url(), ['agent.*']);
  const params = { stitchId: broken.stitchId };
  const body = { projectId, since, targetStitchId: target.stitchId, statuses: ['failed', 'cancelled'] };
  const accepted = await key.ask('replayStitch', { params, body });
  t.match([accepted.status, accepted.body], [202, { accepted: true }]);
  const lost = await key.all<WebhookDelivery>('listDeliveries', {
    query: { projectId, stitchId: broken.stitchId },
  });
  await receiver.arrived(lost.length);
  t.strictSame(
    receiver.received.map(({ headers }) => headers['service-event-id']).sort(),
    lost.map(({ eventId }) => eventId).sort(),
  );
  const rows = await service.deliveries(
    key,
    { projectId, stitchId: target.stitchId, status: 'delivered' },
    lost.length,
  );
  t.ok(rows.every(({ trigger }) => trigger === 'replay'));

  const conflict = await key.ask('replayStitch', { params, body: { projectId, since } });
  t.equal(conflict.status, 409, 'the source itself is disabled');
  for (const wrong of [
    { eventNames: ['no.such.event'] },
    { since: '2026-12-02T00:00:00Z', until: '2026-12-01T00:00:00Z' },
  ]) {
    t.equal((await key.ask('replayStitch', { params, body: { ...body, ...wrong } })).status, 422);
  }
});

t.test('what belongs to another tenant is not there', async t => {
  const owner = await service.tenant();
  const outsider = await service.tenant();
  const receiver = await receiverFor(t);
  const { stitch } = await stitchFor(owner, receiver.url(), [received]);
  await getMessages(owner, 1);
  const [delivery] = await service.deliveries(
    owner.key,
    { projectId: owner.projectId, status: 'delivered' },
    1,
  );
  const deliveryId = delivery?.deliveryId ?? '';
  const own = await stitchFor(outsider, receiver.url(), ['agent.*']);
  for (const client of [outsider.key, outsider.person]) {
    for (const params of [{ deliveryId }, { deliveryId: newId('delivery') }, { deliveryId: 'whd_!' }]) {
      const { projectId } = outsider;
      const statuses = [
        (await client.ask('getDelivery', { params })).status,
        (await client.ask('listDeliveryAttempts', { params })).status,
        (await client.ask('replayDelivery', { params, body: { projectId } })).status,
      ];
      t.ok(
        statuses.every(status => status === (params.deliveryId === 'whd_!' ? 422 : 404)),
        `${statuses}`,
      );
    }
    const list = await client.get<ListOf<object>>('listDeliveries', {
      query: { projectId: outsider.projectId },
    });
    t.strictSame(list.data, []);
  }
  const { projectId } = owner;
  const since = new Date(0).toISOString();
  const foreign = own.stitch.stitchId;
  const replay = { params: { deliveryId }, body: { projectId, targetStitchId: foreign } };
  t.equal((await owner.key.ask('replayDelivery', replay)).status, 404, 'no delivery to a foreign stitch');
  const span = { params: { stitchId: stitch.stitchId }, body: { projectId, since, targetStitchId: foreign } };
  t.equal((await owner.key.ask('replayStitch', span)).status, 404);
  const source = {
    params: { stitchId: stitch.stitchId },
    body: { projectId: outsider.projectId, since, targetStitchId: foreign },
  };
  t.equal((await outsider.key.ask('replayStitch', source)).status, 404, 'nor from one');
  t.equal(receiver.received.length, 1);
});
