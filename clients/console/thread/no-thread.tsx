import { Center, Text } from '@mantine/core';
import { useTexts } from '../texts/index.ts';

export function NoThread() {
  const texts = useTexts().thread;
  return (
    <Center h="100%">
      <Text c="dimmed">{texts.none}</Text>
    </Center>
  );
}
