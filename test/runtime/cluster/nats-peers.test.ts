import t from 'tap';
import { NatsPeers } from '../../../runtime/cluster/nats-peers.ts';
import { natsNode, type NatsNode } from '../../support/nats-node.ts';
import { NatsServer } from '../../support/nats-server.ts';

const timeoutMs = 600_000;
const createPeers = ({ connection }: NatsNode): NatsPeers => new NatsPeers({ connection, cluster: 'test' });

t.test('a node that answers is here, and an unknown one is gone', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [one, two] = (await Promise.all([natsNode(t, server.url), natsNode(t, server.url)])).map(
    createPeers,
  ) as [NatsPeers, NatsPeers];
  t.equal(await one.ping('two', timeoutMs), 'gone');
  const stop = await two.answerPings('two');
  t.equal(await one.ping('two', timeoutMs), 'here');
  t.equal(await two.ping('two', timeoutMs), 'here', 'a node may ask itself');
  stop();
  stop();
  t.equal(await two.ping('two', timeoutMs), 'gone');
});

t.test('a node whose connection is closed is gone', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [one, two] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  await createPeers(two).answerPings('two');
  t.equal(await createPeers(one).ping('two', timeoutMs), 'here');
  await two.connection.close();
  t.equal(await createPeers(one).ping('two', timeoutMs), 'gone');
});

t.test('a node that hangs is silent, and so is everyone for a node that hears nothing', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [one, two] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  two.connection.client.subscribe('skein.test.node.two', { callback: () => undefined });
  await two.connection.flush();
  const peers = createPeers(one);
  t.equal(await peers.ping('two', 20), 'silent');
  const seen: boolean[] = [];
  const lost = Promise.withResolvers<void>();
  peers.onConnection(connected => {
    seen.push(connected);
    lost.resolve();
  });
  t.equal(peers.connected, true);
  const underway = peers.ping('two', 600_000);
  await server.kill();
  await lost.promise;
  t.equal(await peers.ping('two', timeoutMs), 'silent', 'at once');
  t.equal(await underway, 'silent');
  t.equal(peers.connected, false);
  await server.restart();
  await one.becomes(true);
  t.strictSame(seen, [false, true]);
});
