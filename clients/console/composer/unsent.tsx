/** What somebody had written and may not send any more: to read and to copy. */
import { Textarea } from '@mantine/core';
import { useTexts } from '../texts/index.ts';
import type { DraftContents } from './drafts.ts';
import { useDraft } from './use-draft.ts';

export function Unsent({ threadId }: { readonly threadId: string }) {
  return <UnsentDraft draft={useDraft(threadId)} />;
}

export function UnsentDraft({ draft }: { readonly draft: DraftContents }) {
  const texts = useTexts().thread.composer;
  const { reply = '', note = '', template } = draft;
  const text = [reply, note, ...Object.values(template?.values ?? {})]
    .filter(each => each.trim() !== '')
    .join('\n\n');
  if (text === '') return null;
  return <Textarea label={texts.unsent} readOnly autosize minRows={2} maxRows={10} dir="auto" value={text} />;
}
