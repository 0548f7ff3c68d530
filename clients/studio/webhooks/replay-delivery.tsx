/** Sends one delivery again: to its webhook, or to another one, where it is then shown. */
import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../kit/use-action.ts';
import type { WebhookDelivery } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { useWebhooks } from './use-webhooks.ts';
import { WebhookSelect } from './webhook-select.tsx';

export function ReplayDelivery({ delivery }: { readonly delivery: WebhookDelivery }) {
  const texts = useTexts().webhooks.deliveries;
  const { client, projectId, environmentId } = useTenant();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const action = useAction();
  const webhooks = useWebhooks();
  const { deliveryId } = delivery;
  const stitchId = delivery.stitchId ?? '';
  const [target, setTarget] = useState(stitchId);
  const replay = (): Promise<boolean> =>
    action.run(async () => {
      const isOther = target !== stitchId;
      const made = await client.deliveries.replay(deliveryId, isOther ? { targetStitchId: target } : {});
      await queries.invalidateQueries({ queryKey: ['deliveries'] });
      await queries.invalidateQueries({ queryKey: ['delivery', deliveryId] });
      if (!isOther) return;
      const params = { projectId, environmentId, stitchId: target };
      const search = { delivery: made.deliveryId };
      await navigate({ to: '/$projectId/$environmentId/webhooks/$stitchId', params, search });
    });
  return (
    <>
      <Group gap="xs">
        <Button variant="default" loading={action.isRunning} onClick={() => void replay()}>
          {texts.replay}
        </Button>
        {webhooks.length > 1 && (
          <WebhookSelect
            size="xs"
            w={220}
            aria-label={texts.replayTo}
            webhooks={webhooks}
            value={target}
            onChange={setTarget}
          />
        )}
      </Group>
      <ErrorNote error={action.error} />
    </>
  );
}
