import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { CreateThread } from './conversations.ts';
import { useConversing } from './conversations-context.tsx';
import { OpenThread } from './open-thread.ts';
import type { ThreadState } from './thread-state.ts';

const createThread: CreateThread = (threadId, client, port) => new OpenThread(threadId, client, port);

/** The thread and its state; reads it when it is not there yet. */
export function useOpenThread(threadId: string): { readonly open: OpenThread; readonly state: ThreadState } {
  const { conversations } = useConversing();
  const open = useMemo(() => conversations.getThread(threadId, createThread), [conversations, threadId]);
  const state = useSyncExternalStore(open.onChange, open.getState);
  useEffect(() => void open.open(), [open]);
  return { open, state };
}
