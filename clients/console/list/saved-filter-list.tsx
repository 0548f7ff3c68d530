/** The operator's saved filters, below the queues. */
import { ActionIcon, Menu, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Bookmark, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConversing } from '../thread/conversations-context.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useTexts } from '../texts/index.ts';
import { isRefusedName, mostOfName, type SavedFilter } from './saved-filters.ts';
import classes from './saved-filter-list.module.css';
import { type SavedFilters, useSavedFilters } from './use-saved-filters.ts';

interface SavedFilterListProps {
  /** The one whose threads are listed. */
  readonly shown: string | undefined;
  /** Of a row, as the queues have it. */
  readonly rowClass: string | undefined;
  readonly nameClass: string | undefined;
  readonly onChosen?: (() => void) | undefined;
}

export function SavedFilterList({ shown, ...rest }: SavedFilterListProps) {
  const texts = useTexts().list;
  const kept = useSavedFilters();
  const [renamed, setRenamed] = useState<string>();
  if (kept.saved.length === 0) return null;
  return (
    <section aria-label={texts.savedFilters}>
      <h2 className={classes['heading']}>{texts.savedFilters}</h2>
      <ul className={classes['list']}>
        {kept.saved.map(each => (
          <li key={each.name} className={classes['item']}>
            {renamed === each.name ? (
              <Rename kept={kept} filter={each} onDone={() => setRenamed(undefined)} />
            ) : (
              <Row
                {...rest}
                filter={each}
                isShown={each.name === shown}
                onRename={() => setRenamed(each.name)}
                onRemove={kept.remove}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface RowProps extends Omit<SavedFilterListProps, 'shown'> {
  readonly filter: SavedFilter;
  readonly isShown: boolean;
  readonly onRename: () => void;
  readonly onRemove: SavedFilters['remove'];
}

function Row({ filter, isShown, rowClass, nameClass, onChosen, onRename, onRemove }: RowProps) {
  const texts = useTexts().list;
  const { projectId, environmentId } = useConversing();
  const { run, problem } = useAction();
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Link
        className={rowClass}
        to="/$projectId/$environmentId/$queue"
        params={{ projectId, environmentId, queue: filter.queue }}
        search={filter.filters}
        aria-current={isShown ? 'page' : undefined}
        onClick={onChosen}
      >
        <Bookmark size={16} strokeWidth={1.7} aria-hidden />
        <bdi className={nameClass} title={filter.name}>
          {filter.name}
        </bdi>
      </Link>
      <Menu position="bottom-end" shadow="md" withinPortal={false} onClose={() => setAsked(false)}>
        <Menu.Target>
          <ActionIcon size="sm" className={classes['more']} aria-label={texts.changeSaved(filter.name)}>
            <Ellipsis size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={14} />} onClick={onRename}>
            {texts.renameSaved}
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<Trash2 size={14} />}
            // The second click does it.
            closeMenuOnClick={isAsked}
            onClick={() => (isAsked ? void run(() => onRemove(filter)) : setAsked(true))}
          >
            {isAsked ? texts.confirmRemoveSaved : texts.removeSaved}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {problem !== undefined && (
        <span role="alert" className={classes['problem']}>
          {problem}
        </span>
      )}
    </>
  );
}

interface RenameProps {
  readonly kept: SavedFilters;
  readonly filter: SavedFilter;
  readonly onDone: () => void;
}

function Rename({ kept, filter, onDone }: RenameProps) {
  const texts = useTexts().list;
  const { isRunning, problem, run } = useAction();
  const [written, setWritten] = useState(filter.name);
  const name = written.trim();
  const isTaken = name !== filter.name && kept.saved.some(each => each.name === name);
  const isRefused = isRefusedName(name);
  const save = async (): Promise<void> => {
    if (isTaken || isRefused || isRunning) return;
    if (name === '' || name === filter.name) onDone();
    else if (await run(() => kept.rename(filter, name))) onDone();
  };
  return (
    <form
      className={classes['rename']}
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <TextInput
        size="xs"
        dir="auto"
        data-autofocus
        autoFocus
        aria-label={texts.filterName}
        maxLength={mostOfName}
        value={written}
        error={isTaken ? texts.nameTaken : isRefused ? texts.badName : problem}
        onChange={event => setWritten(event.currentTarget.value)}
        onKeyDown={event => event.key === 'Escape' && onDone()}
        onBlur={() => void save()}
      />
    </form>
  );
}
