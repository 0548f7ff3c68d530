/** The fields of the menu by which a list is narrowed down. */
import { Checkbox, MultiSelect, Stack, TagsInput } from '@mantine/core';
import { isApplicable, type QueueName, type ThreadFilters } from '../live/queues.ts';
import { useTexts } from '../texts/index.ts';
import type { FilterLabels } from './use-filter-labels.ts';

interface FilterFieldsProps {
  readonly queue: QueueName;
  readonly filters: ThreadFilters;
  readonly labels: FilterLabels;
  readonly onChange: (filters: ThreadFilters) => void;
}

const common = { size: 'xs', clearable: true, comboboxProps: { withinPortal: false } } as const;

export default function FilterFields({ queue, filters, labels, onChange }: FilterFieldsProps) {
  const texts = useTexts().list;
  const set = (name: keyof ThreadFilters) => (values: readonly string[]) =>
    onChange({ ...filters, [name]: values.length === 0 ? undefined : values });
  return (
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
  );
}
