/** The fields of a tool: what models read of it, where it is called, and how patiently. */
import {
  Group,
  NumberInput,
  Select,
  Skeleton,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { Suspense } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { NameField } from '../parts/name-field.tsx';
import { useTexts } from '../texts/index.ts';
import { methods, type ToolFields } from './tool-fields.ts';
import { ToolHeaders } from './tool-headers.tsx';

const CodeEditor = lazyPart(() => import('../editor/code-editor.tsx'));

interface ToolFormProps {
  readonly fields: ToolFields;
  readonly onChange: (fields: ToolFields) => void;
}

export function ToolForm({ fields, onChange }: ToolFormProps) {
  const texts = useTexts().tools;
  const set = (changed: Partial<ToolFields>): void => onChange({ ...fields, ...changed });
  return (
    <Stack gap="md">
      <NameField
        label={texts.name}
        description={texts.nameHint}
        maxLength={64}
        value={fields.name}
        onChange={name => set({ name })}
      />
      <Textarea
        label={texts.description}
        description={texts.descriptionHint}
        autosize
        minRows={2}
        maxLength={4_096}
        value={fields.description}
        onChange={event => set({ description: event.currentTarget.value })}
      />
      <Group align="flex-end" wrap="nowrap">
        <Select
          label={texts.method}
          w={110}
          allowDeselect={false}
          value={fields.method}
          onChange={value => set({ method: methods.find(each => each === value) ?? fields.method })}
          data={methods}
        />
        <TextInput
          label={texts.url}
          type="url"
          required
          style={{ flex: 1 }}
          maxLength={2_048}
          value={fields.url}
          onChange={event => set({ url: event.currentTarget.value })}
        />
      </Group>
      <div>
        <Text size="sm" fw={500}>
          {texts.schema}
        </Text>
        <Text size="xs" c="dimmed" mb={4}>
          {texts.schemaHint}
        </Text>
        <Suspense fallback={<Skeleton h={140} />}>
          <CodeEditor
            label={texts.schema}
            language="json"
            initial={fields.inputSchema}
            onChange={inputSchema => set({ inputSchema })}
          />
        </Suspense>
      </div>
      <ToolHeaders headers={fields.headers} onChange={headers => set({ headers })} />
      <Group grow align="flex-end">
        <NumberInput
          label={texts.timeout}
          suffix=" ms"
          min={100}
          allowDecimal={false}
          value={fields.timeoutMs}
          onChange={value => set({ timeoutMs: Number(value) })}
        />
        <NumberInput
          label={texts.attempts}
          min={1}
          allowDecimal={false}
          value={fields.retryMaxAttempts}
          onChange={value => set({ retryMaxAttempts: Number(value) })}
        />
      </Group>
      <Switch
        label={texts.requiresApproval}
        checked={fields.requiresApproval}
        onChange={event => set({ requiresApproval: event.currentTarget.checked })}
      />
    </Stack>
  );
}
