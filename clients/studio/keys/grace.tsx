/** How long the old secret of a key still works, counted down. */
import { Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTexts } from '../texts/index.ts';

export function Grace({ until, onEnd }: { readonly until: string; readonly onEnd: () => void }) {
  const texts = useTexts().keys;
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now) / 1_000));
  const isOver = seconds === 0;
  useEffect(() => {
    if (isOver) onEnd();
    // Once, when the time is over.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOver]);
  const minutes = Math.floor(seconds / 60);
  const clock = `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <Text size="xs" c="dimmed" component="span" ms={6} role="timer">
      {texts.grace(clock)}
    </Text>
  );
}
