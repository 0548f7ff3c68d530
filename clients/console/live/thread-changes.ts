/** What events without the thread say of it. */
import type { Message, SkeinEvent, Thread } from '../../sdk/index.ts';

/** Undefined where the event changes nothing of the thread that is shown, or has the thread itself. */
export function describeChange(event: SkeinEvent, known: Thread | undefined): Partial<Thread> | undefined {
  switch (event.eventName) {
    case 'thread.message.received': {
      const { message, serviceWindow } = event.data;
      return { ...describeInbound(message, known), ...(serviceWindow && { serviceWindow }) };
    }
    case 'thread.message.created':
      return { ...describeMessage(event.data.message), waitingSince: null };
    case 'thread.message.updated':
    case 'channel.message.sent':
    case 'channel.message.delivered':
    case 'channel.message.read':
    case 'channel.message.delivery_failed': {
      const { failedSends } = event.data;
      return failedSends === undefined ? undefined : { failedSends };
    }
    case 'agent.suggestion.created':
      return { pendingSuggestion: event.data.agentRunId };
    case 'agent.suggestion.resolved':
    case 'agent.suggestion.superseded':
    case 'agent.suggestion.expired':
      return { pendingSuggestion: null };
    default:
      return undefined;
  }
}

/** The thread after the event; the same object where that is no news of it. */
export function takeChange(thread: Thread, event: SkeinEvent): Thread {
  const sequence = ('sequence' in event.data && event.data.sequence) || Infinity;
  if (sequence <= (thread.sequence ?? 0)) return thread;
  const change = describeChange(event, thread);
  if (change === undefined) return thread;
  return { ...thread, ...change, ...(sequence < Infinity && { sequence }) };
}

const describeMessage = ({ createdAt }: Message): Partial<Thread> => ({
  lastMessageAt: createdAt,
  updatedAt: createdAt,
});

function describeInbound(message: Message, known: Thread | undefined): Partial<Thread> {
  const { createdAt } = message;
  return {
    ...describeMessage(message),
    ...(!isReport(message) && { waitingSince: known?.waitingSince ?? createdAt }),
    // A message of the participant opens what was closed.
    ...(known !== undefined && known.status !== 'open' && { status: 'open', archivedAt: null }),
  };
}

/** What a provider reports of the participant waits for no answer; what they have edited does. */
function isReport({ content }: Message): boolean {
  return content?.type === 'system' && content.event !== 'message_edited';
}
