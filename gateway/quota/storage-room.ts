/** Refuses what would store more: while the database has no room, and for tenants that have used up their quota. */
import { ServiceError } from '../../protocol/errors.ts';
import type { StorageRoom } from '../pipeline/index.ts';
import type { DiskSpace } from './disk-space.ts';
import type { StorageQuota } from './storage-quota.ts';

/** Seconds until a client should ask again. */
const retryAfterSeconds = 60;

/** @param quota undefined: tenants have none */
export function createStorageRoom(
  disk: Pick<DiskSpace, 'isFull'>,
  quota: Pick<StorageQuota, 'require' | 'add'> | undefined,
): StorageRoom {
  return {
    require(projectId, bytes) {
      if (disk.isFull) throw new ServiceError('svc/runtime/storage_full', { retryAfterSeconds });
      if (projectId === undefined || quota === undefined) return;
      quota.require(projectId);
      quota.add(projectId, bytes);
    },
  };
}
