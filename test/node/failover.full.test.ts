/** A database that fails over to its standby under load: nothing acknowledged is lost, and nobody is told of a fault. */
import t from 'tap';
import { startTestServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Proxy } from '../support/proxy.ts';
import { startStandby } from '../support/standby.ts';
import { Browsers } from './browsers.ts';
import { Client, Line } from './client.ts';
import { checkEvents, checkThreads } from './history.ts';
import { Senders } from './senders.ts';
import { newStitch, signUp } from './tenant.ts';
import { Webhooks } from './webhooks.ts';

const senderCount = 8;

function target(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

t.test('a failover', async t => {
  const database = await startTestServer(t, { durable: true });
  const { url } = database;
  const standby = await startStandby(t, database);
  const proxy = new Proxy(target(url));
  const address = new URL(url);
  address.port = String(await proxy.listen());
  t.teardown(() => proxy.close());
  const node = await NodeProcess.make(t, { DATABASE_URL: address.href, ALLOW_PRIVATE_ADDRESSES: 'true' });
  await node.start();
  const line = new Line(node.url, t);
  const tenant = await signUp(line);
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;
  const senders = new Senders(tenant, senderCount);
  await senders.more(senderCount * 8);
  const browsers = new Browsers(tenant, senders.messages[0]?.message.threadId ?? '');
  const visitor = new Client(line);
  const readiness = async (): Promise<number> => (await visitor.send('GET', '/readyz')).status;

  // The address leads to the standby before that may take writes, as it does when the primary is gone.
  proxy.redirect(target(standby.url));
  await eventually('end of the readiness', async () => (await readiness()) === 503);
  await browsers.refused(40);
  await standby.promote();
  await senders.more(senderCount * 8);
  await eventually('readiness', async () => (await readiness()) === 200);
  await browsers.stop();
  await senders.stop();

  await checkThreads(t, tenant, senders);
  await checkEvents(t, tenant, webhooks);
  t.equal(senders.unanswered, 0, 'every request was answered');
  t.same(await node.stop(), { code: 0, signal: null });
});

t.test('a node does not start on a standby, and says why', async t => {
  const standby = await startStandby(t, await startTestServer(t));
  const node = await NodeProcess.make(t, { DATABASE_URL: standby.url });
  node.spawn();
  t.match(await node.exited(), { code: 1 });
  t.match(node.output, 'the database is a standby, which takes no writes');
});
