/** Beside the list, as long as nothing of it is chosen. */
import { Center, Stack, Text } from '@mantine/core';
import { Inbox } from 'lucide-react';
import { useTexts } from '../texts/index.ts';

export function NoThread() {
  const texts = useTexts().thread;
  return (
    <Center h="100%">
      <Stack align="center" gap={6}>
        <Inbox size={36} strokeWidth={1.2} color="var(--mantine-color-dimmed)" aria-hidden />
        <Text component="h1" size="md" fw={600}>
          {texts.none}
        </Text>
        <Text size="sm" c="dimmed">
          {texts.noneHint}
        </Text>
      </Stack>
    </Center>
  );
}
