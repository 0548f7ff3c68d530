/** The form by which a canned reply is written or changed. */
import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { createOperatorClient } from '../../kit/browser-session.ts';
import { useAction } from '../../kit/use-action.ts';
import type { CannedReply } from '../../sdk/index.ts';
import type { Drafts } from '../composer/drafts.ts';
import { useTexts } from '../texts/index.ts';
import classes from './settings.module.css';

/** In the place of an id: the one that is new. */
export const newReply = 'new';
export const toDraftId = (id: string): string => `canned-reply:${id}`;

interface ReplyFormProps {
  readonly client: ReturnType<typeof createOperatorClient>;
  /** None: a new one. */
  readonly reply?: CannedReply;
  readonly drafts: Drafts;
  readonly onDone: () => Promise<void>;
  readonly onCancel: () => void;
}

/** What is written: what was kept, where it was begun before. And whether the reply itself has changed since. */
function useWritten(drafts: Drafts, reply: CannedReply | undefined) {
  const draftId = toDraftId(reply?.cannedReplyId ?? newReply);
  const [kept] = useState(() => drafts.get(draftId).cannedReply);
  const [written, setWritten] = useState(() => {
    const { shortcut = '/', title = '', body = '' } = kept ?? reply ?? {};
    return { shortcut, title, body };
  });
  /** When the version that it was begun with had been written; undefined: that is not known, or it is a new one. */
  const [begunAt] = useState(kept === undefined ? reply?.updatedAt : kept.updatedAt);
  return {
    written,
    isOvertaken: begunAt !== undefined && reply !== undefined && reply.updatedAt !== begunAt,
    change(changed: Partial<typeof written>): void {
      const next = { ...written, ...changed };
      setWritten(next);
      drafts.update(draftId, {
        cannedReply: { ...next, ...(begunAt !== undefined && { updatedAt: begunAt }) },
      });
    },
    forget: (): void => drafts.update(draftId, { cannedReply: undefined }),
  };
}

/** What is written is kept until it is saved or given up. */
export function ReplyForm({ client: { cannedReplies }, reply, drafts, onDone, onCancel }: ReplyFormProps) {
  const texts = useTexts().settings.replies;
  const { written, isOvertaken, change, forget } = useWritten(drafts, reply);
  const { isRunning, problem, run } = useAction();
  const [isAsked, setAsked] = useState(false);
  /** The version that is new by then is this one. */
  const [isSaved, setSaved] = useState(false);
  const save = (): Promise<unknown> =>
    reply === undefined ? cannedReplies.create(written) : cannedReplies.update(reply.cannedReplyId, written);
  const finish = async (work: () => Promise<unknown>): Promise<void> => {
    if (!(await run(work))) return;
    setSaved(true);
    forget();
    await onDone();
  };
  return (
    <form
      aria-label={reply === undefined ? texts.add : texts.editNamed(reply.shortcut)}
      onSubmit={event => {
        event.preventDefault();
        void finish(save);
      }}
    >
      <Stack gap="xs">
        {isOvertaken && !isSaved && reply !== undefined && <Overtaken by={reply} />}
        <TextInput
          label={texts.shortcut}
          description={texts.shortcutHint}
          maxLength={32}
          required
          value={written.shortcut}
          onChange={event => change({ shortcut: event.currentTarget.value.toLowerCase() })}
        />
        <TextInput
          label={texts.name}
          maxLength={120}
          required
          dir="auto"
          value={written.title}
          onChange={event => change({ title: event.currentTarget.value })}
        />
        <Textarea
          label={texts.text}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={4_096}
          required
          dir="auto"
          value={written.body}
          onChange={event => change({ body: event.currentTarget.value })}
        />
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        <Group gap="xs">
          <Button type="submit" loading={isRunning}>
            {texts.save}
          </Button>
          <Button
            variant="default"
            onClick={() => {
              forget();
              onCancel();
            }}
          >
            {texts.cancel}
          </Button>
          {reply !== undefined && (
            <Button
              variant="subtle"
              color="red"
              ml="auto"
              // Gone for everybody: the second click does it.
              onClick={() =>
                isAsked ? void finish(() => cannedReplies.delete(reply.cannedReplyId)) : setAsked(true)
              }
              onBlur={() => setAsked(false)}
            >
              {isAsked ? texts.confirmRemove : texts.remove}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** Tells that somebody was faster, and what they have made of it. */
function Overtaken({ by: { shortcut, title, body } }: { readonly by: CannedReply }) {
  const texts = useTexts().settings.replies;
  return (
    <Alert color="yellow" role="alert">
      <Text size="sm">{texts.overtaken}</Text>
      <Text size="sm" fw={600}>
        {shortcut} <bdi>{title}</bdi>
      </Text>
      <Text size="sm" dir="auto" className={classes['replyText']}>
        {body}
      </Text>
    </Alert>
  );
}
