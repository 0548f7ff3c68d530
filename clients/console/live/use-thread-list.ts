/** The list of a queue, for components: read when it is shown, kept true by the stream. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { scheduleByTimer } from '../../kit/schedule-by-timer.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import { everyMinuteSeen } from './browser-minute.ts';
import { followList } from './follow-list.ts';
import type { QueueName, ThreadFilters } from './queues.ts';
import { useProjectStream } from './stream-context.tsx';
import { ThreadList, type ThreadListState } from './thread-list.ts';

/** @param filters stay the same between renderings while they say the same */
export function useThreadList(
  name: QueueName,
  filters: ThreadFilters,
): { readonly list: ThreadList; readonly state: ThreadListState } {
  const client = useClient();
  const { userId, conversations } = useConversing();
  const stream = useProjectStream();
  const list = useMemo(
    () =>
      new ThreadList(
        {
          list: query => client.threads.list(query),
          get: threadId => client.threads.get(threadId),
          now: Date.now,
          schedule: scheduleByTimer,
        },
        { name, filters, userId },
      ),
    [client, name, filters, userId],
  );
  useEffect(() => {
    const stops = [
      followList(stream, list, everyMinuteSeen),
      conversations.onRead((threadId, sequence) => list.markRead(threadId, sequence)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [stream, conversations, list]);
  const state = useSyncExternalStore(list.onChange, list.getState);
  return { list, state };
}
