/** What became of a message, as one list by time: each event with the deliveries that it caused, each run with the tools that it used. */
import type { MessageTimeline } from '../../sdk/index.ts';

export type TimelineEvent = MessageTimeline['events'][number];
export type TimelineRun = MessageTimeline['runs'][number];
export type TimelineDelivery = MessageTimeline['deliveries'][number];

export type TimelineEntry =
  | {
      readonly is: 'event';
      readonly at: string;
      readonly event: TimelineEvent;
      readonly deliveries: readonly TimelineDelivery[];
    }
  | {
      readonly is: 'run';
      readonly at: string;
      readonly run: TimelineRun;
      readonly calls: readonly TimelineEvent[];
    };

/** Events of one instant stay in the order of the thread. A run comes after the message that started it. */
export function toEntries({
  events,
  runs,
  toolCalls,
  deliveries,
}: MessageTimeline): readonly TimelineEntry[] {
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
  const entries: readonly TimelineEntry[] = [
    ...events.map(event => ({
      is: 'event' as const,
      at: event.occurredAt,
      event,
      deliveries: byEvent.get(event.eventId) ?? [],
    })),
    ...runs.map(run => ({
      is: 'run' as const,
      at: run.createdAt,
      run,
      calls: toolCalls.filter(({ agentRunId }) => agentRunId === run.agentRunId),
    })),
  ];
  // The text of an instant sorts by time, and sorting is stable.
  return entries.toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}

/** There is more to come by itself. */
export function isGoingOn({ runs, deliveries }: MessageTimeline): boolean {
  return (
    runs.some(({ status }) => status === 'pending' || status === 'running') ||
    deliveries.some(({ status }) => status === 'pending' || status === 'delivering' || status === 'retrying')
  );
}
