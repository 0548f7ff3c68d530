/** Webhook deliveries: their lists and attempts, and their replay (docs/contract-decisions.md, "Delivery"). */
import t from 'tap';
import type { DeliveryAttempt, WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import type { StitchWithSecret } from '../../../protocol/resources/stitch.ts';
import type { ListOf } from '../../node/client.ts';
import type { Tenant } from '../../node/tenant.ts';
import { answer, hasValidSignature, startReceiver } from '../../support/receiver.ts';
import { receiveMessages, untilDeliveries } from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);

async function stitchFor(tenant: Tenant, webhookUrl: string, eventNames: readonly string[] = []) {
  const body = { projectId: tenant.projectId, name: 'Hook', webhookUrl, eventNames };
  return tenant.key.get<StitchWithSecret>('createStitch', { body });
}

const received = 'thread.message.received';

t.test('every delivery can be found, by what one looks for', async t => {
  const tenant = await skein.tenant();
  const { projectId, key } = tenant;
  const receiver = await startReceiver(t);
  const failing = await startReceiver(t);
  failing.behaviour = answer(503, {}, 'not today');
  const { stitch: good } = await stitchFor(tenant, receiver.url(), ['thread.message.*']);
  const { stitch: bad } = await stitchFor(tenant, failing.url(), [received]);
  const since = new Date(Date.now() - 1).toISOString();
  const threadId = await receiveMessages(tenant, 3);
  const delivered = await untilDeliveries(key, { projectId, status: 'delivered' }, 3);
  const retrying = await untilDeliveries(key, { projectId, status: 'retrying' }, 1);
  t.ok(delivered.every(row => row.stitchId === good.stitchId && row.threadId === threadId));
  t.match(retrying, [
    { stitchId: bad.stitchId, attemptCount: 1, responseStatus: 503, lastError: 'HTTP 503' },
  ]);
  await untilDeliveries(key, { projectId, status: 'pending' }, 2);

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
  const tenant = await skein.tenant();
  const { projectId, key } = tenant;
  const receiver = await startReceiver(t);
  let finish = (): void => undefined;
  receiver.behaviour = (_request, response) => {
    finish = () => response.writeHead(204).end();
  };
  await stitchFor(tenant, receiver.url(), [received]);
  await receiveMessages(tenant, 2);
  await receiver.arrived(1);
  const [out] = await untilDeliveries(key, { projectId, status: 'delivering' }, 1);
  t.match(out, { status: 'delivering', attemptCount: 0 });
  const params = { deliveryId: out?.deliveryId ?? '' };
  t.match(await key.get<WebhookDelivery>('getDelivery', { params }), { status: 'delivering' });
  const all = await key.all<WebhookDelivery>('listDeliveries', { query: { projectId } });
  t.strictSame(
    all.map(({ status }) => status).sort(),
    ['delivering', 'pending'],
    'the other one waits for it',
  );
  const rows = await skein.database.query<{ status: string }>(
    'select status from webhook_deliveries where project_id = $1',
    [projectId],
  );
  t.ok(
    rows.every(({ status }) => status === 'pending'),
    'no row says so: nothing is stranded by a crash',
  );
  receiver.behaviour = answer(204);
  finish();
  await untilDeliveries(key, { projectId, status: 'delivered' }, 2);
  await untilDeliveries(key, { projectId, status: 'delivering' }, 0);
});

t.test('one delivery again, to the same stitch and to another', async t => {
  const tenant = await skein.tenant();
  const { projectId, key } = tenant;
  const receiver = await startReceiver(t);
  const other = await startReceiver(t);
  const { stitch } = await stitchFor(tenant, receiver.url(), [received]);
  const { stitch: target, secret } = await stitchFor(tenant, other.url(), ['agent.*']);
  await receiveMessages(tenant, 1);
  const [original] = await untilDeliveries(key, { projectId, status: 'delivered' }, 1);
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
  await untilDeliveries(key, { projectId, status: 'delivered' }, 3);
  t.match(await key.get<WebhookDelivery>('getDelivery', { params }), {
    status: 'delivered',
    attemptCount: 1,
  });
});

t.test('a span again, by name and status, to a new endpoint', async t => {
  const tenant = await skein.tenant();
  const { projectId, key } = tenant;
  const gone = await startReceiver(t);
  gone.behaviour = answer(410);
  const { stitch: broken } = await stitchFor(tenant, gone.url(), ['thread.*']);
  const since = new Date(Date.now() - 1_000).toISOString();
  await receiveMessages(tenant, 5);
  const all = await untilDeliveries(key, { projectId, stitchId: broken.stitchId, status: 'failed' }, 1);
  t.equal(all.length, 1);

  const receiver = await startReceiver(t);
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
  const rows = await untilDeliveries(
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
