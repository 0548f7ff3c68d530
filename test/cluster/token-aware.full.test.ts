/**
 * What a token-aware client lives on: answers name the owner of their thread, and the map of the shards can be followed. What is sent to
 * another node is done as well.
 */
import { once } from 'node:events';
import { type ClientUnaryCall, type Metadata, type ServiceError, status as codes } from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import type { ConversationsClient } from '../../protocol/gen/skein/internal/v1/Conversations.ts';
import type { IngestMessageResponse__Output } from '../../protocol/gen/skein/internal/v1/IngestMessageResponse.ts';
import type { IngestMessagesResponse__Output } from '../../protocol/gen/skein/internal/v1/IngestMessagesResponse.ts';
import { ShardWatcher } from '../gateway/grpc/shard-watcher.ts';
import { answer, bearer, connect, inbound } from '../gateway/grpc/grpc-fixture.ts';
import { Line } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { metric, TestCluster } from './support/cluster.ts';

/** How many asks of threads have left the node for another one. */
const forwarded = (node: NodeProcess): Promise<number> =>
  metric(node, 'skein_asks_forwarded_total{kind="thread"}');

const cluster = await TestCluster.start(t, { nodes: 2, grpc: true });
await cluster.settled();
/** In the order of the map. */
const [one, two] = cluster.running.sort((a, b) => (a.id < b.id ? -1 : 1)) as [NodeProcess, NodeProcess];

function createClient(t: Test, node: NodeProcess): ConversationsClient {
  return connect(t, cluster.getGrpcAddress(node));
}

/** The owner that the answer names, and the answer. */
async function named<T>(
  call: (metadata: Metadata, done: (error: ServiceError | null, value?: T) => void) => ClientUnaryCall,
): Promise<{ readonly owner: string; readonly value: T }> {
  let owner = '';
  const value = await answer<T>((metadata, _, done) => {
    call(metadata, done).once('metadata', given => (owner = given.get('skein-owner').join()));
  }, bearer(cluster.serviceToken));
  return { owner, value };
}

t.test('answers name the owner, and any node does what another one owns', async t => {
  const tenant = await signUp(new Line(one.url, t));
  const client = createClient(t, one);
  const isOfOne = await cluster.ownership(one);
  const ingest = (who: string, key: string) =>
    named<IngestMessageResponse__Output>((metadata, done) =>
      client.ingestMessage(inbound(tenant, key, { externalParticipantRef: who }), metadata, done),
    );

  const owners = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const before = await forwarded(one);
    const { owner, value } = await ingest(`somebody-${i}`, `key-${i}`);
    const threadId = value.message?.threadId ?? '';
    const isOwn = isOfOne(threadId);
    t.equal(owner, cluster.getGrpcAddress(isOwn ? one : two));
    t.equal((await forwarded(one)) - before, isOwn ? 0 : 1, 'and what is its own does not leave it');
    owners.add(owner);

    const { projectId, environmentId } = tenant;
    const thread = { projectId, environmentId, threadId };
    const read = await named((metadata, done) => client.getThread(thread, metadata, done));
    const outbound = { ...thread, idempotencyKey: `reply-${i}`, body: 'Hello' };
    const sent = await named((metadata, done) => client.sendMessage(outbound, metadata, done));
    t.same([read.owner, sent.owner], [owner, owner], 'as of the other methods');
    t.match(read.value, { thread: { threadId } });
    t.match(sent.value, { message: { threadId } });
  }
  t.equal(owners.size, 2, 'both nodes own some');

  const stream = client.ingestMessages(bearer(cluster.serviceToken));
  for (let i = 0; i < 20; i++) {
    const message = inbound(tenant, `more-${i}`, { externalParticipantRef: `somebody-${i}` });
    stream.write({ correlationId: String(i), message });
  }
  stream.write({ correlationId: 'refused', message: {} });
  const answers: IngestMessagesResponse__Output[] = [];
  stream.on('data', (each: IngestMessagesResponse__Output) => answers.push(each));
  stream.end();
  await once(stream, 'end');
  t.equal(answers.length, 21);
  for (const { accepted, owner, correlationId } of answers) {
    const threadId = accepted?.message?.threadId;
    const expected = threadId === undefined ? '' : cluster.getGrpcAddress(isOfOne(threadId) ? one : two);
    t.equal(owner, expected, correlationId);
  }
});

t.test('the map is told at once, and again when a node drains and when one joins', async t => {
  const watcher = new ShardWatcher(createClient(t, one), cluster.serviceToken);
  const leaving = new ShardWatcher(createClient(t, two), cluster.serviceToken);

  const expected = await Promise.all(
    [one, two].map(async node => ({
      id: node.id,
      address: cluster.getGrpcAddress(node),
      shards: [...(await cluster.getShards(node))],
    })),
  );
  t.same(await watcher.first(), { shardCount: cluster.shards, nodes: expected });
  t.same(await leaving.first(), { shardCount: cluster.shards, nodes: expected }, 'every node knows it');

  t.same(await two.stop(), { code: 0, signal: null });
  t.match(await leaving.ended(), { code: codes.UNAVAILABLE }, 'a watcher of it is to go to another one');
  const remaining = await watcher.until(({ nodes }) => nodes.length === 1);
  const all = Array.from({ length: cluster.shards }, (_, shard) => shard);
  t.same(remaining.nodes, [{ id: one.id, address: cluster.getGrpcAddress(one), shards: all }]);
  const between = watcher.maps.map(({ nodes }) => nodes.map(({ shards }) => shards.length).join('+'));
  t.ok(new Set(between).size > 1, `as its shards were handed over: ${between.join(', ')}`);

  const three = await cluster.add({ GRPC_ADVERTISED_ADDRESS: '' });
  const silent = await watcher.until(
    ({ nodes }) => nodes.every(({ shards }) => shards.length > 0) && nodes.length === 2,
  );
  t.match(
    silent.nodes.find(({ id }) => id === three.id),
    { address: '' },
    'a node that tells no address is named by its id',
  );
  watcher.cancel();
});
