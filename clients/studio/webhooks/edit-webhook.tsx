/** Changes the name, the address and the events of a webhook. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Stitch } from '../../sdk/index.ts';
import { sendChanges } from '../parts/changed-fields.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { EventPicker } from './event-picker.tsx';

interface EditWebhookProps {
  readonly stitch: Stitch;
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

export function EditWebhook({ stitch, onSaved, onClose }: EditWebhookProps) {
  const texts = useTexts().webhooks;
  const { client } = useTenant();
  // The page goes on reading it.
  const [begun] = useState(stitch);
  const [name, setName] = useState(stitch.name);
  const [url, setUrl] = useState(stitch.webhookUrl ?? '');
  const [eventNames, setEventNames] = useState<readonly string[]>(stitch.eventNames);
  const [isNarrow, setNarrow] = useState(stitch.eventNames.length > 0);
  return (
    <Dialog title={texts.edit} size="lg" onClose={onClose}>
      <DialogForm
        action={texts.save}
        isReady={name.trim() !== '' && url.trim() !== '' && !(isNarrow && eventNames.length === 0)}
        run={async () => {
          const before = toFields(begun.name, begun.webhookUrl ?? '', begun.eventNames);
          await sendChanges(before, toFields(name, url, eventNames), changes =>
            client.stitches.update(begun.stitchId, changes),
          );
          await onSaved();
          onClose();
        }}
      >
        <TextInput
          label={texts.name}
          required
          maxLength={256}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
        <TextInput
          label={texts.url}
          type="url"
          required
          maxLength={2_048}
          value={url}
          onChange={event => setUrl(event.currentTarget.value)}
        />
        <EventPicker chosen={eventNames} onChange={setEventNames} isNarrow={isNarrow} onNarrow={setNarrow} />
      </DialogForm>
    </Dialog>
  );
}

const toFields = (name: string, url: string, eventNames: readonly string[]) => ({
  name: name.trim(),
  webhookUrl: url.trim(),
  eventNames,
});
