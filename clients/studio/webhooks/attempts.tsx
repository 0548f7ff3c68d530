/** Each attempt of a delivery, with what was sent and what was answered. */
import { Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '../../kit/use-formats.ts';
import type { DeliveryAttempt, WebhookDelivery } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { wasSent } from './request-headers.ts';
import { SentRequest } from './sent-request.tsx';

interface AttemptsProps {
  readonly delivery: Pick<WebhookDelivery, 'deliveryId' | 'eventId' | 'stitchId' | 'attemptCount'>;
}

export function Attempts({ delivery }: AttemptsProps) {
  const { deliveryId, attemptCount } = delivery;
  const texts = useTexts().webhooks.deliveries;
  const { client } = useTenant();
  const { data: attempts = [], error } = useQuery({
    // They are read again when there are more.
    queryKey: ['delivery', deliveryId, 'attempts', attemptCount],
    queryFn: () => client.deliveries.listAttempts(deliveryId, { limit: 50 }).toArray(50),
  });
  return (
    <section aria-label={texts.attempts}>
      <Text fw={600} size="sm" mb={6}>
        {texts.attempts}
      </Text>
      <ErrorNote error={error} />
      {attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.noAttempts}
        </Text>
      )}
      <Stack gap="sm">
        {attempts.map(attempt => (
          <Attempt key={attempt.number} delivery={delivery} attempt={attempt} />
        ))}
      </Stack>
    </section>
  );
}

function Attempt({ delivery, attempt }: AttemptsProps & { readonly attempt: DeliveryAttempt }) {
  const texts = useTexts().webhooks.deliveries;
  const formats = useFormats();
  const [isOpen, setOpen] = useState(false);
  const { stitchId } = delivery;
  const { number, attemptedAt, durationMs, responseStatus, responseBody, errorClass, error, trigger } =
    attempt;
  return (
    <div>
      <Text size="sm">
        {texts.attempt(number)} · <Time at={attemptedAt} isExact /> · {formats.number(durationMs)} ms ·{' '}
        {texts.triggers[trigger]}
      </Text>
      <Text size="sm" c={errorClass === null ? undefined : 'var(--mantine-color-error)'}>
        {responseStatus === null ? texts.noAnswer : texts.answered(responseStatus)}
        {error !== null && ` · ${error}`}
      </Text>
      {stitchId != null && wasSent(attempt) && (
        <details onToggle={event => setOpen(event.currentTarget.open)}>
          <summary>{texts.request}</summary>
          {isOpen && <SentRequest delivery={delivery} stitchId={stitchId} attempt={attempt} />}
        </details>
      )}
      {responseBody !== null && responseBody !== '' && (
        <Code
          block
          tabIndex={0}
          role="group"
          aria-label={texts.body(number)}
          mah={160}
          style={{ overflow: 'auto' }}
        >
          {responseBody}
        </Code>
      )}
    </div>
  );
}
