/** How long the old secret still works: chosen before, and counted down then. */
import { Select, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTexts } from '../texts/index.ts';

export function Grace({ until, onEnd }: { readonly until: string; readonly onEnd: () => void }) {
  const texts = useTexts().secret;
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now) / 1_000));
  const isOver = seconds === 0;
  useEffect(() => {
    if (isOver) onEnd();
    // Once, when the time is over.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isOver]);
  return (
    <Text size="xs" c="dimmed" component="span" ms={6} role="timer">
      {texts.grace(toClock(seconds))}
    </Text>
  );
}

/** `4:59`, or with hours, `23:59:59`. */
function toClock(seconds: number): string {
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  const rest = `${hours === 0 ? minutes : twoDigits(minutes)}:${twoDigits(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}

/** In seconds. */
const graces = ['0', '300', '3600', '86400'] as const;
export const defaultGrace = '3600';

interface GraceSelectProps {
  readonly value: string;
  readonly onChange: (seconds: string) => void;
}

export function GraceSelect({ value, onChange }: GraceSelectProps) {
  const texts = useTexts().secret;
  return (
    <Select
      label={texts.gracePeriod}
      allowDeselect={false}
      value={value}
      onChange={seconds => onChange(seconds ?? defaultGrace)}
      data={graces.map(each => ({ value: each, label: texts.graces[each] }))}
    />
  );
}
