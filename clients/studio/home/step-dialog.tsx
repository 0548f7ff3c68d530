/** The dialog of a step. What is shown once stays until its reader closes it, also when its step is done meanwhile. */
import { CreateChannel } from '../channels/create-channel.tsx';
import { CreateKey } from '../keys/create-key.tsx';
import { CreateWebhook } from '../webhooks/create-webhook.tsx';
import { useLook } from './checklist.ts';
import type { DialogName } from './step-dialogs.ts';

export default function StepDialog({
  name,
  onClose,
}: {
  readonly name: DialogName;
  readonly onClose: () => void;
}) {
  const look = useLook();
  switch (name) {
    case 'channel':
      return <CreateChannel onCreated={look} onClose={onClose} />;
    case 'key':
      return <CreateKey onCreated={look} onClose={onClose} />;
    case 'webhook':
      return <CreateWebhook onCreated={look} onClose={onClose} />;
    default:
      return name satisfies never;
  }
}
