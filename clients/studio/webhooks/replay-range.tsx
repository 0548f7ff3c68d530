/** The time whose events are delivered again: the last day, until whoever asks says otherwise. */
import { Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTimeZone } from '../../kit/people/use-profile.ts';
import { dayMs } from '../parts/days.ts';
import { toInstant, toLocalTime } from '../parts/local-time.ts';
import { useTexts } from '../texts/index.ts';

/** Instants; undefined: without that end. */
export interface ReplayRange {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

export function useReplayRange() {
  const timeZone = useTimeZone();
  const [openedAt] = useState(Date.now);
  const [since, setSince] = useState(() => toLocalTime(new Date(openedAt - dayMs).toISOString(), timeZone));
  const [until, setUntil] = useState('');
  const range: ReplayRange = { since: toInstant(since, timeZone), until: toInstant(until, timeZone) };
  return { range, fields: { since, setSince, until, setUntil } };
}

interface ReplayRangeFieldsProps extends Readonly<ReturnType<typeof useReplayRange>['fields']> {
  /** Of the beginning. */
  readonly label: string;
}

export function ReplayRangeFields({ label, since, setSince, until, setUntil }: ReplayRangeFieldsProps) {
  const texts = useTexts().webhooks.replays;
  return (
    <Group grow>
      <TextInput
        type="datetime-local"
        label={label}
        value={since}
        onChange={event => setSince(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        label={texts.until}
        value={until}
        onChange={event => setUntil(event.currentTarget.value)}
      />
    </Group>
  );
}
