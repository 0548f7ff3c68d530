/** Refuses what would store more: while the database has no room, and for tenants that have used up their quota. */
import type { StorageRoom } from '../pipeline/index.ts';
import type { DiskSpace } from './disk-space.ts';
import type { StorageQuota } from './storage-quota.ts';

/** @param quota undefined: tenants have none */
export function createStorageRoom(
  disk: Pick<DiskSpace, 'isFull' | 'refuse'>,
  quota: Pick<StorageQuota, 'full' | 'known' | 'learn' | 'refuse' | 'add'> | undefined,
): StorageRoom {
  return {
    disk,
    full: quota?.full ?? new Map<string, never>(),
    known: quota?.known ?? { has: () => true },
    learn: async projectId => quota?.learn(projectId),
    refuse(projectId) {
      if (disk.isFull) disk.refuse();
      if (projectId !== undefined) quota?.refuse(projectId);
    },
    charge: (projectId, bytes) => quota?.add(projectId, bytes),
  };
}
