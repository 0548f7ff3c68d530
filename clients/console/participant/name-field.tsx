/** The participant's name, which an operator may correct. */
import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import type { Thread } from '../../sdk/index.ts';
import { ParticipantFace } from '../people/participant-face.tsx';
import { useTexts } from '../texts/index.ts';
import { useClient } from '../thread/conversations-context.tsx';
import type { OpenThread } from '../thread/open-thread.ts';
import type { Action } from '../../kit/use-action.ts';
import classes from './participant.module.css';

interface NameFieldProps {
  readonly open: OpenThread;
  readonly thread: Thread;
  readonly name: string;
  readonly action: Action;
  readonly mayChange: boolean;
}

export function NameField({ open, thread, name, action, mayChange }: NameFieldProps) {
  const texts = useTexts().thread.participant;
  const client = useClient();
  const [edited, setEdited] = useState<string>();
  if (edited === undefined || !mayChange)
    return (
      <div className={classes['name']}>
        <ParticipantFace thread={thread} name={name} size={40} />
        <b title={name}>
          <bdi>{name}</bdi>
        </b>
        {mayChange && (
          <ActionIcon
            size="sm"
            aria-label={texts.editName}
            onClick={() => setEdited(thread.participant?.displayName ?? '')}
          >
            <Pencil size={13} />
          </ActionIcon>
        )}
      </div>
    );
  const save = async (): Promise<void> => {
    const displayName = edited.trim() === '' ? null : edited.trim();
    const isSaved = await action.run(async () =>
      open.takeThread(await client.threads.update(open.threadId, { participant: { displayName } })),
    );
    if (isSaved) setEdited(undefined);
  };
  return (
    <form
      className={classes['editing']}
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <TextInput
        size="xs"
        label={texts.name}
        autoFocus
        dir="auto"
        maxLength={256}
        value={edited}
        onChange={event => setEdited(event.currentTarget.value)}
        onKeyDown={event => event.key === 'Escape' && setEdited(undefined)}
      />
      <Group gap={6}>
        <Button type="submit" size="compact-xs" loading={action.isRunning}>
          {texts.save}
        </Button>
        <Button variant="default" size="compact-xs" onClick={() => setEdited(undefined)}>
          {texts.cancel}
        </Button>
      </Group>
    </form>
  );
}
