/** Leads to where the operator has worked the last time. */
import { Center, Stack, Text } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { ApiError } from '../../sdk/index.ts';
import { SecondFactorHint } from '../../kit/account/lazy-hint.tsx';
import { Unverified } from '../../kit/account/lazy-unverified.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { findStart, useEnvironments } from '../../kit/shell/environments.ts';

export function ChooseProject() {
  const texts = useTexts().shell;
  const { loading, unreachable } = useKitTexts().shell;
  const { data: places, error } = useEnvironments();
  const start = places === undefined ? undefined : findStart(places);
  if (start !== undefined) {
    const { projectId, environmentId } = start;
    const params = { projectId, environmentId, queue: 'all' };
    return <Navigate to="/$projectId/$environmentId/$queue" params={params} search={{}} replace />;
  }
  if (error instanceof ApiError && error.code === 'svc/auth/email_not_verified') return <Unverified />;
  return (
    <Center h="100%" component="main">
      <Stack align="center" gap="xs" maw={420}>
        {places === undefined && error === null && <Text c="dimmed">{loading}</Text>}
        {error !== null && <Text role="alert">{unreachable}</Text>}
        {places !== undefined && <Text ta="center">{texts.noProject}</Text>}
        {places !== undefined && <SecondFactorHint />}
      </Stack>
    </Center>
  );
}
