/** Instead of a frame: the address names nothing that is there for its reader. */
import { Anchor, Center, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SecondFactorHint } from '../../kit/account/lazy-hint.tsx';

interface NoSuchPlaceProps {
  readonly title: string;
  readonly hint: string;
  readonly elsewhere: string;
}

export function NoSuchPlace({ title, hint, elsewhere }: NoSuchPlaceProps) {
  const queries = useQueryClient();
  // It may have been there until now: what was read of it goes with it.
  useEffect(() => queries.removeQueries({ predicate: query => query.getObserversCount() === 0 }), [queries]);
  return (
    <Center h="100%" component="main">
      <Stack align="center" gap="xs" maw={420} p="md">
        <Title order={1} size="h3">
          {title}
        </Title>
        <Text size="sm" c="dimmed" ta="center">
          {hint}
        </Text>
        <SecondFactorHint />
        {/* Loaded anew: nothing of what was shown stays in memory. */}
        <Anchor href="/studio">{elsewhere}</Anchor>
      </Stack>
    </Center>
  );
}
