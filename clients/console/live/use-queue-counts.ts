/**
 * How many threads wait in each queue: asked for again a moment after something has happened, not more often than somebody looks, and each
 * minute, since some change with the time alone.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Queues } from '../../sdk/index.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import { everyMinuteSeen } from './browser-minute.ts';
import type { StreamListener } from './project-stream.ts';
import { useStreamListener } from './stream-context.tsx';

const soonMs = 1_000;
const leastMs = 5_000;
const changing = /^(?:thread\.|agent\.suggestion\.)/;

export function useQueueCounts(): Queues['queues'] | undefined {
  const client = useClient();
  const { projectId, environmentId } = useConversing();
  const queries = useQueryClient();
  const queryKey = useMemo(() => ['queues', projectId, environmentId], [projectId, environmentId]);
  const { data } = useQuery({
    queryKey,
    queryFn: () => client.console.queues(),
    staleTime: Infinity,
  });
  const refresher = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let askedAt = 0;
    const ask = (): void => {
      timer = undefined;
      askedAt = Date.now();
      void queries.invalidateQueries({ queryKey });
    };
    const listener: StreamListener = {
      onEvent: ({ eventName, data }) => {
        if (changing.test(eventName) || 'failedSends' in data)
          timer ??= setTimeout(ask, Math.max(soonMs, askedAt + leastMs - Date.now()));
      },
      onReset: ask,
    };
    // Each that shows the counts asks in the same moment: one question is enough.
    const look = (): void => void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
    return { listener, look, stop: () => clearTimeout(timer) };
  }, [queries, queryKey]);
  useStreamListener(refresher.listener);
  useEffect(() => {
    const stopLooking = everyMinuteSeen(refresher.look);
    return () => {
      stopLooking();
      refresher.stop();
    };
  }, [refresher]);
  return data?.queues;
}
