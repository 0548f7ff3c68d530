/** Shows what belongs to a project, until its operator is no member of it any more. */
import { Center, Stack, Text, Title } from '@mantine/core';
import { Suspense, type ReactNode } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { ApiError } from '../../sdk/index.ts';
import { SecondFactorHint } from '../../kit/account/lazy-hint.tsx';
import { useStreamState } from '../live/stream-context.tsx';
import { useTexts } from '../texts/index.ts';

const Unsent = lazyPart(() => import('./unsent-here.tsx'));

export function WhileAllowed({ children }: { readonly children: ReactNode }) {
  const texts = useTexts().shell;
  const state = useStreamState();
  const isRefused =
    state.is === 'ended' &&
    state.error instanceof ApiError &&
    (state.error.status === 403 || state.error.status === 404);
  if (!isRefused) return children;
  return (
    <Center h="100%" component="main">
      <Stack align="center" gap="xs" maw={420}>
        <Title order={1} size="h3">
          {texts.notAllowed}
        </Title>
        <Text size="sm" c="dimmed" ta="center">
          {texts.notAllowedHint}
        </Text>
        <SecondFactorHint />
        <Suspense>
          <Unsent />
        </Suspense>
        {/* Loaded anew: nothing of the project stays in memory. */}
        <a href="/console">{texts.elsewhere}</a>
      </Stack>
    </Center>
  );
}
