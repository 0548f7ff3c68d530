/** WatchShards: how changes are gathered, on a real server and with time by hand; a standalone node; and the shards as documented. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceError,
  status as codes,
} from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import { ServiceTokens } from '../../../gateway/auth/service-tokens.ts';
import { contract, type conversations, decodingDefinition } from '../../../gateway/grpc/definition.ts';
import { Gate } from '../../../gateway/grpc/gate.ts';
import { GrpcMetrics } from '../../../gateway/grpc/metrics.ts';
import { gatherMs, ShardMaps, type WatchShardsCall } from '../../../gateway/grpc/shard-map.ts';
import type { ProtoGrpcType } from '../../../protocol/gen/internal.ts';
import type { ConversationsClient } from '../../../protocol/gen/skein/internal/v1/Conversations.ts';
import { toShardKey } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import type { ShardOwner, ShardOwners } from '../../../runtime/placement/owners.ts';
import { getShard, murmur3 } from '../../../runtime/placement/shards.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../stream/stream-fixture.ts';
import type { Tenant } from '../../node/tenant.ts';
import { shareSkein } from '../../support/skein.ts';
import { answer, connect, getAddress, getFailure, inbound, startGrpcNode, token } from './grpc-fixture.ts';
import { ShardWatcher } from './shard-watcher.ts';

const { Conversations } = (loadPackageDefinition(contract) as unknown as ProtoGrpcType).skein.internal.v1;

/** The test says who owns what: shards pass from one node to the other. */
class MovingShards implements ShardOwners {
  readonly shardCount = 4_096;
  readonly listeners = new Set<() => void>();
  /** The first shard of the second node. */
  #from = this.shardCount;

  getAddress(): undefined {
    return undefined;
  }

  listNodes(): ShardOwner[] {
    const shards = Array.from({ length: this.shardCount }, (_, shard) => shard);
    return [
      { id: 'one', address: 'one.test:9090', shards: shards.slice(0, this.#from) },
      { id: 'two', address: undefined, shards: shards.slice(this.#from) },
    ];
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** So many shards are with the second node from now on. */
  move(count: number): void {
    this.#from = this.shardCount - count;
    for (const listener of this.listeners) listener();
  }
}

interface Watched {
  readonly owners: MovingShards;
  readonly clock: ManualClock;
  readonly client: ConversationsClient;
  /** How many maps were sent, by the server's count. */
  readonly sent: () => Promise<number>;
}

async function serve(t: Test): Promise<Watched> {
  const owners = new MovingShards();
  const clock = new ManualClock();
  const { registry } = new Metrics();
  const metrics = new GrpcMetrics(registry);
  const tokens = new ServiceTokens([{ name: 'billing', token }]);
  const gate = new Gate({ metrics, clock, log: silentLog, tokens });
  const maps = new ShardMaps({ owners, clock, metrics });
  const server = new Server();
  server.addService(
    { WatchShards: decodingDefinition['WatchShards'] as typeof conversations.WatchShards },
    { WatchShards: gate.streaming<WatchShardsCall>('WatchShards', true, stream => maps.add(stream)) },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  gate.open();
  const client = new Conversations(`127.0.0.1:${port}`, credentials.createInsecure());
  t.teardown(() => {
    client.close();
    server.forceShutdown();
  });
  const sent = async (): Promise<number> => {
    const { values } = (await registry.getSingleMetric('skein_grpc_messages_total')?.get()) ?? { values: [] };
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  return { owners, clock, client, sent };
}

/** How many shards the second node has. */
const moved = ({ nodes }: { readonly nodes: readonly { readonly shards: readonly number[] }[] }): number =>
  nodes[1]?.shards.length ?? -1;

t.test('changes are gathered, and what is as before is not told again', async t => {
  const { owners, clock, client, sent } = await serve(t);
  const first = new ShardWatcher(client);
  t.match(await first.first(), {
    shardCount: 4_096,
    nodes: [
      { id: 'one', address: 'one.test:9090' },
      { id: 'two', address: '' },
    ],
  });
  const second = new ShardWatcher(client);
  await second.first();
  t.equal(owners.listeners.size, 1, 'all watchers listen as one');

  for (let count = 1; count <= 100; count++) {
    owners.move(count);
    if (count % 10 === 0) await clock.advance(gatherMs / 10);
  }
  await Promise.all([first, second].map(watcher => watcher.until(map => moved(map) === 100)));
  t.same(first.maps.map(moved), [0, 100]);
  t.same(second.maps.map(moved), [0, 100]);

  owners.move(101);
  owners.move(100);
  await clock.advance(gatherMs);
  owners.move(102);
  const third = new ShardWatcher(client);
  t.equal(moved(await third.first()), 102, 'a new one is told at once');
  await clock.advance(gatherMs);
  await first.until(map => moved(map) === 102);
  t.same(first.maps.map(moved), [0, 100, 102]);
  t.equal(await sent(), 2 + 2 + 1 + 2);

  for (const watcher of [first, second, third]) watcher.cancel();
  await eventually('no listener', async () => owners.listeners.size === 0);
  t.same(third.maps.map(moved), [102]);
});

t.test(
  'a watcher that does not read gets the newest map when it does, and none of those between',
  async t => {
    const { owners, clock, client, sent } = await serve(t);
    const watcher = new ShardWatcher(client);
    await watcher.first();
    watcher.call.pause();
    const rounds = 200;
    for (let count = 1; count <= rounds; count++) {
      owners.move(count);
      await clock.advance(gatherMs);
    }
    const before = await sent();
    t.ok(before < rounds / 2, `${before} maps of ${rounds} were written`);
    watcher.call.resume();
    await watcher.until(map => moved(map) === rounds);
    const seen = watcher.maps.map(moved);
    t.same(
      seen,
      [...seen].sort((a, b) => a - b),
      'in their order',
    );
    t.ok(seen.length <= before + 1, `${seen.length} maps arrived`);
    watcher.cancel();
  },
);

/** Resolves with the addresses that the answer to a message names as the owner of its thread. */
function ingest(client: ConversationsClient, tenant: Tenant): Promise<unknown> {
  return new Promise((resolve, reject) => {
    answer((metadata, options, done) => {
      const call = client.ingestMessage(inbound(tenant, 'one'), metadata, options, done);
      call.once('metadata', given => resolve(given.get('skein-owner')));
    }).catch(reject);
  });
}

t.test('a standalone node is the only one in the map', async t => {
  const advertised = 'skein.internal.test:9090';
  const node = await startGrpcNode(t, { GRPC_ADVERTISED_ADDRESS: advertised, NODE_ID: 'alone' });
  const client = connect(t, node.address);
  const watcher = new ShardWatcher(client);
  const shards = Array.from({ length: 256 }, (_, shard) => shard);
  const nodes = [{ id: 'alone', address: advertised, shards }];
  t.same(await watcher.first(), { shardCount: 256, nodes });
  t.same(await ingest(client, await node.tenant()), [advertised]);
  const stopping = node.stop();
  t.match(await watcher.ended(), { code: codes.UNAVAILABLE });
  await stopping;
});

t.test('a node without an advertised address names no owner', async t => {
  const skein = await shareSkein(t);
  const client = connect(t, getAddress(skein));
  const watcher = new ShardWatcher(client);
  t.match(await watcher.first(), { nodes: [{ id: 'node', address: '' }] });
  watcher.cancel();
  t.same(await ingest(client, await skein.tenant()), []);
  const outsider = client.watchShards({}, new Metadata());
  outsider.resume();
  const [error] = (await once(outsider, 'error')) as [ServiceError];
  t.match(getFailure(error), { code: codes.UNAUTHENTICATED });
});

t.test('the shards are those of docs/guide/grpc.md', async t => {
  const text = await readFile(new URL('../../../docs/guide/grpc.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(thread_\w+)` \| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|$/gm)];
  t.equal(rows.length, 3);
  for (const [, threadId = '', key = '', ...numbers] of rows) {
    const found = [murmur3(key), getShard(key, 256), getShard(key, 1_000)];
    t.same([toShardKey(threadId), ...found], [key, ...numbers.map(Number)], threadId);
  }
});
