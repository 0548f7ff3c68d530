/** A node's place in a cluster: what stands on its connection to NATS. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Clock } from '../runtime/clock.ts';
import { LeasedPlacement } from '../runtime/cluster/leased-placement.ts';
import { NatsConnection } from '../runtime/cluster/nats-connection.ts';
import { NatsPeers } from '../runtime/cluster/nats-peers.ts';
import { NatsRegister } from '../runtime/cluster/nats-register.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { systemRandom } from '../runtime/system-random.ts';
import { NatsTransport } from '../runtime/transport/nats.ts';
import { NewsRelay } from '../storage/news-relay.ts';
import type { News } from '../storage/news.ts';
import type { Company } from './company.ts';
import type { Config } from './config.ts';

/** Half of what NATS takes by default, so that large events do not hold up what comes behind them. */
const newsBytes = 524_288;

export interface ClusterOptions {
  readonly config: Pick<Config, 'cluster' | 'nodeId'>;
  /** As NATS_URL. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly news: News;
  /** Ends the wait for NATS. */
  readonly stop: AbortSignal;
}

/**
 * Resolves once NATS has let the node in and its register is there: waits for them, and says so. It is no member yet: the node's start
 * makes it one. Rejects with `NatsRefused` when waiting would not help: wrong credentials, no JetStream.
 */
export async function openCluster(options: ClusterOptions): Promise<Company> {
  const { config, urls, clock, log, metrics, news, stop } = options;
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
  const { counters } = metrics;
  const transport = new NatsTransport({ connection, cluster, clock, log, counters });
  const placement = new LeasedPlacement({
    ...{ id, release: release(), register, clock, random: systemRandom, log, metrics },
    peers: new NatsPeers({ connection, cluster }),
    orphaned: shards => transport.orphaned(shards),
  });
  const from = randomBytes(8).toString('hex');
  const maxBytes = Math.min(newsBytes, connection.maxPayload);
  news.relayBy(new NewsRelay({ transport, news, from, maxBytes }));
  connection.onConnection(connected => {
    if (connected) news.missed();
  });

  return {
    ...{ transport, placement },
    check() {
      const { state, leasedMs } = placement.describe();
      if (connection.connected && leasedMs > 0) return Promise.resolve();
      const reason = connection.connected
        ? `the node is ${state}, and has no lease`
        : 'no connection to NATS';
      return Promise.reject(new Error(reason));
    },
    describe: () => ({ cluster, ...placement.describe() }),
    async handOver() {
      // The last one serves until the last request is answered.
      const { self, nodes } = placement.describe();
      if (nodes.some(node => node.id !== self && node.state !== 'draining')) await placement.drain();
    },
    async close() {
      register.close();
      await connection.close();
    },
  };
}

/** The version of this software. */
function release(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
