/** A node that may not call private addresses any more does not deliver to a stitch that has one from before. */
import t from 'tap';
import { freshKey } from '../support/accounts.ts';
import { startTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { Receiver } from '../support/receiver.ts';
import { startSkeinOn } from '../support/skein.ts';
import type { DeliveryAttempt, WebhookDelivery } from '../../protocol/resources/delivery.ts';
import { newStitch } from './tenant.ts';

t.test('the delivery fails, and the node opens no connection', async t => {
  const { url } = await startTestDatabase(t);
  const keys = { SECRET_KEYS: freshKey(), TOKEN_KEYS: freshKey() };
  const open = await startSkeinOn(t, url, { ...keys, ALLOW_PRIVATE_ADDRESSES: 'true' });
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const tenant = await open.tenant();
  const addresses = [receiver.url('/', 'localhost'), receiver.url()];
  const stitches = await Promise.all(
    addresses.map(address => newStitch(tenant, address, ['thread.message.received'])),
  );
  await open.stop();

  const shut = await startSkeinOn(t, url, { ...keys, ALLOW_PRIVATE_ADDRESSES: 'false' });
  const key = shut.client(tenant.key.bearer);
  const { projectId, channelId } = tenant;
  const body = { projectId, externalParticipantRef: 'ada', body: 'hello' };
  await key.get('createInboundMessage', { params: { channelId }, body });
  for (const { stitchId } of stitches) {
    let found: WebhookDelivery[] = [];
    await eventually('refused delivery', async () => {
      found = await key.all<WebhookDelivery>('listDeliveries', { query: { projectId, stitchId } });
      return found.some(({ status }) => status === 'retrying');
    });
    const params = { deliveryId: found[0]?.deliveryId ?? '' };
    const attempts = await key.all<DeliveryAttempt>('listDeliveryAttempts', { params });
    t.match(attempts, [{ errorClass: 'blocked_address', responseStatus: null, responseBody: null }]);
  }
  t.equal(receiver.connections, 0);
});
