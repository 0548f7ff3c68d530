import { useState } from 'react';
import { useTypingSignal } from '../composer/use-typing-signal.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { SuggestionCardProps } from './agent-panel-props.ts';

/** What the operator does with a suggestion. */
export type Mode = 'shown' | 'editing' | 'discarding';

/** What the operator makes of the suggestion, kept under it until it is sent, given up or ended. */
export function useEditing({ open, shown }: SuggestionCardProps) {
  const { drafts } = useConversing();
  const typing = useTypingSignal(open.threadId);
  const { agentRunId, body } = shown;
  const kept = drafts.getText(agentRunId, 'suggestion');
  const [mode, setMode] = useState<Mode>(kept === '' ? 'shown' : 'editing');
  const [edited, setEdited] = useState(kept === '' ? body : kept);
  // An editor that was emptied is still one.
  const keep = (text: string): void => drafts.setText(agentRunId, 'suggestion', text === '' ? ' ' : text);
  const forget = (): void => {
    drafts.setText(agentRunId, 'suggestion', '');
    typing.stop();
  };
  return {
    mode,
    edited,
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
      if (chosen === 'editing') keep(body);
      setMode(chosen);
    },
  };
}
