/** The operator's filters of this project: of their profile, so that they are there in every browser. */
import { useMemo } from 'react';
import type { SavedFilterInput } from '../../sdk/index.ts';
import { useProfile } from '../../kit/people/use-profile.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { listSavedFilters, type SavedFilter, toKept } from './saved-filters.ts';

export interface SavedFilters {
  readonly saved: readonly SavedFilter[];
  /** One of the same name is replaced. */
  keep(filter: SavedFilter): Promise<void>;
  rename(filter: SavedFilter, name: string): Promise<void>;
  remove(filter: SavedFilter): Promise<void>;
}

/** The three that change reject where the server refuses it. */
export function useSavedFilters(): SavedFilters {
  const { profile, change } = useProfile();
  const { projectId } = useConversing();
  return useMemo(() => {
    const write = (named: Readonly<Record<string, SavedFilterInput | null>>): Promise<void> =>
      change({ savedFilters: { [projectId]: named } });
    return {
      saved: listSavedFilters(profile?.savedFilters, projectId),
      keep: filter => write({ [filter.name]: toKept(filter) }),
      rename: (filter, name) => write({ [filter.name]: null, [name]: toKept(filter) }),
      remove: ({ name }) => write({ [name]: null }),
    };
  }, [profile?.savedFilters, change, projectId]);
}
