/** What became of a message: receipts, runs, tool calls, and the webhooks that told of it. */
import { Button, Drawer, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Message, MessageTimeline } from '../../sdk/index.ts';
import { toShownName } from '../../kit/shown-name.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { useClient } from '../thread/conversations-context.tsx';
import { useFormats } from '../../kit/use-formats.ts';
import { type Names } from '../thread/names.tsx';
import classes from './agent.module.css';

interface TimelineDrawerProps {
  readonly message: Message;
  readonly names: Names;
  readonly onClose: () => void;
  readonly onShowRun: (agentRunId: string) => void;
}

export default function TimelineDrawer({ message, names, onClose, onShowRun }: TimelineDrawerProps) {
  const texts = useTexts().thread;
  const { close } = useKitTexts().shell;
  const client = useClient();
  const { threadId, messageId } = message;
  const { data: timeline, isError } = useQuery({
    queryKey: ['timeline', messageId],
    queryFn: () => client.messages.timeline(threadId, messageId),
    staleTime: 0,
    refetchInterval: ({ state }) => isGoingOn(state.data) && againMs,
  });
  return (
    <Drawer opened onClose={onClose} title={texts.timeline.title} closeButtonProps={{ 'aria-label': close }}>
      <dl className={classes['facts']}>
        <dt>{texts.timeline.messageId}</dt>
        <dd>{messageId}</dd>
        {message.externalMessageId != null && (
          <>
            <dt>{texts.timeline.externalId}</dt>
            <dd>{message.externalMessageId}</dd>
          </>
        )}
      </dl>
      {isError && <Text role="alert">{texts.timeline.failed}</Text>}
      {timeline === undefined && !isError && <Skeleton h={160} />}
      {timeline !== undefined && <Timeline timeline={timeline} names={names} onShowRun={onShowRun} />}
    </Drawer>
  );
}

/** What is still going on is asked for again, so often, in milliseconds. */
const againMs = 2_000;

function isGoingOn(timeline: MessageTimeline | undefined): boolean {
  const { runs = [], deliveries = [] } = timeline ?? {};
  return (
    runs.some(({ status }) => status === 'pending' || status === 'running') ||
    deliveries.some(({ status }) => status === 'pending' || status === 'delivering')
  );
}

interface TimelineProps {
  readonly timeline: MessageTimeline;
  readonly names: Names;
  readonly onShowRun: (agentRunId: string) => void;
}

function Timeline({ timeline, names, onShowRun }: TimelineProps) {
  const texts = useTexts().thread;
  const formats = useFormats();
  const eventTexts: Readonly<Partial<Record<string, string>>> = texts.timeline.eventNames;
  const { runs, deliveries } = timeline;
  const events = [...timeline.events, ...timeline.toolCalls].sort((one, other) =>
    one.occurredAt < other.occurredAt ? -1 : 1,
  );
  return (
    <>
      {events.length === 0 && <Text c="dimmed">{texts.timeline.nothing}</Text>}
      <ol className={classes['events']} aria-label={texts.timeline.events}>
        {events.map(event => (
          <li key={event.eventId}>
            <time dateTime={event.occurredAt}>{formats.dateTime(event.occurredAt)}</time>
            <span>{eventTexts[event.eventName] ?? event.eventName}</span>
            {event.actor?.type === 'user' && <bdi>{names.actor(event.actor)}</bdi>}
          </li>
        ))}
      </ol>
      {runs.length > 0 && (
        <ol className={classes['events']} aria-label={texts.timeline.runs}>
          {runs.map(run => (
            <li key={run.agentRunId}>
              <time dateTime={run.createdAt}>{formats.dateTime(run.createdAt)}</time>
              <span>
                {names.agent(run.agentId)}: {texts.run.status[run.status]}
              </span>
              <Button variant="subtle" size="compact-xs" onClick={() => onShowRun(run.agentRunId)}>
                {texts.agent.details}
              </Button>
            </li>
          ))}
        </ol>
      )}
      {deliveries.length > 0 && (
        <ol className={classes['events']} aria-label={texts.timeline.deliveries}>
          {deliveries.map(delivery => (
            <li key={delivery.deliveryId}>
              <time dateTime={delivery.createdAt}>{formats.dateTime(delivery.createdAt)}</time>
              {delivery.stitchName !== null && <bdi>{toShownName(delivery.stitchName)}</bdi>}
              <span>
                {texts.timeline.deliveryStatus[delivery.status]} · {texts.run.attempts(delivery.attemptCount)}
              </span>
              {delivery.lastError != null && <bdi>{delivery.lastError}</bdi>}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
