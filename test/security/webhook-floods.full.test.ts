/** An account without a verified address cannot make a node flood a public host with webhooks. */
import t from 'tap';
import { NameServer } from '../support/name-server.ts';
import { startTestDatabase } from '../support/database.ts';
import { Receiver } from '../support/receiver.ts';
import { startSkeinOn } from '../support/skein.ts';

t.test('webhooks to a public host', async t => {
  const { url, database } = await startTestDatabase(t);
  const names = await NameServer.start({ 'receiver.example': () => ['127.0.0.1'] });
  const receiver = await Receiver.start();
  t.teardown(() => Promise.all([names.stop(), receiver.stop()]));
  const skein = await startSkeinOn(t, url, {
    NAME_SERVERS: names.address,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    RATE_LIMITS: 'on',
  });
  const { key, projectId, environmentId } = await skein.tenant();
  await database.query('update users set email_verified_at = null');
  const webhookUrl = `http://receiver.example:${receiver.port}/`;
  const statuses: number[] = [];
  for (let i = 0; i < 21; i++) {
    const body = { projectId, name: 'a stitch', webhookUrl, eventNames: ['thread.lifecycle.created'] };
    statuses.push((await key.ask('createStitch', { body })).status);
  }
  t.strictSame(statuses, [...Array<number>(20).fill(201), 409], 'twenty stitches at one host');
  for (let i = 0; i < 2; i++) await key.get('createThread', { body: { projectId, environmentId } });
  await receiver.arrived(7);
  const [first, , , , , , last] = receiver.received.map(({ at }) => at);
  t.ok((last ?? 0) - (first ?? 0) >= 900, 'of 40 webhooks five at once, and then one a second');
  await database.query('update users set email_verified_at = now()');
  await receiver.arrived(40);
  t.equal(new Set(receiver.received.map(({ headers }) => headers['service-delivery-id'])).size, 40);
});
