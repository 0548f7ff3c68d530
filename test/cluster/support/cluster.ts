/** A cluster as it runs in production: a nats-server, a PostgreSQL, and nodes that are processes of their own. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { toShardKey } from '../../../protocol/ids.ts';
import type { ClusterStatus } from '../../../runtime/cluster/status.ts';
import { getShard } from '../../../runtime/placement/shards.ts';
import { pickPort } from '../../support/free-port.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestServer, type TestServer } from '../../support/database.ts';
import { NatsServer, type NatsServerOptions } from '../../support/nats-server.ts';
import { NodeProcess, type Ending } from '../../support/node-process.ts';
import { Proxy } from '../../support/proxy.ts';

export interface TestClusterOptions {
  /** How many are started. Default 3. */
  readonly nodes?: number;
  readonly nats?: NatsServerOptions;
  readonly shards?: number;
  /** For tests in which the database dies: what it has committed, it keeps. Default false. */
  readonly durable?: boolean;
  /** Each node reaches NATS through a proxy of its own. Default false. */
  readonly proxied?: boolean;
  /** The same for the database. */
  readonly proxiedDatabase?: boolean;
  /** The nodes serve gRPC, and tell where. Default false. */
  readonly grpc?: boolean;
  /** Of another version, in which the nodes are started, on a database that they make their tables in. Default: this version, migrated. */
  readonly program?: string;
  /** Of this version, in the place of `gateway/main.ts`: composed otherwise. */
  readonly main?: string;
  /** Further variables of every node. */
  readonly environment?: Readonly<Record<string, string>>;
}

export class TestCluster {
  readonly nats: NatsServer;
  readonly database: TestServer;
  readonly shards: number;
  /** Those that have ended included. Nodes that were made at once are in any order. */
  readonly nodes: NodeProcess[] = [];
  /** Of the service `test`, by gRPC and for the cluster's state. */
  readonly serviceToken = randomBytes(24).toString('hex');
  readonly #t: Ending;
  readonly #program: string | undefined;
  readonly #databaseUrl: string;
  #made = 0;
  readonly #environment: Readonly<Record<string, string>>;
  /** By the node's id; undefined when the nodes have none. */
  readonly #grpcAddresses: Map<string, string> | undefined;
  /** By the node's id; undefined when the nodes have none. */
  readonly #proxies: Map<string, Proxy> | undefined;
  /** The same for the database. */
  readonly #databaseProxies: Map<string, Proxy> | undefined;

  private constructor(
    t: Ending,
    nats: NatsServer,
    database: TestServer,
    databaseUrl: string,
    options: TestClusterOptions,
  ) {
    this.#t = t;
    this.nats = nats;
    this.database = database;
    this.#databaseUrl = databaseUrl;
    this.#program = options.program ?? options.main;
    this.shards = options.shards ?? 256;
    this.#proxies = options.proxied === true ? new Map() : undefined;
    this.#databaseProxies = options.proxiedDatabase === true ? new Map() : undefined;
    this.#grpcAddresses = options.grpc === true ? new Map() : undefined;
    const key = (): string => `k1:${randomBytes(32).toString('base64')}`;
    this.#environment = {
      DATABASE_URL: databaseUrl,
      NATS_URL: nats.url,
      SHARDS: String(this.shards),
      SECRET_KEYS: key(),
      TOKEN_KEYS: key(),
      SERVICE_TOKENS: `test:${this.serviceToken}`,
      ALLOW_PRIVATE_ADDRESSES: 'true',
      RATE_LIMITS: 'off',
      GRPC_PORT: 'off',
      LOG_LEVEL: 'debug',
      ...options.environment,
    };
  }

  /** Resolves when every node has its share of the shards. All that was started ends with the test. */
  static async start(t: Ending, options: TestClusterOptions = {}): Promise<TestCluster> {
    const [nats, database] = await Promise.all([
      NatsServer.of(t, options.nats),
      startTestServer(t, { durable: options.durable ?? false }),
    ]);
    const isOther = options.program !== undefined;
    const databaseUrl = isOther ? await database.createDatabase('of_another_version') : database.url;
    const cluster = new TestCluster(t, nats, database, databaseUrl, options);
    await Promise.all(Array.from({ length: options.nodes ?? 3 }, () => cluster.add()));
    await cluster.balanced();
    return cluster;
  }

  /** A node of this cluster that is not started. */
  async make(environment: Readonly<Record<string, string>> = {}): Promise<NodeProcess> {
    const id = `node-${++this.#made}`;
    const way = await this.#createProxies(id);
    const grpc = this.#grpcAddresses === undefined ? {} : await this.#advertise(id, this.#grpcAddresses);
    const own = { ...this.#environment, ...way, ...grpc, NODE_ID: id, ...environment };
    const node = await NodeProcess.make(this.#t, own);
    this.nodes.push(node);
    return node;
  }

  /** The node's way to NATS. */
  getProxy(node: NodeProcess): Proxy {
    const proxy = this.#proxies?.get(node.id);
    if (proxy === undefined) throw new Error(`${node.id} has no proxy`);
    return proxy;
  }

  /** The node's way to the database. */
  getDatabaseProxy(node: NodeProcess): Proxy {
    const proxy = this.#databaseProxies?.get(node.id);
    if (proxy === undefined) throw new Error(`${node.id} has no proxy of the database`);
    return proxy;
  }

  /** Where the node's gRPC is, and where it says that it is. */
  getGrpcAddress(node: NodeProcess): string {
    const address = this.#grpcAddresses?.get(node.id);
    if (address === undefined) throw new Error(`${node.id} has no gRPC`);
    return address;
  }

  async #advertise(id: string, addresses: Map<string, string>): Promise<Record<string, string>> {
    const port = String(await pickPort());
    const address = `127.0.0.1:${port}`;
    addresses.set(id, address);
    return { GRPC_PORT: port, GRPC_ADVERTISED_ADDRESS: address };
  }

  async #createProxies(id: string): Promise<Record<string, string>> {
    const ways: Record<string, string> = {};
    if (this.#proxies !== undefined) ways['NATS_URL'] = await this.#proxy(id, this.#proxies, this.nats.url);
    if (this.#databaseProxies !== undefined)
      ways['DATABASE_URL'] = await this.#proxy(id, this.#databaseProxies, this.#databaseUrl);
    return ways;
  }

  async #proxy(id: string, proxies: Map<string, Proxy>, address: string): Promise<string> {
    const url = new URL(address);
    const proxy = new Proxy({ host: '127.0.0.1', port: Number(url.port) });
    url.port = String(await proxy.listen());
    proxies.set(id, proxy);
    this.#t.teardown(() => proxy.close());
    return url.href;
  }

  /** A further node; resolves when it serves. `program`: as of {@link NodeProcess.start}. */
  async add(
    environment: Readonly<Record<string, string>> = {},
    program = this.#program,
  ): Promise<NodeProcess> {
    const node = await this.make(environment);
    await node.start(program);
    return node;
  }

  /** Those that run. */
  get running(): NodeProcess[] {
    return this.nodes.filter(node => node.running);
  }

  /** Resolves when each of the nodes owns shards, and every shard is owned. */
  async balanced(nodes = this.running): Promise<void> {
    await eventually('balance of the shards', async () => {
      const owned = await Promise.all(nodes.map(node => metric(node, 'skein_shards')));
      return owned.every(count => count > 0) && sum(owned) === this.shards;
    });
  }

  /** Resolves when every shard is where it should be, as all nodes see it: none moves until a node comes or goes. */
  async settled(): Promise<void> {
    await eventually('every shard where it should be', async () => {
      const seen = await Promise.all(this.running.map(node => this.getStatus(node)));
      return seen.every(
        ({ nodes, shards }) =>
          nodes.length === this.running.length &&
          nodes.every(({ state }) => state === 'settled') &&
          shards.every(({ why }) => why.startsWith('desired by rendezvous')),
      );
    });
  }

  /** The shards that the node owns, as the others see it or it does. */
  async getShards(node: NodeProcess): Promise<ReadonlySet<number>> {
    return shardsIn(await this.getStatus(node), node.id);
  }

  /** Whether a thread is one of the node's, as things are now. */
  async ownership(node: NodeProcess): Promise<(threadId: string) => boolean> {
    return ownershipIn(await this.getStatus(node), node.id);
  }

  /** Of the nodes that run, the one that has most of these threads: whoever was picked blindly may have none. */
  async busiest(threadIds: readonly string[]): Promise<NodeProcess> {
    const counted = await Promise.all(
      this.running.map(async node => ({ node, count: threadIds.filter(await this.ownership(node)).length })),
    );
    const [most] = counted.sort((a, b) => b.count - a.count);
    if (most === undefined) throw new Error('no node runs');
    return most.node;
  }

  /** Asks the database that the nodes are on. */
  async query<Row extends pg.QueryResultRow>(statement: string): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: this.#databaseUrl });
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** The cluster as the node sees it. */
  getStatus(node: NodeProcess): Promise<ClusterStatus> {
    return getClusterStatus(node, this.serviceToken);
  }

  /** The sum over the nodes that run. */
  async total(name: string): Promise<number> {
    return sum(await Promise.all(this.running.map(node => metric(node, name))));
  }
}

/** The cluster as the node sees it. */
export async function getClusterStatus(
  node: Pick<NodeProcess, 'url'>,
  serviceToken: string,
): Promise<ClusterStatus> {
  const headers = { authorization: `Bearer ${serviceToken}` };
  const answer = await fetch(`${node.url}/_internal/cluster`, { headers });
  if (answer.status !== 200) throw new Error(`/_internal/cluster answered ${answer.status}`);
  return (await answer.json()) as ClusterStatus;
}

function shardsIn({ shards }: ClusterStatus, nodeId: string): ReadonlySet<number> {
  return new Set(shards.filter(({ owner }) => owner === nodeId).map(({ shard }) => shard));
}

/** Whether a thread is one of the node's. */
export function ownershipIn(status: ClusterStatus, nodeId: string): (threadId: string) => boolean {
  const owned = shardsIn(status, nodeId);
  return threadId => owned.has(getShard(toShardKey(threadId), status.shards.length));
}

/** For nodes that are behind a proxy: without it, they refuse requests for metrics. */
export const metricsToken = 'a-token-that-reads-the-metrics-of-the-node';

/** The value of a metric without labels. */
export async function metric(node: Pick<NodeProcess, 'url'>, name: string): Promise<number> {
  const headers = { Authorization: `Bearer ${metricsToken}` };
  const text = await (await fetch(`${node.url}/metrics`, { headers })).text();
  const value = new RegExp(`^${name} ([0-9.e+]+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`the node has no metric ${name}`);
  return Number(value);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
