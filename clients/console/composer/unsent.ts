/** What is on its way and does not get on. */
import type { Outgoing } from './outbox.ts';

/** As it is shown: what is sent for the first time is no news, and what has failed waits until it gets through. */
export function getShownState({ state, hasFailed }: Outgoing): Outgoing['state'] {
  return state === 'sending' && hasFailed === true ? 'waiting' : state;
}

/** Of a thread: what was refused counts more than what waits. */
export function getUnsent(items: readonly Outgoing[], threadId: string): 'refused' | 'waiting' | undefined {
  const states = new Set(items.filter(item => item.threadId === threadId).map(getShownState));
  return states.has('refused') ? 'refused' : states.has('waiting') ? 'waiting' : undefined;
}

/** Of all threads. */
export function countUnsent(items: readonly Outgoing[], state: 'refused' | 'waiting'): number {
  return items.filter(item => getShownState(item) === state).length;
}

/** Whose outbox, and of which environment. */
export interface OutboxScope {
  readonly userId: string;
  readonly projectId: string;
  readonly environmentId: string;
}

/** What the keys of outboxes begin with. */
export const outboxPrefix = 'skein-outbox:';

/** Where a tab keeps what is on its way from there. */
export const toOutboxKey = ({ userId, projectId, environmentId }: OutboxScope): string =>
  `${outboxPrefix}${userId}:${projectId}:${environmentId}`;
