/** A dialog above the page, and one with a form that is sent. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useKitTexts } from '../../kit/texts/index.ts';
import { ErrorNote } from './error-note.tsx';
import { useSubmit } from './use-submit.ts';

/** Of the form in a dialog: somebody fills it in, or it is on its way. */
type FormState = 'open' | 'sending';

/** By which a form tells its dialog that it is there; undefined: it is not any more. */
const FormContext = createContext<(state: FormState | undefined) => void>(() => undefined);

interface DialogProps {
  readonly title: string;
  readonly size?: 'md' | 'lg' | 'xl' | '90%';
  /** Nothing but its buttons closes it: it shows what is shown this once. */
  readonly hasSecret?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A click beside it does not close it while it has a form: what was typed would be lost. While the form is on its way nothing does: what comes of
 * that, a secret or an error, would be shown to nobody.
 */
export function Dialog(props: DialogProps) {
  const { title, size = 'md', hasSecret = false, onClose, children } = props;
  const { close } = useKitTexts().shell;
  const [form, setForm] = useState<FormState>();
  const isBusy = form === 'sending';
  return (
    <Modal
      opened
      size={size}
      onClose={onClose}
      closeOnClickOutside={form === undefined && !hasSecret}
      closeOnEscape={!hasSecret && !isBusy}
      title={title}
      closeButtonProps={{ 'aria-label': close, disabled: isBusy }}
    >
      <FormContext value={setForm}>{children}</FormContext>
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
  const tellDialog = useContext(FormContext);
  useEffect(() => {
    tellDialog(isRunning ? 'sending' : 'open');
    return () => tellDialog(undefined);
  }, [tellDialog, isRunning]);
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
