/** Before what cannot be taken back: says what will happen, and has the name typed where that is much. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { toShownName, toTypedName } from '../../kit/shown-name.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useAction } from '../../kit/use-action.ts';
import { useTexts } from '../texts/index.ts';
import { ErrorNote } from './error-note.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action: string;
  /** To be typed. */
  readonly name?: string;
  readonly run: () => Promise<unknown>;
  /** What is said of an error. Default: what is said of all. */
  readonly problem?: (error: unknown) => ReactNode;
  readonly onClose: () => void;
}

export function Confirm({ title, children, action, name, run, problem, onClose }: ConfirmProps) {
  const texts = useTexts().confirm;
  const { close } = useKitTexts().shell;
  const [typed, setTyped] = useState('');
  /** Empty: there is nothing that can be typed. */
  const wanted = toTypedName(name ?? '');
  const { isRunning, error, run: act } = useAction();
  const confirm = async (): Promise<void> => {
    if (await act(run)) onClose();
  };
  return (
    // It does not close while that is done: an error would be shown to nobody.
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={!isRunning}
      closeOnEscape={!isRunning}
      title={title}
      closeButtonProps={{ 'aria-label': close, disabled: isRunning }}
    >
      <Stack gap="sm">
        <Text size="sm">{children}</Text>
        {name !== undefined && wanted !== '' && (
          <TextInput
            label={texts.typeName(toShownName(name))}
            data-autofocus
            value={typed}
            onChange={event => setTyped(event.currentTarget.value)}
          />
        )}
        {problem === undefined ? <ErrorNote error={error} /> : problem(error)}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={isRunning} onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button
            color="red.8"
            loading={isRunning}
            disabled={toTypedName(typed) !== wanted && wanted !== ''}
            onClick={() => void confirm()}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
