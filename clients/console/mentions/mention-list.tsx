/** The notes that mention the operator, newest first, in the place of a queue. */
import { Button, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { tellFirstPage } from '../../kit/first-page.ts';
import { useAction } from '../../kit/use-action.ts';
import { useFormats } from '../../kit/use-formats.ts';
import type { Mention } from '../../sdk/index.ts';
import { toParticipantName } from '../people/participant-name.ts';
import { splitByNames } from '../../kit/named-parts.ts';
import { Sentence } from '../../kit/sentence.tsx';
import { useTexts } from '../texts/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { useNames, type Names } from '../thread/names.tsx';
import { useMentions, useReadMentions } from './use-mentions.ts';
import classes from './mentions.module.css';

export default function MentionList({ selected }: { readonly selected: string | undefined }) {
  const texts = useTexts().mentions;
  const names = useNames();
  const { mentions, isPending, isError, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useMentions();
  useEffect(() => {
    if (!isPending) tellFirstPage();
  }, [isPending]);
  const readAll = useReadMentions();
  const action = useAction();
  const hasUnread = mentions.some(({ readAt }) => readAt === null);
  return (
    <section className={classes['pane']} aria-label={texts.title}>
      <header className={classes['bar']}>
        <h2>{texts.title}</h2>
        {hasUnread && (
          <Button
            variant="subtle"
            size="compact-xs"
            loading={action.isRunning}
            onClick={() => void action.run(async () => readAll())}
          >
            {texts.readAll}
          </Button>
        )}
      </header>
      {action.problem !== undefined && (
        <p className={classes['nothing']} role="alert">
          {action.problem}
        </p>
      )}
      {isPending && <Skeleton m={12} h={48} w="auto" role="status" aria-label={texts.reading} />}
      {isError && (
        <div className={classes['nothing']} role="alert">
          <p>{texts.failed}</p>
          <Button variant="default" onClick={() => void refetch()}>
            {texts.readAgain}
          </Button>
        </div>
      )}
      {!isPending && !isError && mentions.length === 0 && <p className={classes['nothing']}>{texts.none}</p>}
      <ul className={classes['list']}>
        {mentions.map(mention => (
          <MentionRow
            key={mention.note.threadNoteId}
            mention={mention}
            names={names}
            isSelected={mention.note.threadId === selected}
          />
        ))}
      </ul>
      {hasNextPage && (
        <Button variant="subtle" m={8} loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {texts.more}
        </Button>
      )}
    </section>
  );
}

interface MentionRowProps {
  readonly mention: Mention;
  readonly names: Names;
  readonly isSelected: boolean;
}

/** Beyond it a note is cut. */
const shownLength = 200;

function MentionRow({ mention, names, isSelected }: MentionRowProps) {
  const { mentions: texts, list: listTexts } = useTexts();
  const formats = useFormats();
  const { projectId, environmentId } = useConversing();
  const { note, participantName, mentionedAt, readAt } = mention;
  const author = names.person(note.authorUserId);
  const participant = toParticipantName({ externalRef: participantName }, listTexts.participantNames);
  return (
    <li>
      <Link
        className={classes['row']}
        to="/$projectId/$environmentId/$queue/$threadId"
        params={{ projectId, environmentId, queue: 'mentions', threadId: note.threadId }}
        search={{ message: note.threadNoteId }}
        aria-current={isSelected ? 'true' : undefined}
        data-unread={readAt === null || undefined}
      >
        <span className={classes['head']}>
          <b>
            <Sentence parts={splitByNames(texts.by, author, participant)} />
          </b>
          {readAt === null && <span className={classes['dot']} role="img" aria-label={texts.unread} />}
          <time dateTime={mentionedAt}>{formats.dateTime(mentionedAt)}</time>
        </span>
        <span className={classes['text']}>
          <bdi>{note.body.slice(0, shownLength)}</bdi>
        </span>
      </Link>
    </li>
  );
}
