/** Gives a key a new secret; the old one works for a while longer, so that nothing stops meanwhile. */
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { ApiKey, RotatedApiKey } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Secret } from '../parts/secret.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Grace } from './grace.tsx';

interface RotateKeyProps {
  readonly apiKey: ApiKey;
  readonly onRotated: () => void;
  readonly onClose: () => void;
}

/** In seconds. */
const graces = ['0', '300', '3600', '86400'] as const;

export function RotateKey({ apiKey, onRotated, onClose }: RotateKeyProps) {
  const texts = useTexts().keys;
  const { close } = useKitTexts().shell;
  const { client } = useTenant();
  const [seconds, setSeconds] = useState<string>('3600');
  const [rotated, setRotated] = useState<RotatedApiKey>();
  const { isRunning, error, submit } = useSubmit(async () => {
    const gracePeriodSeconds = Number(seconds);
    setRotated(await client.apiKeys.rotate(apiKey.apiKeyId, { gracePeriodSeconds }));
    onRotated();
  });
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={rotated === undefined}
      title={texts.rotateTitle(apiKey.name)}
      closeButtonProps={{ 'aria-label': close }}
    >
      {rotated === undefined ? (
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Text size="sm">{texts.rotateHint}</Text>
            <Select
              label={texts.gracePeriod}
              allowDeselect={false}
              value={seconds}
              onChange={value => setSeconds(value ?? '300')}
              data={graces.map(value => ({ value, label: texts.graces[value] }))}
            />
            {error !== undefined && <ErrorNote error={error} />}
            <Group justify="flex-end">
              <Button type="submit" loading={isRunning}>
                {texts.rotate}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="sm">
          <Secret about={texts.secretOnce} secret={rotated.newKey.secret} />
          {rotated.rotationGraceExpiresAt != null && (
            <Grace until={rotated.rotationGraceExpiresAt} onEnd={onRotated} />
          )}
          <Group justify="flex-end">
            <Button onClick={onClose}>{texts.done}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
