/** What the operator writes: a reply to the participant, or a note for colleagues. What is sent goes to the outbox, and is shown at once. */
import { ActionIcon } from '@mantine/core';
import { X } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Message, Thread } from '../../sdk/index.ts';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import { useTexts } from '../texts/index.ts';
import type { Names } from '../thread/names.tsx';
import type { OpenThread } from '../thread/open-thread.ts';
import { AttachmentTray } from './attachment-tray.tsx';
import { ComposerBar } from './composer-bar.tsx';
import { ComposerInput } from './composer-input.tsx';
import { Permission } from './permission.tsx';
import { Presence } from './presence.tsx';
import { useSendSetting } from './send-setting.ts';
import { useComposition } from './use-composition.ts';
import classes from './composer.module.css';

export interface ComposerProps {
  readonly open: OpenThread;
  readonly thread: Thread;
  readonly names: Names;
  readonly participantName: string;
  /** The message that will be answered. */
  readonly replyTo: Message | undefined;
  readonly onReplyDone: () => void;
  /** How often text of the agent's was put into the reply: the operator goes on there. */
  readonly takenOver: number;
}

export function Composer(props: ComposerProps) {
  const { open, thread, names, replyTo, onReplyDone, takenOver } = props;
  const texts = useTexts().thread.composer;
  const composition = useComposition(thread, replyTo, onReplyDone);
  const { kind, setKind, attach, files, remove, retry, send } = composition;
  const [sendBy, setSendBy] = useSendSetting();
  const [isDragging, setDragging] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const begin = (chosen: typeof kind): void => {
    setKind(chosen);
    input.current?.focus();
  };
  useShortcuts([
    ['R', () => begin('reply')],
    ['N', () => begin('note')],
  ]);
  useEffect(() => {
    if (replyTo !== undefined) input.current?.focus();
  }, [replyTo]);
  // Before the next key, which is meant for that text.
  useLayoutEffect(() => {
    if (takenOver === 0) return;
    setKind('reply');
    input.current?.focus();
  }, [takenOver, setKind]);

  if (thread.status === 'archived') return <p className={classes['notice']}>{texts.archived}</p>;
  if (!names.mayAnswer) return <p className={classes['notice']}>{texts.readOnly}</p>;
  return (
    <form
      className={classes['composer']}
      aria-label={texts.label}
      data-dragging={isDragging || undefined}
      onSubmit={event => {
        event.preventDefault();
        send();
        input.current?.focus();
      }}
      onDragOver={event => {
        event.preventDefault();
        setDragging(true);
      }}
      onDragLeave={() => setDragging(false)}
      onDrop={event => {
        event.preventDefault();
        setDragging(false);
        attach(event.dataTransfer.files);
      }}
    >
      <Presence threadId={open.threadId} names={names} />
      <Permission thread={thread} composition={composition} />
      {replyTo !== undefined && kind === 'reply' && <Quote {...props} replyTo={replyTo} />}
      <ComposerInput input={input} composition={composition} sendBy={sendBy} names={names} thread={thread} />
      <AttachmentTray uploads={files} onRemove={remove} onRetry={retry} />
      <ComposerBar threadId={open.threadId} composition={composition} sendBy={sendBy} onSendBy={setSendBy} />
    </form>
  );
}

function Quote({
  replyTo,
  names,
  participantName,
  onReplyDone,
}: ComposerProps & { readonly replyTo: Message }) {
  const texts = useTexts().thread.composer;
  const author = replyTo.direction === 'inbound' ? participantName : names.actor(replyTo.actor);
  return (
    <div className={classes['quote']}>
      <span>
        {texts.replyingTo(author)}: <bdi>{replyTo.body}</bdi>
      </span>
      <ActionIcon size="xs" aria-label={texts.cancelReply} onClick={onReplyDone}>
        <X size={12} />
      </ActionIcon>
    </div>
  );
}
