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
import type { LoadResult, LoadTask } from '../support/load.ts';
import { cpuSeconds } from '../support/process-usage.ts';
import { runLoad } from '../support/run-load.ts';
import { startSkein, type Skein } from '../support/skein.ts';
import { count, fixed, median, table, timesByRounds } from '../support/table.ts';

const rounds = 5;
/** Until a message costs a new node no more than it does later: some 20,000 messages. */
const heatingMs = 8_000;
const warmupMs = 1_500;
const measuredMs = 4_000;
const connections = 256;
const threads = 1_000;
const shards = 256;
const serviceToken = randomBytes(24).toString('hex');

interface Sample extends LoadResult {
  /** CPU microseconds per message: of all nodes, of PostgreSQL, of the nats-server. */
  readonly nodeMicros: number;
  readonly databaseMicros: number;
  readonly natsMicros: number;
}

interface ClusterSetup {
  readonly database: BenchDatabase;
  readonly nats: NatsServer;
  readonly skein: Skein;
}

/** For each node, the numbers of the threads that it owns. */
async function listThreads({ skein }: ClusterSetup, nodes: readonly Server[]): Promise<readonly number[][]> {
  const threadIds = Array.from(
    { length: threads },
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

async function load(
  { skein }: ClusterSetup,
  nodes: readonly Server[],
  lastsMs: number,
  split: Pick<LoadTask, 'threadsOf'> = {},
): Promise<LoadResult> {
  const result = await runLoad({
    connections,
    threads,
    ...split,
    warmupMs,
    measuredMs: lastsMs,
    projectId: skein.projectId,
    ports: nodes.map(({ url }) => Number(new URL(url).port)),
    path: `/v1/channels/${skein.channelId}/inbound-messages`,
    headers: { Authorization: `Bearer ${skein.apiKey}` },
  });
  if (result.errors > 0) throw new Error(`${result.errors} errors, first: ${result.firstError ?? ''}`);
  return result;
}

async function sample(
  setup: ClusterSetup,
  nodes: readonly Server[],
  split?: Pick<LoadTask, 'threadsOf'>,
): Promise<Sample> {
  const { database, nats } = setup;
  const used = (): number[] => [
    nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
    database.cpuSeconds(),
    cpuSeconds(nats.pid),
  ];
  const before = used();
  const result = await load(setup, nodes, measuredMs, split);
  const messages = (result.perSecond * (warmupMs + measuredMs)) / 1_000;
  const [nodeMicros = 0, databaseMicros = 0, natsMicros = 0] = used().map(
    (seconds, i) => ((seconds - (before[i] ?? 0)) * 1e6) / messages,
  );
  return { ...result, nodeMicros, databaseMicros, natsMicros };
}

/** Resolves when every shard is owned, and each of the nodes has some. */
async function balanced(nodes: readonly Server[]): Promise<void> {
  await eventually('balance of the shards', async () => {
    const owned = await Promise.all(nodes.map(node => metric(node, 'skein_shards')));
    return owned.every(each => each > 0) && owned.reduce((sum, each) => sum + each, 0) === shards;
  });
}

function createTable(samples: readonly (readonly Sample[])[]): string {
  const middle = (of: readonly Sample[], field: keyof Omit<Sample, 'firstError'>): number =>
    median(of.map(each => each[field]));
  const rates = (of: readonly Sample[]): number[] => of.map(({ perSecond }) => perSecond);
  const [one = []] = samples;
  const head = [
    '',
    'msgs/s',
    'against one (target: at least 1)',
    'p50 ms',
    'p99 ms',
    'nodes µs',
    'PostgreSQL µs',
    'NATS µs',
  ];
  const rows = samples.map((of, i) => [
    ['one node', 'two nodes', 'two nodes, nothing crosses'][i] ?? '',
    count(middle(of, 'perSecond')),
    i === 0 ? '' : timesByRounds(rates(of), rates(one)),
    ...[fixed(middle(of, 'p50Ms')), fixed(middle(of, 'p99Ms')), fixed(middle(of, 'nodeMicros'), 0)],
    ...[fixed(middle(of, 'databaseMicros'), 0), fixed(middle(of, 'natsMicros'), 0)],
  ]);
  return table(head, rows);
}

export async function benchThroughput(database: BenchDatabase): Promise<void> {
  await database.warm();
  const nats = await NatsServer.start();
  const key = (): string => `k1:${randomBytes(32).toString('base64')}`;
  const environment = {
    NATS_URL: nats.url,
    SHARDS: String(shards),
    SECRET_KEYS: key(),
    TOKEN_KEYS: key(),
    SERVICE_TOKENS: `bench:${serviceToken}`,
  };
  let skein: Skein | undefined;
  let second: Server | undefined;
  try {
    skein = await startSkein(database, 'skein_cluster', environment);
    const setup = { database, nats, skein };
    second = new Server(await freePort(), skein.environment);
    const both = [skein.server, second];
    const samples: [Sample[], Sample[], Sample[]] = [[], [], []];
    await balanced([skein.server]);
    await load(setup, [skein.server], heatingMs);
    for (let round = 0; round < rounds; round++) {
      await balanced([skein.server]);
      samples[0].push(await sample(setup, [skein.server]));
      await second.start();
      await balanced(both);
      await load(setup, both, heatingMs);
      samples[1].push(await sample(setup, both));
      samples[2].push(await sample(setup, both, { threadsOf: await listThreads(setup, both) }));
      await second.stop();
    }
    console.log(
      `\n${count(threads)} threads, ${connections} connections (medians of ${rounds} rounds of ${measuredMs / 1_000} s)\n`,
    );
    console.log(createTable(samples));
  } finally {
    await second?.stop();
    await skein?.stop();
    await nats.stop();
  }
}
