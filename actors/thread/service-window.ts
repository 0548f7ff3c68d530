/**
 * The service window: for a time after the participant wrote, free-form messages may be sent.
 *
 *   (none), closed -> open     an inbound message on a channel with a window
 *   open, closing  -> open     another one: the end moves, and the message's own event has it
 *   open    -> closing         one hour before the end
 *   open, closing  -> closed   at the end, which is the first instant outside
 *
 * One reminder watches the window. An inbound message does not move the reminder: it fires at the old instant, sees that the end has
 * moved, and is set again. So an inbound message writes a reminder only when a window opens.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import { notFound, conflict } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import { getProvider } from '../channel/index.ts';
import { requireSameTenancy, systemActor } from '../base/index.ts';
import type { ServiceWindow, ThreadState } from './state.ts';
import type { ExpireWindow } from './commands.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import { toServiceWindow } from './json.ts';

/** The key of the reminder that watches the window. */
const windowReminder = 'service-window';

/** `closing` is announced this long before the end, in milliseconds. */
const closingMs = 3_600_000;

type WindowEvent =
  | 'thread.service_window.opened'
  | 'thread.service_window.closing'
  | 'thread.service_window.closed';

/** When the reminder has to look next. */
function getNextCheck(window: ServiceWindow): number {
  return window.phase === 'open' ? window.expiresAt - closingMs : window.expiresAt;
}

function watchWindow(builder: ThreadDecisionBuilder, window: ServiceWindow): void {
  builder.remind({ key: windowReminder, at: getNextCheck(window), command: 'lookAtWindow', payload: {} });
}

function announce(builder: ThreadDecisionBuilder, eventName: WindowEvent, actor: Actor): void {
  builder.addThreadEvent(eventName, actor, showWindow(builder));
}

function closeWindow(builder: ThreadDecisionBuilder, window: ServiceWindow, actor: Actor): void {
  builder.next.window = { phase: 'closed', expiresAt: Math.min(window.expiresAt, builder.now) };
  announce(builder, 'thread.service_window.closed', actor);
}

/** Closes a window that has ended before its reminder came, so that events are in the order in which things happened. */
export function closeEndedWindow(builder: ThreadDecisionBuilder): void {
  const { window } = builder.next;
  if (window !== null && window.phase !== 'closed' && builder.now >= window.expiresAt) {
    closeWindow(builder, window, systemActor);
  }
}

/**
 * Closes the window where the provider has refused a free-form message: it counts otherwise. What the participant wrote after the refusal
 * keeps it open.
 *
 * @param refusedAt epoch milliseconds
 */
export function closeRefusedWindow(builder: ThreadDecisionBuilder, refusedAt: number): void {
  const { window, channelKind } = builder.next;
  const rule = getProvider(channelKind)?.serviceWindow;
  if (rule === undefined || window === null || window.phase === 'closed') return;
  if (window.expiresAt - rule.lengthMs <= refusedAt) closeWindow(builder, window, systemActor);
}

/**
 * Opens or extends the window of the participant who has written. What comes late moves no end back, and opens no window that is over.
 *
 * @param from when they wrote, in epoch milliseconds
 * @returns whether it was not open before: then {@link announceOpened} has to follow
 */
export function extendWindow(builder: ThreadDecisionBuilder, from = builder.now): boolean {
  const { next, now } = builder;
  const rule = getProvider(next.channelKind)?.serviceWindow;
  if (rule === undefined) return false;
  const isOpen = next.window !== null && next.window.phase !== 'closed';
  const expiresAt = Math.min(from, now) + rule.lengthMs;
  if (expiresAt <= (isOpen && next.window !== null ? next.window.expiresAt : now)) return false;
  const window: ServiceWindow = { phase: 'open', expiresAt };
  next.window = window;
  if (isOpen) return false;
  watchWindow(builder, window);
  return true;
}

export function announceOpened(builder: ThreadDecisionBuilder, actor: Actor): void {
  announce(builder, 'thread.service_window.opened', actor);
}

/** The window as it stands now, as a member of an event's data with a comma before it; nothing where the channel has no windows. */
export function showWindow({ next, now }: ThreadDecisionBuilder): string {
  const window = toServiceWindow(next, now);
  return window === null ? '' : `,"serviceWindow":${JSON.stringify(window)}`;
}

/** The reminder: announces what is due, and sets itself again when the end has moved. */
export function lookAtWindow(
  state: ThreadState,
  _command: Readonly<Record<string, never>>,
  turn: Turn,
): ThreadDecision<null> {
  const { window } = state;
  if (window === null || window.phase === 'closed') return { reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  if (builder.now >= window.expiresAt) {
    closeWindow(builder, window, systemActor);
    return builder.decide(null);
  }
  if (builder.now < getNextCheck(window)) {
    watchWindow(builder, window);
    return { remind: builder.reminders, reply: null };
  }
  const closing: ServiceWindow = { phase: 'closing', expiresAt: window.expiresAt };
  builder.next.window = closing;
  announce(builder, 'thread.service_window.closing', systemActor);
  watchWindow(builder, closing);
  return builder.decide(null);
}

/** Ends the window now, where events are simulated. Ending a closed window changes nothing. */
export function expireWindow(state: ThreadState, command: ExpireWindow, turn: Turn): ThreadDecision<null> {
  requireSameTenancy(state, command);
  if (command.channelId !== state.channelId) throw notFound();
  if (getProvider(state.channelKind)?.simulated !== true) {
    throw conflict('Only the window of a sandbox thread can be made to expire.');
  }
  if (state.window?.phase === 'closed') return { reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  closeWindow(builder, state.window ?? { phase: 'open', expiresAt: turn.now }, command.author);
  builder.forget(windowReminder);
  return builder.decide(null);
}
