/** What is being written in a thread, as a reply or as a note, and how it is sent. */
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import type { Thread } from '../../sdk/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { WrittenMessage } from '../thread/conversations.ts';
import type { Names } from '../thread/names.tsx';
import type { WrittenKind } from './drafts.ts';
import { findMentioned } from './mentions.ts';
import { getUploads } from './kept-uploads.ts';
import { countCharacters } from './tokens.ts';
import { toAttachment, type Upload } from './uploads.ts';
import { useSendCheck } from './use-send-check.ts';
import { useTypingSignal } from './use-typing-signal.ts';
import { useDraft, useWrittenText } from './use-draft.ts';

/** Code points, where the thread's channel takes no fewer. */
const maxMessageLength = 16_000;
const maxNoteLength = 4_000;

export function useComposition(thread: Thread, { colleagues, mayAnswer, isRoleKnown }: Names) {
  const { threadId } = thread;
  const { conversations, drafts } = useConversing();
  const { outbox } = conversations;
  const uploads = getUploads(conversations, drafts);
  const begun = useBegun(threadId);
  const { kind, text, setText, mentions, replyTo } = begun;
  const attached = useSyncExternalStore(uploads.onChange, () => uploads.getUploads(threadId));
  const typing = useTypingSignal(threadId);
  const length = useMemo(() => countCharacters(text), [text]);
  const files = kind === 'reply' ? attached : [];
  const isReady = files.every(({ state }) => state === 'ready');
  const written: WrittenMessage = {
    body: text,
    attachments: files.filter(({ state }) => state === 'ready').map(toAttachment),
    replyTo,
  };
  const check = useSendCheck(
    thread,
    toMessages(written)[0] ?? written,
    // Who may only read is refused.
    isRoleKnown && mayAnswer && kind === 'reply' && thread.status !== 'archived',
  );
  const maxLength = kind === 'note' ? maxNoteLength : (check.answer?.maxTextLength ?? maxMessageLength);
  const canSend = (text.trim() !== '' || files.length > 0) && length <= maxLength && isReady;

  const send = (): void => {
    if (!canSend) return;
    typing.stop();
    if (kind === 'note') {
      outbox.add(threadId, { kind, body: text, mentions: findMentioned(text, colleagues, mentions) });
      drafts.update(threadId, { note: '', mentions: undefined });
    } else {
      for (const message of toMessages(written)) outbox.add(threadId, { kind: 'message', ...message });
      uploads.clear(threadId);
      drafts.update(threadId, { reply: '', replyTo: undefined });
    }
  };
  const write = (changed: string): void => {
    setText(changed);
    if (kind === 'reply') typing.typed();
  };
  return {
    ...begun,
    write,
    length,
    maxLength,
    check,
    files,
    /** Go with the reply, while a note is written. */
    waitingFiles: kind === 'note' ? attached.length : 0,
    attach: (chosen: Iterable<File>) => uploads.add(threadId, chosen),
    insert: (more: string) => write(text === '' || /\s$/.test(text) ? text + more : `${text} ${more}`),
    retry: (upload: Upload) => uploads.retry(threadId, upload),
    remove: (id: string) => uploads.remove(threadId, id),
    canSend,
    send,
    rest: () => typing.stop(),
  };
}

/** What is written of the reply or the note, whichever the operator is at. */
function useBegun(threadId: string) {
  const { drafts } = useConversing();
  const { kind = 'reply', mentions = [], replyTo } = useDraft(threadId);
  const [text, setText] = useWrittenText(threadId, kind);
  return {
    kind,
    setKind: useCallback(
      (chosen: WrittenKind) => drafts.update(threadId, { kind: chosen }),
      [drafts, threadId],
    ),
    text,
    setText,
    mentions,
    /** The message that is answered. */
    replyTo,
    leaveReply: () => drafts.update(threadId, { replyTo: undefined }),
    /** Somebody was chosen from the list. */
    mention: (userId: string) => drafts.update(threadId, { mentions: [...new Set([...mentions, userId])] }),
  };
}

/** A message without a text has one file: of several, each is a message, and the first is the answer. */
function toMessages(written: WrittenMessage): readonly WrittenMessage[] {
  const { body, attachments, replyTo } = written;
  if (body.trim() !== '' || attachments.length < 2) return [written];
  return attachments.map((file, index) => ({
    body,
    attachments: [file],
    replyTo: index === 0 ? replyTo : undefined,
  }));
}

export type Composition = ReturnType<typeof useComposition>;
