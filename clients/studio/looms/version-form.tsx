/** A version of instructions to be written: prompt and rules, model, tools, and how freely it answers. */
import {
  Group,
  MultiSelect,
  NumberInput,
  Select,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { providers, type VersionFields } from './version-fields.ts';

const CodeEditor = lazyPart(() => import('../editor/code-editor.tsx'));

/** More than a choice can hold. */
const mostChoices = 500;

export function useTools() {
  const { client, environmentId } = useTenant();
  return useQuery({
    queryKey: ['tools', environmentId, 'all'],
    queryFn: () => client.tools.list({ limit: 100 }).toArray(mostChoices),
  });
}

interface VersionFormProps {
  readonly fields: VersionFields;
  readonly onChange: (fields: VersionFields) => void;
}

export function VersionForm({ fields, onChange }: VersionFormProps) {
  const texts = useTexts().looms;
  const { data: tools = [] } = useTools();
  const set = (changed: Partial<VersionFields>): void => onChange({ ...fields, ...changed });
  return (
    <Stack gap="md">
      <div>
        <Text size="sm" fw={500} mb={4}>
          {texts.fields.systemPrompt}
        </Text>
        <Suspense fallback={<Skeleton h={140} />}>
          <CodeEditor
            label={texts.fields.systemPrompt}
            language="markdown"
            initial={fields.systemPrompt}
            onChange={systemPrompt => set({ systemPrompt })}
          />
        </Suspense>
      </div>
      <Textarea
        label={texts.fields.rules}
        description={texts.rulesHint}
        autosize
        minRows={2}
        maxRows={10}
        value={fields.rules}
        onChange={event => set({ rules: event.currentTarget.value })}
      />
      <ModelFields fields={fields} onChange={onChange} />
      <MultiSelect
        label={texts.fields.toolIds}
        searchable
        value={[...fields.toolIds]}
        onChange={toolIds => set({ toolIds })}
        data={tools.map(({ toolId, name }) => ({ value: toolId, label: name }))}
      />
      <Group grow align="flex-end">
        <Select
          label={texts.fields.mode}
          placeholder={texts.agentsMode}
          clearable
          value={fields.mode}
          onChange={value => set({ mode: value as VersionFields['mode'] })}
          data={(['auto', 'suggest', 'paused'] as const).map(value => ({ value, label: texts.modes[value] }))}
        />
        <NumberInput
          label={texts.fields.temperature}
          placeholder={texts.providersDefault}
          min={0}
          max={2}
          step={0.1}
          value={fields.temperature ?? ''}
          onChange={value => set({ temperature: value === '' ? null : Number(value) })}
        />
        <NumberInput
          label={texts.fields.maxTokens}
          placeholder={texts.providersDefault}
          min={1}
          allowDecimal={false}
          value={fields.maxTokens ?? ''}
          onChange={value => set({ maxTokens: value === '' ? null : Number(value) })}
        />
      </Group>
    </Stack>
  );
}

/** The model, and whose key pays for it. */
function ModelFields({ fields, onChange }: VersionFormProps) {
  const texts = useTexts().looms;
  const { client, environmentId } = useTenant();
  const { data: credentials = [] } = useQuery({
    queryKey: ['credentials', environmentId, 'all'],
    queryFn: () => client.byokCredentials.list({ limit: 100 }).toArray(mostChoices),
  });
  const set = (changed: Partial<VersionFields>): void => onChange({ ...fields, ...changed });
  const usable = credentials.filter(each => each.provider === fields.provider && each.status !== 'revoked');
  return (
    <Group grow align="flex-end">
      <Select
        label={texts.fields.provider}
        allowDeselect={false}
        value={fields.provider}
        onChange={value =>
          set({
            provider: providers.find(each => each === value) ?? fields.provider,
            byokCredentialId: null,
          })
        }
        data={providers.map(value => ({ value, label: texts.providers[value] }))}
      />
      <TextInput
        label={texts.fields.model}
        required
        placeholder="gpt-4o-mini"
        maxLength={256}
        value={fields.model}
        onChange={event => set({ model: event.currentTarget.value })}
      />
      <Select
        label={texts.fields.byokCredentialId}
        placeholder={texts.serverKey}
        clearable
        value={fields.byokCredentialId}
        onChange={byokCredentialId => set({ byokCredentialId })}
        data={usable.map(each => ({ value: each.byokCredentialId, label: each.displayName }))}
      />
    </Group>
  );
}
