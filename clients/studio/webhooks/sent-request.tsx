/** What an attempt has sent, but for its body, which is the event. */
import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeliveryAttempt } from '../../sdk/index.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { type SentDelivery, toRequestHeaders } from './request-headers.ts';

interface SentRequestProps {
  readonly delivery: SentDelivery;
  readonly stitchId: string;
  readonly attempt: DeliveryAttempt;
}

export function SentRequest({ delivery, stitchId, attempt }: SentRequestProps) {
  const texts = useTexts().webhooks.deliveries;
  const { client, environmentId } = useTenant();
  const { data: stitch } = useQuery({
    queryKey: ['webhooks', environmentId, stitchId],
    queryFn: () => client.stitches.get(stitchId),
  });
  const headers = toRequestHeaders(delivery, attempt).map(([name, value]) => `${name}: ${value}`);
  const line = stitch === undefined ? [] : [`POST ${stitch.webhookUrl ?? ''}`];
  /** The address of then is not kept. */
  const isChanged = stitch !== undefined && stitch.updatedAt > attempt.attemptedAt;
  return (
    <>
      <Code block tabIndex={0} role="group" aria-label={texts.requestOf(attempt.number)}>
        {[...line, ...headers].join('\n')}
      </Code>
      <Text size="xs" c="dimmed">
        {texts.requestHint}
        {isChanged && ` ${texts.changedSince}`}
      </Text>
    </>
  );
}
