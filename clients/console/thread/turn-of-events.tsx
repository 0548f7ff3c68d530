/** Tells the operator what another person has just done to the thread that both look at: taken it, or closed it. */
import { Alert } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../texts/index.ts';
import { useConversing } from './conversations-context.tsx';
import type { ShownEvent } from './history.ts';
import type { Names } from './names.tsx';
import type { ThreadState } from './open-thread.ts';

interface TurnOfEventsProps {
  readonly state: ThreadState;
  readonly names: Names;
}

export function TurnOfEvents({ state, names }: TurnOfEventsProps) {
  const texts = useTexts().thread;
  const { userId } = useConversing();
  const [seen, setSeen] = useState(state.lastSequence);
  const event = state.entries.findLast(
    entry => entry.kind === 'event' && (entry.event.data.sequence ?? 0) > seen && isTold(entry.event),
  );
  if (event?.kind !== 'event' || event.event.data.actor?.id === userId) return null;
  const text = describeTurn(event.event);
  if (text === undefined) return null;
  return (
    <Alert
      color="blue"
      role="status"
      withCloseButton
      closeButtonLabel={texts.dismiss}
      onClose={() => setSeen(event.event.data.sequence ?? 0)}
    >
      <bdi>{text}</bdi>
    </Alert>
  );

  function describeTurn(told: ShownEvent): string | undefined {
    const by = names.actor(told.data.actor);
    if (told.eventName === 'thread.status.changed' && told.data.thread.status === 'closed')
      return texts.header.closedBy(by);
    if (told.eventName !== 'thread.assignment.changed') return undefined;
    const { assigneeUserId } = told.data.thread;
    return assigneeUserId == null ? undefined : texts.header.takenOver(by, names.person(assigneeUserId));
  }
}

const isTold = ({ eventName }: ShownEvent): boolean =>
  eventName === 'thread.assignment.changed' || eventName === 'thread.status.changed';
