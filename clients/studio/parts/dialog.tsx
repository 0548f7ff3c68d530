/** A dialog above the page, and one with a form that is sent. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useKitTexts } from '../../kit/texts/index.ts';
import { ErrorNote } from './error-note.tsx';
import { useSubmit } from './use-submit.ts';

/** By which a form tells its dialog whether it is on its way. */
const BusyContext = createContext<(isBusy: boolean) => void>(() => undefined);

interface DialogProps {
  readonly title: string;
  readonly size?: 'md' | 'lg' | 'xl' | '90%';
  /** A click beside it does not close it: what it holds would be lost. */
  readonly isKept?: boolean | undefined;
  /** Nor does Escape: it shows what is shown this once. */
  readonly hasSecret?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** While its form is on its way, nothing closes it: what comes of that, a secret or an error, would be shown to nobody. */
export function Dialog(props: DialogProps) {
  const { title, size = 'md', isKept = false, hasSecret = false, onClose, children } = props;
  const { close } = useKitTexts().shell;
  const [isBusy, setBusy] = useState(false);
  return (
    <Modal
      opened
      size={size}
      onClose={onClose}
      closeOnClickOutside={!isKept && !hasSecret && !isBusy}
      closeOnEscape={!hasSecret && !isBusy}
      title={title}
      closeButtonProps={{ 'aria-label': close, disabled: isBusy }}
    >
      <BusyContext value={setBusy}>{children}</BusyContext>
    </Modal>
  );
}

interface DialogFormProps {
  readonly action: string;
  /** Whether it can be sent as it is. */
  readonly isReady?: boolean;
  readonly run: () => Promise<unknown>;
  /** What is said of an error. Default: what is said of all. */
  readonly problem?: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}

/** What was typed stays where it fails. */
export function DialogForm({ action, isReady = true, run, problem, children }: DialogFormProps) {
  const { isRunning, error, submit } = useSubmit(run);
  const setBusy = useContext(BusyContext);
  useEffect(() => {
    setBusy(isRunning);
    return () => setBusy(false);
  }, [setBusy, isRunning]);
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack gap="md">
        {children}
        {problem === undefined ? <ErrorNote error={error} /> : problem(error)}
        <Group justify="flex-end">
          <Button type="submit" loading={isRunning} disabled={!isReady}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
