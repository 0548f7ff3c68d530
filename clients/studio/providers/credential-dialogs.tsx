/** What is typed of the key of a model provider: a new one, its name and models, another secret for it. */
import { PasswordInput, Select, TagsInput, Text } from '@mantine/core';
import { useState } from 'react';
import type { ByokCredential } from '../../sdk/index.ts';
import { providers } from '../looms/version-fields.ts';
import { sendChanges } from '../parts/changed-fields.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { defaultGrace, GraceSelect } from '../parts/grace.tsx';
import { NameField } from '../parts/name-field.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

const longestName = 128;
const mostModels = 100;

interface DialogProps {
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

interface CredentialDialogProps extends DialogProps {
  readonly credential: ByokCredential;
}

export function CreateCredential({ onDone, onClose }: DialogProps) {
  const texts = useTexts().credentials;
  const { providers: providerNames } = useTexts().looms;
  const { client } = useTenant();
  const [provider, setProvider] = useState<ByokCredential['provider']>('llm_provider_1');
  const [displayName, setDisplayName] = useState('');
  const [secret, setSecret] = useState('');
  const [modelAllowlist, setModels] = useState<string[]>([]);
  const create = async (): Promise<void> => {
    await client.byokCredentials.create({
      provider,
      displayName: displayName.trim(),
      secret,
      modelAllowlist,
    });
    await onDone();
    onClose();
  };
  return (
    <Dialog title={texts.create} onClose={onClose}>
      <DialogForm action={texts.create} isReady={displayName.trim() !== '' && secret !== ''} run={create}>
        <Select
          label={texts.provider}
          allowDeselect={false}
          value={provider}
          onChange={value => setProvider(providers.find(each => each === value) ?? provider)}
          data={providers.map(value => ({ value, label: providerNames[value] }))}
        />
        <NameField label={texts.name} maxLength={longestName} value={displayName} onChange={setDisplayName} />
        <SecretInput value={secret} onChange={setSecret} />
        <ModelsInput value={modelAllowlist} onChange={setModels} />
      </DialogForm>
    </Dialog>
  );
}

export function EditCredential({ credential, onDone, onClose }: CredentialDialogProps) {
  const texts = useTexts().credentials;
  const { client } = useTenant();
  const [begun] = useState(credential);
  const [displayName, setDisplayName] = useState(begun.displayName);
  const [modelAllowlist, setModels] = useState(begun.modelAllowlist);
  const save = async (): Promise<void> => {
    const before = { displayName: begun.displayName, modelAllowlist: begun.modelAllowlist };
    await sendChanges(before, { displayName: displayName.trim(), modelAllowlist }, changes =>
      client.byokCredentials.update(credential.byokCredentialId, changes),
    );
    await onDone();
    onClose();
  };
  return (
    <Dialog title={texts.editTitle(credential.displayName)} onClose={onClose}>
      <DialogForm action={texts.save} isReady={displayName.trim() !== ''} run={save}>
        <NameField label={texts.name} maxLength={longestName} value={displayName} onChange={setDisplayName} />
        <ModelsInput value={modelAllowlist} onChange={setModels} />
      </DialogForm>
    </Dialog>
  );
}

export function RotateCredential({ credential, onDone, onClose }: CredentialDialogProps) {
  const texts = useTexts().credentials;
  const { client } = useTenant();
  const [secret, setSecret] = useState('');
  const [grace, setGrace] = useState<string>(defaultGrace);
  const rotate = async (): Promise<void> => {
    const gracePeriodSeconds = Number(grace);
    await client.byokCredentials.rotate(credential.byokCredentialId, { secret, gracePeriodSeconds });
    await onDone();
    onClose();
  };
  return (
    <Dialog title={texts.rotateTitle(credential.displayName)} onClose={onClose}>
      <DialogForm action={texts.rotate} isReady={secret !== ''} run={rotate}>
        <Text size="sm">{texts.rotateHint}</Text>
        <SecretInput value={secret} onChange={setSecret} />
        <GraceSelect value={grace} onChange={setGrace} />
      </DialogForm>
    </Dialog>
  );
}

/** Of a provider: no password manager is to keep it. */
function SecretInput({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (secret: string) => void;
}) {
  const texts = useTexts().credentials;
  return (
    <PasswordInput
      label={texts.secret}
      description={texts.secretHint}
      required
      autoComplete="off"
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}

function ModelsInput({
  value,
  onChange,
}: {
  readonly value: string[];
  readonly onChange: (models: string[]) => void;
}) {
  const texts = useTexts().credentials;
  return (
    <TagsInput
      label={texts.models}
      description={texts.modelsHint}
      maxTags={mostModels}
      value={value}
      onChange={onChange}
    />
  );
}
