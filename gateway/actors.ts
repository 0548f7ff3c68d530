/** The actors of a node: their store, the pool they work with, and the news that keeps stitches awake. */
import { channelKind } from '../actors/channel/kind.ts';
import { channelSnapshot } from '../actors/channel/snapshot.ts';
import { quotaKinds } from '../actors/quota/kind.ts';
import { runSnapshot } from '../actors/run/snapshot.ts';
import { HttpTools } from '../actors/run/tools/tools.ts';
import { stitches } from '../actors/stitch/kind.ts';
import { stitchSnapshot } from '../actors/stitch/snapshot.ts';
import type { OwnerNews } from '../actors/stitch/state.ts';
import { threadKind } from '../actors/thread/kind.ts';
import { threadSnapshot } from '../actors/thread/snapshot.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { Node } from '../runtime/node.ts';
import { Pool } from '../runtime/pool/pool.ts';
import { systemRandom } from '../runtime/system-random.ts';
import type { Placement } from '../runtime/placement.ts';
import type { Transport } from '../runtime/transport/transport.ts';
import type { Database } from '../storage/database.ts';
import type { News } from '../storage/news.ts';
import { PostgresStore } from '../storage/postgres-store.ts';
import { stitchesWithWork } from '../storage/reads/deliveries.ts';
import type { Vault } from '../storage/vault.ts';
import type { Config } from './config.ts';
import { defaultRates, longestWindowMs } from './quota/rates.ts';
import { Patrol } from './patrol.ts';
import { runsOf } from './runs.ts';

/** How long receivers, models and tools may take to answer what is out when the node drains. */
const answersMs = 4_000;

export interface ActorsOptions {
  readonly config: Pick<Config, 'modelUrls' | 'outboundReach' | 'rateLimits' | 'shards'>;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly news: News;
  readonly vault: Vault;
  /** Drained with the actors. */
  readonly transport: Transport;
  readonly placement: Placement;
  /** E-mails the owner of a stitch that has stopped. */
  readonly tellOwner: (news: OwnerNews) => Promise<void>;
}

export interface Actors {
  readonly node: Node;
  readonly pool: Pool;
  readonly tools: HttpTools;
  /** Resolves when the node serves its shards. */
  start(): Promise<void>;
  /** Drains node, pool, transport and store, in this order. */
  stop(): Promise<void>;
}

/** Makes the actors of this node; none lives before `start`. */
export function actorsOf(options: ActorsOptions): Actors {
  const { config, log, clock, metrics, database, news, vault, transport, placement, tellOwner } = options;
  const pool = new Pool({
    reach: config.outboundReach,
    onWorkerLost: err => log.error({ err }, 'a worker of the pool was lost'),
  });
  const outbox = stitches({ db: database, pool, vault, clock, random: systemRandom, log, tellOwner });
  const tools = new HttpTools({ db: database, pool, vault, clock, random: systemRandom, log });
  const { runs: agents, close: closeModels } = runsOf({
    config,
    log,
    clock,
    database,
    vault,
    transport,
    tools,
  });
  const store = new PostgresStore({
    database,
    snapshots: [threadSnapshot, channelSnapshot, stitchSnapshot, runSnapshot],
    news,
    log,
  });
  // Without limits of its own it still keeps the buckets of its shards: nodes may differ while they are being replaced.
  const rates = config.rateLimits ?? defaultRates;
  const node = new Node({
    kinds: [
      threadKind({ db: database, log }),
      channelKind(database),
      outbox.kind,
      agents.kind,
      ...quotaKinds(longestWindowMs(rates)),
    ],
    ...{ store, transport, placement, clock, random: systemRandom, log, metrics },
    shards: config.shards,
    taken: () => patrol.soon('mine'),
  });
  const patrol = new Patrol({
    find: (limit, after) => stitchesWithWork(database, limit, after),
    isMine: id => node.owns({ kind: 'stitch', id }),
    rouse: id => node.tell({ kind: 'stitch', id }, 'sweep', {}),
    ...{ clock, log },
  });
  const wake = (stitchId: string): void => node.tell({ kind: 'stitch', id: stitchId }, 'wake', {});
  news.listen({
    events: () => undefined,
    behind: () => undefined,
    deliveries: stitchIds => (stitchIds === undefined ? patrol.soon('everybody') : stitchIds.forEach(wake)),
  });

  return {
    node,
    pool,
    tools,
    start: () => node.start(),
    async stop() {
      patrol.stop();
      outbox.drain();
      agents.drain();
      // What has not been answered by then is sent, or asked, again by whoever comes next.
      const giveUp = (): void => {
        agents.giveUp();
        pool.giveUp();
      };
      const patience = clock.after(answersMs, giveUp);
      await node.drain();
      patience.cancel();
      agents.giveUp();
      await closeModels();
      await transport.drain();
      await pool.drain();
      await store.close();
    },
  };
}
