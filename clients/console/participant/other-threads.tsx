/** Other conversations of the participant, the latest first, by pages. */
import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormats } from '../../kit/use-formats.ts';
import type { Thread } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import classes from './participant.module.css';

interface OtherThreadsProps {
  readonly thread: Thread;
  readonly reference: string | undefined;
}

export function OtherThreads({ thread, reference }: OtherThreadsProps) {
  const texts = useTexts().thread;
  const formats = useFormats();
  const client = useClient();
  const { projectId, environmentId } = useConversing();
  const {
    data: others,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
  } = useInfiniteQuery({
    queryKey: ['threads-of', environmentId, reference],
    enabled: reference !== undefined,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) => client.threads.list({ participantRef: reference, limit: 20, cursor }),
    getNextPageParam: page => page.nextCursor ?? undefined,
  });
  const { data: channels = [] } = useQuery({
    queryKey: ['channels', projectId, environmentId],
    queryFn: () => client.channels.list({ limit: 100 }).toArray(500),
    staleTime: 300_000,
  });
  const channelNames = new Map(channels.map(({ channelId, name }) => [channelId, name]));
  const listed = others?.pages.flatMap(({ data }) => data) ?? [];
  const shown = listed.filter(({ threadId }) => threadId !== thread.threadId);
  if (shown.length === 0 && !hasNextPage)
    return <p className={classes['none']}>{texts.participant.noThreads}</p>;
  return (
    <>
      <ul className={classes['threads']}>
        {shown.map(({ threadId, status, lastMessageAt, preview, channelId }) => (
          <li key={threadId}>
            <Link
              to="/$projectId/$environmentId/$queue/$threadId"
              params={previous => ({ projectId, environmentId, queue: previous.queue ?? 'mine', threadId })}
            >
              <span>
                {formats.dateTime(lastMessageAt)}
                <small>
                  {texts.status[status]}
                  {channelId != null && channelNames.has(channelId) && (
                    <>
                      {' · '}
                      <bdi>{channelNames.get(channelId)}</bdi>
                    </>
                  )}
                </small>
              </span>
              {preview?.text != null && <small className={classes['preview']}>{preview.text}</small>}
            </Link>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button
          variant="subtle"
          size="compact-xs"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {texts.participant.moreThreads}
        </Button>
      )}
    </>
  );
}
