/** A field with a list beneath it: a combobox, whose list the arrow keys walk through while one writes on. */
import { VisuallyHidden } from '@mantine/core';
import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useErrorText } from '../error-texts.ts';
import { isComposing } from '../is-composing.ts';
import { step } from './commands.ts';
import inputClasses from './input.module.css';
import classes from './palette.module.css';

export interface Choice<Group extends string> {
  readonly id: string;
  readonly group: Group;
  readonly content: ReactNode;
  run(): void;
}

export interface ChoiceTexts<Group extends string> {
  readonly placeholder: string;
  readonly results: string;
  readonly groups: Readonly<Record<Group, string>>;
  readonly searching: string;
  readonly nothing: string;
  readonly found: (count: number) => string;
}

interface ChoiceListProps<Group extends string> {
  readonly label: string;
  readonly texts: ChoiceTexts<Group>;
  readonly written: string;
  readonly onWritten: (text: string) => void;
  /** Those of a group stand together. */
  readonly choices: readonly Choice<Group>[];
  readonly isSearching: boolean;
  readonly error: unknown;
}

export function ChoiceList<Group extends string>(props: ChoiceListProps<Group>) {
  const { label, texts, written, onWritten, choices, isSearching, error } = props;
  const problem = useErrorText(error);
  const listId = useId();
  const [chosen, setChosen] = useState<string>();
  // What was chosen may be gone: then the first is.
  const index = Math.max(
    0,
    choices.findIndex(({ id }) => id === chosen),
  );
  const current = choices[index];

  const press = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined;
    if (by !== undefined) setChosen(choices[step(index, by, choices.length)]?.id);
    else if (event.key === 'Enter') current?.run();
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div className={classes['field']} data-searching={isSearching || undefined}>
        <Search size={16} aria-hidden />
        <input
          className={inputClasses['input']}
          // In the same moment as it is shown: of what is typed at once nothing is lost. The dialog looks for the other one, a moment later.
          autoFocus
          data-autofocus
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={current === undefined ? undefined : `${listId}-${current.id}`}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder={texts.placeholder}
          value={written}
          onChange={event => {
            setChosen(undefined);
            onWritten(event.currentTarget.value);
          }}
          onKeyDown={press}
        />
      </div>
      {problem !== undefined && (
        <div role="alert" className={classes['problem']}>
          {problem}
        </div>
      )}
      <Groups listId={listId} texts={texts} choices={choices} current={current?.id} onPoint={setChosen} />
      {choices.length === 0 && (
        <div className={classes['nothing']}>{isSearching ? texts.searching : texts.nothing}</div>
      )}
      <VisuallyHidden role="status">{isSearching ? '' : texts.found(choices.length)}</VisuallyHidden>
    </>
  );
}

interface GroupsProps<Group extends string> {
  readonly listId: string;
  readonly texts: ChoiceTexts<Group>;
  readonly choices: readonly Choice<Group>[];
  readonly current: string | undefined;
  readonly onPoint: (id: string) => void;
}

function Groups<Group extends string>(props: GroupsProps<Group>) {
  const { listId, texts, choices, current, onPoint } = props;
  const groups = Map.groupBy(choices, ({ group }) => group);
  return (
    <div id={listId} role="listbox" aria-label={texts.results} className={classes['list']} tabIndex={-1}>
      {[...groups].map(([group, members]) => (
        <div key={group} role="group" aria-label={texts.groups[group]}>
          <div className={classes['heading']} aria-hidden>
            {texts.groups[group]}
          </div>
          {members.map(choice => (
            <Option
              key={choice.id}
              id={`${listId}-${choice.id}`}
              choice={choice}
              isCurrent={choice.id === current}
              onPoint={onPoint}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly choice: Choice<string>;
  readonly isCurrent: boolean;
  readonly onPoint: (id: string) => void;
}

function Option({ id, choice, isCurrent, onPoint }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isCurrent}
      className={classes['option']}
      onMouseMove={() => onPoint(choice.id)}
      // The focus stays in the field.
      onMouseDown={event => event.preventDefault()}
      onClick={choice.run}
    >
      {choice.content}
    </div>
  );
}
