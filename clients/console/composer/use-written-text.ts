import { useCallback, useSyncExternalStore } from 'react';
import { useConversing } from '../thread/conversations-context.tsx';
import type { WrittenKind } from './written.ts';

/** What is being written in the thread, and how it is changed. */
export function useWrittenText(
  threadId: string,
  kind: WrittenKind,
): readonly [string, (text: string) => void] {
  const { written } = useConversing();
  const text = useSyncExternalStore(written.onChange, () => written.get(threadId, kind));
  const setText = useCallback(
    (changed: string) => written.set(threadId, kind, changed),
    [written, threadId, kind],
  );
  return [text, setText];
}
