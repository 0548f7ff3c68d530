/** The notes that mention the operator, and how they are read. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useQueueCounts } from '../live/use-queue-counts.ts';
import type { StreamedEvent, StreamListener } from '../live/project-stream.ts';
import { useStreamListener } from '../live/stream-context.tsx';
import type { Mention, ThreadNote } from '../../sdk/index.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';

const pageSize = 50;

const useKeys = () => {
  const { projectId, environmentId } = useConversing();
  return useMemo(
    () => ({
      mentions: ['mentions', projectId, environmentId],
      queues: ['queues', projectId, environmentId],
    }),
    [projectId, environmentId],
  );
};

/** The note of an event that mentions the user, who has not written it. */
export function findMentioning(event: StreamedEvent, userId: string): ThreadNote | undefined {
  if (event.eventName !== 'thread.note.created' && event.eventName !== 'thread.note.updated')
    return undefined;
  const { note, actor } = event.data;
  const isOwn = actor?.type === 'user' && actor.id === userId;
  return !isOwn && note.mentions?.includes(userId) === true ? note : undefined;
}

export function useMentions() {
  const client = useClient();
  const { userId } = useConversing();
  const queries = useQueryClient();
  const keys = useKeys();
  const listener = useMemo((): StreamListener => {
    const readAgain = (): void => void queries.invalidateQueries({ queryKey: keys.mentions });
    return {
      onEvent: event => {
        const { eventName } = event;
        const isGone = eventName === 'thread.note.deleted' || eventName === 'thread.lifecycle.erased';
        if (isGone || findMentioning(event, userId) !== undefined) readAgain();
      },
      onBegin: readAgain,
      onReset: readAgain,
      onPoll: readAgain,
    };
  }, [queries, keys, userId]);
  useStreamListener(listener);
  const query = useInfiniteQuery({
    queryKey: keys.mentions,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor }) => client.console.listMentions({ limit: pageSize, cursor }),
    getNextPageParam: page => page.nextCursor ?? undefined,
  });
  const mentions: readonly Mention[] = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return { ...query, mentions };
}

/** Those of the thread, or all; the list and the count in the rail say so at once. */
export function useReadMentions(): (threadId?: string) => Promise<void> {
  const client = useClient();
  const queries = useQueryClient();
  const keys = useKeys();
  return useCallback(
    async threadId => {
      await client.console.readMentions(threadId === undefined ? {} : { threadId });
      await Promise.all([
        queries.invalidateQueries({ queryKey: keys.mentions }),
        queries.invalidateQueries({ queryKey: keys.queues }),
      ]);
    },
    [client, queries, keys],
  );
}

/** Whoever looks at a thread has read what mentions them there. */
export function useMentionsOfThread(threadId: string): void {
  const read = useReadMentions();
  const unread = useQueueCounts()?.mentions.count ?? 0;
  const isVisible = useVisible();
  useEffect(() => {
    // Where it fails, they are unread a while longer.
    if (unread > 0 && isVisible) void read(threadId).catch(() => undefined);
  }, [read, threadId, unread, isVisible]);
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const look = (): void => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isVisible;
}
