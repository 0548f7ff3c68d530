/**
 * Tells the operator that the conversation was not put away, since a message has come, and offers to do so all the same once the message is
 * shown.
 */
import { Alert, Button, Group } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
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
  const sequence = refused?.sequence ?? 0;
  const isRead = useSyncExternalStore(open.onChange, () => open.completeTo >= sequence);
  // Somebody else may have put it away since.
  const isOpen = thread.status === 'open' && thread.snoozedUntil == null;
  const isShown = refused !== undefined && isOpen && isRead;
  useEffect(() => {
    // Without a stream it would not come before the next poll.
    if (!isRead) void open.reset(sequence);
    if (isShown) unseen.markTold(threadId);
  }, [unseen, open, threadId, isShown, isRead, sequence]);
  if (refused === undefined || !isOpen) return null;
  const { change } = refused;
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
        {isRead && status !== 'open' && (
          <Button size="compact-xs" variant="default" onClick={() => void update(change, sequence)}>
            {texts.anyway[status]}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
