/** Which events an operator wants to hear of. */
import type { SkeinEvent, Thread } from '../../sdk/index.ts';
import type { NotificationPreferences } from './preferences.ts';

export interface Notice {
  readonly is: 'message' | 'assigned' | 'suggestion' | 'handoff' | 'tool' | 'failed' | 'mention';
  readonly threadId: string;
  /** What was written, if anything was. */
  readonly text: string;
}

const kinds = {
  'agent.suggestion.created': 'suggestion',
  'agent.handoff.requested': 'handoff',
  'agent.tool.approval_requested': 'tool',
  'channel.message.delivery_failed': 'failed',
} as const;

/** What an event has to say to the operator, if the conversation is one that they want to hear of. */
export function findNotice(event: SkeinEvent, userId: string): Notice | undefined {
  const { data, eventName } = event;
  if (data.test === true || (data.actor?.type === 'user' && data.actor.id === userId)) return undefined;
  switch (eventName) {
    case 'thread.message.received': {
      const { threadId, body } = event.data.message;
      return { is: 'message', threadId, text: body };
    }
    case 'thread.assignment.changed': {
      const { threadId, assigneeUserId } = event.data.thread;
      return assigneeUserId === userId ? { is: 'assigned', threadId, text: '' } : undefined;
    }
    case 'agent.suggestion.created':
    case 'agent.handoff.requested':
    case 'agent.tool.approval_requested':
    case 'channel.message.delivery_failed': {
      const { threadId } = event.data;
      return threadId === undefined ? undefined : { is: kinds[eventName], threadId, text: '' };
    }
    // Somebody may be named later on.
    case 'thread.note.created':
    case 'thread.note.updated': {
      const { threadId, body, mentions } = event.data.note;
      return mentions?.includes(userId) === true ? { is: 'mention', threadId, text: body } : undefined;
    }
    default:
      return undefined;
  }
}

export function concerns(
  { assigneeUserId = null, environmentId }: Pick<Thread, 'assigneeUserId' | 'environmentId'>,
  operator: { readonly userId: string; readonly environmentId: string },
  about: NotificationPreferences['about'],
): boolean {
  if (environmentId !== operator.environmentId) return false;
  if (about === 'all' || assigneeUserId === operator.userId) return true;
  return about === 'unassigned' && assigneeUserId === null;
}
