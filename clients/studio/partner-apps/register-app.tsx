/** Registers an app of the chat provider, and shows its verify token once. */
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { CreatedPartnerAppCredential } from '../../sdk/index.ts';
import { toMetadata } from '../channels/chatapp/signup-config.ts';
import { getRedirectUri } from '../channels/chatapp/signup.ts';
import { DialogForm } from '../parts/dialog.tsx';
import { NameField } from '../parts/name-field.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Copyable } from '../parts/secret.tsx';
import { useWorkspace } from '../shell/workspace.tsx';
import { texts } from '../texts/partner-apps.ts';
import { AppSecretInput } from './rotate-app-secret.tsx';

interface RegisterAppProps {
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

export function RegisterApp({ onDone, onClose }: RegisterAppProps) {
  const [created, setCreated] = useState<CreatedPartnerAppCredential>();
  return (
    <SecretDialog
      title={created === undefined ? texts.create : created.name}
      size="lg"
      secret={created?.verifyToken}
      about={texts.made.about}
      done={texts.made.done}
      onClose={onClose}
      form={
        <RegisterForm
          onCreated={app => {
            setCreated(app);
            void onDone();
          }}
        />
      }
    >
      <div>
        <Text size="sm" mb={4}>
          {texts.made.redirectUri}
        </Text>
        <Copyable label={texts.made.copyRedirect} text={getRedirectUri()} />
      </div>
      <div>
        <Text size="sm" mb={4}>
          {texts.made.webhookUrl}
        </Text>
        <Copyable label={texts.made.copyWebhookUrl} text={created?.webhookUrl ?? ''} />
      </div>
    </SecretDialog>
  );
}

function RegisterForm({ onCreated }: { readonly onCreated: (app: CreatedPartnerAppCredential) => void }) {
  const { workspaceId } = useWorkspace();
  const [name, setName] = useState('');
  const [appId, setAppId] = useState('');
  const [appSecret, setAppSecret] = useState('');
  const [configId, setConfigId] = useState('');
  const create = async (): Promise<void> => {
    onCreated(
      await skein.partnerApps.create({
        workspaceId,
        name: name.trim(),
        appId: appId.trim(),
        appSecret,
        metadata: toMetadata(configId),
      }),
    );
  };
  return (
    <DialogForm
      action={texts.create}
      isReady={name.trim() !== '' && appId.trim() !== '' && appSecret !== ''}
      run={create}
    >
      <NameField
        label={texts.name}
        description={texts.form.nameHint}
        maxLength={128}
        value={name}
        onChange={setName}
      />
      <TextInput
        label={texts.appId}
        description={texts.form.appIdHint}
        required
        maxLength={128}
        value={appId}
        onChange={event => setAppId(event.currentTarget.value)}
      />
      <AppSecretInput value={appSecret} onChange={setAppSecret} />
      <TextInput
        label={texts.form.config}
        description={texts.form.configHint}
        inputMode="numeric"
        maxLength={64}
        value={configId}
        onChange={event => setConfigId(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
