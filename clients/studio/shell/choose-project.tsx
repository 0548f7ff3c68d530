/** Leads to where its user has worked the last time. */
import { Center, Stack, Text } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { SecondFactorHint } from '../../kit/account/lazy-hint.tsx';
import { Unverified } from '../../kit/account/lazy-unverified.tsx';
import { findStart, useEnvironments } from '../../kit/shell/environments.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { ApiError } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';

export function ChooseProject() {
  const texts = useTexts().shell;
  const { loading } = useKitTexts().shell;
  const { data: places, error } = useEnvironments();
  const start = places === undefined ? undefined : findStart(places);
  if (start !== undefined) {
    const { projectId, environmentId } = start;
    return <Navigate to="/$projectId/$environmentId" params={{ projectId, environmentId }} replace />;
  }
  if (error instanceof ApiError && error.code === 'svc/auth/email_not_verified') return <Unverified />;
  // Said by the page for errors, which tries again.
  if (error !== null) throw error;
  return (
    <Center h="100%" component="main">
      <Stack align="center" gap="xs" maw={420}>
        {places === undefined ? (
          <Text c="dimmed">{loading}</Text>
        ) : (
          <>
            <Text ta="center">{texts.noProject}</Text>
            <SecondFactorHint />
          </>
        )}
      </Stack>
    </Center>
  );
}
