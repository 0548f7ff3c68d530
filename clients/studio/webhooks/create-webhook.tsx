/** Makes a webhook, and shows the secret of its signatures once. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { StitchWithSecret } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Secret } from '../parts/secret.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { EventPicker } from './event-picker.tsx';

interface CreateWebhookProps {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function CreateWebhook({ onCreated, onClose }: CreateWebhookProps) {
  const texts = useTexts().webhooks;
  const { close } = useKitTexts().shell;
  const { projectId, environmentId } = useTenant();
  const navigate = useNavigate();
  const [created, setCreated] = useState<StitchWithSecret>();
  const params = { projectId, environmentId, stitchId: created?.stitch.stitchId ?? '' };
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      // A secret that was not copied is lost.
      closeOnClickOutside={created === undefined}
      title={created === undefined ? texts.create : created.stitch.name}
      closeButtonProps={{ 'aria-label': close }}
    >
      {created === undefined ? (
        <WebhookForm
          onCreated={answer => {
            setCreated(answer);
            onCreated();
          }}
        />
      ) : (
        <Stack gap="md">
          <Secret about={texts.secretOnce} secret={created.secret} />
          <Group justify="flex-end">
            <Button
              onClick={() =>
                void navigate({ to: '/$projectId/$environmentId/webhooks/$stitchId', params, search: {} })
              }
            >
              {texts.toWebhook}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function WebhookForm({ onCreated }: { readonly onCreated: (created: StitchWithSecret) => void }) {
  const texts = useTexts().webhooks;
  const { client } = useTenant();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [eventNames, setEventNames] = useState<readonly string[]>([]);
  const [isNarrow, setNarrow] = useState(false);
  const { isRunning, error, submit } = useSubmit(async () =>
    onCreated(await client.stitches.create({ name: name.trim(), webhookUrl: url.trim(), eventNames })),
  );
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={texts.name}
          required
          data-autofocus
          maxLength={256}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
        <TextInput
          label={texts.url}
          description={texts.urlHint}
          type="url"
          required
          placeholder="https://example.com/webhooks"
          maxLength={2_048}
          value={url}
          onChange={event => setUrl(event.currentTarget.value)}
        />
        <EventPicker chosen={eventNames} onChange={setEventNames} isNarrow={isNarrow} onNarrow={setNarrow} />
        {error !== undefined && <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={isRunning}
            disabled={name.trim() === '' || url.trim() === '' || (isNarrow && eventNames.length === 0)}
          >
            {texts.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
