/** What the operator can decide about a suggestion, while it is read, edited or being discarded. */
import { Button } from '@mantine/core';
import { useTexts } from '../texts/index.ts';
import type { Mode } from './use-suggestion-editing.ts';

interface DecisionsProps {
  readonly mayAnswer: boolean;
  readonly mode: Mode;
  readonly onMode: (mode: Mode) => void;
  readonly isRunning: boolean;
  readonly canSend: boolean;
  readonly onApprove: () => void;
  readonly onSendEdited: () => void;
  readonly onDiscard: () => void;
}

export function Decisions(props: DecisionsProps) {
  const { mayAnswer, mode, onMode, isRunning, canSend, onApprove, onSendEdited, onDiscard } = props;
  const texts = useTexts().thread.agent;
  if (mode === 'shown')
    return (
      <>
        <Button size="compact-sm" disabled={!mayAnswer} loading={isRunning} onClick={onApprove}>
          {texts.approve}
        </Button>
        <Button size="compact-sm" variant="default" disabled={!mayAnswer} onClick={() => onMode('editing')}>
          {texts.edit}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          disabled={!mayAnswer}
          onClick={() => onMode('discarding')}
        >
          {texts.discard}
        </Button>
      </>
    );
  return (
    <>
      {mode === 'editing' ? (
        <Button
          size="compact-sm"
          loading={isRunning}
          disabled={!canSend || !mayAnswer}
          onClick={onSendEdited}
        >
          {texts.sendEdited}
        </Button>
      ) : (
        <Button size="compact-sm" color="red.8" loading={isRunning} onClick={onDiscard}>
          {texts.confirmDiscard}
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={() => onMode('shown')}>
        {mode === 'editing' ? texts.cancelEdit : texts.keep}
      </Button>
    </>
  );
}
