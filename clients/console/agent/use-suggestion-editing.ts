import { useState } from 'react';
import { useTypingSignal } from '../composer/use-typing-signal.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { SuggestionCardProps } from './agent-panel-props.ts';

/** What the operator does with a suggestion. */
export type Mode = 'shown' | 'editing' | 'discarding';

/** What the operator makes of the suggestion, or why they discard it: kept under it until it is sent, given up or ended. */
export function useEditing({ open, shown }: SuggestionCardProps) {
  const { drafts } = useConversing();
  const typing = useTypingSignal(open.threadId);
  const { agentRunId, body } = shown;
  const kept = drafts.getText(agentRunId, 'suggestion');
  const [why, setWhy] = useState(drafts.getText(agentRunId, 'reason'));
  const [mode, setMode] = useState<Mode>(kept !== '' ? 'editing' : why !== '' ? 'discarding' : 'shown');
  const [wasEntered, setEntered] = useState(false);
  const [edited, setEdited] = useState(kept === '' ? body : kept);
  // An editor that was emptied is still one.
  const keep = (text: string): void => drafts.setText(agentRunId, 'suggestion', text === '' ? ' ' : text);
  const forget = (): void => {
    drafts.setText(agentRunId, 'suggestion', '');
    typing.stop();
  };
  const giveReason = (text: string): void => {
    setWhy(text);
    drafts.setText(agentRunId, 'reason', text);
  };
  return {
    mode,
    /** The operator has begun it since the conversation was opened. What is kept of an earlier time takes no keys that are meant for the list. */
    wasEntered,
    edited,
    why,
    giveReason,
    keep,
    forget,
    edit: (text: string): void => {
      setEdited(text);
      keep(text);
      typing.typed();
    },
    changeMode: (chosen: Mode): void => {
      if (mode === 'editing') {
        forget();
        setEdited(body);
      }
      if (mode === 'discarding') giveReason('');
      if (chosen === 'editing') keep(body);
      setMode(chosen);
      setEntered(true);
    },
  };
}
