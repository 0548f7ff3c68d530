/** Gives a partner app the secret that it has at the provider now; what is signed with the old one is accepted for a day more. */
import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { PartnerAppCredential } from '../../sdk/index.ts';
import { dayMs } from '../parts/days.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { Grace } from '../parts/grace.tsx';
import { texts } from '../texts/partner-apps.ts';

interface RotateAppSecretProps {
  readonly app: PartnerAppCredential;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

export function RotateAppSecret({ app, onDone, onClose }: RotateAppSecretProps) {
  const [appSecret, setAppSecret] = useState('');
  const [rotatedAt, setRotatedAt] = useState<string>();
  const rotate = async (): Promise<void> => {
    const { updatedAt } = await skein.partnerApps.rotateSecret(app.partnerAppCredentialId, { appSecret });
    setAppSecret('');
    setRotatedAt(updatedAt);
    await onDone();
  };
  return (
    <Dialog title={texts.rotateTitle(app.name)} onClose={onClose}>
      {rotatedAt === undefined ? (
        <DialogForm action={texts.rotate} isReady={appSecret !== ''} run={rotate}>
          <Text size="sm">{texts.rotateHint}</Text>
          <AppSecretInput value={appSecret} onChange={setAppSecret} />
        </DialogForm>
      ) : (
        <Stack gap="md">
          <Alert color="green" role="status">
            {texts.rotated}
            <Grace
              until={new Date(Date.parse(rotatedAt) + dayMs).toISOString()}
              onEnd={() => void onDone()}
            />
          </Alert>
          <Group justify="flex-end">
            <Button onClick={onClose}>{texts.close}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

interface AppSecretInputProps {
  readonly value: string;
  readonly onChange: (secret: string) => void;
}

/** Of the provider: no password manager is to keep it. */
export function AppSecretInput({ value, onChange }: AppSecretInputProps) {
  return (
    <PasswordInput
      label={texts.form.appSecret}
      description={texts.form.appSecretHint}
      required
      autoComplete="off"
      maxLength={4_096}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}
