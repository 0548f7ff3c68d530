/** How many threads wait in each queue: asked for again after something has happened, and each minute, since some change with the time alone. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Queues } from '../../sdk/index.ts';
import { scheduleByTimer } from '../../kit/schedule-by-timer.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import { everyMinuteSeen } from './browser-minute.ts';
import { CountRefresher } from './count-refresher.ts';
import type { StreamListener } from './project-stream.ts';
import { useStreamListener } from './stream-context.tsx';

const changing = /^(?:thread\.|agent\.suggestion\.)/;

export function useQueueCounts(): Queues['queues'] | undefined {
  const client = useClient();
  const { projectId, environmentId, userId } = useConversing();
  const queries = useQueryClient();
  const queryKey = useMemo(() => ['queues', projectId, environmentId], [projectId, environmentId]);
  const { data } = useQuery({
    queryKey,
    queryFn: () => client.console.queues(),
    staleTime: Infinity,
  });
  const refresher = useMemo(() => {
    const counts = new CountRefresher({
      ask: () => void queries.invalidateQueries({ queryKey }),
      now: () => performance.now(),
      schedule: scheduleByTimer,
    });
    const listener: StreamListener = {
      onEvent: ({ eventName, data }) => {
        if (changing.test(eventName) || 'failedSends' in data)
          counts.change('actor' in data && data.actor?.type === 'user' && data.actor.id === userId);
      },
      onBegin: () => counts.change(false),
      onReset: () => counts.askNow(),
      onPoll: () => counts.askNow(),
    };
    // Each that shows the counts asks in the same moment: one question is enough.
    const look = (): void => void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
    return { listener, look, stop: () => counts.stop() };
  }, [queries, queryKey, userId]);
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
