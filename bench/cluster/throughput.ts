/**
 * Durable inbound messages per second of one clustered node and of two, on one database and one nats-server, with the load on the
 * same processors: what a second process costs, or gains, where there are no processors for it. They take turns, by
 * the second node coming and going, and the medians of the rounds are compared. A node that has just started compiles what it runs,
 * and a message costs it twice what it costs later, so it is warmed up before anything is measured.
 *
 * Two nodes are measured twice: as clients find them, which know nothing of shards, so that half of the messages cross; and with
 * every message sent to the node that owns its thread. The latter is what no way between nodes, however cheap, could better.
 */
import { randomBytes } from 'node:crypto';
import { resolveThread } from '../../gateway/handlers/inbound-messages.ts';
import { eventually } from '../../test/support/eventually.ts';
import { metric, ownershipIn, getClusterStatus } from '../../test/cluster/support/cluster.ts';
import { NatsServer } from '../../test/support/nats-server.ts';
import { freePort, Server } from '../demo/server.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { measureLoad, runLoad, type LoadTarget, type Sample as LoadSample } from '../support/load.ts';
import { cpuSeconds } from '../support/process-usage.ts';
import { startSkein, type Skein } from '../support/skein.ts';
import { count, fixed } from '../support/table.ts';
import { againstFirst, compare, quick, show } from '../support/turns.ts';

const rounds = quick(5, 1);
/** Until a message costs a new node no more than it does later: some 20,000 messages. */
const heatingMs = quick(8_000, 200);
const setting = {
  connections: 256,
  threads: 1_000,
  warmupMs: quick(1_500, 200),
  measuredMs: quick(4_000, 500),
};
const shards = 256;
const serviceToken = randomBytes(24).toString('hex');

interface Sample extends LoadSample {
  /** CPU microseconds per message of the nats-server. */
  readonly natsMicros: number;
}

/** For each node, the numbers of the threads that it owns. */
async function listThreads(skein: Skein, nodes: readonly Server[]): Promise<readonly number[][]> {
  const threadIds = Array.from(
    { length: setting.threads },
    (_, i) => resolveThread(skein, { externalParticipantRef: `p${i}` }).threadId,
  );
  return Promise.all(
    nodes.map(async node => {
      const status = await getClusterStatus(node, serviceToken);
      const isOwned = ownershipIn(status, status.self);
      return threadIds.flatMap((threadId, thread) => (isOwned(threadId) ? thread : []));
    }),
  );
}

const toTarget = ({ target }: Skein, nodes: readonly Server[]): LoadTarget => ({
  ...target,
  ports: nodes.map(({ url }) => Number(new URL(url).port)),
});

/** Resolves when every shard is owned, and each of the nodes has some. */
async function balanced(nodes: readonly Server[]): Promise<void> {
  await eventually('balance of the shards', async () => {
    const owned = await Promise.all(nodes.map(node => metric(node, 'skein_shards')));
    return owned.every(each => each > 0) && owned.reduce((sum, each) => sum + each, 0) === shards;
  });
}

export async function run(database: BenchDatabase): Promise<void> {
  await database.warm();
  const nats = await NatsServer.of(database.endings);
  const key = (): string => `k1:${randomBytes(32).toString('base64')}`;
  const environment = {
    NATS_URL: nats.url,
    SHARDS: String(shards),
    SECRET_KEYS: key(),
    TOKEN_KEYS: key(),
    SERVICE_TOKENS: `bench:${serviceToken}`,
  };
  const skein = await startSkein(database, 'skein_cluster', environment);
  const other = new Server(await freePort(), skein.environment);
  database.endings.teardown(() => other.stop());
  const both = [skein.server, other];
  const sample = async (nodes: readonly Server[], threadsOf?: readonly number[][]): Promise<Sample> => {
    const before = cpuSeconds(nats.pid);
    const task = { ...toTarget(skein, nodes), ...setting, ...(threadsOf && { threadsOf }) };
    const pids = nodes.map(({ pid }) => pid);
    const result = await measureLoad(task, pids, database);
    return { ...result, natsMicros: ((cpuSeconds(nats.pid) - before) * 1e6) / result.succeeded };
  };
  const heat = (nodes: readonly Server[]): Promise<unknown> =>
    runLoad({ ...toTarget(skein, nodes), ...setting, measuredMs: heatingMs });
  const [one, two, split]: [Sample[], Sample[], Sample[]] = [[], [], []];
  await balanced([skein.server]);
  await heat([skein.server]);
  for (let round = 0; round < rounds; round++) {
    await balanced([skein.server]);
    one.push(await sample([skein.server]));
    await other.start();
    await balanced(both);
    await heat(both);
    two.push(await sample(both));
    split.push(await sample(both, await listThreads(skein, both)));
    await other.stop();
  }
  console.log(
    `\n${count(setting.threads)} threads, ${setting.connections} connections (medians of ${rounds} rounds of ${setting.measuredMs / 1_000} s)\n`,
  );
  const samples = new Map([
    [{ name: 'one node' }, one],
    [{ name: 'two nodes' }, two],
    [{ name: 'two nodes, nothing crosses' }, split],
  ]);
  const columns = {
    'msgs/s': show('perSecond', count),
    'against one (target: at least 1)': againstFirst,
    'p50 ms': show('p50Ms', fixed),
    'p99 ms': show('p99Ms', fixed),
    'nodes µs': show('nodeMicros', count),
    'PostgreSQL µs': show('databaseMicros', count),
    'NATS µs': show('natsMicros', count),
  };
  console.log(compare(samples, columns));
}
