/** Gives something a new secret, which is shown once; the old one works for a while longer, so that nothing stops meanwhile. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../texts/index.ts';
import { DialogForm } from './dialog.tsx';
import { defaultGrace, Grace, GraceSelect } from './grace.tsx';
import { SecretDialog } from './secret-dialog.tsx';

interface Rotated {
  readonly secret: string;
  /** When the old one stops working, where the server says so. */
  readonly graceEndsAt?: string | null | undefined;
}

interface RotateSecretProps {
  readonly title: string;
  readonly hint: string;
  /** Of the new secret. */
  readonly about: string;
  /** Resolves when the server has the new secret. */
  readonly rotate: (gracePeriodSeconds: number) => Promise<Rotated>;
  readonly onRotated: () => void;
  readonly onClose: () => void;
}

export function RotateSecret({ title, hint, about, rotate, onRotated, onClose }: RotateSecretProps) {
  const texts = useTexts().secret;
  const [seconds, setSeconds] = useState<string>(defaultGrace);
  const [rotated, setRotated] = useState<Rotated>();
  const run = async (): Promise<void> => {
    const gracePeriodSeconds = Number(seconds);
    const answer = await rotate(gracePeriodSeconds);
    const graceEndsAt =
      gracePeriodSeconds === 0 ? null : new Date(Date.now() + gracePeriodSeconds * 1_000).toISOString();
    setRotated({ graceEndsAt, ...answer });
    onRotated();
  };
  return (
    <SecretDialog
      title={title}
      secret={rotated?.secret}
      about={about}
      done={texts.done}
      onClose={onClose}
      form={
        <DialogForm action={texts.rotate} run={run}>
          <Text size="sm">{hint}</Text>
          <GraceSelect value={seconds} onChange={setSeconds} />
        </DialogForm>
      }
    >
      {rotated?.graceEndsAt != null && <Grace until={rotated.graceEndsAt} onEnd={onRotated} />}
    </SecretDialog>
  );
}
