/** Makes a webhook, and shows the secret of its signatures once. */
import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { StitchWithSecret } from '../../sdk/index.ts';
import { DialogForm } from '../parts/dialog.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { NameField } from '../parts/name-field.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { EventPicker } from './event-picker.tsx';

interface CreateWebhookProps {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function CreateWebhook({ onCreated, onClose }: CreateWebhookProps) {
  const texts = useTexts().webhooks;
  const { projectId, environmentId } = useTenant();
  const navigate = useNavigate();
  const [created, setCreated] = useState<StitchWithSecret>();
  const params = { projectId, environmentId, stitchId: created?.stitch.stitchId ?? '' };
  return (
    <SecretDialog
      title={created === undefined ? texts.create : created.stitch.name}
      size="lg"
      secret={created?.secret}
      about={texts.secretOnce}
      done={texts.toWebhook}
      onDone={() =>
        void navigate({ to: '/$projectId/$environmentId/webhooks/$stitchId', params, search: {} })
      }
      onClose={onClose}
      form={
        <WebhookForm
          onCreated={answer => {
            setCreated(answer);
            onCreated();
          }}
        />
      }
    />
  );
}

function WebhookForm({ onCreated }: { readonly onCreated: (created: StitchWithSecret) => void }) {
  const texts = useTexts().webhooks;
  const { client } = useTenant();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [eventNames, setEventNames] = useState<readonly string[]>([]);
  const [isNarrow, setNarrow] = useState(false);
  return (
    <DialogForm
      action={texts.create}
      isReady={name.trim() !== '' && url.trim() !== '' && !(isNarrow && eventNames.length === 0)}
      run={async () =>
        onCreated(await client.stitches.create({ name: name.trim(), webhookUrl: url.trim(), eventNames }))
      }
    >
      <NameField label={texts.name} value={name} onChange={setName} />
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
    </DialogForm>
  );
}
