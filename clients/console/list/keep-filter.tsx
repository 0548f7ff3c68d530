/** Keeps the queue, as it is narrowed down, under a name. */
import { ActionIcon, Button, Popover, Stack, TextInput } from '@mantine/core';
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import type { CountedQueueName, ThreadFilters } from '../live/queues.ts';
import { useAction } from '../../kit/use-action.ts';
import { useTexts } from '../texts/index.ts';
import { isRefusedName, mostOfName } from './saved-filters.ts';
import { useSavedFilters } from './use-saved-filters.ts';

interface KeepFilterProps {
  readonly queue: CountedQueueName;
  readonly filters: ThreadFilters;
}

export function KeepFilter(props: KeepFilterProps) {
  const texts = useTexts().list;
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover position="bottom-end" width={260} shadow="md" trapFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <ActionIcon aria-label={texts.keepTitle} title={texts.keepTitle} onClick={() => setOpen(!isOpen)}>
          <Bookmark size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Form {...props} onDone={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Form({ queue, filters, onDone }: KeepFilterProps & { readonly onDone: () => void }) {
  const texts = useTexts().list;
  const { saved, keep } = useSavedFilters();
  const { isRunning, problem, run } = useAction();
  const [written, setWritten] = useState('');
  const name = written.trim();
  const isRefused = isRefusedName(name);
  const replaces = saved.some(each => each.name === name);
  const save = async (): Promise<void> => {
    if (await run(() => keep({ name, queue, filters }))) onDone();
  };
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (name !== '' && !isRefused) void save();
      }}
    >
      <Stack gap="xs">
        <TextInput
          size="xs"
          label={texts.filterName}
          dir="auto"
          maxLength={mostOfName}
          value={written}
          error={isRefused ? texts.badName : problem}
          onChange={event => setWritten(event.currentTarget.value)}
        />
        <Button type="submit" size="xs" loading={isRunning} disabled={name === '' || isRefused}>
          {replaces ? texts.replaceFilter : texts.keepFilter}
        </Button>
      </Stack>
    </form>
  );
}
