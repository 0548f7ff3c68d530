/** Tells the operator what another person has just done to the thread that both look at: taken it, or closed it. */
import { Alert } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../texts/index.ts';
import { useConversing } from './conversations-context.tsx';
import type { TurnEvent } from './history.ts';
import type { Names } from './names.tsx';
import type { ThreadState } from './thread-state.ts';

interface TurnOfEventsProps {
  readonly state: ThreadState;
  readonly names: Names;
}

export function TurnOfEvents({ state, names }: TurnOfEventsProps) {
  const texts = useTexts().thread;
  const { userId } = useConversing();
  const [seen, setSeen] = useState(state.lastSequence);
  const { lastTurn } = state;
  const sequence = lastTurn?.data.sequence ?? 0;
  if (lastTurn === undefined || sequence <= seen || lastTurn.data.actor?.id === userId) return null;
  const text = describeTurn(lastTurn);
  if (text === undefined) return null;
  return (
    <Alert
      color="blue"
      role="status"
      withCloseButton
      closeButtonLabel={texts.dismiss}
      onClose={() => setSeen(sequence)}
    >
      <bdi>{text}</bdi>
    </Alert>
  );

  function describeTurn({ eventName, data }: TurnEvent): string | undefined {
    const by = names.actor(data.actor);
    const { status, assigneeUserId } = data.thread;
    if (eventName === 'thread.status.changed')
      return status === 'closed' ? texts.header.closedBy(by) : undefined;
    return assigneeUserId == null ? undefined : texts.header.takenOver(by, names.person(assigneeUserId));
  }
}
