/** Tells the operator who works elsewhere in the Console that a note mentions them. It stays until they go there, or put it away. */
import { Button, CloseButton } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { AtSign } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ThreadNote } from '../../sdk/index.ts';
import type { StreamListener } from '../live/project-stream.ts';
import { useStreamListener } from '../live/stream-context.tsx';
import { splitByNames } from '../../kit/named-parts.ts';
import { Sentence } from '../../kit/sentence.tsx';
import { useTexts } from '../texts/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { useNames } from '../thread/names.tsx';
import { findMentioning } from './use-mentions.ts';
import classes from '../shell/notices.module.css';

/** Of more, the newest are shown; all are in the list. */
const mostShown = 3;
const shownLength = 120;

export function MentionNotices() {
  const texts = useTexts().mentions;
  const names = useNames();
  const navigate = useNavigate();
  const { projectId, environmentId, userId } = useConversing();
  const { threadId: opened } = useParams({ strict: false });
  const [notes, setNotes] = useState<readonly ThreadNote[]>([]);
  const listener = useMemo(
    (): StreamListener => ({
      onEvent: event => {
        const note = findMentioning(event, userId);
        if (note === undefined || event.data.environmentId !== environmentId) return;
        setNotes(before =>
          [...before.filter(({ threadNoteId }) => threadNoteId !== note.threadNoteId), note].slice(
            -mostShown,
          ),
        );
      },
    }),
    [userId, environmentId],
  );
  useStreamListener(listener);
  const leave = (threadId: string): void =>
    setNotes(before => before.filter(note => note.threadId !== threadId));
  // Whoever has the thread open reads the note there.
  if (notes.some(({ threadId }) => threadId === opened)) leave(opened ?? '');
  const go = ({ threadId, threadNoteId: message }: ThreadNote): void => {
    leave(threadId);
    const params = { projectId, environmentId, queue: 'mentions', threadId };
    void navigate({ to: '/$projectId/$environmentId/$queue/$threadId', params, search: { message } });
  };
  return notes.map(note => (
    <div key={note.threadNoteId} className={classes['notice']}>
      <AtSign size={15} aria-hidden />
      <div>
        <b>
          <Sentence parts={splitByNames(texts.mentionedBy, names.person(note.authorUserId))} />
        </b>
        <p>
          <bdi>{note.body.slice(0, shownLength)}</bdi>
        </p>
        <Button variant="default" size="compact-xs" onClick={() => go(note)}>
          {texts.open}
        </Button>
      </div>
      <CloseButton size="sm" aria-label={texts.dismiss} onClick={() => leave(note.threadId)} />
    </div>
  ));
}
