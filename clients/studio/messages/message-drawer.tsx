/** One message, and what became of it. */
import { Code, Drawer, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { Message } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { isGoingOn, toEntries } from './message-timeline.ts';
import { MessageText } from './message-text.tsx';
import { TimelineRow } from './timeline-row.tsx';
import classes from './timeline.module.css';

/** As long as it goes on: receipts may come for days, so that it is looked for them for as long as it is shown. In milliseconds. */
const goingOnMs = 2_000;
const restingMs = 10_000;

interface MessageDrawerProps {
  readonly messageId: string;
  readonly onClose: () => void;
}

export function MessageDrawer({ messageId, onClose }: MessageDrawerProps) {
  const texts = useTexts().messages;
  const { close, loading } = useKitTexts().shell;
  const { client } = useTenant();
  const { data: message, error } = useQuery({
    queryKey: ['message', messageId],
    queryFn: async () => (await client.messages.find({ messageId })).data[0] ?? null,
    refetchInterval: restingMs,
  });
  return (
    <Drawer
      opened
      size="xl"
      onClose={onClose}
      title={texts.timeline.title}
      closeButtonProps={{ 'aria-label': close }}
    >
      {error !== null && <ErrorNote error={error} />}
      {message === undefined && error === null && <Text size="sm">{loading}</Text>}
      {message === null && <Text size="sm">{texts.missing}</Text>}
      {message != null && <Content message={message} />}
    </Drawer>
  );
}

function Content({ message }: { readonly message: Message }) {
  const texts = useTexts().messages;
  const { projectId, environmentId } = useTenant();
  const { messageId, threadId, direction, status, externalMessageId, channelId, createdAt } = message;
  const place = { projectId, environmentId };
  return (
    <Stack gap="md">
      <Text size="sm" className={classes['text']} data-direction={direction}>
        <MessageText message={message} />
      </Text>
      <Facts
        facts={[
          [texts.direction, texts.directions[direction]],
          ...(status == null
            ? []
            : [[texts.status, <State key="status" of={status} label={texts.states[status]} />] as const]),
          [texts.at, <Time key="at" at={createdAt} isExact />],
          [
            texts.thread,
            <PageLink
              key="thread"
              to="/$projectId/$environmentId/messages"
              params={place}
              search={{ q: threadId }}
            >
              {threadId}
            </PageLink>,
          ],
          ...(channelId == null
            ? []
            : [
                [
                  texts.channel,
                  <PageLink
                    key="channel"
                    to="/$projectId/$environmentId/channels/$channelId"
                    params={{ ...place, channelId }}
                  >
                    {channelId}
                  </PageLink>,
                ] as const,
              ]),
          ...(externalMessageId == null
            ? []
            : [[texts.externalId, <Code key="theirs">{externalMessageId}</Code>] as const]),
          ['ID', <Code key="id">{messageId}</Code>],
        ]}
      />
      <Timeline message={message} />
    </Stack>
  );
}

function Timeline({ message: { threadId, messageId } }: { readonly message: Message }) {
  const texts = useTexts().messages.timeline;
  const { loading } = useKitTexts().shell;
  const { client } = useTenant();
  const { data: timeline, error } = useQuery({
    queryKey: ['timeline', messageId],
    queryFn: () => client.messages.timeline(threadId, messageId),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data !== undefined && isGoingOn(data) ? goingOnMs : restingMs),
  });
  if (error !== null && timeline === undefined) return <ErrorNote error={error} />;
  if (timeline === undefined) return <Text size="sm">{loading}</Text>;
  const entries = toEntries(timeline);
  if (entries.length === 0) return <Text size="sm">{texts.nothing}</Text>;
  return (
    <ol className={classes['timeline']} aria-label={texts.title}>
      {entries.map(entry => (
        <TimelineRow key={entry.is === 'event' ? entry.event.eventId : entry.run.agentRunId} entry={entry} />
      ))}
    </ol>
  );
}
