/** A node whose database dies, or is away for a while: it waits, says so, and goes on by itself. */
import t from 'tap';
import { freshKey } from '../support/accounts.ts';
import { startTestServer } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Proxy } from '../support/proxy.ts';
import { Browsers } from './browsers.ts';
import { Client, Line } from './client.ts';
import { checkEvents, checkThreads } from './history.ts';
import { keepsSecrets } from './secrets.ts';
import { Senders } from './senders.ts';
import { newStitch, signUp } from './tenant.ts';
import { Webhooks } from './webhooks.ts';

/** Answers between the database's return and its next death. */
const lives = [80, 20, 50];
const senderCount = 12;

t.test('the embedded database is killed under load', async t => {
  const node = await NodeProcess.make(t);
  await node.start();
  const { pid } = node;
  const line = new Line(node.url, t);
  const tenant = await signUp(line);
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;
  const senders = new Senders(tenant, senderCount);
  await senders.more(senderCount);
  const browsers = new Browsers(tenant, senders.messages[0]?.message.threadId ?? '');

  for (const answers of lives) {
    await senders.more(answers);
    const back = node.said('the embedded database crashed and was restarted');
    const refused = browsers.refused(1);
    process.kill(await node.postmaster(), 'SIGKILL');
    await refused;
    await back;
  }
  await senders.more(senderCount);
  await browsers.stop();
  await senders.stop();

  await checkThreads(t, tenant, senders);
  await checkEvents(t, tenant, webhooks);
  const made = await tenant.person.all<{ name: string }>('listProjects', {});
  const names = made.map(({ name }) => name).filter(name => !browsers.undecided.includes(name));
  t.same(names.slice(1).sort(), browsers.projects.toSorted(), 'projects are made once');
  t.equal(senders.unanswered, 0, 'every request was answered');
  t.equal(node.pid, pid);
  t.same(await node.stop(), { code: 0, signal: null });
  keepsSecrets(t, node.output, line);
});

t.test('a server of its own that is away for a while', async t => {
  const { url } = await startTestServer(t, { durable: true });
  const address = new URL(url);
  const proxy = new Proxy({ host: address.hostname, port: Number(address.port) });
  address.port = String(await proxy.listen());
  t.teardown(() => proxy.close());
  const keys = { SECRET_KEYS: freshKey(), TOKEN_KEYS: freshKey() };
  const node = await NodeProcess.make(t, {
    ...keys,
    DATABASE_URL: address.href,
    ALLOW_PRIVATE_ADDRESSES: 'true',
  });
  await node.start();
  const line = new Line(node.url, t);
  const tenant = await signUp(line);
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;
  const senders = new Senders(tenant, senderCount);
  await senders.more(senderCount);
  const browsers = new Browsers(tenant, senders.messages[0]?.message.threadId ?? '');
  const visitor = new Client(line);

  for (const answers of [30, 30]) {
    await senders.more(answers);
    await proxy.leave();
    // Long enough for every part of the node to have noticed, more than once.
    await browsers.refused(40);
    // A node looks once a second at most.
    await eventually('readiness to end', async () => (await visitor.send('GET', '/readyz')).status === 503);
    t.equal((await visitor.send('GET', '/healthz')).status, 200, 'it lives');
    await proxy.listen();
    await senders.more(answers);
    await eventually('readiness', async () => (await visitor.send('GET', '/readyz')).status === 200);
  }
  await browsers.stop();
  await senders.stop();

  await checkThreads(t, tenant, senders);
  await checkEvents(t, tenant, webhooks);
  t.equal(senders.unanswered, 0, 'every request was answered');
  t.same(await node.stop(), { code: 0, signal: null });
  keepsSecrets(t, node.output, line, [address.password, ...Object.values(keys)]);
});
