/** That a suggestion has ended: who resolved it first, or that the conversation has moved on. */
import { Button } from '@mantine/core';
import { Sparkles } from 'lucide-react';
import type { Message } from '../../sdk/index.ts';
import { splitByNames } from '../../kit/named-parts.ts';
import { Sentence } from '../../kit/sentence.tsx';
import { useTexts } from '../texts/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { ThreadState } from '../thread/thread-state.ts';
import type { SuggestionCardProps } from './agent-panel-props.ts';
import type { ShownSuggestion } from './activity.ts';
import classes from './agent.module.css';

type EndedSuggestionProps = SuggestionCardProps & { readonly onDismiss: () => void };

export function EndedSuggestionNotice({ shown, state, names, onDismiss }: EndedSuggestionProps) {
  const texts = useTexts().thread;
  const { userId } = useConversing();
  const { status, resolvedByUserId } = shown.suggestion;
  // The operator knows what they have done themselves.
  if (resolvedByUserId === userId) return null;
  // Also whoever closes the conversation or pauses its agent ends the suggestion, which the conversation says itself.
  if (status === 'superseded' && !isOvertaken(state, shown.suggestion)) return null;
  return (
    <div className={classes['ended']} role="status">
      <Sparkles size={14} aria-hidden />
      <span>
        <Sentence parts={splitByNames(texts.agent.ended[status], names.person(resolvedByUserId))} />
      </span>
      <Button variant="subtle" color="gray" size="compact-xs" onClick={onDismiss}>
        {texts.dismiss}
      </Button>
    </div>
  );
}

/** Whether it was a message that came after it. */
function isOvertaken(
  { entries, reachesEnd }: ThreadState,
  { basedOnSequence, resolvedAt }: ShownSuggestion['suggestion'],
): boolean {
  const isAfter = ({ sequence = 0, createdAt }: Message): boolean =>
    sequence > basedOnSequence && createdAt <= (resolvedAt ?? '');
  return !reachesEnd || entries.some(entry => entry.kind === 'message' && isAfter(entry.message));
}
