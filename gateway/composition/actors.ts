/** Creates the actors of a node, with their store, their worker pool, and what wakes stitches. */
import { channelSnapshot, createChannelKind } from '../../actors/channel/index.ts';
import { createQuotaKinds } from '../../actors/quota/index.ts';
import { createBudgets, createPlans, createRuns, runSnapshot } from '../../actors/run/index.ts';
import { ModelWorker } from '../../actors/run/models/index.ts';
import { HttpTools } from '../../actors/run/tools/index.ts';
import {
  createStitches,
  type OwnerNotification,
  stitchSnapshot,
  wakeStitches,
} from '../../actors/stitch/index.ts';
import { createThreadKind, threadSnapshot } from '../../actors/thread/index.ts';
import { type Clock, systemRandom } from '../../runtime/time/index.ts';
import type { Log, Metrics } from '../../runtime/observability/index.ts';
import { Node } from '../../runtime/node/index.ts';
import { Pool } from '../../runtime/pool/index.ts';
import type { Placement } from '../../runtime/placement/index.ts';
import type { Transport } from '../../runtime/transport/index.ts';
import { recordByokUse } from '../../storage/agents/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { CommitNotifier } from '../../storage/events/index.ts';
import { PostgresStore } from '../../storage/commit/index.ts';
import { stitchesWithWork } from '../../storage/deliveries/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import type { Config } from '../config/index.ts';
import { defaultRates, longestWindowMs } from '../quota/index.ts';
import { RecoveryScanner } from '../jobs/index.ts';
import { publishEphemeral } from '../stream/index.ts';

/** How long a draining node waits for the answers of receivers, models and tools. */
const answerGraceMs = 4_000;

export interface ActorsOptions {
  readonly config: Pick<Config, 'modelUrls' | 'outboundReach' | 'rateLimits' | 'shards'>;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly notifier: CommitNotifier;
  readonly vault: Vault;
  /** Drained with the actors. */
  readonly transport: Transport;
  readonly placement: Placement;
  /** Mails the owner of a stitch that has stopped. */
  readonly notifyOwner: (notification: OwnerNotification) => Promise<void>;
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

/** Creates the actors of this node. None is activated before `start`. */
export function createActors(options: ActorsOptions): Actors {
  const { config, log, clock, metrics, database, notifier, vault, transport, placement, notifyOwner } =
    options;
  const pool = new Pool({
    reach: config.outboundReach,
    onWorkerLost: err => log.error({ err }, 'a worker of the pool was lost'),
  });
  const outbox = createStitches({
    db: database,
    pool,
    vault,
    clock,
    random: systemRandom,
    log,
    notifyOwner,
  });
  const tools = new HttpTools({ db: database, pool, vault, clock, random: systemRandom, log });
  const models = new ModelWorker({
    urls: config.modelUrls,
    clock,
    log,
    used: (key, at) => recordByokUse(database, key, at),
  });
  const agents = createRuns({
    clock,
    log,
    random: systemRandom,
    tools,
    plans: createPlans({ db: database, vault, clock, log }),
    models,
    budgets: createBudgets({ db: database, clock }),
    show: output => publishEphemeral(transport, output),
  });
  const store = new PostgresStore({
    database,
    snapshots: [threadSnapshot, channelSnapshot, stitchSnapshot, runSnapshot],
    notifier,
    log,
  });
  // A node without rate limits still holds the buckets of its shards: nodes may differ while they are being replaced.
  const rates = config.rateLimits ?? defaultRates;
  const node = new Node({
    kinds: [
      createThreadKind({ db: database, log }),
      createChannelKind(database),
      outbox.kind,
      agents.kind,
      ...createQuotaKinds(longestWindowMs(rates)),
    ],
    store,
    transport,
    placement,
    clock,
    random: systemRandom,
    log,
    metrics,
    shards: config.shards,
    onShardsTaken: () => recoveryScanner.scanSoon('owned'),
  });
  const recoveryScanner = new RecoveryScanner({
    find: (limit, after) => stitchesWithWork(database, limit, after),
    isOwned: id => node.owns({ kind: 'stitch', id }),
    wake: id => node.tell({ kind: 'stitch', id }, 'sweep', {}),
    clock,
    log,
  });
  wakeStitches({
    notifier,
    tell: (to, command, payload) => node.tell(to, command, payload),
    scan: () => recoveryScanner.scanSoon('all'),
  });

  return {
    node,
    pool,
    tools,
    start: () => node.start(),
    async stop() {
      recoveryScanner.stop();
      outbox.drain();
      agents.drain();
      // What has not been answered by then is repeated by the next owner of the shard.
      const giveUp = (): void => {
        agents.giveUp();
        pool.abandonAll();
      };
      const deadline = clock.after(answerGraceMs, giveUp);
      await node.drain();
      deadline.cancel();
      agents.giveUp();
      await models.close();
      await transport.drain();
      await pool.drain();
      await store.close();
    },
  };
}
