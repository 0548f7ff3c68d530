/** The service window's part in decisions: see service-window.ts. */
import type { Decision, Turn } from '../../runtime/actor.ts';
import { notFound } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import type { Write } from '../../storage/writes.ts';
import { providerOf } from '../channel/providers/registry.ts';
import type { ExpireWindow } from './commands.ts';
import { Draft } from './draft.ts';
import { conflict } from '../conflict.ts';
import { system } from '../system-actor.ts';
import { requireOwn } from '../tenancy.ts';
import { nextLook, windowReminder, type ServiceWindow } from './service-window.ts';
import type { ThreadState } from './state.ts';
import { windowView } from './thread-text.ts';

function watch(draft: Draft, window: ServiceWindow): void {
  draft.remind({ key: windowReminder, at: nextLook(window), command: 'lookAtWindow', payload: {} });
}

type WindowEvent =
  'thread.service_window.opened' | 'thread.service_window.closing' | 'thread.service_window.closed';

function announce(draft: Draft, eventName: WindowEvent, actor: Actor): void {
  draft.threadEvent(
    eventName,
    actor,
    `,"serviceWindow":${JSON.stringify(windowView(draft.next, draft.now))}`,
  );
}

function close(draft: Draft, window: ServiceWindow, actor: Actor): void {
  draft.next.window = { phase: 'closed', expiresAt: Math.min(window.expiresAt, draft.now) };
  announce(draft, 'thread.service_window.closed', actor);
}

/** Closes a window that has ended although its reminder has not come yet, so that events tell what happened in order. */
export function settleWindow(draft: Draft): void {
  const { window } = draft.next;
  if (window !== null && window.phase !== 'closed' && draft.now >= window.expiresAt)
    close(draft, window, system);
}

/** Opens or refreshes the window of the participant who has just written. */
export function startWindow(draft: Draft, actor: Actor): void {
  const { next } = draft;
  const rule = providerOf(next.channelKind)?.serviceWindow;
  if (rule === undefined) return;
  const before = next.window;
  const window: ServiceWindow = { phase: 'open', expiresAt: draft.now + rule.lengthMs };
  next.window = window;
  if (before !== null && before.phase !== 'closed') return;
  watch(draft, window);
  announce(draft, 'thread.service_window.opened', actor);
}

/** The reminder: announces what is due, and looks again when the end has moved. */
export function lookAtWindow(
  state: ThreadState,
  _command: Readonly<Record<string, never>>,
  turn: Turn,
): Decision<ThreadState, null, Write> {
  const { window } = state;
  if (window === null || window.phase === 'closed') return { reply: null };
  const draft = new Draft(state, turn);
  if (draft.now >= window.expiresAt) {
    close(draft, window, system);
    return draft.decide(null);
  }
  if (draft.now < nextLook(window)) {
    watch(draft, window);
    return { remind: draft.reminders, reply: null };
  }
  const closing: ServiceWindow = { phase: 'closing', expiresAt: window.expiresAt };
  draft.next.window = closing;
  announce(draft, 'thread.service_window.closing', system);
  watch(draft, closing);
  return draft.decide(null);
}

/** Ends the window now; only where events are simulated. Ending what has ended changes nothing. */
export function expireWindow(
  state: ThreadState,
  command: ExpireWindow,
  turn: Turn,
): Decision<ThreadState, null, Write> {
  requireOwn(state, command);
  if (command.channelId !== state.channelId) throw notFound();
  if (providerOf(state.channelKind)?.simulated !== true) {
    throw conflict('Only the window of a sandbox thread can be made to expire.');
  }
  if (state.window?.phase === 'closed') return { reply: null };
  const draft = new Draft(state, turn);
  close(draft, state.window ?? { phase: 'open', expiresAt: turn.now }, command.author);
  draft.forget(windowReminder);
  return draft.decide(null);
}
