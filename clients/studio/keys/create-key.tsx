/** Makes an API key, and shows its secret once. */
import { Checkbox, Group, SegmentedControl, Select } from '@mantine/core';
import { useState } from 'react';
import type { CreatedApiKey } from '../../sdk/index.ts';
import { dayMs } from '../parts/days.ts';
import { DialogForm } from '../parts/dialog.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { NameField } from '../parts/name-field.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Snippet } from './snippet.tsx';
import { administratorScopes, findPreset, presets, type PresetName, type Scope, scopes } from './scopes.ts';

interface CreateKeyProps {
  readonly onCreated: (key: CreatedApiKey) => void;
  readonly onClose: () => void;
}

/** Days after which a key ends; none: never. */
const lifetimes = ['', '30', '90', '365'] as const;

export function CreateKey({ onCreated, onClose }: CreateKeyProps) {
  const texts = useTexts().keys;
  const [created, setCreated] = useState<CreatedApiKey>();
  return (
    <SecretDialog
      title={created === undefined ? texts.create : created.name}
      size="lg"
      secret={created?.secret}
      about={texts.secretOnce}
      done={texts.done}
      onClose={onClose}
      form={
        <KeyForm
          onCreated={key => {
            setCreated(key);
            onCreated(key);
          }}
        />
      }
    >
      <Snippet />
    </SecretDialog>
  );
}

function KeyForm({ onCreated }: { readonly onCreated: (key: CreatedApiKey) => void }) {
  const texts = useTexts().keys;
  const { client, isProduction, mayAdminister } = useTenant();
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState<'test' | 'live'>(isProduction ? 'live' : 'test');
  const [chosen, setChosen] = useState<readonly Scope[]>(presets.conversations);
  const [lifetime, setLifetime] = useState('');
  const create = async (): Promise<void> => {
    const expiresAt =
      lifetime === '' ? undefined : new Date(Date.now() + Number(lifetime) * dayMs).toISOString();
    onCreated(await client.apiKeys.create({ name: name.trim(), environment, scopes: chosen, expiresAt }));
  };
  return (
    <DialogForm action={texts.create} isReady={name.trim() !== '' && chosen.length > 0} run={create}>
      <NameField label={texts.name} description={texts.nameHint} value={name} onChange={setName} />
      <SegmentedControl
        size="xs"
        aria-label={texts.environment}
        value={environment}
        onChange={value => setEnvironment(value === 'live' ? 'live' : 'test')}
        data={(['test', 'live'] as const).map(value => ({ value, label: texts.environments[value] }))}
      />
      <Select
        label={texts.preset}
        allowDeselect={false}
        value={findPreset(chosen) ?? 'own'}
        onChange={value => value !== null && value !== 'own' && setChosen(presets[value as PresetName])}
        data={[
          ...(Object.keys(presets) as PresetName[]).map(value => ({ value, label: texts.presets[value] })),
          { value: 'own', label: texts.ownPreset },
        ]}
      />
      <Checkbox.Group
        label={texts.scopes}
        value={[...chosen]}
        onChange={values => setChosen(values as Scope[])}
      >
        <Group
          gap="xs"
          mt={6}
          style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fill, minmax(9rem, 1fr))' }}
        >
          {scopes.map(scope => (
            <Checkbox
              key={scope}
              size="xs"
              value={scope}
              label={scope}
              disabled={administratorScopes.has(scope) && !mayAdminister}
            />
          ))}
        </Group>
      </Checkbox.Group>
      <Select
        label={texts.expires}
        allowDeselect={false}
        value={lifetime}
        onChange={value => setLifetime(value ?? '')}
        data={lifetimes.map(value => ({
          value,
          label: value === '' ? texts.never : texts.inDays(Number(value)),
        }))}
      />
    </DialogForm>
  );
}
