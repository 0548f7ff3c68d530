/** Asks for a name: of something new, or another one for what there is. */
import { type ReactNode, useState } from 'react';
import { Dialog, DialogForm } from './dialog.tsx';
import { NameField } from './name-field.tsx';

interface NameDialogProps {
  readonly title: string;
  readonly label: string;
  /** Where it has one already. */
  readonly name?: string;
  readonly maxLength?: number;
  readonly action: string;
  /** Below the name. */
  readonly children?: ReactNode;
  readonly run: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}

export function NameDialog(props: NameDialogProps) {
  const { title, label, name = '', maxLength = 256, action, children, run, onClose } = props;
  const [typed, setTyped] = useState(name);
  const given = typed.trim();
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action={action}
        isReady={given !== '' && given !== name}
        run={async () => {
          await run(given);
          onClose();
        }}
      >
        <NameField label={label} maxLength={maxLength} value={typed} onChange={setTyped} />
        {children}
      </DialogForm>
    </Dialog>
  );
}
