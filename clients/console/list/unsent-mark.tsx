/** Says of a thread in a list that something for it is not sent: it was written, waits for the connection, or was refused. */
import { useSyncExternalStore } from 'react';
import { getUnsent } from '../composer/unsent.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { ConsoleTexts } from '../texts/index.ts';
import classes from './thread-row.module.css';

interface UnsentMarkProps {
  readonly threadId: string;
  readonly texts: ConsoleTexts['list'];
  /** What is written in the thread that is open can be seen there. */
  readonly isSelected: boolean;
}

export function UnsentMark({ threadId, texts, isSelected }: UnsentMarkProps) {
  const { conversations, drafts } = useConversing();
  const { outbox } = conversations;
  const unsent = useSyncExternalStore(outbox.onChange, () => getUnsent(outbox.getItems(), threadId));
  const isWritten = useSyncExternalStore(drafts.onChange, () => {
    const { reply, note, template } = drafts.get(threadId);
    return Boolean(reply) || Boolean(note) || template !== undefined;
  });
  const mark = unsent ?? (isWritten && !isSelected ? 'draft' : undefined);
  if (mark === undefined) return null;
  return (
    <span className={classes['chip']} data-kind={mark === 'refused' ? 'failed' : mark}>
      {texts.unsent[mark]}
    </span>
  );
}
