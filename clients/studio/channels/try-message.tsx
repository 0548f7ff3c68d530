/** A message as if a participant had written it, and what has become of it. */
import { Anchor, Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import classes from './try-message.module.css';

/** Answers of an agent or a colleague are looked for so often, in milliseconds. */
const lookMs = 2_000;

interface TryMessageProps {
  readonly channel: Pick<Channel, 'channelId' | 'kind'>;
  readonly onArrived?: () => void;
}

export function TryMessage({ channel: { channelId, kind }, onArrived }: TryMessageProps) {
  const texts = useTexts().channels.try;
  const { client } = useTenant();
  const queries = useQueryClient();
  const [participant, setParticipant] = useState('customer-1');
  const [body, setBody] = useState('');
  const [threadId, setThreadId] = useState<string>();
  const { isRunning, error, submit } = useSubmit(async () => {
    const message = { externalParticipantRef: participant.trim(), body: body.trim() };
    const arrived =
      kind === 'sandbox'
        ? await client.channels.simulate(channelId, { event: 'inbound', ...message })
        : await client.channels.receive(channelId, message);
    setThreadId(arrived.threadId);
    setBody('');
    await queries.invalidateQueries({ queryKey: ['tried', arrived.threadId] });
    onArrived?.();
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs" wrap="wrap">
          <TextInput
            label={texts.participant}
            description={texts.participantHint}
            w={200}
            value={participant}
            maxLength={256}
            onChange={event => setParticipant(event.currentTarget.value)}
          />
          <TextInput
            label={texts.body}
            style={{ flex: 1, minWidth: 220 }}
            value={body}
            maxLength={4_096}
            onChange={event => setBody(event.currentTarget.value)}
          />
          <Button
            type="submit"
            size="sm"
            loading={isRunning}
            disabled={body.trim() === '' || participant.trim() === ''}
          >
            {texts.send}
          </Button>
        </Group>
        {error !== undefined && <ErrorNote error={error} />}
        {threadId !== undefined && <Conversation threadId={threadId} />}
      </Stack>
    </form>
  );
}

function Conversation({ threadId }: { readonly threadId: string }) {
  const texts = useTexts().channels.try;
  const { client, projectId, environmentId } = useTenant();
  const { data, error } = useQuery({
    queryKey: ['tried', threadId],
    queryFn: () => client.messages.list(threadId, { order: 'desc', limit: 10 }),
    refetchInterval: lookMs,
  });
  return (
    <div role="log" aria-label={texts.conversation} className={classes['log']}>
      {error !== null && <ErrorNote error={error} />}
      {data?.data.toReversed().map(({ messageId, direction, body, createdAt }) => (
        <div key={messageId} className={classes['message']} data-direction={direction}>
          <bdi>{body}</bdi>
          <small>
            <Time at={createdAt} />
          </small>
        </div>
      ))}
      <Anchor size="sm" href={`/console/${projectId}/${environmentId}/all/${threadId}`}>
        {texts.toConsole}
      </Anchor>
    </div>
  );
}
