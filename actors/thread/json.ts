/** A thread as REST and events show it. For messages see decision-builder.ts. */
import type {
  FreeEntry,
  Participant,
  ServiceWindow,
  Thread,
  ThreadPreview,
} from '../../protocol/resources/index.ts';
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

/** Null for a thread that stands for nobody. */
function toParticipant({ externalRef, participant }: ThreadState): Participant | null {
  if (externalRef === null && participant === null) return null;
  return {
    externalParticipantRef: externalRef,
    displayName: participant?.displayName ?? null,
    locale: participant?.locale ?? null,
    attributes: participant?.attributes ?? {},
  };
}

/** Null where no referral has brought the participant. */
export function toFreeEntry({ freeEntry }: ThreadState): FreeEntry | null {
  if (freeEntry === null) return null;
  const { status, pendingUntil, openedAt, expiresAt } = freeEntry;
  const show = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  return {
    status,
    pendingUntil: show(status === 'pending' ? pendingUntil : null),
    openedAt: show(openedAt),
    expiresAt: show(expiresAt),
  };
}

function toPreview({ preview, lastMessageAt }: ThreadState): ThreadPreview | null {
  if (preview === null) return null;
  return { ...preview, text: preview.text.replace(/\s+/g, ' ').trim(), at: lastMessageAt };
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
    participant: toParticipant(state),
    subject: state.subject,
    serviceWindow: toServiceWindow(state, now),
    freeEntry: toFreeEntry(state),
    preview: toPreview(state),
    waitingSince: state.waitingSince,
    pendingSuggestion: state.agentHandling.suggestion?.agentRunId ?? null,
    failedSends: state.failedSends?.count ?? 0,
    snoozedUntil: state.snoozedUntil,
    erasedAt: state.erasedAt,
    lastMessageAt: state.lastMessageAt,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    archivedAt: state.archivedAt,
  };
}

/** The same as JSON text, as answers have it. */
export function toThreadJson(state: ThreadState, threadId: string, now: number): string {
  return JSON.stringify(toThread(state, threadId, now));
}

/** As events have it: what a message says stands in the message's own event alone. */
export function toEventThreadJson(state: ThreadState, threadId: string, now: number): string {
  const { preview: _, ...thread } = toThread(state, threadId, now);
  return JSON.stringify(thread);
}
