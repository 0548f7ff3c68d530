import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Drafts } from '../composer/drafts.ts';
import { UnsentDraft } from '../composer/unsent.tsx';

/** What the operator was writing in the conversation that was open: it is theirs. */
export default function UnsentHere() {
  const me = useQueryClient().getQueryData<{ readonly userId: string }>(['me']);
  const { projectId, threadId } = useParams({ strict: false });
  if (me === undefined || projectId === undefined || threadId === undefined) return null;
  return <UnsentDraft draft={new Drafts(localStorage, { userId: me.userId, projectId }).get(threadId)} />;
}
