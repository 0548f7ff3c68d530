/** Opens what a node keeps its data in: the database and the keys. */
import { join } from 'node:path';
import type { Log } from '../../runtime/observability/index.ts';
import { type Database, DatabaseClock, openDatabase } from '../../storage/database/index.ts';
import { type Embedded, startEmbedded } from '../../storage/embedded/index.ts';
import { AppendedEventsSubscriber, type CommitNotifier } from '../../storage/events/index.ts';
import { ensurePartitions } from '../../storage/retention/index.ts';
import { loadKeys } from '../../storage/secrets/index.ts';
import { type Config, readSecretKeys, readTokenKeys } from '../config/index.ts';

/** The database and its time. */
export interface Storage {
  readonly database: Database;
  readonly clock: DatabaseClock;
}

/**
 * Opens the database that DATABASE_URL names, or starts the embedded one. It is as the last release has left it: see {@link migrateStorage}.
 * Whatever it opens is given to `onClose`, also where it rejects.
 */
export async function openStorage(
  config: Config,
  log: Log,
  notifier: CommitNotifier,
  onClose: (closer: () => Promise<void>) => void,
): Promise<Storage> {
  const embedded = config.databaseUrl === undefined ? await startDatabase(config, log) : undefined;
  if (embedded !== undefined) onClose(() => embedded.stop());
  const database = await openDatabase({ url: config.databaseUrl ?? embedded?.url ?? '', log });
  onClose(() => database.close());
  database.orm.em.getEventManager().registerSubscriber(new AppendedEventsSubscriber(notifier));
  const clock = new DatabaseClock({ database, log });
  await useDatabase(config, () => clock.start());
  onClose(() => Promise.resolve(clock.stop()));
  return { database, clock };
}

/** Brings the database up to date. Only where no node runs that this one does not fit: what such nodes go on to write would be lost. */
export async function migrateStorage(config: Config, log: Log, { database, clock }: Storage): Promise<void> {
  await useDatabase(config, () => database.migrate());
  // No event can be written without today's partition.
  await ensurePartitions(database, clock.now(), log);
}

async function useDatabase({ databaseUrl }: Config, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (databaseUrl === undefined) throw cause;
    throw new Error('cannot use the database that DATABASE_URL names', { cause });
  }
}

function startDatabase({ dataDir, port, grpcPort }: Config, log: Log): Promise<Embedded> {
  return startEmbedded({
    folder: join(dataDir, 'postgres'),
    log,
    reservedPorts: [port, ...(grpcPort === undefined ? [] : [grpcPort])],
    onRestart: serverPid => log.warn({ serverPid }, 'the embedded database crashed and was restarted'),
  });
}

/** The texts of SECRET_KEYS and TOKEN_KEYS, or of the keys that are kept under DATA_DIR, which the first start makes. */
export async function loadKeyRings(
  config: Config,
): Promise<{ readonly secretKeys: string; readonly tokenKeys: string }> {
  const { secretKeys, tokenKeys } = config;
  if (secretKeys !== undefined && tokenKeys !== undefined) return { secretKeys, tokenKeys };
  const made = await loadKeys(config.dataDir);
  if (readSecretKeys(made.secretKeys) === undefined || readTokenKeys(made.tokenKeys) === undefined) {
    const file = join(config.dataDir, 'keys.json');
    throw new Error(`${file} has no valid 32-byte keys: restore it from a backup`);
  }
  return { secretKeys: secretKeys ?? made.secretKeys, tokenKeys: tokenKeys ?? made.tokenKeys };
}
