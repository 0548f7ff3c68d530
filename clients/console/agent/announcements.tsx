/** Tells a screen reader what comes while the conversation is open: a suggestion, a tool that waits for a person, a message that did not arrive. */
import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../texts/index.ts';
import type { Names } from '../thread/names.tsx';
import type { ThreadState } from '../thread/thread-state.ts';

interface AnnouncementsProps {
  readonly state: ThreadState;
  readonly names: Names;
}

const findFailed = ({ entries }: ThreadState): readonly string[] =>
  entries.flatMap(entry =>
    entry.kind === 'message' && entry.message.status === 'failed' ? [entry.message.messageId] : [],
  );

/** What was there when it was opened is read with the rest of the page. */
export function Announcements({ state, names }: AnnouncementsProps) {
  const texts = useTexts().thread.agent.announced;
  const { activity } = state;
  const { suggestion, waitingCalls, runs } = activity;
  const [known, setKnown] = useState<ReadonlySet<string>>();
  const pending = suggestion?.suggestion.status === 'pending' ? suggestion.agentRunId : undefined;
  const failed = findFailed(state);
  if (known === undefined && state.phase === 'ready' && state.knowsRuns)
    setKnown(
      new Set([
        ...(pending === undefined ? [] : [pending]),
        ...waitingCalls.map(each => each.callId),
        ...failed,
      ]),
    );
  const isNew = (id: string): boolean => known !== undefined && !known.has(id);
  const call = waitingCalls.find(({ callId }) => isNew(callId));
  return (
    <>
      <VisuallyHidden aria-live="polite">
        {pending !== undefined && isNew(pending) && texts.suggestion(names.agent(runs.get(pending)?.agentId))}
      </VisuallyHidden>
      <VisuallyHidden aria-live="polite">{call !== undefined && texts.tool(call.name ?? '')}</VisuallyHidden>
      <VisuallyHidden aria-live="polite">{failed.some(isNew) && texts.failed}</VisuallyHidden>
    </>
  );
}
