/** A dialog that asks for something, and then shows the secret that came of it, this once. */
import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Secret } from './secret.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly size?: 'md' | 'lg';
  /** Undefined: there is none yet. */
  readonly secret: string | undefined;
  readonly about: string;
  /** Asks. */
  readonly form: ReactNode;
  /** Below the secret. */
  readonly children?: ReactNode;
  /** Says that the secret was copied. */
  readonly done: string;
  /** Default: closes the dialog. */
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

export function SecretDialog(props: SecretDialogProps) {
  const { title, size, secret, about, form, children, done, onClose, onDone = onClose } = props;
  return (
    // A secret that was not copied is lost.
    <Dialog title={title} {...(size && { size })} hasSecret={secret !== undefined} onClose={onClose}>
      {secret === undefined ? (
        form
      ) : (
        <Stack gap="md">
          <Secret about={about} secret={secret} />
          {children}
          <Group justify="flex-end">
            <Button onClick={onDone}>{done}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
