/**
 * The service window: for a time after the participant wrote, free-form messages may be sent (specification, "States").
 *
 *   (none), closed -> open     an inbound message on a channel with a window
 *   open, closing  -> open     another one: the end moves, nothing is announced
 *   open    -> closing         one hour before the end
 *   open, closing  -> closed   at the end, which is no longer inside
 *
 * One reminder watches the window. An inbound message does not move it: it fires at the old instant, sees that the end has
 * moved, and is set anew. So the inbound path writes a reminder only when a window opens.
 */
import type { ServiceWindowRule } from '../channel/providers/provider.ts';

/** The window of a participant who has written; null in the state before. */
export interface ServiceWindow {
  readonly phase: 'open' | 'closing' | 'closed';
  /** Epoch milliseconds; the first instant outside. */
  readonly expiresAt: number;
}

/** The key of the reminder that watches the window. */
export const windowReminder = 'service-window';

/** `closing` is announced this long before the end, in milliseconds. */
export const closingMs = 3_600_000;

/** When the reminder has to look next. */
export function nextLook(window: ServiceWindow): number {
  return window.phase === 'open' ? window.expiresAt - closingMs : window.expiresAt;
}

/** @param now epoch milliseconds. The clock decides, not the phase: the reminder that moves the phase may be late. */
export function isOpen(window: ServiceWindow | null, rule: ServiceWindowRule, now: number): boolean {
  if (window === null) return rule.openBeforeFirstInbound;
  return window.phase !== 'closed' && now < window.expiresAt;
}
