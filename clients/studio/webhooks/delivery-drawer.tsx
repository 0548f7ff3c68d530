/** One delivery: the event it carries, each attempt with its answer, and sending it again. */
import { Code, Drawer, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { WebhookDelivery } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { Json } from '../parts/json.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Attempts } from './attempts.tsx';
import { ReplayDelivery } from './replay-delivery.tsx';

/** Milliseconds. */
const refreshMs = 2_000;

interface DeliveryDrawerProps {
  readonly deliveryId: string;
  readonly onClose: () => void;
}

export function DeliveryDrawer({ deliveryId, onClose }: DeliveryDrawerProps) {
  const texts = useTexts().webhooks.deliveries;
  const { close, loading } = useKitTexts().shell;
  const { client } = useTenant();
  const { data: delivery, error } = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: () => client.deliveries.get(deliveryId),
    refetchInterval: refreshMs,
  });
  return (
    <Drawer
      opened
      onClose={onClose}
      title={delivery?.eventName ?? texts.delivery}
      closeButtonProps={{ 'aria-label': close }}
    >
      {error !== null && <ErrorNote error={error} />}
      {delivery === undefined && error === null && <Text size="sm">{loading}</Text>}
      {delivery !== undefined && <Content delivery={delivery} />}
    </Drawer>
  );
}

function Content({ delivery }: { readonly delivery: WebhookDelivery }) {
  const texts = useTexts().webhooks.deliveries;
  const { client, mayWrite } = useTenant();
  const { deliveryId, eventId, status } = delivery;
  const { data: event } = useQuery({
    queryKey: ['event', eventId],
    queryFn: () => client.events.get(eventId ?? ''),
    enabled: eventId != null,
    staleTime: Infinity,
  });
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [texts.status, <State key="status" of={status} label={texts.states[status]} />],
          [texts.created, <Time key="created" at={delivery.createdAt} />],
          [texts.next, <Time key="next" at={delivery.nextAttemptAt} />],
          ['ID', <Code key="id">{deliveryId}</Code>],
        ]}
      />
      {mayWrite && <ReplayDelivery key={deliveryId} delivery={delivery} />}
      <Attempts delivery={delivery} />
      {event !== undefined && (
        <section aria-label={texts.payload}>
          <Text fw={600} size="sm" mb={6}>
            {texts.payload}
          </Text>
          <Json label={texts.payload} value={event} />
        </section>
      )}
    </Stack>
  );
}
