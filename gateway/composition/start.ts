/**
 * Starts a node: what main.ts runs, and what tests run in their own process. Everything is created here, in the order in which data
 * flows from the database outwards, and closed in the reverse order.
 */
import { resolve } from 'node:path';
import { collectDefaultMetrics, Counter, Gauge } from 'prom-client';
import { type Log, Metrics, type Tracer } from '../../runtime/observability/index.ts';
import type { Database, DatabaseClock } from '../../storage/database/index.ts';
import { freePort } from '../../storage/embedded/index.ts';
import { CommitNotifier } from '../../storage/events/index.ts';
import { MailOutbox, mailOwners, type OwnerMail } from '../../storage/mail/index.ts';
import { Media } from '../../storage/media/index.ts';
import type { OnlineOperator } from '../../storage/tenancy/index.ts';
import {
  KeyedHash,
  KeyRing,
  loadHashRoot,
  type RootKeys,
  SealBroken,
  Vault,
} from '../../storage/secrets/index.ts';
import { ServiceTokens } from '../auth/index.ts';
import { isBehindProxy, type Config } from '../config/index.ts';
import type { GrpcOptions, GrpcServer } from '../grpc/index.ts';
import { Cors, HttpServer } from '../http/index.ts';
import { startAssigner, startMaintenance, startSearchFollower } from '../jobs/index.ts';
import { boundLog, type Check, exposeChecks, Health, serveClusterStatus } from '../monitoring/index.ts';
import { startTracing } from '../tracing/index.ts';
import { type Rest, type RestOptions, serveRest } from '../rest/index.ts';
import { createReporter, FigureHistory, Reports, SystemReader } from '../system/index.ts';
import { DomainProofs } from '../sso/index.ts';
import { type Actors, createActors } from './actors.ts';
import { openCluster } from './cluster.ts';
import { type ClusterRuntime, standalone } from './cluster-runtime.ts';
import { checkPreconditions, StartRefused } from './preconditions.ts';
import { readVersion } from './version.ts';
import { loadKeyRings, migrateStorage, openStorage, type Storage } from './storage.ts';
import { startStorageRoom } from './storage-room.ts';

/** How long a draining node waits for the answers that are being made. */
const drainMs = 10_000;

/** A running node. */
export interface Skein {
  /** Where it listens: `http://host:port`. */
  readonly url: string;
  /** Undefined: gRPC is switched off. */
  readonly grpcPort: number | undefined;
  /** Drains: refuses new work, finishes what it has accepted, closes everything. Idempotent. */
  stop(): Promise<void>;
}

/** What tests shorten. */
export interface StartOptions {
  /** Milliseconds between two sweeps of the node that maintains the database. Default 60,000. */
  readonly sweepEveryMs?: number;
}

/** The node was told to stop before it was ready. */
export class StartAborted extends Error {
  override readonly name = 'StartAborted';
}

/** What each step of the start gets. */
interface Start {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly notifier: CommitNotifier;
  /** Aborted: a node that waits for its cluster gives up. */
  readonly stop: AbortSignal;
  /** Closers run in the reverse order. */
  readonly onClose: (closer: () => Promise<void>) => void;
  readonly options: StartOptions;
}

/** A server that listens, and answers 503 until it is released. */
interface Listening {
  readonly server: HttpServer;
  readonly health: Health;
  readonly url: string;
  readonly baseUrl: string;
  readonly docsUrl: string;
}

/** What the parts of the node are made from. */
interface Parts extends Start, Storage {
  readonly listening: Listening;
  readonly cluster: ClusterRuntime;
  readonly ring: KeyRing;
  readonly hashRoot: RootKeys;
  readonly hash: KeyedHash;
  readonly vault: Vault;
  readonly mails: MailOutbox;
}

/**
 * Starts a node; resolves when it is ready. A node of a cluster listens before it is a member, and answers 503 until then. A failure
 * closes everything that was opened.
 *
 * @param stop when aborted, a node that waits for its cluster gives up: rejects with {@link StartAborted}
 */
export async function startSkein(
  config: Config,
  log: Log,
  stop: AbortSignal = new AbortController().signal,
  options: StartOptions = {},
): Promise<Skein> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const tracing = await startTracing(config.tracing, readVersion(), log);
    closers.push(() => tracing.close());
    const metrics = new Metrics();
    const addresses = await startParts({
      config,
      log: boundLog(log, metrics.registry),
      metrics,
      tracer: tracing.tracer,
      notifier: new CommitNotifier(),
      stop,
      onClose: closer => closers.push(closer),
      options,
    });
    let stopped: Promise<void> | undefined;
    return { ...addresses, stop: () => (stopped ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(start: Start): Promise<Omit<Skein, 'stop'>> {
  const { config, log, metrics, notifier, stop, onClose } = start;
  for (const exposure of config.exposures) log.warn({ exposure }, 'permitted by INSECURE');
  // Memory, processor time, garbage collection and event-loop delay belong to the process: only a process that is a node has them.
  collectDefaultMetrics({ register: metrics.registry });

  // Before anything is opened or migrated.
  await checkPreconditions(config);
  // The keys come next: reading them is cheap, and nothing can start without them.
  const keys = await loadKeyRings(config);
  // Loading gRPC takes a third of a second, in which the database starts.
  const loadingGrpc = config.grpcPort === undefined ? undefined : import('../grpc/index.ts');
  const storage = await openStorage(config, log, notifier, onClose);
  const { database, clock } = storage;
  showClock(metrics, clock);

  let checkCluster: Check = () => Promise.reject(new Error('not connected yet'));
  const listening = await listen(start, storage, () => checkCluster());
  const cluster = await joinCluster(start, storage);
  checkCluster = () => cluster.check();
  onClose(() => cluster.close());
  await unlessAborted(cluster.checkFit(), stop);
  await migrateStorage(config, log, storage);

  const ring = new KeyRing(keys.secretKeys);
  const hashRoot = await openHashRoot(database, ring);
  const hash = new KeyedHash(hashRoot);
  const vault = openVault(ring, metrics);
  const mails = new MailOutbox(database, vault);
  const parts: Parts = { ...start, ...storage, listening, cluster, ring, hashRoot, hash, vault, mails };
  // The mail sender is created last.
  let wakeMail = (): void => undefined;
  const media = openMedia(parts);
  const actors = createNodeActors(parts, media, () => wakeMail());
  const room = await startStorageRoom(parts, actors);
  const proofs = new DomainProofs(config.nameServers);
  const maintenance = { database, hash: parts.hash, clock, media, node: actors.node, proofs, log, metrics };
  const { sweepEveryMs } = start.options;
  const everyMs = sweepEveryMs === undefined ? {} : { everyMs: sweepEveryMs };
  onClose(startMaintenance({ ...maintenance, ...everyMs }, () => actors.node.isLeader));
  onClose(startSearchFollower({ ...maintenance, countCommits: () => actors.countCommits() }));

  const tokens = new ServiceTokens(config.serviceTokens);
  serveClusterStatus(listening.server, tokens, cluster);
  const system = await openSystem(parts, actors);
  const rest = startRest(parts, actors, { media, room, tokenKeys: keys.tokenKeys, system });
  wakeMail = () => rest.wakeMail();
  const { createGrpcServer } = (await loadingGrpc) ?? {};
  const grpc = createGrpc(parts, createGrpcServer, { node: actors.node, tokens, shared: rest.shared });
  onClose(() => drainServers(parts, rest, grpc, actors));
  onClose(startAssigner({ ...maintenance, listOnline: () => listOnline(rest) }));
  const grpcPort = await listenForGrpc(start, grpc);

  await unlessAborted(actors.start(), stop);
  listening.server.release();
  listening.health.release();
  await grpc?.open();
  return { url: listening.url, grpcPort };
}

/** The users with a Console stream on this node. */
function* listOnline({ shared }: Rest): Iterable<OnlineOperator> {
  for (const { projectId, followers } of shared.streams.hub.streams) {
    for (const { admission } of followers) {
      if (admission.userId !== undefined) yield { projectId, userId: admission.userId };
    }
  }
}

function showClock({ registry }: Metrics, clock: DatabaseClock): void {
  new Gauge({
    name: 'skein_clock_ahead_seconds',
    help: "By how much this machine's clock is ahead of the database's",
    registers: [registry],
    collect(): void {
      this.set(clock.differenceMs / 1_000);
    },
  });
}

/** Whatever is sealed under a key that this node does not have counts: its webhooks, models, tools and mails do not go out. */
function openVault(ring: KeyRing, { registry }: Metrics): Vault {
  const unreadable = new Counter({
    name: 'skein_secrets_unreadable_total',
    help: 'Sealed secrets that could not be opened',
    registers: [registry],
  });
  return new Vault(ring, () => unreadable.inc());
}

/** A node with another root would recognise no API key, and make some that no other node recognises. */
async function openHashRoot(database: Database, ring: KeyRing): Promise<RootKeys> {
  try {
    return await loadHashRoot(database, ring);
  } catch (cause) {
    if (cause instanceof SealBroken) throw new StartRefused(`SECRET_KEYS: ${cause.message}`, { cause });
    throw cause;
  }
}

/** Listens at once, so that a node that waits for its cluster can be asked for its health. */
async function listen(
  { config, log, metrics, onClose }: Start,
  { database, clock }: Storage,
  checkCluster: Check,
): Promise<Listening> {
  const port = config.port === 0 ? await freePort() : config.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const baseUrl = config.baseUrl ?? `http://${host}:${port}`;
  const docsUrl = config.docsUrl ?? `${baseUrl}/docs`;
  const server = new HttpServer({
    log,
    docsUrl,
    https: baseUrl.startsWith('https:'),
    trustedProxies: config.trustedProxies,
    logsRequests: config.logLevel === 'debug' || config.logLevel === 'trace',
    cors: config.corsOrigins.length === 0 ? undefined : new Cors(config.corsOrigins, new URL(baseUrl).origin),
  });
  const health = new Health({
    checks: {
      database: () => database.check(),
      ...(config.natsUrls !== undefined && { cluster: checkCluster }),
    },
    degradations: { clock: () => clock.isWrong },
    registry: metrics.registry,
    metricsToken: config.metricsToken,
    isBehindProxy: isBehindProxy(config),
    log,
  });
  exposeChecks(metrics.registry, health);
  health.serve(server);
  health.hold();
  server.hold();
  await server.listen(config.host, port);
  onClose(() => server.close(drainMs));
  const url = `http://${config.host}:${port}`;
  log.info({ url }, 'listening');
  return { server, health, url, baseUrl, docsUrl };
}

function joinCluster(
  { config, log, metrics, notifier, stop }: Start,
  { clock, database }: Storage,
): Promise<ClusterRuntime> {
  const urls = config.natsUrls;
  if (urls === undefined) return Promise.resolve(standalone(config, clock, log));
  const getGeneration = (): number => database.timeline.generation;
  const opening = openCluster({ config, urls, clock, log, metrics, notifier, getGeneration, stop });
  return unlessAborted(opening, stop);
}

function createNodeActors(
  {
    config,
    log,
    metrics,
    tracer,
    database,
    clock,
    notifier,
    hash,
    vault,
    mails,
    cluster,
    listening,
    onClose,
  }: Parts,
  media: Media,
  wakeMail: () => void,
): Actors {
  const mail = async (notice: Omit<OwnerMail, 'now'>): Promise<void> => {
    await mailOwners(database, mails, { ...notice, now: clock.now() });
    wakeMail();
  };
  const urls = [listening.url, database.url, ...(config.natsUrls ?? [])];
  const ports = urls.map(url => Number(URL.parse(url)?.port)).filter(port => port > 0);
  const actors = createActors({
    config,
    ownPorts: config.grpcPort === undefined ? ports : [...ports, config.grpcPort],
    log,
    clock,
    metrics,
    tracer,
    database,
    media,
    notifier,
    hash,
    vault,
    transport: cluster.transport,
    placement: cluster.placement,
    notifyOwner: ({ eventId, stitch }) =>
      mail({ noticeId: eventId, projectId: stitch.projectId, kind: 'stitch_stopped', content: stitch }),
    notifyOwners: notice =>
      mail({
        noticeId: notice.eventId,
        projectId: notice.projectId,
        kind: 'channel_credential',
        content: notice,
      }),
  });
  onClose(() => actors.stop());
  return actors;
}

function openMedia({ config, log }: Start): Media {
  if (config.natsUrls !== undefined && config.media === undefined) {
    log.warn({}, 'MEDIA_URL is not set: other nodes cannot read the files that this node stores');
  }
  return new Media(
    config.media ?? { kind: 'folder', folder: resolve(config.dataDir, 'media') },
    config.limits.freeDiskBytes,
  );
}

/** What this node tells of itself and asks the others, for the System page. */
async function openSystem(
  { config, log, metrics, database, clock, cluster, listening, onClose }: Parts,
  { node, stitchMetrics }: Actors,
): Promise<SystemReader> {
  const { nodeId, transport } = cluster;
  const figures = new FigureHistory(metrics.registry, clock);
  await figures.start();
  onClose(() => Promise.resolve(figures.stop()));
  const describeCluster = (): ReturnType<ClusterRuntime['describe']> => cluster.describe();
  const report = createReporter({
    nodeId,
    startedAt: clock.now(),
    figures,
    health: listening.health,
    node,
    stitches: stitchMetrics,
    describeCluster,
  });
  const reports = new Reports({ nodeId, transport, clock, log, report });
  onClose(() => Promise.resolve(reports.close()));
  return new SystemReader({
    nodeId,
    release: readVersion(),
    shards: config.shards,
    db: database,
    clock,
    reports,
    describeCluster,
    isConnected: () => cluster.isConnected(),
  });
}

function startRest(
  {
    config,
    log,
    metrics,
    tracer,
    database,
    clock,
    notifier,
    listening,
    cluster,
    ring,
    hashRoot,
    vault,
    mails,
    onClose,
  }: Parts,
  actors: Actors,
  own: Pick<RestOptions, 'media' | 'room' | 'tokenKeys' | 'system'>,
): Rest {
  const { server, baseUrl, docsUrl } = listening;
  const rest = serveRest({
    config,
    log,
    clock,
    metrics,
    tracer,
    database,
    notifier,
    ring,
    hashRoot,
    vault,
    mails,
    server,
    baseUrl,
    docsUrl,
    ...own,
    node: actors.node,
    transport: cluster.transport,
    toolTester: actors.tools,
    trials: actors.trials,
    identityProviders: actors.identityProviders,
    graph: actors.graph,
    recentWebhooks: actors.recentWebhooks,
    archived: actors.archived,
  });
  onClose(() => rest.stop());
  return rest;
}

/** Undefined where gRPC is switched off. */
function createGrpc(
  { config, log, metrics, tracer, database, clock, cluster, listening }: Parts,
  create: ((options: GrpcOptions) => GrpcServer) | undefined,
  own: Pick<GrpcOptions, 'node' | 'tokens' | 'shared'>,
): GrpcServer | undefined {
  const { health } = listening;
  return create?.({
    ...own,
    log,
    clock,
    metrics,
    tracer,
    database,
    health,
    owners: cluster.owners,
    tls: config.grpcTls,
  });
}

async function drainServers(
  { cluster, listening }: Parts,
  rest: Rest,
  grpc: GrpcServer | undefined,
  { trials }: Pick<Actors, 'trials'>,
): Promise<void> {
  const { server, health } = listening;
  health.drain();
  grpc?.drain();
  // This node still takes requests while others take over its shards.
  await cluster.handOver();
  rest.shutDownStreams();
  trials.stop();
  await Promise.all([grpc?.close(drainMs), server.close(drainMs)]);
}

async function listenForGrpc(
  { config, log }: Start,
  grpc: GrpcServer | undefined,
): Promise<number | undefined> {
  const { host, grpcPort = 0 } = config;
  const port = await grpc?.listen(host, grpcPort);
  if (port !== undefined) log.info({ host, port }, 'listening for gRPC');
  return port;
}

/** Rejects with {@link StartAborted} as soon as the signal is aborted; the closers then end the work. */
async function unlessAborted<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new StartAborted('told to stop before the node was ready'));
    if (stop.aborted) abort();
    else stop.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (abort !== undefined) stop.removeEventListener('abort', abort);
    work.catch(() => undefined);
  }
}
