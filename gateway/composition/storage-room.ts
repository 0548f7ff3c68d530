/** Starts what decides whether the node may store more: the quota of tenants, and the room of the database. */
import { resolve } from 'node:path';
import type { Log, Metrics } from '../../runtime/observability/index.ts';
import { systemClock } from '../../runtime/time/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { Config } from '../config/index.ts';
import { createStorageRoom, DiskSpace, StorageQuota } from '../quota/index.ts';
import type { StorageRoom } from '../pipeline/index.ts';
import type { Actors } from './actors.ts';

export interface StorageRoomOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'dataDir' | 'limits' | 'rateLimits'>;
  readonly database: Database;
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly log: Log;
  readonly onClose: (close: () => Promise<void>) => void;
}

export async function startStorageRoom(
  options: StorageRoomOptions,
  actors: Pick<Actors, 'takeStored'>,
): Promise<StorageRoom> {
  return createStorageRoom(await startDiskSpace(options), startQuota(options, actors));
}

async function startDiskSpace(options: StorageRoomOptions): Promise<DiskSpace> {
  const { config, database, metrics, log, onClose } = options;
  const folder = config.databaseUrl === undefined ? resolve(config.dataDir, 'postgres') : undefined;
  const { limits } = config;
  const { registry } = metrics;
  const disk = new DiskSpace({ folder, database, limits, clock: systemClock, registry, log });
  await disk.start();
  onClose(() => Promise.resolve(disk.stop()));
  return disk;
}

/** When the node stops, what is pending is added. Undefined where RATE_LIMITS is off. */
function startQuota(
  { config, database, log, onClose }: StorageRoomOptions,
  { takeStored }: Pick<Actors, 'takeStored'>,
): StorageQuota | undefined {
  const { limits, rateLimits } = config;
  if (rateLimits === undefined) return undefined;
  const quota = new StorageQuota({ database, limits, takeStored, clock: systemClock, log });
  quota.start();
  onClose(() => quota.stop());
  return quota;
}
