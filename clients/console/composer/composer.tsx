/** What the operator writes: a reply to the participant, or a note for colleagues. What is sent goes to the outbox, and is shown at once. */
import { ActionIcon } from '@mantine/core';
import { X } from 'lucide-react';
import { useLayoutEffect, useRef, useState, type DragEvent } from 'react';
import type { Message, Thread } from '../../sdk/index.ts';
import { usePageCommands } from '../shell/page-commands.ts';
import { useTexts } from '../texts/index.ts';
import type { Names } from '../thread/names.tsx';
import type { OpenThread } from '../thread/open-thread.ts';
import { AttachmentTray } from './attachment-tray.tsx';
import { ComposerBar } from './composer-bar.tsx';
import { ComposerInput } from './composer-input.tsx';
import { Permission } from './permission.tsx';
import { Presence } from './presence.tsx';
import { Unsent } from './unsent.tsx';
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
  /** How often a reply was begun elsewhere, to a message or with text of the agent's: the operator goes on here. */
  readonly begun: number;
}

export function Composer(props: ComposerProps) {
  const { open, thread, names, replyTo, begun } = props;
  const texts = useTexts().thread.composer;
  const composition = useComposition(thread, names);
  const { kind, setKind, attach, files, remove, retry, send, insert } = composition;
  const [sendBy, setSendBy] = useSendSetting();
  const [isDragging, setDragging] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const begin = (chosen: typeof kind): void => {
    setKind(chosen);
    input.current?.focus();
  };
  const mayWrite = names.mayAnswer && thread.status !== 'archived';
  usePageCommands(
    mayWrite
      ? [
          { id: 'reply', key: 'R', label: texts.writeReply, run: () => begin('reply') },
          { id: 'note', key: 'N', label: texts.writeNote, run: () => begin('note') },
        ]
      : [],
  );
  // Before the next key, which is meant for that text.
  useLayoutEffect(() => {
    if (begun === 0) return;
    setKind('reply');
    input.current?.focus();
  }, [begun, setKind]);
  const drop = (event: DragEvent): void => {
    setDragging(false);
    const { files: dropped } = event.dataTransfer;
    // Text that is dropped at a place of the text goes there, as the browser does it.
    if (dropped.length === 0 && event.target === input.current) return;
    event.preventDefault();
    if (dropped.length > 0) attach(dropped);
    else insert(event.dataTransfer.getData('text/plain'));
    input.current?.focus();
  };

  if (thread.status === 'archived') return <p className={classes['notice']}>{texts.archived}</p>;
  if (!names.mayAnswer)
    return (
      <>
        <p className={classes['notice']}>{texts.readOnly}</p>
        <Unsent threadId={open.threadId} />
      </>
    );
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
        const hasFiles = event.dataTransfer.types.includes('Files');
        if (!hasFiles && event.target === input.current) return;
        event.preventDefault();
        setDragging(hasFiles);
      }}
      onDragLeave={() => setDragging(false)}
      onDrop={drop}
    >
      <Presence threadId={open.threadId} names={names} />
      <Permission thread={thread} composition={composition} />
      {replyTo !== undefined && kind === 'reply' && (
        <Quote {...props} replyTo={replyTo} onLeave={composition.leaveReply} />
      )}
      <ComposerInput input={input} composition={composition} sendBy={sendBy} names={names} thread={thread} />
      {composition.waitingFiles > 0 && (
        <p className={classes['hint']} role="status">
          {texts.waitingFiles(composition.waitingFiles)}
        </p>
      )}
      <AttachmentTray uploads={files} onRemove={remove} onRetry={retry} />
      <ComposerBar threadId={open.threadId} composition={composition} sendBy={sendBy} onSendBy={setSendBy} />
    </form>
  );
}

function Quote({
  replyTo,
  names,
  participantName,
  onLeave,
}: ComposerProps & { readonly replyTo: Message; readonly onLeave: () => void }) {
  const texts = useTexts().thread.composer;
  const author = replyTo.direction === 'inbound' ? participantName : names.actor(replyTo.actor);
  return (
    <div className={classes['quote']}>
      <span>
        {texts.replyingTo(author)}: <bdi>{replyTo.body}</bdi>
      </span>
      <ActionIcon size="xs" aria-label={texts.cancelReply} onClick={onLeave}>
        <X size={12} />
      </ActionIcon>
    </div>
  );
}
