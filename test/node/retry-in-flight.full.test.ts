/** A retry whose request is in flight when the node dies: its reminder is used up, and nothing new happens that would wake its stitch. */
import t from 'tap';
import { freshKey } from '../support/accounts.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { answer, Receiver, silence } from '../support/receiver.ts';
import { Line } from './client.ts';
import { newStitch, signUp } from './tenant.ts';

t.test('it is made again by whoever comes after', async t => {
  const { url, database } = await startTestDatabase(t);
  const node = await NodeProcess.make(t, {
    DATABASE_URL: url,
    SECRET_KEYS: freshKey(),
    TOKEN_KEYS: freshKey(),
    ALLOW_PRIVATE_ADDRESSES: 'true',
  });
  await node.start();
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  receiver.behaviour = answer(503, { 'retry-after': '1' });
  const tenant = await signUp(new Line(node.url, t));
  await newStitch(tenant, receiver.url('/'), ['channel.lifecycle.created']);
  const { key, projectId, environmentId } = tenant;
  await key.get('createChannel', { body: { projectId, environmentId, name: 'Sandbox', kind: 'sandbox' } });
  await receiver.arrived(1);
  receiver.behaviour = silence;
  await receiver.arrived(2);
  await node.kill();
  t.same(await database.query(`select * from reminders where kind = 'stitch'`), [], 'no reminder is left');
  // As if a sweep had come by meanwhile, and the node had been away for a while: neither the log nor a reminder leads to the delivery.
  await database.query(
    'update stitches set settled_seq = (select max(last_seq) from project_streams where project_id = stitches.project_id)',
  );
  await database.query(
    `update webhook_deliveries set next_attempt_at = next_attempt_at - interval '2 minutes' where status = 'retrying'`,
  );
  receiver.behaviour = answer(204);
  await node.start();
  await receiver.arrived(3);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  t.equal(new Set(ids).size, 1, 'all three were the same delivery');
});
