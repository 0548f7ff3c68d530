/** What the operator writes: a reply to the participant, or a note for colleagues. What is sent goes to the outbox, and is shown at once. */
import { ActionIcon } from '@mantine/core';
import { X } from 'lucide-react';
import { Suspense, useLayoutEffect, useRef } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
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
import { useDropping } from './use-dropping.ts';
import { useTemplates } from './use-templates.ts';
import classes from './composer.module.css';

const TemplatePicker = lazyPart(() => import('./template-picker.tsx'));

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
  const { kind, setKind, files, remove, retry, send } = composition;
  const templates = useTemplates(thread, composition);
  const [sendBy, setSendBy] = useSendSetting();
  const input = useRef<HTMLTextAreaElement>(null);
  const { isDragging, handlers } = useDropping(input, composition);
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
  if (thread.status === 'archived') return <p className={classes['notice']}>{texts.archived}</p>;
  if (!names.mayAnswer)
    return (
      <>
        <p className={classes['notice']}>{texts.readOnly}</p>
        <Unsent threadId={open.threadId} />
      </>
    );
  return (
    <>
      {templates.channelId !== undefined && (
        <Suspense>
          <TemplatePicker
            threadId={open.threadId}
            channelId={templates.channelId}
            isAsked={templates.isAsked}
            onBegun={templates.begin}
            onClose={() => {
              templates.close();
              input.current?.focus();
            }}
          />
        </Suspense>
      )}
      <form
        className={classes['composer']}
        aria-label={texts.label}
        data-dragging={isDragging || undefined}
        onSubmit={event => {
          event.preventDefault();
          send();
          input.current?.focus();
        }}
        {...handlers}
      >
        <Presence threadId={open.threadId} names={names} />
        <Permission
          thread={thread}
          composition={composition}
          onChooseTemplate={templates.channelId === undefined ? templates.open : undefined}
        />
        {replyTo !== undefined && kind === 'reply' && (
          <Quote {...props} replyTo={replyTo} onLeave={composition.leaveReply} />
        )}
        <ComposerInput
          input={input}
          composition={composition}
          sendBy={sendBy}
          names={names}
          thread={thread}
        />
        {composition.waitingFiles > 0 && (
          <p className={classes['hint']} role="status">
            {texts.waitingFiles(composition.waitingFiles)}
          </p>
        )}
        <AttachmentTray uploads={files} onRemove={remove} onRetry={retry} />
        <ComposerBar
          threadId={open.threadId}
          composition={composition}
          sendBy={sendBy}
          onSendBy={setSendBy}
        />
      </form>
    </>
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
