/** Queues with filters that an operator has kept under a name, in their profile. */
import type { Profile, SavedFilter as KeptFilter } from '../../sdk/index.ts';
import {
  contractNames,
  type CountedQueueName,
  countedQueueNames,
  type ThreadFilters,
} from '../live/queues.ts';

export interface SavedFilter {
  readonly name: string;
  readonly queue: CountedQueueName;
  readonly filters: ThreadFilters;
}

/** Code points of a name: the contract's. */
export const mostOfName = 60;

/** A name that the contract does not take for a field of an object. */
export const isRefusedName = (name: string): boolean => name === '__proto__';

/** Those of a project, by their names. */
export function listSavedFilters(
  saved: Profile['savedFilters'] | undefined,
  projectId: string,
): readonly SavedFilter[] {
  const listed = Object.entries(saved?.[projectId] ?? {}).flatMap(([name, { queue: kept, filters }]) => {
    // A later version may know more queues.
    const queue = countedQueueNames.find(each => contractNames[each] === kept);
    return queue === undefined ? [] : [{ name, queue, filters }];
  });
  return listed.sort((one, other) => one.name.localeCompare(other.name));
}

export function toKept({ queue, filters }: Omit<SavedFilter, 'name'>): KeptFilter {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return { queue: contractNames[queue], filters: Object.fromEntries(given) };
}

/** Whether they show the same threads. */
export function isSameFilter(one: Omit<SavedFilter, 'name'>, other: Omit<SavedFilter, 'name'>): boolean {
  return toText(one) === toText(other);
}

function toText(filter: Omit<SavedFilter, 'name'>): string {
  const { queue, filters } = toKept(filter);
  const sorted = Object.entries(filters)
    .map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value])
    .sort(([one], [other]) => String(one).localeCompare(String(other)));
  return JSON.stringify([queue, sorted]);
}
