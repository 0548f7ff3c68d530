/** How nodes begin: what they wait for, what they refuse, and that several may begin at once. */
import pg from 'pg';
import t from 'tap';
import { wireVersion } from '../../runtime/cluster/records.ts';
import { pickPort } from '../support/free-port.ts';
import { NatsServer } from '../support/nats-server.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { TestCluster } from './support/cluster.ts';
import { otherVersion } from './support/other-version.ts';

const cluster = await TestCluster.start(t, { nodes: 1 });

/** The message of the error that the start of a node fails with. */
async function refusal(environment: Readonly<Record<string, string>>, program?: string): Promise<string> {
  const node = await cluster.make(environment);
  node.spawn(program);
  const { err } = await node.said('could not start');
  t.same(await node.exited(), { code: 1, signal: null });
  return (err as { readonly message: string }).message;
}

async function getStatus(node: NodeProcess, path: string, method = 'GET'): Promise<Response> {
  return fetch(node.url + path, { method });
}

t.test('without NATS a node waits and says so, and is told to stop or begins', async t => {
  const port = await pickPort();
  const node = await cluster.make({ NATS_URL: `nats://127.0.0.1:${port}`, CLUSTER: 'waiting' });
  node.spawn();
  t.match(await node.said('waiting for NATS: no server can be reached'), { servers: [`127.0.0.1:${port}`] });
  t.equal((await getStatus(node, '/healthz')).status, 200);
  const readiness = await getStatus(node, '/readyz');
  t.equal(readiness.status, 503);
  t.match(await readiness.json(), { status: 'starting', checks: { database: 'ok', cluster: 'failed' } });
  const answer = await getStatus(node, '/v1/projects', 'POST');
  t.equal(answer.status, 503);
  t.equal(answer.headers.get('retry-after'), '1');
  t.match(await answer.json(), { error: 'svc/runtime/unavailable' });
  t.same(await node.stop(), { code: 0, signal: null });

  node.spawn();
  await node.said('waiting for NATS: no server can be reached');
  const ready = node.said('ready');
  await NatsServer.of(t, { port });
  await ready;
  t.equal((await getStatus(node, '/readyz')).status, 200);
  await node.kill();
});

t.test('wrong credentials', async t => {
  const nats = await NatsServer.of(t, { user: 'skein', password: 'right' });
  const url = nats.url.replace('nats://', 'nats://skein:wrong@');
  const message = await refusal({ NATS_URL: url });
  t.match(message, /refuses the credentials of NATS_URL/);
  t.notMatch(message, /wrong/);
});

t.test('NATS without JetStream', async t => {
  const nats = await NatsServer.of(t, { jetStream: false });
  t.match(await refusal({ NATS_URL: nats.url }), /runs without JetStream/);
});

t.test('another number of shards', async t => {
  t.match(await refusal({ SHARDS: '64' }), /created with 256 shards, and this node is set to 64/);
  t.end();
});

t.test('a release with another wire version, which leaves the database as it is', async t => {
  const [there, here] = [wireVersion, wireVersion + 1];
  const program = await otherVersion(t, { release: '999.0.0', wire: here });
  const url = await cluster.database.createDatabase('untouched');
  t.match(
    await refusal({ DATABASE_URL: url }, program),
    `the cluster's nodes use version ${there} of the protocol between nodes, and this node uses ${here}: its release does not fit theirs`,
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select to_regclass('migrations') as migrations`);
  t.same(rows, [{ migrations: null }]);
  await client.end();
});

t.test('the id of a node that lives', async t => {
  const [first] = cluster.running;
  t.match(await refusal({ NODE_ID: first?.id ?? '' }), /a node named node-1 is in the cluster already/);
  t.equal((await cluster.getShards(first as NodeProcess)).size, 256, 'which has not lost anything');
});

t.test('the id of a node that was killed', async t => {
  const node = await cluster.add({ CLUSTER: 'again', NODE_ID: 'phoenix' });
  await node.kill();
  await node.start();
  t.equal((await cluster.getShards(node)).size, 256);
  await node.kill();
});

t.test('three at once on a database that is empty', async t => {
  const environment = { DATABASE_URL: await cluster.database.createDatabase('empty'), CLUSTER: 'young' };
  const nodes = await Promise.all([1, 2, 3].map(() => cluster.add(environment)));
  await cluster.balanced(nodes);
  const migrated = nodes.map(({ lines }) => lines.filter(({ msg }) => msg === 'migrated').length);
  t.equal(migrated.filter(count => count > 0).length, 1, 'one of them migrates');
  for (const node of nodes) {
    t.same(
      node.lines.filter(({ level }) => level >= 50),
      [],
    );
  }
});
