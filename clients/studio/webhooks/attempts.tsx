/** Each attempt of a delivery, with what was answered. */
import { Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '../../kit/use-formats.ts';
import type { DeliveryAttempt } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

interface AttemptsProps {
  readonly deliveryId: string;
  /** They are read again when there are more. */
  readonly attemptCount: number;
}

export function Attempts({ deliveryId, attemptCount }: AttemptsProps) {
  const texts = useTexts().webhooks.deliveries;
  const { client } = useTenant();
  const { data: attempts = [], error } = useQuery({
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
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </Stack>
    </section>
  );
}

function Attempt({ attempt }: { readonly attempt: DeliveryAttempt }) {
  const texts = useTexts().webhooks.deliveries;
  const formats = useFormats();
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
