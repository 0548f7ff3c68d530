/**
 * Snoozing: an operator puts an open thread away until an instant.
 *
 *   (awake) -> snoozed    PATCH, of an open thread
 *   snoozed -> snoozed    PATCH: another instant
 *   snoozed -> (awake)    its time has come; PATCH with null; an inbound message; or the thread is closed or archived
 *
 * Each move has the event `thread.snooze.changed` (`ThreadDecisionBuilder.snooze`). The reminder is a row of the commit that snoozes, so that a
 * crash loses none; it looks at the state again, since a command may have been faster.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import { conflict, invalid } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import { systemActor } from '../base/index.ts';
import { snoozeReminder, ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import type { ThreadState } from './state.ts';

/** How long a thread may be snoozed, in milliseconds: a year, and a day for the calendar's sake. */
const maxSnoozeMs = 366 * 86_400_000;

/** What PATCH says: an instant, or null. 409 for a thread that is not open by then, 422 for an instant that is past or too far. */
export function changeSnooze(builder: ThreadDecisionBuilder, until: string | null, author: Actor): void {
  if (until === null) {
    builder.snooze(null, author, 'request');
    return;
  }
  const { next, now } = builder;
  const at = Date.parse(until);
  if (at <= now || at > now + maxSnoozeMs) {
    const message = 'must be in the future, and at most a year ahead';
    throw invalid([{ path: '/body/snoozedUntil', message, code: 'range' }]);
  }
  if (next.status !== 'open') throw conflict(`The thread is ${next.status}: open it before snoozing.`);
  builder.snooze(new Date(at).toISOString(), author, 'request');
}

/** The reminder that wakes the thread. */
export function wake(
  state: ThreadState,
  _command: Readonly<Record<string, never>>,
  turn: Turn,
): ThreadDecision<null> {
  const { snoozedUntil } = state;
  if (snoozedUntil === null) return { reply: null };
  const at = Date.parse(snoozedUntil);
  if (turn.now < at)
    return { remind: [{ key: snoozeReminder, at, command: 'wake', payload: {} }], reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  builder.snooze(null, systemActor, 'due');
  return builder.decide(null);
}
