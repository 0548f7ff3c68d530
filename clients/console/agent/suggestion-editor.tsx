/** The text of a suggestion that is edited, and below it what was changed in it. */
import { Textarea } from '@mantine/core';
import { useMemo } from 'react';
import { useTexts } from '../texts/index.ts';
import { diffWords } from './diff.ts';
import classes from './agent.module.css';

interface SuggestionEditorProps {
  readonly before: string;
  readonly text: string;
  /** Takes the focus when it is opened. */
  readonly takesFocus: boolean;
  readonly onChange: (text: string) => void;
}

export function SuggestionEditor({ before, text, takesFocus, onChange }: SuggestionEditorProps) {
  const texts = useTexts().thread.agent;
  const parts = useMemo(() => diffWords(before, text), [before, text]);
  return (
    <>
      <Textarea
        aria-label={texts.edited}
        autosize
        minRows={2}
        maxRows={8}
        dir="auto"
        autoFocus={takesFocus}
        value={text}
        onChange={event => onChange(event.currentTarget.value)}
      />
      {text !== before && (
        <div className={classes['diff']} role="group" aria-label={texts.changes} dir="auto">
          {parts.map(({ kind, text: part }, index) =>
            kind === 'same' ? (
              part
            ) : kind === 'added' ? (
              <ins key={index}>{part}</ins>
            ) : (
              <del key={index}>{part}</del>
            ),
          )}
        </div>
      )}
    </>
  );
}
