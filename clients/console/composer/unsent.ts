/** What is on its way and does not get on. */
import type { Outgoing } from './outbox.ts';

/** Of a thread: what was refused counts more than what waits. What is being sent is no news. */
export function getUnsent(items: readonly Outgoing[], threadId: string): 'refused' | 'waiting' | undefined {
  const states = new Set(items.filter(item => item.threadId === threadId).map(({ state }) => state));
  return states.has('refused') ? 'refused' : states.has('waiting') ? 'waiting' : undefined;
}

/** Of all threads. */
export function countUnsent(items: readonly Outgoing[], state: 'refused' | 'waiting'): number {
  return items.filter(item => item.state === state).length;
}

/** What the places begin with in which a tab keeps what is on its way. */
export const outboxPrefix = 'skein-outbox:';

/** @param kept of a tab: the places and what is in them */
export function hasUnsent(kept: readonly (readonly [place: string, text: string])[]): boolean {
  return kept.some(([place, text]) => place.startsWith(outboxPrefix) && text !== '[]');
}
