import { useCallback, useSyncExternalStore } from 'react';
import { useConversing } from '../thread/conversations-context.tsx';
import type { DraftContents, WrittenKind } from './drafts.ts';

/** What was begun in the thread. */
export function useDraft(threadId: string): DraftContents {
  const { drafts } = useConversing();
  return useSyncExternalStore(drafts.onChange, () => drafts.get(threadId));
}

/** What is being written under the id, a thread's or a note's, and how it is changed. */
export function useWrittenText(id: string, kind: WrittenKind): readonly [string, (text: string) => void] {
  const { drafts } = useConversing();
  const text = useSyncExternalStore(drafts.onChange, () => drafts.getText(id, kind));
  const setText = useCallback((changed: string) => drafts.setText(id, kind, changed), [drafts, id, kind]);
  return [text, setText];
}
