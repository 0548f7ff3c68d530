/** The actors of a node: their store, the pool they work with, and the news that keeps stitches awake. */
import { channelKind } from '../actors/channel/kind.ts';
import { channelSnapshot } from '../actors/channel/snapshot.ts';
import { stitches } from '../actors/stitch/kind.ts';
import { stitchSnapshot } from '../actors/stitch/snapshot.ts';
import type { OwnerNews } from '../actors/stitch/state.ts';
import { thread } from '../actors/thread/kind.ts';
import { threadSnapshot } from '../actors/thread/snapshot.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { Node } from '../runtime/node.ts';
import { Pool } from '../runtime/pool/pool.ts';
import { shardOf } from '../runtime/shards.ts';
import { systemRandom } from '../runtime/system-random.ts';
import { LocalTransport } from '../runtime/transport/local.ts';
import type { Database } from '../storage/database.ts';
import type { News } from '../storage/news.ts';
import { PostgresStore } from '../storage/postgres-store.ts';
import { stitchesWithWork } from '../storage/reads/deliveries.ts';
import type { Vault } from '../storage/vault.ts';
import type { Config } from './config.ts';

/** Stitches whose wake was lost, with a node or with its news, are found again this often. */
const patrolEveryMs = 30_000;
const patrolPage = 500;
/** How long receivers may take to answer what is out when the node drains. */
const answersMs = 4_000;

export interface ActorsOptions {
  readonly config: Pick<Config, 'outboundReach'>;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly news: News;
  readonly vault: Vault;
  /** E-mails the owner of a stitch that has stopped. */
  readonly tellOwner: (news: OwnerNews) => Promise<void>;
}

export interface Actors {
  readonly node: Node;
  readonly pool: Pool;
  /** Drains node, pool and store, in this order. */
  stop(): Promise<void>;
}

/** Starts the actors of this node; it serves when this resolves. */
export async function startActors(options: ActorsOptions): Promise<Actors> {
  const { config, log, clock, metrics, database, news, vault, tellOwner } = options;
  const pool = new Pool({
    reach: config.outboundReach,
    onWorkerLost: err => log.error({ err }, 'a worker of the pool was lost'),
  });
  const outbox = stitches({ db: database, pool, vault, clock, random: systemRandom, log, tellOwner });
  const store = new PostgresStore({
    database,
    snapshots: [threadSnapshot, channelSnapshot, stitchSnapshot],
    shardOf: id => shardOf(id),
    news,
    log,
  });
  const transport = new LocalTransport({ clock, log });
  const node = new Node({
    kinds: [thread, channelKind(database), outbox.kind],
    ...{ store, transport, clock, random: systemRandom, log, metrics },
  });
  await node.start();

  const wake = (stitchId: string): void => node.tell({ kind: 'stitch', id: stitchId }, 'wake', {});
  const patrol = async (): Promise<void> => {
    for (let after = ''; ;) {
      const found = await stitchesWithWork(database, patrolPage, after);
      for (const stitchId of found) node.tell({ kind: 'stitch', id: stitchId }, 'sweep', {});
      if (found.length < patrolPage) return;
      after = found.at(-1) ?? after;
    }
  };
  const patrolOrWarn = (): void => {
    patrol().catch((err: unknown) =>
      log.warn({ err }, 'the patrol for waiting deliveries failed; it is repeated'),
    );
  };
  news.listen({
    events: () => undefined,
    behind: () => undefined,
    deliveries: stitchIds => (stitchIds === undefined ? patrolOrWarn() : stitchIds.forEach(wake)),
  });
  patrolOrWarn();
  const timer = setInterval(patrolOrWarn, patrolEveryMs);

  return {
    node,
    pool,
    async stop() {
      clearInterval(timer);
      outbox.drain();
      // What a receiver has not answered by then is sent again by whoever comes next.
      const patience = clock.after(answersMs, () => pool.giveUp());
      await node.drain();
      patience.cancel();
      await transport.drain();
      await pool.drain();
      await store.close();
    },
  };
}
