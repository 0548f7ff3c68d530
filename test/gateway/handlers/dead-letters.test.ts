/** What has failed for good: its list, and its replay (docs/contract-decisions.md, "Delivery"). */
import t from 'tap';
import type { AuditLog } from '../../../protocol/resources/audit.ts';
import type { FailedReplays, WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import type { StitchStats, StitchWithSecret } from '../../../protocol/resources/stitch.ts';
import type { ListOf } from '../../node/client.ts';
import type { Tenant } from '../../node/tenant.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, type Receiver, startReceiver } from '../../support/receiver.ts';
import { receiveMessages, untilDeliveries } from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const received = 'thread.message.received';

async function newStitch({ projectId, key }: Tenant, receiver: Receiver): Promise<string> {
  const body = { projectId, name: 'Hook', webhookUrl: receiver.url(), eventNames: [received] };
  return (await key.get<StitchWithSecret>('createStitch', { body })).stitch.stitchId;
}

/** As if the schedule of the newest deliveries had ended: it takes days. */
async function exhaust(stitchId: string, count = 100): Promise<void> {
  await skein.database.query(
    `update webhook_deliveries set status = 'failed' where stitch_id = $1 and delivery_id = any (array(
       select delivery_id from webhook_deliveries where stitch_id = $1 order by created_at desc, delivery_id desc limit $2))`,
    [stitchId, count],
  );
}

async function failed({ key, projectId }: Tenant, stitchId: string): Promise<WebhookDelivery[]> {
  return key.all<WebhookDelivery>('listDeliveries', { query: { projectId, stitchId, status: 'failed' } });
}

const replay = async ({ key, projectId }: Tenant, more: object = {}) =>
  (await key.get<FailedReplays>('replayFailedDeliveries', { body: { projectId, ...more } })).stitches;

/** All that the stitches were told to replay has a row. */
async function untilReplayed({ key }: Tenant, ...stitchIds: readonly string[]): Promise<void> {
  for (const stitchId of stitchIds) {
    await eventually('end of the replays', async () => {
      const stats = await key.get<StitchStats>('getStitchStats', { params: { stitchId } });
      return stats.replays.length === 0 && stats.backlog.count === 0;
    });
  }
}

t.test('each event once, however often it is asked for, to the stitch that it failed at', async t => {
  const tenant = await skein.tenant();
  const [one, two] = [await startReceiver(t), await startReceiver(t)];
  const [first, second] = [await newStitch(tenant, one), await newStitch(tenant, two)];
  await receiveMessages(tenant, 3);
  await untilDeliveries(tenant.key, { projectId: tenant.projectId, status: 'delivered' }, 6);
  t.strictSame(await replay(tenant), [], 'nothing has failed');
  await exhaust(first);
  await exhaust(second, 1);
  t.equal((await failed(tenant, first)).length, 3, 'the list has them');

  const started = await replay(tenant);
  t.match(
    started,
    [first, second].sort().map(stitchId => ({ stitchId, status: 'started', error: null })),
  );
  t.ok(started.every(({ replayId }) => typeof replayId === 'string'));
  await untilReplayed(tenant, first, second);
  const ids = (receiver: Receiver) => receiver.received.map(({ headers }) => headers['service-event-id']);
  t.equal(one.received.length, 6);
  t.equal(new Set(ids(one)).size, 3, 'the same events again');
  t.strictSame(ids(one).slice(3), ids(one).slice(0, 3), 'in their order');
  t.equal(two.received.length, 4);
  t.equal(ids(two)[3], ids(two)[2]);

  await replay(tenant);
  await untilReplayed(tenant, first, second);
  t.equal(one.received.length + two.received.length, 10, 'they were delivered since');

  await exhaust(first, 1);
  await replay(tenant, { stitchId: first });
  await untilReplayed(tenant, first);
  t.equal(one.received.length, 7, 'a replay that fails is the dead letter, and not also its original');
  const query = { projectId: tenant.projectId, stitchId: first };
  const all = await tenant.key.all<WebhookDelivery>('listDeliveries', { query });
  t.strictSame(all.map(({ trigger }) => trigger).sort(), [
    ...Array.from({ length: 4 }, () => 'replay'),
    ...Array.from({ length: 3 }, () => 'scheduled'),
  ]);
});

t.test('of one stitch, of a time, of names; what cannot be replayed is said', async t => {
  const tenant = await skein.tenant();
  const { projectId, key } = tenant;
  const receiver = await startReceiver(t);
  const [stitchId, other] = [await newStitch(tenant, receiver), await newStitch(tenant, receiver)];
  await receiveMessages(tenant, 2);
  await untilDeliveries(key, { projectId, status: 'delivered' }, 4);
  await exhaust(stitchId);
  await exhaust(other);
  const [newest, oldest] = await failed(tenant, stitchId);
  const names = async (more: object) => (await replay(tenant, more)).map(each => each.stitchId);
  t.strictSame(await names({ eventNames: ['agent.*'] }), []);
  t.strictSame(await names({ until: oldest?.createdAt }), []);
  t.strictSame(
    await names({ since: new Date(Date.now() + 60_000).toISOString(), until: '2100-01-01T00:00:00Z' }),
    [],
  );
  t.equal(receiver.received.length, 4);
  t.strictSame(await names({ stitchId, eventNames: ['thread.*'], since: newest?.createdAt }), [stitchId]);
  await untilReplayed(tenant, stitchId);
  t.equal(receiver.received.length, 5);
  t.equal(receiver.received[4]?.headers['service-event-id'], newest?.eventId);

  await key.get('updateStitch', { params: { stitchId: other }, body: { projectId, status: 'disabled' } });
  t.match(await replay(tenant, { stitchId: other }), [
    { stitchId: other, status: 'refused', replayId: null, error: { error: 'svc/runtime/conflict' } },
  ]);
  for (const wrong of [
    { eventNames: ['no.such.event'] },
    { since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' },
  ])
    t.equal((await key.ask('replayFailedDeliveries', { body: { projectId, ...wrong } })).status, 422);
});

t.test('every replay and test is in the audit log', async t => {
  const tenant = await skein.tenant();
  const { projectId, key, person } = tenant;
  const receiver = await startReceiver(t);
  receiver.behaviour = answer(204);
  const stitchId = await newStitch(tenant, receiver);
  await receiveMessages(tenant, 2);
  const [delivery] = await untilDeliveries(key, { projectId, status: 'delivered' }, 2);
  await exhaust(stitchId);
  await replay(tenant, { stitchId });
  await untilReplayed(tenant, stitchId);

  await key.get('replayDelivery', {
    params: { deliveryId: delivery?.deliveryId ?? '' },
    body: { projectId },
  });
  const target = await newStitch(tenant, receiver);
  const toTarget = {
    params: { deliveryId: delivery?.deliveryId ?? '' },
    body: { projectId, targetStitchId: target },
  };
  await key.get('replayDelivery', toTarget);
  const acts = await person.get<ListOf<AuditLog>>('listAuditLogs', {
    query: { projectId, targetId: target },
  });
  t.match(acts.data[0], { action: 'stitch.delivery_replayed', details: { sourceStitchId: stitchId } });
  const span = { projectId, since: '2026-01-01T00:00:00Z', statuses: ['cancelled'] };
  t.match(await key.get('replayStitch', { params: { stitchId }, body: span }), {
    accepted: true,
    replayId: String,
  });
  await key.get('testStitch', { params: { stitchId }, body: { projectId } });
  const { data } = await person.get<ListOf<AuditLog>>('listAuditLogs', {
    query: { projectId, targetId: stitchId },
  });
  const actor = { type: 'api_key' };
  t.match(
    data.map(({ action, actor, details }) => ({ action, actor, details })),
    [
      { action: 'stitch.tested', actor, details: { eventName: 'stitch.test.ping' } },
      { action: 'stitch.replayed', actor, details: { sourceStitchId: stitchId, statuses: ['cancelled'] } },
      {
        action: 'stitch.delivery_replayed',
        actor,
        details: { deliveryId: delivery?.deliveryId, eventName: received },
      },
      { action: 'stitch.replayed', actor, details: { onlyFailed: true } },
      { action: 'stitch.created' },
    ],
  );
});
