/** A short list above the text that is being written: arrows move in it, Enter or Tab takes one, Escape closes it. */
import type { KeyboardEvent } from 'react';
import classes from './composer.module.css';

export interface Choice {
  readonly id: string;
  readonly name: string;
  /** Shown beside it. */
  readonly hint?: string;
  /** What is put into the text. */
  readonly text: string;
}

interface ChoicesProps {
  readonly id: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly active: number;
  readonly onTake: (choice: Choice) => void;
}

export function Choices({ id, label, choices, active, onTake }: ChoicesProps) {
  return (
    <ul className={classes['choices']} id={id} role="listbox" aria-label={label}>
      {choices.map((choice, index) => (
        <li
          key={choice.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          // The text keeps the focus.
          onMouseDown={event => {
            event.preventDefault();
            onTake(choice);
          }}
        >
          <b>
            <bdi>{choice.name}</bdi>
          </b>
          {choice.hint !== undefined && <span>{choice.hint}</span>}
        </li>
      ))}
    </ul>
  );
}

/** What a key does to the list; undefined: nothing, it is for the text. */
export function moveInChoices(
  { key }: KeyboardEvent,
  active: number,
  count: number,
): { readonly to: number } | 'take' | 'close' | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return { to: (active + 1) % count };
  if (key === 'ArrowUp') return { to: (active + count - 1) % count };
  if (key === 'Enter' || key === 'Tab') return 'take';
  return key === 'Escape' ? 'close' : undefined;
}
