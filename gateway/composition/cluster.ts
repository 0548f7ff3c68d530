/** Connects a node to its cluster over NATS: transport, shard leases and the relay of committed events. */
import { randomBytes } from 'node:crypto';
import { type Clock, systemRandom } from '../../runtime/time/index.ts';
import { LeasedPlacement, NatsPeers, NatsRegister } from '../../runtime/cluster/index.ts';
import { NatsConnection } from '../../runtime/nats/index.ts';
import type { Log, Metrics } from '../../runtime/observability/index.ts';
import { NatsTransport } from '../../runtime/transport/index.ts';
import { ClusterRelay, type CommitNotifier } from '../../storage/events/index.ts';
import type { ClusterRuntime } from './cluster-runtime.ts';
import type { Config } from '../config/index.ts';
import { readVersion } from './version.ts';

/** Half of NATS's default limit, so that large events do not delay the messages behind them. */
const relayMessageBytes = 524_288;

export interface ClusterOptions {
  readonly config: Pick<Config, 'cluster' | 'nodeId' | 'grpcAdvertisedAddress'>;
  /** The addresses in NATS_URL. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly notifier: CommitNotifier;
  /** The generation of the log (storage/database/timeline.ts). */
  readonly getGeneration: () => number;
  /** Ends the wait for NATS. */
  readonly stop: AbortSignal;
}

/**
 * Resolves once the node is connected to NATS and the register exists. Waits for both, and logs that it waits. The node becomes a
 * member later, when it starts. Rejects with `NatsRefused` where waiting cannot help: wrong credentials, or no JetStream.
 */
export async function openCluster(options: ClusterOptions): Promise<ClusterRuntime> {
  const { config, urls, clock, log, metrics, notifier, getGeneration, stop } = options;
  const { cluster } = config;
  const id = config.nodeId ?? `node-${randomBytes(4).toString('hex')}`;
  const connection = await NatsConnection.open({ urls, name: `skein ${cluster} ${id}`, log, signal: stop });
  let register: NatsRegister;
  try {
    register = await NatsRegister.open({ connection, cluster, log, signal: stop });
  } catch (error) {
    await connection.close();
    throw error;
  }
  const transport = new NatsTransport({ connection, cluster, clock, log, counters: metrics.counters });
  const placement = new LeasedPlacement({
    id,
    release: readVersion(),
    address: config.grpcAdvertisedAddress,
    register,
    clock,
    random: systemRandom,
    log,
    metrics,
    peers: new NatsPeers({ connection, cluster }),
    onOrphaned: shards => transport.failOrphanedAsks(shards),
  });
  const from = randomBytes(8).toString('hex');
  const maxBytes = Math.min(relayMessageBytes, connection.maxPayload);
  const relay = new ClusterRelay({ transport, clock, notifier, from, getGeneration, maxBytes });
  notifier.setRelay(relay);
  connection.onConnection(connected => {
    if (!connected) return;
    relay.onOutage();
    notifier.onOutage();
  });

  return {
    transport,
    placement,
    owners: placement.owners,
    checkFit: () => placement.checkFit(stop),
    check() {
      const { state, leasedMs } = placement.describe();
      if (connection.connected && leasedMs > 0) return Promise.resolve();
      const reason = connection.connected ? `the node is ${state} and has no lease` : 'no connection to NATS';
      return Promise.reject(new Error(reason));
    },
    nodeId: id,
    isConnected: () => connection.connected,
    describe: () => ({ cluster, ...placement.describe() }),
    async handOver() {
      // The last node keeps its shards until the last request is answered.
      const { self, nodes } = placement.describe();
      if (nodes.some(node => node.id !== self && node.state !== 'draining')) await placement.drain();
    },
    async close() {
      register.close();
      await connection.close();
    },
  };
}
