/** Tells the operator that the conversation was not put away, since a message has come, and offers to do so all the same. */
import { Alert, Button, Group } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import type { Action } from '../../kit/use-action.ts';
import type { Thread } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useConversing } from './conversations-context.tsx';
import type { OpenThread } from './open-thread.ts';
import { useThreadUpdate } from './use-thread-update.ts';

interface UnseenNoticeProps {
  readonly open: OpenThread;
  readonly thread: Thread;
  readonly action: Action;
}

export function UnseenNotice({ open, thread, action }: UnseenNoticeProps) {
  const { header: texts, dismiss } = useTexts().thread;
  const { unseen } = useConversing();
  const { threadId } = open;
  const all = useSyncExternalStore(unseen.onChange, unseen.getAll);
  const refused = all.find(each => each.thread.threadId === threadId);
  const update = useThreadUpdate(open, action);
  // Somebody else may have put it away since.
  if (refused === undefined || thread.status !== 'open' || thread.snoozedUntil != null) return null;
  const { change, sequence } = refused;
  const { status = 'snoozed' } = change;
  return (
    <Alert
      color="yellow"
      role="alert"
      withCloseButton
      closeButtonLabel={dismiss}
      onClose={() => unseen.remove(threadId)}
    >
      <Group gap="sm">
        {texts.unseen}
        {status !== 'open' && (
          <Button size="compact-xs" variant="default" onClick={() => void update(change, sequence)}>
            {texts.anyway[status]}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
