/** The head of a list: which queue it is, and what it is narrowed down to. */
import { ActionIcon, Checkbox, MultiSelect, Pill, Popover, Stack, TagsInput } from '@mantine/core';
import { ListFilter } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { agentModes } from '../agent/modes.ts';
import {
  getApplicable,
  isApplicable,
  isCounted,
  type QueueName,
  type ThreadFilters,
} from '../live/queues.ts';
import { usePageCommands } from '../shell/page-commands.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import { useNames } from '../thread/names.tsx';
import { useTexts } from '../texts/index.ts';
import { KeepFilter } from './keep-filter.tsx';
import classes from './filter-bar.module.css';

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
  const labels = useLabels();
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

/** The names of what is filtered by. */
function useLabels() {
  const texts = useTexts().list;
  const client = useClient();
  const { projectId, environmentId } = useConversing();
  const names = useNames();
  const { data: channels = [] } = useQuery({
    queryKey: ['channels', projectId, environmentId],
    queryFn: () => client.channels.list({ limit: 100 }).toArray(200),
    staleTime: 300_000,
  });
  const people = [
    { value: 'unassigned', label: texts.unassigned },
    ...names.colleagues.map(({ userId, name }) => ({ value: userId, label: name })),
  ];
  const modes = ([...agentModes, 'none'] as const).map(value => ({
    value,
    label: texts.modes[value],
  }));
  const channelOptions = channels.map(({ channelId, name }) => ({ value: channelId, label: name }));
  const all = new Map([...people, ...modes, ...channelOptions].map(({ value, label }) => [value, label]));
  return {
    people,
    modes,
    channels: channelOptions,
    describe: (name: string, value: string): string =>
      name === 'unread' ? texts.unreadOnly : name === 'tag' ? `#${value}` : (all.get(value) ?? value),
  };
}

function FilterMenu({
  queue,
  filters,
  onChange,
  labels,
}: FilterBarProps & { readonly labels: ReturnType<typeof useLabels> }) {
  const texts = useTexts().list;
  const set = (name: keyof ThreadFilters) => (values: readonly string[]) =>
    onChange({ ...filters, [name]: values.length === 0 ? undefined : values });
  const [isOpen, setOpen] = useState(false);
  usePageCommands([{ id: 'filter', key: 'F', label: texts.filter, run: () => setOpen(true) }]);
  const common = { size: 'xs', clearable: true, comboboxProps: { withinPortal: false } } as const;
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
        <Stack gap="xs">
          <MultiSelect
            {...common}
            label={texts.channel}
            data={labels.channels}
            value={[...(filters.channelId ?? [])]}
            onChange={set('channelId')}
          />
          {isApplicable(queue, 'assigneeUserId') && (
            <MultiSelect
              {...common}
              label={texts.assignee}
              data={labels.people}
              value={[...(filters.assigneeUserId ?? [])]}
              onChange={set('assigneeUserId')}
            />
          )}
          {isApplicable(queue, 'agentMode') && (
            <MultiSelect
              {...common}
              label={texts.mode}
              data={labels.modes}
              value={[...(filters.agentMode ?? [])]}
              onChange={set('agentMode')}
            />
          )}
          <TagsInput {...common} label={texts.tags} value={[...(filters.tag ?? [])]} onChange={set('tag')} />
          <Checkbox
            size="xs"
            label={texts.unreadOnly}
            checked={filters.unread === true}
            onChange={event => onChange({ ...filters, unread: event.currentTarget.checked || undefined })}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
