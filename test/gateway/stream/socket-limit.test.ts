/** The sockets that one user may have open, over the nodes of a cluster. */
import t, { type Test } from 'tap';
import { LocalBus } from '../../../runtime/transport/local.ts';
import { admission, Client, ManualClock, MemoryEvents, settle, startNode } from './stream-fixture.ts';

async function setUp(t: Test, maxPerHolder: number) {
  const clock = new ManualClock();
  const bus = new LocalBus();
  const same = admission();
  const parts = { events: new MemoryEvents(), clock, bus, maxPerHolder, admit: () => same };
  const nodes = [await startNode(parts), await startNode(parts)] as const;
  const clients: Client[] = [];
  t.teardown(async () => {
    for (const client of clients) client.socket.terminate();
    for (const node of nodes) await node.close();
  });
  const connect = (node: 0 | 1): Client => {
    const client = new Client(nodes[node].url);
    clients.push(client);
    return client;
  };
  return { clock, connect };
}

t.test('the limit is one for all nodes, and a socket that ends makes room', async t => {
  const { connect } = await setUp(t, 2);
  const first = connect(0);
  await first.resume();
  await connect(1).resume();
  t.equal((await connect(0).opened()).refused, 429);
  t.equal((await connect(1).opened()).refused, 429);
  first.socket.close();
  await first.end();
  await settle();
  await connect(1).resume();
});

t.test('of sockets that are opened at once the newest are closed, whoever has them', async t => {
  const { connect } = await setUp(t, 3);
  const clients = [connect(0), connect(1), connect(0), connect(1), connect(0), connect(1)];
  await Promise.all(clients.map(client => client.opened()));
  const isOut = ({ refused, closed }: Client): boolean => refused === 429 || closed?.code === 1013;
  const out = (): Client[] => clients.filter(isOut);
  for (const client of clients) await Promise.race([client.end(), client.resume()]);
  t.equal(out().length, 3);
  for (const client of clients) if (!isOut(client)) t.equal(client.closed, undefined);
});
