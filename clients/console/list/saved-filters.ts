/** Queues with filters that an operator has kept under a name, in this browser. */
import type { QueueName, ThreadFilters } from '../live/queues.ts';

export interface SavedFilter {
  readonly name: string;
  readonly queue: QueueName;
  readonly filters: ThreadFilters;
}

const mostSaved = 20;
const toKey = (userId: string): string => `skein-filters:${userId}`;

type Kept = Pick<Storage, 'getItem' | 'setItem'>;

export function readSavedFilters(storage: Kept, userId: string): readonly SavedFilter[] {
  try {
    const saved: unknown = JSON.parse(storage.getItem(toKey(userId)) ?? '[]');
    return Array.isArray(saved) ? (saved as SavedFilter[]).slice(0, mostSaved) : [];
  } catch {
    return [];
  }
}

/** One of the same name is replaced. */
export function keepFilter(storage: Kept, userId: string, filter: SavedFilter): readonly SavedFilter[] {
  const others = readSavedFilters(storage, userId).filter(({ name }) => name !== filter.name);
  return write(storage, userId, [filter, ...others].slice(0, mostSaved));
}

export function removeFilter(storage: Kept, userId: string, name: string): readonly SavedFilter[] {
  return write(
    storage,
    userId,
    readSavedFilters(storage, userId).filter(each => each.name !== name),
  );
}

function write(storage: Kept, userId: string, saved: readonly SavedFilter[]): readonly SavedFilter[] {
  storage.setItem(toKey(userId), JSON.stringify(saved));
  return saved;
}
