/** Brings something back from the archive. */
import { Button } from '@mantine/core';
import { useAction } from '../../kit/use-action.ts';
import { ErrorNote } from './error-note.tsx';

interface RestoreProps {
  readonly label: string;
  readonly run: () => Promise<unknown>;
}

export function Restore({ label, run }: RestoreProps) {
  const action = useAction();
  return (
    <>
      <Button loading={action.isRunning} onClick={() => void action.run(run)}>
        {label}
      </Button>
      <ErrorNote error={action.error} />
    </>
  );
}
