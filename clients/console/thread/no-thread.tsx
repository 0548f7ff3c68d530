import { Center, Text } from '@mantine/core';

export function NoThread() {
  return (
    <Center h="100%">
      <Text c="dimmed">No conversation selected</Text>
    </Center>
  );
}
