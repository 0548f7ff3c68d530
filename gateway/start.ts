/**
 * The composition of a node: what main.ts runs, and what tests run in their own process. Everything is made here, in the order in
 * which data flows from the database outwards, and closed in the reverse order.
 */
import { join, resolve } from 'node:path';
import { collectDefaultMetrics } from 'prom-client';
import type { OwnerNews } from '../actors/stitch/state.ts';
import type { Log } from '../runtime/log.ts';
import { Metrics } from '../runtime/metrics.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { Mails } from '../storage/accounts/mails.ts';
import { mailOwners } from '../storage/accounts/owner-mail.ts';
import { openDatabase, type Database } from '../storage/database.ts';
import { freePort } from '../storage/embedded/cluster.ts';
import { startEmbedded, type Embedded } from '../storage/embedded/start.ts';
import { AppendedEventsSubscriber } from '../storage/events.ts';
import { loadKeys } from '../storage/keyfile.ts';
import { KeyRing } from '../storage/keyring.ts';
import { Media } from '../storage/media.ts';
import { News } from '../storage/news.ts';
import { ensurePartitions } from '../storage/partitions.ts';
import { Vault } from '../storage/vault.ts';
import { actorsOf } from './actors.ts';
import { ServiceTokens } from './auth/service-tokens.ts';
import { openCluster } from './cluster.ts';
import { alone } from './company.ts';
import type { Config } from './config.ts';
import { secretKeys as readSecretKeys, tokenKeys as readTokenKeys } from './config-values.ts';
import { Health, type Check } from './health.ts';
import { sweepNowAndThen } from './housekeeping.ts';
import { HttpServer } from './http/server.ts';
import { serveInternal } from './internal.ts';
import { serveRest } from './rest.ts';

/** How long answers in flight may take once the node drains. */
const drainMs = 10_000;

/** A running node. */
export interface Skein {
  /** Where it listens: `http://host:port`. */
  readonly url: string;
  /** Undefined: it is switched off. */
  readonly grpcPort: number | undefined;
  /** Drains: refuses new work, finishes what is under way, closes everything. Idempotent. */
  stop(): Promise<void>;
}

/** The node was told to stop before it served. */
export class StartAborted extends Error {
  override readonly name = 'StartAborted';
}

/**
 * Starts a node; resolves when it serves. A node of a cluster listens before it is a member, and answers 503 until then. Whatever
 * fails closes what was already open.
 *
 * @param stop when aborted, a node that waits for its cluster gives up: rejects with {@link StartAborted}.
 */
export async function startSkein(
  config: Config,
  log: Log,
  stop: AbortSignal = new AbortController().signal,
): Promise<Skein> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const faces = await compose(config, log, stop, closer => closers.push(closer));
    let stopped: Promise<void> | undefined;
    return { ...faces, stop: () => (stopped ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function compose(
  config: Config,
  log: Log,
  stop: AbortSignal,
  onClose: (closer: () => Promise<void>) => void,
): Promise<Omit<Skein, 'stop'>> {
  const clock = systemClock;
  const metrics = new Metrics();
  // Memory, processor time, garbage collection, delay of the event loop: of the process, so only where a process is a node.
  collectDefaultMetrics({ register: metrics.registry });
  const news = new News();

  // The keys first: reading them costs nothing, and without them there is nothing to start.
  const keys = await keysOf(config);
  // Loading it takes a third of a second: the database needs that time too.
  const loading = config.grpcPort === undefined ? undefined : import('./grpc.ts');
  const database = await openStorage(config, log, news, onClose);
  // It is known how the node stands in its cluster once there is one.
  let membership: Check = () => Promise.reject(new Error('not connected yet'));
  const port = config.port === 0 ? await freePort() : config.port;
  const baseUrl =
    config.baseUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  const docsUrl = config.docsUrl ?? `${baseUrl}/docs`;
  const server = new HttpServer({
    log,
    docsUrl,
    https: baseUrl.startsWith('https:'),
    trustedProxies: config.trustedProxies,
  });
  const health = new Health({
    checks: {
      database: async () => void (await database.query('select 1')),
      ...(config.natsUrls === undefined ? {} : { cluster: () => membership() }),
    },
    registry: metrics.registry,
    log,
  });
  health.serve(server);
  // A node that waits for its cluster can be asked how it is.
  health.hold();
  server.hold();
  await server.listen(config.host, port);
  onClose(() => server.close(drainMs));
  const url = `http://${config.host}:${port}`;
  log.info({ url }, 'listening');

  const urls = config.natsUrls;
  const company =
    urls === undefined
      ? alone(clock, log)
      : await unlessAborted(openCluster({ config, urls, clock, log, metrics, news, stop }), stop);
  membership = () => company.check();
  onClose(() => company.close());
  const ring = new KeyRing(keys.secretKeys);
  const vault = new Vault(ring);
  const mails = new Mails(database, vault);
  // The sender of mail is made last, and told nothing before.
  let wakeMail = (): void => undefined;
  const tellOwner = async ({ eventId, stitch }: OwnerNews): Promise<void> => {
    const { projectId } = stitch;
    await mailOwners(database, mails, {
      newsId: eventId,
      projectId,
      kind: 'stitch_stopped',
      content: stitch,
      now: clock.now(),
    });
    wakeMail();
  };
  const { transport, placement } = company;
  const actors = actorsOf({
    ...{ config, log, clock, metrics, database, news, vault, transport, placement, tellOwner },
  });
  onClose(() => actors.stop());
  if (config.natsUrls !== undefined && config.media === undefined) {
    log.warn({}, 'without MEDIA_URL, the files that this node takes are not to be read from the others');
  }
  const media = new Media(config.media ?? { kind: 'folder', folder: resolve(config.dataDir, 'media') });
  onClose(
    sweepNowAndThen({ database, media, node: actors.node, log, metrics }, () => actors.node.keepsHouse),
  );
  const tokens = new ServiceTokens(config.serviceTokens);
  serveInternal(server, tokens, company);
  const rest = serveRest({
    ...{ config, log, clock, metrics, database, news, ring, vault, mails, server, baseUrl, docsUrl },
    ...{ tokenKeys: keys.tokenKeys, node: actors.node, transport, media },
    toolTester: actors.tools,
  });
  wakeMail = () => rest.wakeMail();
  onClose(() => rest.stop());
  const { node } = actors;
  const { host, grpcPort: wanted, grpcTls: tls } = config;
  const grpc = (await loading)?.grpcServer({
    ...{ log, clock, metrics, database, node, health, tokens, tls, docsUrl },
    shared: rest.shared,
  });
  onClose(async () => {
    health.drain();
    grpc?.drain();
    // While others take over the shards, requests come here as before.
    await company.handOver();
    rest.shutDownStreams();
    await Promise.all([grpc?.close(drainMs), server.close(drainMs)]);
  });
  const grpcPort = await grpc?.listen(host, wanted ?? 0);
  if (grpcPort !== undefined) log.info({ host, port: grpcPort }, 'listening for gRPC');
  await unlessAborted(actors.start(), stop);
  server.release();
  health.release();
  await grpc?.open();
  return { url, grpcPort };
}

/** Rejects as soon as the signal is there; the work is then ended by the closers. */
async function unlessAborted<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  let refuse: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    refuse = () => reject(new StartAborted('told to stop before it served'));
    if (stop.aborted) refuse();
    else stop.addEventListener('abort', refuse, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (refuse !== undefined) stop.removeEventListener('abort', refuse);
    work.catch(() => undefined);
  }
}

async function openStorage(
  config: Config,
  log: Log,
  news: News,
  onClose: (closer: () => Promise<void>) => void,
): Promise<Database> {
  const embedded = config.databaseUrl === undefined ? await startDatabase(config.dataDir, log) : undefined;
  if (embedded !== undefined) onClose(() => embedded.stop());
  const database = await openDatabase({ url: config.databaseUrl ?? embedded?.url ?? '', log });
  onClose(() => database.close());
  database.orm.em.getEventManager().registerSubscriber(new AppendedEventsSubscriber(news));
  try {
    await database.migrate();
  } catch (cause) {
    if (config.databaseUrl === undefined) throw cause;
    throw new Error('the database that DATABASE_URL names cannot be used', { cause });
  }
  // Without today's partition nothing can be written.
  await ensurePartitions(database, systemClock.now(), log);
  return database;
}

function startDatabase(dataDir: string, log: Log): Promise<Embedded> {
  return startEmbedded({
    folder: join(dataDir, 'postgres'),
    log,
    onRestart: pid => log.warn({ pid }, 'the embedded database had died and is running again'),
  });
}

async function keysOf(config: Config): Promise<{ readonly secretKeys: string; readonly tokenKeys: string }> {
  const { secretKeys, tokenKeys } = config;
  if (secretKeys !== undefined && tokenKeys !== undefined) return { secretKeys, tokenKeys };
  const made = await loadKeys(config.dataDir);
  if (readSecretKeys(made.secretKeys) === undefined || readTokenKeys(made.tokenKeys) === undefined) {
    const file = join(config.dataDir, 'keys.json');
    throw new Error(`${file} holds keys that are none, of 32 bytes each: restore it from a backup`);
  }
  return { secretKeys: secretKeys ?? made.secretKeys, tokenKeys: tokenKeys ?? made.tokenKeys };
}
