/** Refuses what would store more: while the database has no room, and for tenants that have used up their quota. */
import type { StorageRoom } from '../pipeline/index.ts';
import type { DiskSpace } from './disk-space.ts';
import type { StorageQuota } from './storage-quota.ts';

/** @param quota undefined: tenants have none */
export function createStorageRoom(
  disk: Pick<DiskSpace, 'require'>,
  quota: Pick<StorageQuota, 'require' | 'add'> | undefined,
): StorageRoom {
  return {
    require(projectId, bytes) {
      disk.require();
      if (projectId === undefined || quota === undefined) return;
      quota.require(projectId);
      quota.add(projectId, bytes);
    },
  };
}
