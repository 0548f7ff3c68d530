/** The JetStream bucket of a cluster's register: created by the first node, checked by all others. */
import { ErrorCode, NatsError, StorageType, type JetStreamManager, type KV, type KvEntry } from 'nats';
import type { Log } from '../observability/index.ts';
import { getJetStreamCode, jetStreamCodes, type NatsConnection, NatsRefused } from '../nats/index.ts';
import { Backoff, keepAliveClock, pause, systemRandom } from '../time/index.ts';

const retryMs = 200;
/** How often a waiting node logs that it waits. */
const logEveryMs = 5_000;
/** One server of NATS may be lost, and the register goes on. */
const clusteredReplicas = 3;
/** How long servers of NATS that start, or come back, are waited for, before a register is made that one alone keeps. Milliseconds. */
const gatherMs = 30_000;
/** A removed key leaves a marker, for watchers that were away. Markers older than this many changes are removed. */
const markersKept = 10_000;
/** How many markers one opening removes at most. */
const markersSwept = 1_000;

export interface BucketOptions {
  readonly connection: NatsConnection;
  /** The cluster's name. */
  readonly cluster: string;
  readonly log: Log;
  /** How many NATS servers keep it, 1 to 5. Default: three where NATS is a cluster that has as many, else one. */
  readonly replicas?: number;
  /** False: the cluster was at work with it, and does not wait for servers to gather. Default true. */
  readonly isNew?: boolean;
  /** How long one request may take, in milliseconds. Default 1,000. */
  readonly timeoutMs?: number;
  /** Ends the wait for JetStream; `openBucket` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The stream of JetStream that keeps the register of a cluster. */
export const registerStream = (cluster: string): string => `KV_skein_${cluster}`;

export interface Bucket {
  readonly kv: KV;
  readonly manager: JetStreamManager;
  readonly stream: string;
}

/**
 * Waits while JetStream does not answer, and logs that. Rejects with {@link NatsRefused} when JetStream is disabled, or when the bucket has
 * settings that would lose leases.
 */
export async function openBucket(options: BucketOptions): Promise<Bucket> {
  const { log, signal } = options;
  const backoff = new Backoff(retryMs, retryMs, systemRandom);
  const gatheredAt = performance.now() + (options.isNew === false ? 0 : gatherMs);
  let logAt = 0;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const bucket = await openOnce(options, performance.now() >= gatheredAt);
      await sweepMarkers(bucket, log);
      return bucket;
    } catch (error) {
      const refusal = toRefusal(error, options);
      if (refusal !== undefined) throw refusal;
      if (performance.now() >= logAt) {
        logAt = performance.now() + logEveryMs;
        log.warn({ err: error }, 'waiting for JetStream');
      }
    }
    await pause(keepAliveClock, backoff.next(), signal);
  }
}

async function openOnce(
  { connection, cluster, log, replicas, timeoutMs = 1_000 }: BucketOptions,
  isGathered: boolean,
): Promise<Bucket> {
  const { client } = connection;
  const name = `skein_${cluster}`;
  const jetStream = client.jetstream({ timeout: timeoutMs });
  const wanted = replicas ?? (client.info?.cluster === undefined ? 1 : clusteredReplicas);
  const open = (copies: number): Promise<KV> =>
    jetStream.views.kv(name, {
      history: 1,
      storage: StorageType.File,
      replicas: copies,
      timeout: timeoutMs,
      // Reads come from the stream's leader: a replica may lag, and leases are decided by what is read.
      allow_direct: false,
      description: `Members and leases of the Skein cluster ${cluster}`,
    });
  const kv = await open(wanted).catch((error: unknown) => {
    if (replicas !== undefined || wanted === 1 || !hasTooFewServers(error, isGathered)) throw error;
    return open(1);
  });
  const manager = await jetStream.jetstreamManager(false);
  const stream = registerStream(cluster);
  // An existing bucket is opened as it is, whatever its settings.
  const { config } = await manager.streams.info(stream);
  if (config.max_age > 0) {
    throw new NatsRefused(
      `the JetStream bucket ${name} has a time-to-live, so leases would vanish: remove it (nats kv del ${name})`,
    );
  }
  if (config.storage !== StorageType.File) {
    throw new NatsRefused(
      `the JetStream bucket ${name} is kept in memory, so a restart of NATS would lose it: remove it (nats kv del ${name})`,
    );
  }
  if (config.num_replicas < wanted) {
    log.warn(
      { stream, replicas: config.num_replicas, wanted },
      'too few servers of NATS keep the register: without them the cluster stands still (nats stream edit --replicas)',
    );
  }
  return { kv, manager, stream };
}

function toRefusal(error: unknown, { cluster, replicas }: BucketOptions): NatsRefused | undefined {
  if (error instanceof NatsRefused) return error;
  const code = getJetStreamCode(error);
  if (
    hasNoResponders(error) ||
    code === jetStreamCodes.notEnabled ||
    code === jetStreamCodes.notEnabledForAccount
  ) {
    return new NatsRefused(
      'NATS runs without JetStream, which a cluster needs: start nats-server with -js, or with jetstream {} in its configuration',
    );
  }
  if (code === jetStreamCodes.replicasNotSupported) {
    return new NatsRefused(
      `the bucket of cluster ${cluster} wants ${replicas} replicas, but NATS runs as a single server`,
    );
  }
  return undefined;
}

/** Some may be about to start: that there are few is believed after a while. */
function hasTooFewServers(error: unknown, isGathered: boolean): boolean {
  const code = getJetStreamCode(error);
  if (code === jetStreamCodes.replicasNotSupported) return true;
  return (
    isGathered && (code === jetStreamCodes.noSuitablePeers || code === jetStreamCodes.insufficientResources)
  );
}

/** Nodes that start with a new name each time would otherwise fill the bucket with markers. */
async function sweepMarkers({ kv, manager, stream }: Bucket, log: Log): Promise<void> {
  const entries = await readAll(kv);
  const newest = entries.reduce((revision, entry) => Math.max(revision, entry.revision), 0);
  const old = entries
    .filter(entry => isMarker(entry) && entry.revision < newest - markersKept)
    .slice(0, markersSwept);
  for (const { revision } of old) {
    // By revision: a key that is in use again has none to delete.
    await manager.streams.deleteMessage(stream, revision, false).catch((error: unknown) => {
      log.debug({ err: error, revision }, 'a marker was gone already');
    });
  }
}

/** The last entry of each key, markers of removed keys included, in the order of revisions. */
export async function readAll(kv: KV): Promise<KvEntry[]> {
  const entries = new Map<string, KvEntry>();
  // With nothing to read, `initializedFn` is called before there is an iterator.
  const complete = { isReached: false, stop: (): void => undefined };
  const initializedFn = (): void => {
    complete.isReached = true;
    complete.stop();
  };
  const iterator = await kv.watch({ initializedFn });
  if (complete.isReached) iterator.stop();
  complete.stop = () => iterator.stop();
  for await (const entry of iterator) {
    entries.delete(entry.key);
    entries.set(entry.key, entry);
  }
  return [...entries.values()];
}

/** Whether the entry marks the removal of its key. */
export function isMarker({ operation }: KvEntry): boolean {
  return operation !== 'PUT';
}

/** The key is at another revision. */
export function isConflict(error: unknown): boolean {
  return getJetStreamCode(error) === jetStreamCodes.wrongLastSequence;
}

/** The bucket is gone: NATS has lost its store, or somebody removed the bucket. */
export function isMissing(error: unknown): boolean {
  return getJetStreamCode(error) === jetStreamCodes.streamNotFound;
}

function hasNoResponders(error: unknown): boolean {
  return error instanceof NatsError && error.api_error === undefined && error.code === ErrorCode.NoResponders;
}
