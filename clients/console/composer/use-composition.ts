/** What is being written in a thread, as a reply or as a note, and how it is sent. */
import { useMemo, useState } from 'react';
import type { Message } from '../../sdk/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { countCharacters } from './tokens.ts';
import { useTypingSignal } from './use-typing-signal.ts';
import { toAttachment, useUploads } from './use-uploads.ts';
import { useWrittenText } from './use-written-text.ts';
import type { WrittenKind } from './written.ts';

/** Code points. */
export const maxLength = 16_000;

/** @param replyTo the message that is answered */
export function useComposition(threadId: string, replyTo: Message | undefined, onReplyDone: () => void) {
  const { outbox } = useConversing().conversations;
  const [kind, setKind] = useState<WrittenKind>('reply');
  const [text, setText] = useWrittenText(threadId, kind);
  const { uploads, add, remove, clear } = useUploads();
  const typing = useTypingSignal(threadId);
  const length = useMemo(() => countCharacters(text), [text]);
  const files = kind === 'reply' ? uploads : [];
  const isReady = files.every(({ state }) => state === 'ready');
  const canSend = (text.trim() !== '' || files.length > 0) && length <= maxLength && isReady;

  const send = (): void => {
    if (!canSend) return;
    typing.stop();
    if (kind === 'note') outbox.add(threadId, { kind, body: text });
    else {
      const attachments = files.map(toAttachment);
      outbox.add(threadId, { kind: 'message', body: text, attachments, replyTo: replyTo?.messageId });
      clear();
      onReplyDone();
    }
    setText('');
  };
  const write = (changed: string): void => {
    setText(changed);
    if (kind === 'reply') typing.typed();
  };
  const attach = (chosen: Iterable<File>): void => {
    setKind('reply');
    add(chosen);
  };
  return {
    kind,
    setKind,
    text,
    setText,
    write,
    length,
    files,
    attach,
    remove,
    canSend,
    send,
    rest: () => typing.stop(),
  };
}

export type Composition = ReturnType<typeof useComposition>;
