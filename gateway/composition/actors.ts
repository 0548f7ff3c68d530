/** Creates the actors of a node, with their store, their worker pool, and what wakes stitches. */
import { ProviderCalls } from '../../actors/base/index.ts';
import {
  type ChannelNotice,
  channelSnapshot,
  ChannelTurns,
  createChannelKind,
  removeLeftFolders,
} from '../../actors/channel/index.ts';
import { Graph, toProviderOutcome } from '../../actors/chatapp/index.ts';
import { createQuotaKinds } from '../../actors/quota/index.ts';
import {
  createBudgets,
  createCurrentAgents,
  createPlans,
  createRuns,
  createTrials,
  RunMetrics,
  type Runs,
  runSnapshot,
  type Trials,
} from '../../actors/run/index.ts';
import { ModelWorker } from '../../actors/run/models/index.ts';
import { HttpTools } from '../../actors/run/tools/index.ts';
import {
  createStitches,
  type HostRates,
  StitchMetrics,
  type OwnerNotification,
  type Stitches,
  stitchSnapshot,
  wakeStitches,
} from '../../actors/stitch/index.ts';
import { createThreadKind, receiveFromProvider, threadSnapshot } from '../../actors/thread/index.ts';
import { type Clock, systemRandom } from '../../runtime/time/index.ts';
import type { Log, Metrics, Tracer } from '../../runtime/observability/index.ts';
import { Node } from '../../runtime/node/index.ts';
import { Pool, type OutboundQueue } from '../../runtime/pool/index.ts';
import type { Placement } from '../../runtime/placement/index.ts';
import type { Transport } from '../../runtime/transport/index.ts';
import { recordByokUse } from '../../storage/agents/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { CommitNotifier } from '../../storage/events/index.ts';
import { PostgresStore } from '../../storage/commit/index.ts';
import {
  channelsWithFiles,
  channelsWithSends,
  channelsWithWebhooks,
  RecentWebhooks,
} from '../../storage/chatapp/index.ts';
import {
  FollowedLog,
  StitchesBehind,
  stitchesWithRetries,
  stitchesWithRows,
  unfinishedStitches,
} from '../../storage/deliveries/index.ts';
import type { Media } from '../../storage/media/index.ts';
import { findRecordedCall } from '../../storage/reads/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import { ArchivedProjects, ProjectAccounts } from '../../storage/tenancy/index.ts';
import { addTrialUsage } from '../../storage/usage/index.ts';
import type { Config } from '../config/index.ts';
import { createHostRates, defaultRates, longestWindowMs } from '../quota/index.ts';
import { findPages, type Pages, RecoveryScanner } from '../jobs/index.ts';
import { type Pools, showPools } from '../monitoring/index.ts';
import { publishEphemeral } from '../stream/index.ts';

/** How long a draining node waits for the answers of receivers, models and tools. */
const answerGraceMs = 4_000;

export interface ActorsOptions {
  readonly config: Pick<
    Config,
    'chatapp' | 'limits' | 'modelUrls' | 'nameServers' | 'outboundReach' | 'rateLimits' | 'shards'
  >;
  /** Where this node, its database and NATS listen: webhooks and tools do not reach them on this machine. */
  readonly ownPorts: readonly number[];
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly database: Database;
  readonly media: Media;
  readonly notifier: CommitNotifier;
  readonly vault: Vault;
  /** Drained with the actors. */
  readonly transport: Transport;
  readonly placement: Placement;
  /** Mails the owner of a stitch that has stopped. */
  readonly notifyOwner: (notification: OwnerNotification) => Promise<void>;
  /** Mails the owners of a channel that they have to act on. */
  readonly notifyOwners: (notice: ChannelNotice) => Promise<void>;
}

export interface Actors {
  readonly node: Node;
  readonly tools: HttpTools;
  /** Of versions of looms. Stopped with the servers, before the actors. */
  readonly trials: Trials;
  /** For single sign-on. */
  readonly identityProviders: Pick<OutboundQueue, 'send'>;
  /** For the handlers that ask the chat provider. */
  readonly graph: Graph;
  /** For the handlers that take webhooks in. */
  readonly recentWebhooks: RecentWebhooks;
  /** For the handlers that archive projects. */
  readonly archived: ArchivedProjects;
  readonly stitchMetrics: StitchMetrics;
  /** How many commits of this node wait or are in flight. */
  countCommits(): number;
  /** Resolves when the node serves its shards. */
  start(): Promise<void>;
  /** Drains node, pool, transport and store, in this order. */
  stop(): Promise<void>;
}

/** Creates the actors of this node. None is activated before `start`. */
export function createActors(options: ActorsOptions): Actors {
  const { log, clock, database, notifier, transport } = options;
  const followedLog = new FollowedLog(database, clock);
  const archived = new ArchivedProjects(database, clock);
  const calls = new ProviderCalls(options.metrics.registry);
  const hostRates = createRates(options, { ask: (...command) => node.ask(...command) });
  const outbound = createOutbound({ ...options, followedLog, archived, calls, hostRates });
  const { pool, deliveries, stitches, tools, models, runs, trials, sends } = outbound;
  showPools(options.metrics, { outbound: outbound.queues, database, turns: listTurns(outbound) });
  const store = createStore(options);
  const recentWebhooks = new RecentWebhooks();
  const graph = createGraph(options, calls);
  const node = createNode({ ...options, recentWebhooks, graph }, outbound, store, () => {
    for (const scanner of scanners) scanner.scanSoon('owned');
  });
  const scanners = createScanners(options, node, followedLog);
  const waker = wakeStitches({
    notifier,
    followedLog,
    tell: (to, command, payload) => node.tell(to, command, payload),
    scan: () => scanners[0].scanSoon('all'),
    clock,
    log,
  });

  return {
    node,
    countCommits: () => store.stats.depth,
    tools,
    trials,
    identityProviders: outbound.queues.identityProviders,
    graph,
    recentWebhooks,
    archived,
    stitchMetrics: outbound.stitchMetrics,
    start: () => removeLeftFolders(log).then(() => node.start()),
    async stop() {
      for (const scanner of scanners) scanner.stop();
      waker.stop();
      stitches.drain();
      deliveries.stop();
      runs.drain();
      sends.draining.abort();
      // What has not been answered by then is repeated by the next owner of the shard.
      const giveUp = (): void => {
        runs.giveUp();
        pool.abandonAll();
        sends.abandoned.abort();
      };
      const deadline = clock.after(answerGraceMs, giveUp);
      await node.drain();
      deadline.cancel();
      runs.giveUp();
      await models.close();
      await transport.drain();
      await pool.drain();
      await store.close();
    },
  };
}

/** Undefined without rate limits. The buckets are actors of the node, which is created after the stitches. */
function createRates(
  { config, database, clock, metrics }: ActorsOptions,
  node: Pick<Node, 'ask'>,
): HostRates | undefined {
  const { rateLimits: rates } = config;
  if (rates === undefined) return undefined;
  const accounts = new ProjectAccounts(database, clock);
  const findAccount: HostRates['findAccount'] = projectId => accounts.find(projectId);
  return createHostRates({ rates, node, clock, metrics, random: systemRandom, findAccount });
}

/** The chat provider's API. */
function createGraph({ config }: ActorsOptions, calls: ProviderCalls): Graph {
  return new Graph(config.chatapp.graph, error => {
    const outcome = toProviderOutcome(error);
    if (outcome !== undefined) calls.count('chatapp', outcome);
  });
}

function createStore({ database, notifier, log, tracer, metrics }: ActorsOptions): PostgresStore {
  return new PostgresStore({
    database,
    snapshots: [threadSnapshot, channelSnapshot, stitchSnapshot, runSnapshot],
    notifier,
    log,
    tracer,
    metrics,
  });
}

/** Those that find lost wake-ups: of stitches first (those that are behind the log before all), then of channels, by the sort of their work. */
function createScanners(
  { database, notifier, clock, log }: ActorsOptions,
  node: Node,
  followedLog: FollowedLog,
): readonly [RecoveryScanner, ...RecoveryScanner[]] {
  const create = (kind: string, find: () => Pages, command: string, payload: object): RecoveryScanner =>
    new RecoveryScanner({
      find,
      isOwned: id => node.owns({ kind, id }),
      wake: id => node.tell({ kind, id }, command, payload),
      clock,
      log,
    });
  const pages = (find: typeof unfinishedStitches) => (): Pages =>
    findPages((limit, after) => find(database, limit, after));
  const behind = new StitchesBehind(database, followedLog);
  notifier.addListener({
    onAppended(stretches) {
      for (const appended of stretches) behind.add(appended);
    },
  });
  return [
    create('stitch', () => behind.find(), 'sweep', {}),
    create('stitch', pages(unfinishedStitches), 'resume', {}),
    create('stitch', pages(stitchesWithRows), 'wake', { from: 0 }),
    create('stitch', pages(stitchesWithRetries), 'probe', {}),
    create('channel', pages(channelsWithWebhooks), 'work', { work: 'webhooks' }),
    create('channel', pages(channelsWithSends), 'work', { work: 'sends' }),
    create('channel', pages(channelsWithFiles), 'work', { work: 'files' }),
  ];
}

/**
 * The requests in flight of each sort, so that none takes what another needs. A delivery or a file waits for its turn; a tool call, which
 * has its run's time, is tried again.
 */
const queues = {
  deliveries: { maxInFlight: 4_096, maxWaiting: 4_096 },
  tools: { maxInFlight: 1_024, maxWaiting: 0 },
  // Channels ask for eight files at once (actors/channel/files.ts): an origin's share of the queue has to be more.
  files: { maxInFlight: 128, maxWaiting: 1_024 },
  identityProviders: { maxInFlight: 64, maxWaiting: 256 },
};

/** The actors that ask other systems (receivers of webhooks, models, tools), and what they ask them with. */
interface Outbound {
  readonly pool: Pool;
  readonly queues: Readonly<Record<keyof typeof queues, OutboundQueue>>;
  readonly deliveries: OutboundQueue;
  readonly files: OutboundQueue;
  readonly stitches: Stitches;
  readonly stitchMetrics: StitchMetrics;
  readonly tools: HttpTools;
  readonly models: ModelWorker;
  readonly runs: Runs;
  readonly trials: Trials;
  readonly channelTurns: ChannelTurns;
  /** Ends the messages that leave for the chat provider: begins none, waits for none. */
  readonly sends: { readonly draining: AbortController; readonly abandoned: AbortController };
}

function openPool({ config, ownPorts, log }: ActorsOptions) {
  const pool = new Pool({
    reach: config.outboundReach,
    ...(config.nameServers.length > 0 && { nameServers: config.nameServers }),
    ownPorts,
    onWorkerLost: err => log.error({ err }, 'a worker of the pool was lost'),
  });
  return {
    pool,
    // Connections are shared by none of them.
    deliveries: pool.openQueue(queues.deliveries),
    files: pool.openQueue(queues.files),
    toolCalls: pool.openQueue(queues.tools),
    identityProviders: pool.openQueue(queues.identityProviders),
  };
}

function createOutbound(
  options: ActorsOptions &
    Pick<Actors, 'archived'> & {
      readonly followedLog: FollowedLog;
      readonly calls: ProviderCalls;
      readonly hostRates: HostRates | undefined;
    },
): Outbound {
  const {
    config,
    log,
    clock,
    tracer,
    metrics: { registry },
    database: db,
    followedLog,
    archived,
    vault,
    notifyOwner,
    calls,
    hostRates,
  } = options;
  const { pool, deliveries, toolCalls, files, identityProviders } = openPool(options);
  const shared = { db, vault, clock, random: systemRandom, log, tracer };
  const stitchMetrics = new StitchMetrics(registry);
  const stitches = createStitches({
    ...shared,
    archived,
    ...(hostRates === undefined ? {} : { hostRates }),
    followedLog,
    pool: deliveries,
    notifyOwner,
    metrics: stitchMetrics,
  });
  const tools = new HttpTools({ ...shared, pool: toolCalls });
  const models = new ModelWorker({
    urls: config.modelUrls,
    clock,
    log,
    used: (key, at) => recordByokUse(db, key, at),
    attempted: (provider, outcome) => calls.count(provider, outcome),
  });
  const sends = { draining: new AbortController(), abandoned: new AbortController() };
  return {
    pool,
    queues: { deliveries, tools: toolCalls, files, identityProviders },
    deliveries,
    files,
    stitches,
    stitchMetrics,
    tools,
    models,
    ...createAgents(options, models, tools),
    channelTurns: new ChannelTurns(),
    sends,
  };
}

/** By their names on `/metrics`. */
function listTurns({ stitches, channelTurns }: Pick<Outbound, 'stitches' | 'channelTurns'>): Pools['turns'] {
  return {
    stitch_batches: stitches.turns.batches,
    stitch_loads: stitches.turns.loads,
    channel_statements: channelTurns.statements,
    channel_webhooks: channelTurns.webhooks,
    channel_files: channelTurns.files,
  };
}

/** What asks models: runs, and trials of looms. */
function createAgents(
  { config, log, clock, tracer, metrics: { registry }, database: db, vault, transport }: ActorsOptions,
  models: ModelWorker,
  tools: HttpTools,
): Pick<Outbound, 'runs' | 'trials'> {
  const asking = {
    clock,
    metrics: new RunMetrics(registry),
    plans: createPlans({ db, vault, clock, log }),
    models,
    budgets: createBudgets({ db, clock, limits: config.limits }),
  };
  const trials = createTrials({
    ...asking,
    findRecordedCall: key => findRecordedCall(db, key),
    recordUse: usage => addTrialUsage(db, usage),
  });
  const runs = createRuns({
    ...asking,
    log,
    tracer,
    random: systemRandom,
    tools,
    agents: createCurrentAgents({ db, clock, limits: config.limits }),
    show: output => publishEphemeral(transport, output),
  });
  return { runs, trials };
}

function createNode(
  {
    config,
    log,
    clock,
    metrics,
    tracer,
    database,
    media,
    vault,
    transport,
    placement,
    notifyOwners,
    recentWebhooks,
    graph,
  }: ActorsOptions & Pick<Actors, 'recentWebhooks' | 'graph'>,
  { files, stitches, runs, channelTurns, sends: { draining, abandoned } }: Outbound,
  store: PostgresStore,
  onShardsTaken: () => void,
): Node {
  // A node without rate limits still holds the buckets of its shards: nodes may differ while they are being replaced.
  const rates = config.rateLimits ?? defaultRates;
  return new Node({
    kinds: [
      createThreadKind({ db: database, log }),
      createChannelKind({
        db: database,
        log,
        vault,
        receive: receiveFromProvider,
        recentWebhooks,
        graph,
        pool: files,
        media,
        limits: config.limits,
        ownApp: config.chatapp.app,
        notifyOwners,
        clock,
        random: systemRandom,
        turns: channelTurns,
        draining: draining.signal,
        abandoned: abandoned.signal,
      }),
      stitches.kind,
      runs.kind,
      ...createQuotaKinds(longestWindowMs(rates)),
    ],
    store,
    transport,
    placement,
    clock,
    random: systemRandom,
    log,
    metrics,
    tracer,
    shards: config.shards,
    onShardsTaken,
  });
}
