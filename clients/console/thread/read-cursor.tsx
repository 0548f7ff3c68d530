/** Tells the server how far the operator has read, once it is seen: the page is visible and the end of the list in view. */
import { useEffect, useSyncExternalStore } from 'react';
import type { OpenThread } from './open-thread.ts';
import type { ThreadState } from './thread-state.ts';

/** What flits by is not read, and a burst is one change. */
const settledMs = 400;

const onVisibility = (listener: () => void): (() => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};

export function useReadCursor(
  open: OpenThread,
  { phase, entries, thread }: ThreadState,
  isAtEnd: boolean,
): void {
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  const newest = entries.findLast(entry => entry.kind === 'message')?.message.sequence ?? 0;
  const isUnread = newest > (thread?.readSequence ?? 0);
  useEffect(() => {
    if (phase !== 'ready' || !isVisible || !isAtEnd || !isUnread) return;
    // Where it fails, the next message tries again.
    const timer = setTimeout(() => void open.moveReadCursor(newest).catch(() => undefined), settledMs);
    return () => clearTimeout(timer);
  }, [open, phase, isVisible, isAtEnd, isUnread, newest]);
}
