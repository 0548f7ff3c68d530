/** What is being written in a thread, as a reply or as a note, and how it is sent. */
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { Message, Thread } from '../../sdk/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { WrittenMessage } from '../thread/conversations.ts';
import { countCharacters } from './tokens.ts';
import { toAttachment, type Upload } from './uploads.ts';
import { useSendCheck } from './use-send-check.ts';
import { useTypingSignal } from './use-typing-signal.ts';
import { useWrittenText } from './use-written-text.ts';
import type { WrittenKind } from './written.ts';

/** Code points, where the thread's channel takes no fewer. */
const maxMessageLength = 16_000;
const maxNoteLength = 4_000;

/** @param replyTo the message that is answered */
export function useComposition(thread: Thread, replyTo: Message | undefined, onReplyDone: () => void) {
  const { threadId } = thread;
  const { outbox, uploads } = useConversing().conversations;
  const [kind, setKind] = useState<WrittenKind>('reply');
  const [text, setText] = useWrittenText(threadId, kind);
  const attached = useSyncExternalStore(uploads.onChange, () => uploads.getUploads(threadId));
  const typing = useTypingSignal(threadId);
  const length = useMemo(() => countCharacters(text), [text]);
  const files = kind === 'reply' ? attached : [];
  const isReady = files.every(({ state }) => state === 'ready');
  const written: WrittenMessage = {
    body: text,
    attachments: files.filter(({ state }) => state === 'ready').map(toAttachment),
    replyTo: replyTo?.messageId,
  };
  const check = useSendCheck(thread, written, kind === 'reply' && thread.status !== 'archived');
  const maxLength = kind === 'note' ? maxNoteLength : (check.answer?.maxTextLength ?? maxMessageLength);
  const canSend = (text.trim() !== '' || files.length > 0) && length <= maxLength && isReady;

  const send = (): void => {
    if (!canSend) return;
    typing.stop();
    if (kind === 'note') outbox.add(threadId, { kind, body: text });
    else {
      outbox.add(threadId, { kind: 'message', ...written });
      uploads.clear(threadId);
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
    uploads.add(threadId, chosen);
  };
  return {
    kind,
    setKind,
    text,
    setText,
    write,
    length,
    maxLength,
    check,
    files,
    attach,
    retry: (upload: Upload) => uploads.retry(threadId, upload),
    remove: (id: string) => uploads.remove(threadId, id),
    canSend,
    send,
    rest: () => typing.stop(),
  };
}

export type Composition = ReturnType<typeof useComposition>;
