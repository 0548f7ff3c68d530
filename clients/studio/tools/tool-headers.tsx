/** Headers that go with every call of a tool. Values are sealed: what is there already is shown as the server shows it, and stays if it is left so. */
import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useTexts } from '../texts/index.ts';
import type { ToolHeader } from './tool-fields.ts';

interface ToolHeadersProps {
  readonly headers: readonly ToolHeader[];
  readonly onChange: (headers: readonly ToolHeader[]) => void;
}

export function ToolHeaders({ headers, onChange }: ToolHeadersProps) {
  const texts = useTexts().tools;
  const set = (index: number, changed: Partial<ToolHeader>): void =>
    onChange(headers.map((header, at) => (at === index ? { ...header, ...changed } : header)));
  return (
    <Stack gap={6} role="group" aria-label={texts.headers}>
      <div>
        <Text size="sm" fw={500}>
          {texts.headers}
        </Text>
        <Text size="xs" c="dimmed">
          {texts.headersHint}
        </Text>
      </div>
      {headers.map(({ name, value }, index) => (
        // Rows have nothing else that they are known by, and keep their order.
        <Group key={index} gap={6} wrap="nowrap">
          <TextInput
            aria-label={texts.headerName(index + 1)}
            placeholder="X-Shop"
            w={180}
            maxLength={256}
            value={name}
            onChange={event => set(index, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={texts.headerValue(index + 1)}
            style={{ flex: 1 }}
            autoComplete="off"
            maxLength={4_096}
            value={value}
            onChange={event => set(index, { value: event.currentTarget.value })}
          />
          <ActionIcon
            aria-label={texts.removeHeader(index + 1)}
            onClick={() => onChange(headers.filter((_, at) => at !== index))}
          >
            <X size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<Plus size={14} />}
          onClick={() => onChange([...headers, { name: '', value: '' }])}
        >
          {texts.addHeader}
        </Button>
      </Group>
    </Stack>
  );
}
