/** Asks until when threads are put off: a date and a time, in the zone in which the operator reads times. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTimeZone } from '../../kit/people/use-profile.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { parseLocalTime, toLocalTime } from './snoozes.ts';

const dayMs = 86_400_000;

interface SnoozeDialogProps {
  readonly onChosen: (until: Date) => void;
  readonly onClose: () => void;
}

export default function SnoozeDialog({ onChosen, onClose }: SnoozeDialogProps) {
  const texts = useTexts().thread.header;
  const { close } = useKitTexts().shell;
  const timeZone = useTimeZone();
  const [opened] = useState(() => new Date());
  const [text, setText] = useState(() => toLocalTime(new Date(opened.getTime() + dayMs), timeZone));
  const [isRefused, setRefused] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      size="xs"
      title={texts.snoozeUntil}
      closeButtonProps={{ 'aria-label': close }}
      transitionProps={{ duration: 0 }}
    >
      <form
        noValidate
        onSubmit={event => {
          event.preventDefault();
          const until = parseLocalTime(text, new Date(), timeZone);
          if (until === undefined) setRefused(true);
          else onChosen(until);
        }}
      >
        <Stack gap="sm">
          <TextInput
            type="datetime-local"
            label={texts.snoozeTime}
            data-autofocus
            min={toLocalTime(opened, timeZone)}
            value={text}
            error={isRefused && texts.badSnoozeTime}
            onChange={event => {
              setText(event.currentTarget.value);
              setRefused(false);
            }}
          />
          <Group justify="flex-end">
            <Button type="submit">{texts.snooze}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
