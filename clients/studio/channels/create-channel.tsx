/** Makes a channel, and leads to it. */
import { Radio, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../sdk/index.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { NameField } from '../parts/name-field.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

interface CreateChannelProps {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function CreateChannel({ onCreated, onClose }: CreateChannelProps) {
  const texts = useTexts().channels;
  const { client, projectId, environmentId, isProduction } = useTenant();
  const navigate = useNavigate();
  // A sandbox channel has no business in production.
  const kinds: readonly Channel['kind'][] = isProduction
    ? ['chatapp', 'custom']
    : ['sandbox', 'custom', 'chatapp'];
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Channel['kind']>(kinds[0] ?? 'custom');
  const create = async (): Promise<void> => {
    const { channelId } = await client.channels.create({ name: name.trim(), kind });
    onCreated();
    await navigate({
      to: '/$projectId/$environmentId/channels/$channelId',
      params: { projectId, environmentId, channelId },
    });
  };
  return (
    <Dialog title={texts.create} onClose={onClose}>
      <DialogForm action={texts.create} isReady={name.trim() !== ''} run={create}>
        <NameField label={texts.name} value={name} onChange={setName} />
        <Radio.Group label={texts.kind} value={kind} onChange={value => setKind(value as Channel['kind'])}>
          <Stack gap="xs" mt={6}>
            {kinds.map(each => (
              <Radio key={each} value={each} label={texts.kinds[each]} description={texts.kindHints[each]} />
            ))}
          </Stack>
        </Radio.Group>
      </DialogForm>
    </Dialog>
  );
}
