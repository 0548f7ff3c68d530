/** A thread as REST and events show it. For messages see decision-builder.ts. */
import type { ServiceWindow, Thread } from '../../protocol/resources/index.ts';
import { getProvider } from '../channel/index.ts';
import { isWindowOpen, type ThreadState } from './state.ts';

/** Null where the channel has no service window. */
export function toServiceWindow(state: ThreadState, now: number): ServiceWindow | null {
  const rule = getProvider(state.channelKind)?.serviceWindow;
  if (rule === undefined) return null;
  const { window } = state;
  return {
    open: isWindowOpen(window, rule, now),
    expiresAt: window === null ? null : new Date(window.expiresAt).toISOString(),
  };
}

/** @param now epoch milliseconds; decides whether the service window is open */
export function toThread(state: ThreadState, threadId: string, now: number): Thread {
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
    serviceWindow: toServiceWindow(state, now),
    lastMessageAt: state.lastMessageAt,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    archivedAt: state.archivedAt,
  };
}

/** The same as JSON text, as answers and events have it. */
export function toThreadJson(state: ThreadState, threadId: string, now: number): string {
  return JSON.stringify(toThread(state, threadId, now));
}
