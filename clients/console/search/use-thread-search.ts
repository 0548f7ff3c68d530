/** Threads by participant, subject, and what was written in them. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Thread } from '../../sdk/index.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import { findThreadId } from './commands.ts';

/** Those that the palette shows. */
export const mostFound = 12;
/** A pause in typing, in milliseconds. */
const pauseMs = 150;
/** The contract's. */
const longestQuery = 200;

export interface FoundThreads {
  /** For what is asked for now, or while it is on its way for what was asked for before. */
  readonly threads: readonly Thread[];
  readonly isSearching: boolean;
  readonly error: unknown;
}

export function useThreadSearch(written: string): FoundThreads {
  const client = useClient();
  const { projectId, environmentId } = useConversing();
  const wanted = Array.from(written.trim()).slice(0, longestQuery).join('');
  const [q] = useDebouncedValue(wanted, pauseMs);
  const { data, error, isFetching } = useQuery({
    queryKey: ['thread-search', projectId, environmentId, q],
    queryFn: async ({ signal }): Promise<readonly Thread[]> => {
      const threadId = findThreadId(q);
      if (threadId !== undefined) return [await client.threads.get(threadId, { signal })];
      return (await client.threads.list({ q, limit: mostFound }, { signal })).data;
    },
    enabled: q !== '',
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  });
  const isAsked = wanted !== '';
  return {
    threads: isAsked ? (data ?? []) : [],
    isSearching: isAsked && (isFetching || wanted !== q),
    error: isAsked ? error : null,
  };
}
