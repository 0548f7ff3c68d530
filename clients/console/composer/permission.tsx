/** Says before anybody types in vain whether a message would be accepted now, and offers a template where only those are. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Thread } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useClient } from '../thread/conversations-context.tsx';
import type { OpenThread } from '../thread/open-thread.ts';
import type { WrittenKind } from './written.ts';
import classes from './composer.module.css';

const TemplatePicker = lazy(() => import('./template-picker.tsx'));

interface PermissionProps {
  readonly open: OpenThread;
  readonly thread: Thread;
  readonly kind: WrittenKind;
}

const templateRequired = 'svc/chatapp/template_required';

export function Permission({ open, thread, kind }: PermissionProps) {
  const texts = useTexts().thread.composer;
  const client = useClient();
  const { threadId } = open;
  const { data: check } = useQuery({
    queryKey: ['may-send', threadId, thread.status, thread.serviceWindow?.open],
    queryFn: () => client.messages.check(threadId, { body: '.' }),
    staleTime: 60_000,
  });
  const needsTemplate = check?.reason === templateRequired;
  const [isPicking, setPicking] = useState<boolean>();
  if (kind === 'note' || check === undefined) return null;
  const channelId = check.channelId ?? thread.channelId;
  if (check.allowed) return channelId == null ? <p className={classes['notice']}>{texts.noChannel}</p> : null;
  if (!needsTemplate || channelId == null)
    return <p className={classes['notice']}>{texts.notAllowed(check.reason ?? '')}</p>;
  return (
    <div className={classes['notice']}>
      <span>{texts.windowClosed}</span>
      <Button variant="default" size="compact-xs" onClick={() => setPicking(true)}>
        {texts.chooseTemplate}
      </Button>
      {/* It opens by itself, once. */}
      {(isPicking ?? true) && (
        <Suspense>
          <TemplatePicker threadId={threadId} channelId={channelId} onClose={() => setPicking(false)} />
        </Suspense>
      )}
    </div>
  );
}
