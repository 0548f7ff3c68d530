/** A thread as REST and events show it (specification, "Thread"). */
import type { ServiceWindow, Thread } from '../../protocol/resources/thread.ts';
import { providerOf } from '../channel/providers/registry.ts';
import { isOpen } from './service-window.ts';
import type { ThreadState } from './state.ts';

/** Null where the channel has no service window. */
export function windowView(state: ThreadState, now: number): ServiceWindow | null {
  const rule = providerOf(state.channelKind)?.serviceWindow;
  if (rule === undefined) return null;
  const { window } = state;
  return {
    open: isOpen(window, rule, now),
    expiresAt: window === null ? null : new Date(window.expiresAt).toISOString(),
  };
}

/** @param now epoch milliseconds: whether the service window is open depends on it */
export function threadView(state: ThreadState, threadId: string, now: number): Thread {
  return {
    threadId,
    projectId: state.projectId,
    environmentId: state.environmentId,
    channelId: state.channelId,
    externalRef: state.externalRef,
    status: state.status,
    agentMode: state.agentMode,
    agentId: state.agentId,
    assigneeUserId: state.assigneeUserId,
    tags: [...state.tags],
    customFields: state.customFields,
    metadata: state.metadata,
    sequence: state.sequence,
    serviceWindow: windowView(state, now),
    lastMessageAt: state.lastMessageAt,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    archivedAt: state.archivedAt,
  };
}

/** The same as JSON text: the answer over REST, and a part of events. */
export function threadText(state: ThreadState, threadId: string, now: number): string {
  return JSON.stringify(threadView(state, threadId, now));
}
