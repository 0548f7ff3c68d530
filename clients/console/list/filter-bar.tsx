/** The head of a list: which queue it is, and what it is narrowed down to. */
import { ActionIcon, Pill, Popover } from '@mantine/core';
import { ListFilter } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { getApplicable, isCounted, type QueueName, type ThreadFilters } from '../live/queues.ts';
import { usePageCommands } from '../shell/page-commands.ts';
import { useTexts } from '../texts/index.ts';
import { KeepFilter } from './keep-filter.tsx';
import { type FilterLabels, useFilterLabels } from './use-filter-labels.ts';
import classes from './filter-bar.module.css';

// Not of the first load: what they are made of is large.
const FilterFields = lazyPart(() => import('./filter-fields.tsx'));

interface FilterBarProps {
  readonly title: string;
  readonly queue: QueueName;
  readonly filters: ThreadFilters;
  readonly onChange: (filters: ThreadFilters) => void;
  /** Beside the title. */
  readonly children?: ReactNode;
}

export function FilterBar(props: FilterBarProps) {
  const { title, queue, onChange, children } = props;
  // An address may have others, which say nothing here.
  const filters = getApplicable(queue, props.filters);
  const { q: _words, ...narrowing } = filters;
  const texts = useTexts().list;
  const labels = useFilterLabels();
  const shown = Object.entries(narrowing).flatMap(([name, values]) =>
    (Array.isArray(values) ? (values as string[]) : ['']).map(value => ({ name, value })),
  );
  const remove = (name: string, value: string): void => {
    const values = (filters[name as 'tag'] ?? []) as readonly string[];
    const rest = Array.isArray(values) ? values.filter(each => each !== value) : [];
    onChange({ ...filters, [name]: rest.length === 0 ? undefined : rest });
  };
  return (
    <div className={classes['bar']}>
      <div className={classes['line']}>
        <h2 className={classes['title']}>{title}</h2>
        {children}
        {isCounted(queue) && <KeepFilter queue={queue} filters={filters} />}
        <FilterMenu {...props} filters={filters} labels={labels} />
      </div>
      {shown.length > 0 && (
        <div className={classes['pills']}>
          {shown.map(({ name, value }) => (
            <Pill
              key={`${name}-${value}`}
              size="xs"
              withRemoveButton
              removeButtonProps={{ 'aria-label': texts.removeFilter, 'aria-hidden': false, tabIndex: 0 }}
              onRemove={() => remove(name, value)}
            >
              {labels.describe(name, value)}
            </Pill>
          ))}
        </div>
      )}
    </div>
  );
}

function FilterMenu({
  queue,
  filters,
  onChange,
  labels,
}: FilterBarProps & { readonly labels: FilterLabels }) {
  const texts = useTexts().list;
  const [isOpen, setOpen] = useState(false);
  usePageCommands([{ id: 'filter', key: 'F', label: texts.filter, run: () => setOpen(true) }]);
  return (
    <Popover
      position="bottom-end"
      width={280}
      shadow="md"
      trapFocus
      returnFocus
      opened={isOpen}
      onChange={setOpen}
    >
      <Popover.Target>
        <ActionIcon aria-label={texts.filter} onClick={() => setOpen(!isOpen)}>
          <ListFilter size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense>
          <FilterFields queue={queue} filters={filters} labels={labels} onChange={onChange} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
