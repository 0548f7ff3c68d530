/** The canned replies of a project: everybody reads them; those who look after the project write them, and others are told so. */
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { createOperatorClient, skein } from '../../kit/browser-session.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { ApiError, type CannedReply } from '../../sdk/index.ts';
import { Drafts } from '../composer/drafts.ts';
import { useTexts } from '../texts/index.ts';
import { looksAfterProject } from '../thread/people.ts';
import { useMembers } from '../thread/use-members.ts';
import { useErrorText } from '../../kit/error-texts.ts';
import { newReply, ReplyForm, toDraftId } from './canned-reply-form.tsx';
import { PageHead } from './page-head.tsx';
import classes from './settings.module.css';

/** The contract's. */
const mostReplies = 1_000;
const placeholders = [
  '{{participant.name}}',
  '{{participant.ref}}',
  '{{operator.name}}',
  '{{thread.customFields.plan}}',
];

export function CannedReplies() {
  const { projectId } = useParams({ from: '/signed-in/settings/canned-replies/$projectId' });
  const texts = useTexts().settings;
  const { notFound } = useKitTexts().shell;
  const client = useMemo(() => createOperatorClient({ projectId }), [projectId]);
  const queries = useQueryClient();
  const members = useMembers(projectId, client);
  const mayWrite = members !== undefined && looksAfterProject(members);
  const queryKey = ['canned-replies', projectId];
  const { data: replies, error } = useQuery({
    queryKey,
    queryFn: () => client.cannedReplies.list({ limit: 100 }).toArray(mostReplies),
  });
  const problem = useErrorText(error);
  const { data: me } = useQuery({
    queryKey: ['me'],
    queryFn: () => skein.auth.me(),
    staleTime: Infinity,
    retry: true,
  });
  const userId = me?.userId;
  const drafts = useMemo(
    () => (userId === undefined ? undefined : new Drafts(localStorage, { userId, projectId })),
    [userId, projectId],
  );
  return (
    <main className={classes['page']}>
      <Stack gap="xl" className={classes['column']}>
        <PageHead title={texts.replies.title} />
        <section className={classes['section']}>
          <Text size="sm">{texts.replies.about}</Text>
          {members !== undefined && !mayWrite && replies !== undefined && (
            <Alert color="gray">{texts.replies.readOnly}</Alert>
          )}
          <Group gap="xs" aria-label={texts.replies.placeholders} role="group">
            {placeholders.map(each => (
              <Code key={each}>{each}</Code>
            ))}
          </Group>
          {problem !== undefined && <Alert color="red">{isMissing(error) ? notFound : problem}</Alert>}
          {replies !== undefined && drafts !== undefined && (
            <Replies
              client={client}
              replies={replies}
              drafts={drafts}
              mayWrite={mayWrite}
              onChanged={() => queries.invalidateQueries({ queryKey })}
            />
          )}
        </section>
      </Stack>
    </main>
  );
}

interface RepliesProps {
  readonly client: ReturnType<typeof createOperatorClient>;
  readonly replies: readonly CannedReply[];
  readonly drafts: Drafts;
  readonly mayWrite: boolean;
  readonly onChanged: () => Promise<void>;
}

/** One is written at a time. What was begun before is open again, for those who may write. */
function Replies({ client, replies, drafts, mayWrite, onChanged }: RepliesProps) {
  const texts = useTexts().settings.replies;
  const [chosen, setEdited] = useState(() =>
    [...replies.map(({ cannedReplyId }) => cannedReplyId), newReply].find(
      id => drafts.get(toDraftId(id)).cannedReply !== undefined,
    ),
  );
  /** Its id. */
  const edited = mayWrite ? chosen : undefined;
  const close = (): void => setEdited(undefined);
  const done = async (): Promise<void> => {
    await onChanged();
    close();
  };
  const common = { client, drafts, onDone: done, onCancel: close };
  return (
    <>
      {replies.length === 0 && edited === undefined && <Text c="dimmed">{texts.none}</Text>}
      <ul className={classes['replies']}>
        {replies.map(reply => {
          const { cannedReplyId: id } = reply;
          return (
            <li key={id}>
              {edited === id ? (
                <ReplyForm {...common} reply={reply} />
              ) : (
                <ReplyRow reply={reply} onEdit={mayWrite ? () => setEdited(id) : undefined} />
              )}
            </li>
          );
        })}
      </ul>
      {edited === newReply && <ReplyForm {...common} />}
      {mayWrite && edited === undefined && (
        <Group>
          <Button onClick={() => setEdited(newReply)}>{texts.add}</Button>
        </Group>
      )}
    </>
  );
}

/** There is no such project, or not for this operator. */
const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 403);

interface ReplyRowProps {
  readonly reply: CannedReply;
  /** Undefined: the operator may not. */
  readonly onEdit: (() => void) | undefined;
}

function ReplyRow({ reply, onEdit }: ReplyRowProps) {
  const texts = useTexts().settings.replies;
  const { shortcut, title, body } = reply;
  return (
    <div className={classes['reply']}>
      <div>
        <Text size="sm" fw={600}>
          {shortcut}{' '}
          <Text span size="sm" fw={400} c="dimmed">
            <bdi>{title}</bdi>
          </Text>
        </Text>
        <Text size="sm" lineClamp={3} dir="auto" className={classes['replyText']}>
          {body}
        </Text>
      </div>
      {onEdit !== undefined && (
        <Button variant="default" size="xs" aria-label={texts.editNamed(shortcut)} onClick={onEdit}>
          {texts.edit}
        </Button>
      )}
    </div>
  );
}
